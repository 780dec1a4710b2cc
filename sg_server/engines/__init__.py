"""The programs this server runs (ripgrep, Universal Ctags, tree-sitter), and how."""
