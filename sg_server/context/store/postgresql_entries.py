"""Entries in a PostgreSQL database: each function is a part of one transaction.

Row-level security hides what the caller may not read from every role but superusers, to whom it does not
apply. The conditions say it again, so that a superuser meets the same entries as any other role.
"""

import json
import time
from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from sg_server.context.entries import Entry, EntryHead, NewEntry
from sg_server.context.filters import Filters
from sg_server.context.ids import id_prefix
from sg_server.context.store.interface import NodeSummary
from sg_server.context.store.postgresql_connections import Connection
from sg_server.context.store.postgresql_schema import OWN, READABLE
from sg_server.context.store.refusals import refuse_another_owner, refuse_count, refuse_prefix, refuse_version
from sg_server.errors import EntryNotFound

_HEAD: Final = (
    "id, thread_id, source, content_type, tags, metadata, summary, owner, readers, everybody, version,"
    " created_at, updated_at, characters"
)
_PAGE_CHUNK: Final = 200
"""Entries that are looked at together for a page, of which few may fit."""


async def insert(connection: Connection, new: NewEntry, id_: str, trigrams: str) -> Entry:
    """Put an entry that was not there. `trigrams` are those of its text, as the index keeps them."""
    now = _now()
    cursor = await connection.execute(
        "INSERT INTO signal_grep.entries (thread_id, source, content_type, tags, metadata, summary, readers,"
        " everybody, characters, text, id, created_at, updated_at)"
        f" VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING {_HEAD}",
        (*_columns(new), UUID(id_), now, now),
    )
    row = await cursor.fetchone()
    await _index(connection, UUID(id_), trigrams)
    return Entry(**_head_fields(row), text=new.text)


async def replace(
    connection: Connection,
    new: NewEntry,
    given: str,
    expected_version: int | None,
    trigrams: str,
) -> Entry:
    """Put a new version of the entry that is given."""
    id_ = await _own_id(connection, given)
    # Whoever comes second waits here for the first, and then finds another version.
    cursor = await connection.execute(
        "UPDATE signal_grep.entries SET thread_id = %s, source = %s, content_type = %s, tags = %s,"
        " metadata = %s, summary = %s, readers = %s, everybody = %s, characters = %s, text = %s,"
        " version = version + 1, updated_at = %s"
        f" WHERE id = %s AND {OWN} AND version = coalesce(%s, version) RETURNING {_HEAD}",
        (*_columns(new), _now(), id_, expected_version),
    )
    row = await cursor.fetchone()
    if row is None:
        found = await get(connection, given)
        refuse_version(found.id, found.version, expected_version)
    await _index(connection, id_, trigrams)
    await connection.execute("DELETE FROM signal_grep.node_summaries WHERE id = %s", (id_,))
    return Entry(**_head_fields(row), text=new.text)


async def get(connection: Connection, given: str) -> Entry:
    """See `Store.get`."""
    id_, _ = await _resolve(connection, given)
    cursor = await connection.execute(
        f"SELECT {_HEAD}, text FROM signal_grep.entries WHERE id = %s AND {READABLE}", (id_,)
    )
    row = await cursor.fetchone()
    if row is None:
        raise EntryNotFound(given.strip())
    return Entry(**_head_fields(row[:-1]), text=row[-1])


async def page(
    connection: Connection, filters: Filters, limit: int, before: str | None
) -> tuple[EntryHead, ...]:
    """See `Store.page`."""
    found: list[EntryHead] = []
    while len(found) < limit:
        condition, values = where(filters, before)
        cursor = await connection.execute(
            f"SELECT {_HEAD} FROM signal_grep.entries WHERE {condition} ORDER BY id DESC LIMIT %s",
            (*values, _PAGE_CHUNK),
        )
        heads = [EntryHead(**_head_fields(row)) for row in await cursor.fetchall()]
        found += (head for head in heads if filters.fit(head.metadata))
        if len(heads) < _PAGE_CHUNK:
            break
        before = heads[-1].id
    return tuple(found[:limit])


async def delete(connection: Connection, given: Sequence[str]) -> int:
    """See `Store.delete`."""
    ids = {await _own_id(connection, one): one for one in given}
    gone = await _remove(connection, ids)
    for id_ in ids.keys() - gone:
        raise EntryNotFound(ids[id_].strip())
    return len(gone)


async def delete_matching(connection: Connection, filters: Filters, confirm: int) -> int:
    """See `Store.delete_matching`."""
    condition, values = where(filters, None)
    cursor = await connection.execute(
        f"SELECT id, metadata FROM signal_grep.entries WHERE {condition} AND {OWN} FOR UPDATE", values
    )
    rows = await cursor.fetchall()
    ids = [id_ for id_, metadata in rows if not filters.metadata or filters.fit(json.loads(metadata))]
    refuse_count(len(ids), confirm)
    return len(await _remove(connection, ids))


async def node_summaries(connection: Connection, id_: str) -> tuple[NodeSummary, ...]:
    """See `Store.node_summaries`."""
    cursor = await connection.execute(
        "SELECT node_id, char_start, char_end, summary FROM signal_grep.node_summaries AS n WHERE id = %s"
        f" AND EXISTS (SELECT FROM signal_grep.entries AS e WHERE e.id = n.id AND {READABLE})"
        " ORDER BY position",
        (UUID(id_),),
    )
    return tuple(
        NodeSummary(node_id=node, char_start=start, char_end=end, summary=summary)
        for node, start, end, summary in await cursor.fetchall()
    )


async def keep_summaries(
    connection: Connection, id_: str, version: int, summary: str | None, nodes: Sequence[NodeSummary]
) -> bool:
    """See `Store.keep_summaries`."""
    key = UUID(id_)
    cursor = await connection.execute(
        "UPDATE signal_grep.entries SET summary = coalesce(%s, summary)"
        f" WHERE id = %s AND version = %s AND {OWN}",
        (summary, key, version),
    )
    if cursor.rowcount == 0:
        return False
    await connection.execute("DELETE FROM signal_grep.node_summaries WHERE id = %s", (key,))
    await connection.cursor().executemany(
        "INSERT INTO signal_grep.node_summaries VALUES (%s, %s, %s, %s, %s, %s)",
        [
            (key, position, node.node_id, node.char_start, node.char_end, node.summary)
            for position, node in enumerate(nodes)
        ],
    )
    return True


async def count(connection: Connection) -> int:
    """How many entries the caller can read."""
    cursor = await connection.execute(f"SELECT count(*) FROM signal_grep.entries WHERE {READABLE}")
    (number,) = await cursor.fetchone() or (0,)
    return int(number)


def where(filters: Filters, before: str | None) -> tuple[str, list[object]]:
    """A condition on `entries` for what SQL can decide of `filters`, and its parameters."""
    conditions = [READABLE]
    values: list[object] = []
    for column, value in filters.columns.items():
        conditions.append(f"{column} = %s")
        values.append(value)
    if filters.tags:
        conditions.append("tags && %s::text[]")
        values.append(list(filters.tags))
    if before is not None:
        conditions.append("id < %s")
        values.append(UUID(before))
    return " AND ".join(conditions), values


async def _resolve(connection: Connection, given: str) -> tuple[UUID, str]:
    """The id and the owner of the one entry that is given. Raises EntryNotFound, AmbiguousPrefix."""
    prefix = id_prefix(given)
    cursor = await connection.execute(
        f"SELECT id, owner FROM signal_grep.entries WHERE id BETWEEN %s AND %s AND {READABLE} LIMIT 2",
        (UUID(prefix.ljust(32, "0")), UUID(prefix.ljust(32, "f"))),
    )
    found = await cursor.fetchall()
    if not found:
        raise EntryNotFound(given.strip())
    if len(found) > 1:
        refuse_prefix(prefix)
    ((id_, owner),) = found
    return id_, owner


async def _own_id(connection: Connection, given: str) -> UUID:
    """The id of the one entry that is given, which the caller owns. Raises InvalidParams too."""
    id_, owner = await _resolve(connection, given)
    if owner != connection.info.user:
        refuse_another_owner(id_.hex, owner)
    return id_


async def _index(connection: Connection, id_: UUID, trigrams: str) -> None:
    await connection.execute("SELECT signal_grep.index_entry(%s, %s::text::integer[])", (id_, trigrams))


async def _remove(connection: Connection, ids: Collection[UUID]) -> set[UUID]:
    cursor = await connection.execute(
        f"DELETE FROM signal_grep.entries WHERE id = ANY (%s) AND {OWN} RETURNING id", (list(ids),)
    )
    return {id_ for (id_,) in await cursor.fetchall()}


def _columns(new: NewEntry) -> tuple[object, ...]:
    everybody = new.readers == "*"
    return (
        new.thread_id,
        new.source,
        new.content_type,
        list(new.tags),
        new.metadata,
        new.summary,
        [] if everybody else list(new.readers),
        everybody,
        len(new.text),
        new.text,
    )


def _head_fields(row: Sequence[Any] | None) -> dict[str, Any]:
    fields = dict(zip(_HEAD.split(", "), row or (), strict=True))
    everybody = fields.pop("everybody")
    return fields | {
        "id": fields["id"].hex,
        "tags": tuple(fields["tags"]),
        "metadata": json.loads(fields["metadata"]),
        "readers": "*" if everybody else tuple(fields["readers"]),
    }


def _now() -> int:
    return time.time_ns() // 1_000_000
