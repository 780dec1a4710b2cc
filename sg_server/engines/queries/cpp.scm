; What C++ adds to the definitions of C. The first pattern that marks a node gives its kind.

(field_declaration_list
  (function_definition
    declarator: [
      (function_declarator declarator: (_) @name)
      (_ (function_declarator declarator: (_) @name))
    ]) @method)
(field_declaration_list
  (template_declaration
    (function_definition
      declarator: [
        (function_declarator declarator: (_) @name)
        (_ (function_declarator declarator: (_) @name))
      ]) @method))

(function_definition declarator: (operator_cast type: (_) @name)) @function
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(concept_definition name: (_) @name) @concept
(alias_declaration name: (_) @name) @type
