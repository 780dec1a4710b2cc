"""The command table: what is registered, put in the schema and documented comes from here."""

from typing import NamedTuple


class Command(NamedTuple):
    """One command: its id, and its function in `handlers`, which is only imported when work begins."""

    id: str
    handler: str
    title: str
    """What a client shows people while it runs."""


COMMANDS = (
    Command("sg.search", "search", "Searching"),
    Command("sg.page", "page", "Reading a page"),
    Command("sg.inspect", "inspect", "Reading source"),
    Command("sg.explain", "explain", "Asking ripgrep"),
    Command("sg.clear", "clear", "Clearing"),
    Command("sg.health", "health", "Examining"),
)
