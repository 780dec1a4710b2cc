; Definitions of Python. The first pattern that marks a node gives its kind.

(class_definition
  body: (block [
    (function_definition name: (identifier) @name) @method
    (decorated_definition definition: (function_definition name: (identifier) @name) @method)
  ]))

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(type_alias_statement left: (type (identifier) @name)) @type
(module (expression_statement (assignment left: (identifier) @name) @variable))
