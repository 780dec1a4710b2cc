"""One scan over the texts in a PostgreSQL database, newest first, and what its index knows of a text."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from sg_server import limits
from sg_server.context.filters import Filters
from sg_server.context.store.interface import StoredText
from sg_server.context.store.narrowing import Narrowing
from sg_server.context.store.postgresql_entries import where
from sg_server.context.store.trigram_numbers import number, numbers
from sg_server.text.folding import fold

Row = tuple[Any, ...]
Ask = Callable[[str, Sequence[object]], Awaitable[list[Row]]]
"""Runs one query, as a transaction of its own."""


def index_of(text: str) -> str:
    """The trigrams of a text as the index keeps them, each once."""
    return _array(numbers(fold(text)))


def _array(found: Iterable[int]) -> str:
    """As PostgreSQL writes an array: that takes a quarter of the time that psycopg takes for a list."""
    return f"{{{','.join(map(str, found))}}}"


async def scan(
    ask: Ask, filters: Filters, narrowed: Narrowing, before: str | None, batch_bytes: int
) -> AsyncGenerator[tuple[StoredText, ...], None]:
    """The texts that fit. Entries come and go between batches; each batch sees one state of the database."""
    if not all(narrowed):
        return
    heads = _found(ask, filters, narrowed, before) if narrowed else _every(ask, filters, before)
    async for some in heads:
        for ids in _batches(filters, some, batch_bytes):
            texts = await _texts(ask, filters, ids)
            if texts:
                yield texts


async def _found(
    ask: Ask, filters: Filters, narrowed: Narrowing, before: str | None
) -> AsyncIterator[list[Row]]:
    """Heads of the entries that the index knows to satisfy `narrowed`, all at once: it is asked only once."""
    condition, values = where(filters, before)
    for group in narrowed:
        asked = " UNION ".join(["SELECT signal_grep.holding(%s::text::integer[])"] * len(group))
        condition += f" AND id IN ({asked})"
        values += (_array(map(number, alternative)) for alternative in group)
    yield await ask(f"{_heads(filters)} WHERE {condition} ORDER BY id DESC", values)


async def _every(ask: Ask, filters: Filters, before: str | None) -> AsyncIterator[list[Row]]:
    """Heads of all entries, some at a time."""
    while True:
        condition, values = where(filters, before)
        some = await ask(
            f"{_heads(filters)} WHERE {condition} ORDER BY id DESC LIMIT %s",
            [*values, limits.STORE_BATCH_ENTRIES],
        )
        yield some
        if len(some) < limits.STORE_BATCH_ENTRIES:
            return
        before = some[-1][0].hex


def _heads(filters: Filters) -> str:
    metadata = "metadata" if filters.metadata else "'{}'"
    return f"SELECT id, octet_length(text), {metadata} FROM signal_grep.entries"


def _batches(filters: Filters, heads: Iterable[Row], batch_bytes: int) -> Iterator[list[UUID]]:
    """Ids of the entries that fit, in parts whose texts are bounded together."""
    ids: list[UUID] = []
    size = 0
    for id_, length, metadata in heads:
        if filters.metadata and not filters.fit(json.loads(metadata)):
            continue
        if ids and size + length > batch_bytes:
            yield ids
            ids, size = [], 0
        ids.append(id_)
        size += length
    if ids:
        yield ids


async def _texts(ask: Ask, filters: Filters, ids: list[UUID]) -> tuple[StoredText, ...]:
    """The texts of those that still fit: any of them may have been replaced since its head was seen."""
    condition, values = where(filters, None)
    rows = await ask(
        "SELECT id, version, metadata, text FROM signal_grep.entries"
        f" WHERE {condition} AND id = ANY (%s) ORDER BY id DESC",
        [*values, ids],
    )
    return tuple(
        StoredText(id=id_.hex, version=version, text=text)
        for id_, version, metadata, text in rows
        if not filters.metadata or filters.fit(json.loads(metadata))
    )
