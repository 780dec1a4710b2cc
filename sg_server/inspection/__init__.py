"""The source around a line, with its smallest proven enclosing symbol."""
