; Definitions of C#.

(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(record_declaration name: (_) @name) @record
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @delegate
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(destructor_declaration name: (_) @name) @destructor
(operator_declaration operator: _ @name) @operator
(property_declaration name: (_) @name) @property
(event_declaration name: (_) @name) @event
(local_function_statement name: (_) @name) @function
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
