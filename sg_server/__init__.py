"""Signal Grep: a language server for search you can trust."""

__version__ = "0.1.0"
