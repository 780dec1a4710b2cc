"""Entries in an SQLite file: each function is one whole call of the store."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sg_server.context.entries import Entry, EntryHead, NewEntry
from sg_server.context.filters import Filters
from sg_server.context.ids import IdMaker, id_prefix
from sg_server.context.store.interface import NodeSummary
from sg_server.context.store.refusals import refuse_count, refuse_prefix, refuse_version
from sg_server.context.store.sqlite_file import transaction
from sg_server.errors import EntryNotFound
from sg_server.text.folding import fold

_HEAD: Final = (
    "id, thread_id, source, content_type, tags, metadata, summary, owner, readers, version,"
    " created_at, updated_at, characters"
)
_AFTER_ANY_DIGIT: Final = "g"


def insert(connection: sqlite3.Connection, new: NewEntry, ids: IdMaker, owner: str) -> Entry:
    """Put an entry that was not there."""
    with transaction(connection):
        return get(connection, add(connection, new, ids, owner))


def add(connection: sqlite3.Connection, new: NewEntry, ids: IdMaker, owner: str) -> str:
    """Within a transaction, put an entry and give its id. Rows are numbered as ids ascend."""
    (newest,) = connection.execute("SELECT max(id) FROM entries").fetchone()
    id_ = ids.make(after=newest)
    now = _now()
    number = connection.execute(
        "INSERT INTO entries (thread_id, source, content_type, tags, metadata, summary, readers, characters,"
        " id, owner, version, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (*_columns(new), id_, owner, now, now),
    ).lastrowid
    connection.execute("INSERT INTO texts VALUES (?, ?)", (number, new.text))
    connection.execute("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", (number, fold(new.text)))
    _tag(connection, number, new.tags)
    return id_


def replace(connection: sqlite3.Connection, new: NewEntry, given: str, expected_version: int | None) -> Entry:
    """Put a new version of the entry that is given."""
    with transaction(connection):
        number = _number(connection, given)
        (id_, version, old) = connection.execute(
            "SELECT id, version, text FROM entries JOIN texts USING (number) WHERE number = ?", (number,)
        ).fetchone()
        refuse_version(id_, version, expected_version)
        connection.execute(
            "UPDATE entries SET thread_id = ?, source = ?, content_type = ?, tags = ?, metadata = ?,"
            " summary = ?, readers = ?, characters = ?, version = ?, updated_at = ? WHERE number = ?",
            (*_columns(new), version + 1, _now(), number),
        )
        if new.text != old:
            _forget(connection, number, old)
            connection.execute("UPDATE texts SET text = ? WHERE number = ?", (new.text, number))
            connection.execute("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", (number, fold(new.text)))
        connection.execute("DELETE FROM tags WHERE number = ?", (number,))
        _tag(connection, number, new.tags)
        connection.execute("DELETE FROM node_summaries WHERE number = ?", (number,))
        return get(connection, id_)


def get(connection: sqlite3.Connection, given: str) -> Entry:
    """See `Store.get`."""
    number = _number(connection, given)
    *head, text = connection.execute(
        f"SELECT {_HEAD}, text FROM entries JOIN texts USING (number) WHERE number = ?", (number,)
    ).fetchone()
    return Entry(**_head_fields(head), text=text)


def page(
    connection: sqlite3.Connection, filters: Filters, limit: int, before: str | None
) -> tuple[EntryHead, ...]:
    """See `Store.page`."""
    found = []
    for row in _fitting(connection, filters, f"number, {_HEAD}", before):
        found.append(EntryHead(**_head_fields(row[1:])))
        if len(found) == limit:
            break
    return tuple(found)


def delete(connection: sqlite3.Connection, given: Sequence[str]) -> int:
    """See `Store.delete`."""
    with transaction(connection):
        return _remove(connection, {_number(connection, one) for one in given})


def delete_matching(connection: sqlite3.Connection, filters: Filters, confirm: int) -> int:
    """See `Store.delete_matching`."""
    with transaction(connection):
        numbers = {number for number, _ in _fitting(connection, filters, "number, metadata", None)}
        refuse_count(len(numbers), confirm)
        return _remove(connection, numbers)


def node_summaries(connection: sqlite3.Connection, id_: str) -> tuple[NodeSummary, ...]:
    """See `Store.node_summaries`."""
    rows = connection.execute(
        "SELECT node_id, char_start, char_end, node_summaries.summary"
        " FROM node_summaries JOIN entries USING (number) WHERE id = ? ORDER BY position",
        (id_,),
    )
    return tuple(
        NodeSummary(node_id=node, char_start=start, char_end=end, summary=summary)
        for node, start, end, summary in rows
    )


def keep_summaries(
    connection: sqlite3.Connection,
    id_: str,
    version: int,
    summary: str | None,
    nodes: Sequence[NodeSummary],
) -> bool:
    """See `Store.keep_summaries`."""
    with transaction(connection):
        row = connection.execute(
            "SELECT number FROM entries WHERE id = ? AND version = ?", (id_, version)
        ).fetchone()
        if row is None:
            return False
        (number,) = row
        if summary is not None:
            connection.execute("UPDATE entries SET summary = ? WHERE number = ?", (summary, number))
        connection.execute("DELETE FROM node_summaries WHERE number = ?", (number,))
        connection.executemany(
            "INSERT INTO node_summaries VALUES (?, ?, ?, ?, ?, ?)",
            (
                (number, position, node.node_id, node.char_start, node.char_end, node.summary)
                for position, node in enumerate(nodes)
            ),
        )
    return True


def numbers(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many entries there are, and the version of the schema."""
    (entries,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return entries, version


def where(filters: Filters, before: str | None) -> tuple[str, list[object]]:
    """A condition on `entries` for what SQL can decide of `filters`, and its parameters."""
    conditions: list[str] = ["TRUE"]
    values: list[object] = []
    for column, value in filters.columns.items():
        conditions.append(f"{column} = ?")
        values.append(value)
    if filters.tags:
        marks = ", ".join("?" * len(filters.tags))
        conditions.append(f"number IN (SELECT number FROM tags WHERE tag IN ({marks}))")
        values += filters.tags
    if before is not None:
        # Numbers ascend with ids, so the next id has the number below which to look.
        conditions.append(
            "number < ifnull((SELECT number FROM entries WHERE id >= ? ORDER BY id LIMIT 1), 9e18)"
        )
        values.append(before)
    return " AND ".join(conditions), values


def _fitting(
    connection: sqlite3.Connection, filters: Filters, columns: str, before: str | None
) -> Iterator[tuple[Any, ...]]:
    """Rows of entries that fit, newest first. `columns` names the metadata among others."""
    condition, values = where(filters, before)
    rows = connection.execute(f"SELECT {columns} FROM entries WHERE {condition} ORDER BY number DESC", values)
    at = columns.split(", ").index("metadata")
    return (row for row in rows if not filters.metadata or filters.fit(json.loads(row[at])))


def _number(connection: sqlite3.Connection, given: str) -> int:
    """The number of the one entry that is given. Raises EntryNotFound, AmbiguousPrefix, InvalidParams."""
    prefix = id_prefix(given)
    found = connection.execute(
        "SELECT number FROM entries WHERE id >= ? AND id < ? LIMIT 2", (prefix, prefix + _AFTER_ANY_DIGIT)
    ).fetchall()
    if not found:
        raise EntryNotFound(given.strip())
    if len(found) > 1:
        refuse_prefix(prefix)
    ((number,),) = found
    return int(number)


def _columns(new: NewEntry) -> tuple[object, ...]:
    return (
        new.thread_id,
        new.source,
        new.content_type,
        json.dumps(new.tags, ensure_ascii=False),
        new.metadata,
        new.summary,
        json.dumps(new.readers, ensure_ascii=False),
        len(new.text),
    )


def _head_fields(row: Sequence[Any]) -> dict[str, Any]:
    fields = dict(zip(_HEAD.split(", "), row, strict=True))
    readers = json.loads(fields["readers"])
    return fields | {
        "tags": tuple(json.loads(fields["tags"])),
        "metadata": json.loads(fields["metadata"]),
        "readers": readers if readers == "*" else tuple(readers),
    }


def _tag(connection: sqlite3.Connection, number: int | None, tags: Sequence[str]) -> None:
    connection.executemany("INSERT INTO tags VALUES (?, ?)", ((tag, number) for tag in tags))


def _forget(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Take a text out of the index, which does not keep texts and must be told it."""
    connection.execute(
        "INSERT INTO trigrams (trigrams, rowid, text) VALUES ('delete', ?, ?)", (number, fold(text))
    )


def _remove(connection: sqlite3.Connection, numbers: set[int]) -> int:
    for number in numbers:
        (text,) = connection.execute("SELECT text FROM texts WHERE number = ?", (number,)).fetchone()
        _forget(connection, number, text)
        connection.execute("DELETE FROM entries WHERE number = ?", (number,))
    return len(numbers)


def _now() -> int:
    return time.time_ns() // 1_000_000
