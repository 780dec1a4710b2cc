"""The command table: what is registered, put in the schema and documented comes from here."""

from typing import NamedTuple


class Command(NamedTuple):
    """One command: its id, and its function in `handlers`, which is only imported when work begins."""

    id: str
    handler: str


COMMANDS = (
    Command("sg.search", "search"),
    Command("sg.page", "page"),
    Command("sg.inspect", "inspect"),
    Command("sg.explain", "explain"),
    Command("sg.clear", "clear"),
    Command("sg.health", "health"),
    Command("sg.metrics", "metrics"),
    Command("sg.mode", "mode"),
    Command("sg.locale", "locale"),
    Command("sg.context.grep", "context_grep"),
    Command("sg.context.navigate", "context_navigate"),
    Command("sg.context.read", "context_read"),
    Command("sg.context.put", "context_put"),
    Command("sg.context.get", "context_get"),
    Command("sg.context.list", "context_list"),
    Command("sg.context.delete", "context_delete"),
)
