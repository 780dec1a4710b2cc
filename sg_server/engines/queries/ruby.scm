; Definitions of Ruby.

(module name: (_) @name) @module
(class name: (_) @name) @class
(singleton_class value: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(program (assignment left: (constant) @name) @constant)
(body_statement (assignment left: (constant) @name) @constant)
