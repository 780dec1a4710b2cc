; Definitions of Rust. The first pattern that marks a node gives its kind.

(impl_item body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list (function_signature_item name: (_) @name) @method))

(function_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(union_item name: (_) @name) @union
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @implementation
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
