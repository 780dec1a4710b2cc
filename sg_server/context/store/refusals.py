"""What every back end refuses, in the same words."""

from typing import NoReturn

from sg_server.errors import AmbiguousPrefix, EntryChanged, InvalidParams


def refuse_prefix(prefix: str) -> NoReturn:
    """Say that a prefix names several entries."""
    raise AmbiguousPrefix("id", f"{prefix!r} begins the ids of several entries; give more of it")


def refuse_version(id_: str, version: int, expected: int | None) -> None:
    """Raise EntryChanged where another version was expected."""
    if expected not in (None, version):
        raise EntryChanged(
            f"Entry {id_} has version {version}, not {expected}; nothing was stored",
            "Get the entry, bring your change into it, and put that with its version.",
        )


def refuse_count(found: int, confirm: int) -> None:
    """Raise InvalidParams where another number of entries was to be deleted."""
    if found != confirm:
        raise InvalidParams("confirm", f"{found} entries fit, not {confirm}; nothing was deleted")


def refuse_another_owner(id_: str, owner: str) -> NoReturn:
    """Say that an entry can be read but not changed."""
    raise InvalidParams("id", f"entry {id_} belongs to {owner}, who alone can change or delete it")
