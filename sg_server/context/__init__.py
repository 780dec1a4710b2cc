"""Stored text: what is kept, and how it is searched, outlined and read in part."""
