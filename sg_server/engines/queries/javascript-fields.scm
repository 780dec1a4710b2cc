; Fields of a class that hold a function; TypeScript's grammar has another name for them.

(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
