"""Where entries are kept: one interface, and the back ends behind it."""
