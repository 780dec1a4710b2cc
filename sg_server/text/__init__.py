"""Pure functions on text: no I/O, no clock, no LSP."""
