; Definitions of JavaScript, of TypeScript too. The first pattern that marks a node gives its kind.

(method_definition name: (_) @name) @method
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function

(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression !name)]) @function
(variable_declarator name: (identifier) @name value: (class !name)) @class
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(arrow_function) (function_expression !name)]) @function
(pair key: (_) @name value: [(arrow_function) (function_expression !name)]) @method

(program [
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @variable)
  (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
])
