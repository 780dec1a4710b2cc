"""Which back end keeps the entries, by the place that is named."""

import os
from typing import Final

from sg_server.context.store.interface import Store
from sg_server.errors import StoreUnavailable

_DSN: Final = ("postgresql://", "postgres://")


def open_store(place: str) -> Store:
    """The store at a path or a PostgreSQL address. Nothing is opened before it is used.

    Raises StoreUnavailable when an address is named and what speaks to PostgreSQL is not installed.
    """
    if place.startswith(_DSN):
        return _postgresql(place)
    from sg_server.context.store.sqlite import SqliteStore  # noqa: PLC0415 - only who keeps entries needs SQLite

    return SqliteStore(os.path.expanduser(place))


def _postgresql(address: str) -> Store:
    try:
        from sg_server.context.store.postgresql import PostgresStore  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise StoreUnavailable(
            f"Entries in PostgreSQL need a part that is not installed: {error}",
            "Install it: pip install 'signal-grep[postgres]'",
        ) from error
    return PostgresStore(address)


def is_there(place: str) -> bool:
    """Whether something has been kept there; of a database that is taken for granted."""
    return place.startswith(_DSN) or os.path.exists(os.path.expanduser(place))
