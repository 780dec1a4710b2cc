"""Symbols without an index: of one document, and of the whole workspace."""
