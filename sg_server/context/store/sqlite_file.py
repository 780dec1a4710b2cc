"""The file that entries are kept in: made for its owner alone, opened, brought up to date, or refused."""

import getpass
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from sg_server import limits
from sg_server.errors import StoreUnavailable
from sg_server.workspace import uris

APPLICATION_ID: Final = 0x53_47_52_70
"""In the file's header, so that another program's file is told from ours (`PRAGMA application_id`)."""

_OLDEST_SQLITE: Final = (3, 37)
"""The first with STRICT tables; trigrams came with 3.34."""

_CREATE: Final = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL,
    source TEXT NOT NULL,
    content_type TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    summary TEXT,
    owner TEXT NOT NULL,
    readers TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    characters INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_by_thread ON entries (thread_id, number);
CREATE TABLE texts (
    number INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE tags (
    tag TEXT NOT NULL,
    number INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    PRIMARY KEY (tag, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_entry ON tags (number);
CREATE TABLE node_summaries (
    number INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    position INTEGER NOT NULL,
    node_id TEXT NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    summary TEXT NOT NULL,
    PRIMARY KEY (number, position)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE trigrams USING fts5(
    text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
);
"""

MIGRATIONS: Final = (_CREATE,)
"""Each takes the schema one version further. What has been released is never changed, only added to."""


def open_file(path: str, migrations: Sequence[str] = MIGRATIONS) -> sqlite3.Connection:
    """A connection to the store at `path`, made with its folders if need be. Raises StoreUnavailable."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        wanted = ".".join(map(str, _OLDEST_SQLITE))
        raise StoreUnavailable(
            f"SQLite {sqlite3.sqlite_version} is too old to keep entries",
            f"Run the server with a Python that has SQLite {wanted} or newer.",
        )
    shown = uris.display(path)
    with failures(path):
        _prepare(path)
        connection = sqlite3.connect(
            path, timeout=limits.STORE_WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            _bring_up_to_date(connection, shown, migrations)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(path: str) -> None:
    """See to it that there is a file which only its owner can open, before SQLite opens it."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        # SQLite gives the files it puts beside this one the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise StoreUnavailable(f"{uris.display(path)} is no file", "Name another path for the store.")
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid != os.geteuid():
        raise StoreUnavailable(
            f"{uris.display(path)} belongs to another user", "Name a path of your own for the store."
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(path, 0o600)


def _bring_up_to_date(connection: sqlite3.Connection, shown: str, migrations: Sequence[str]) -> None:
    if _version(connection, shown, len(migrations)) == len(migrations):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        # Another server may have come first.
        version = _version(connection, shown, len(migrations))
        for script in migrations[version:]:
            for statement in script.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _version(connection: sqlite3.Connection, shown: str, newest: int) -> int:
    """The schema's version, 0 for an empty file. Raises StoreUnavailable for what must not be touched."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreUnavailable(
            f"{shown} is the database of another program", "Name another path for the store."
        )
    if version > newest:
        raise StoreUnavailable(
            f"{shown} was written by a newer server (its schema is {version}, known are 1 to {newest})",
            "Update the server, or name another path for the store.",
        )
    return int(version)


def user_name() -> str:
    """The name of the user this process runs as, whom the file belongs to."""
    if not hasattr(os, "geteuid"):
        return getpass.getuser()
    import pwd  # noqa: PLC0415 - Windows has none

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All of what is done inside, or nothing."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself where it had to, as with a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


_BUSY: Final = ("another program has it locked", "Wait for that program, or end it, and try again.")
_READ_ONLY: Final = (
    "it cannot be written to",
    "Make the file and its folder writable, or name another path.",
)
_REASONS: Final = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened",
        "Make the file and its folder readable and writable, or name another path.",
    ),
    sqlite3.SQLITE_FULL: ("the disk is full", "Make room, and try again; what was stored before is there."),
    sqlite3.SQLITE_IOERR: ("the disk cannot be read or written", "Look after the disk, and try again."),
    sqlite3.SQLITE_CORRUPT: (
        "it is damaged",
        "Restore it from a copy, or save what `sqlite3 FILE .recover` finds; until then name another path.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "it is no database, or its beginning is damaged",
        "Restore it from a copy, or name another path for the store.",
    ),
}
_PRIMARY: Final = 0xFF
"""The bits of an extended result code that hold the primary one."""


@contextmanager
def failures(path: str) -> Iterator[None]:
    """What SQLite or the system cannot do becomes StoreUnavailable, with the reason and what to do."""
    shown = uris.display(path)
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
        if code not in _REASONS:
            raise
        reason, hint = _REASONS[code]
        raise StoreUnavailable(f"The store at {shown} cannot be used: {reason}", hint) from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "Make the file and its folder readable and writable, or name another path."
        raise StoreUnavailable(f"The store at {shown} cannot be used: {reason}", hint) from error
