; Definitions of shell scripts.

(function_definition name: (_) @name) @function
