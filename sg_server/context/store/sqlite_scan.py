"""One scan over the texts in an SQLite file, newest first, batch by batch."""

import json
import sqlite3
from typing import Final

from sg_server import limits
from sg_server.context.filters import Filters
from sg_server.context.store.interface import StoredText
from sg_server.context.store.narrowing import Narrowing
from sg_server.context.store.sqlite_entries import where
from sg_server.context.store.sqlite_file import transaction

_CHUNK: Final = 500
"""Entries that the index found and that are looked up at once."""


class Scan:
    """Where a scan has got to. Entries come and go between its batches; each sees one state of the file."""

    def __init__(self, filters: Filters, narrowed: Narrowing, before: str | None, batch_bytes: int) -> None:
        """`before` is the id below which it begins."""
        self.ended = False
        self._filters = filters
        self._narrowed = narrowed
        self._before = before
        self._batch_bytes = batch_bytes
        self._candidates: list[int] | None = None
        """Numbers that the index found and that were not looked up, ascending."""

    def batch(self, connection: sqlite3.Connection) -> tuple[StoredText, ...]:
        """The next texts, of which there may be none; `ended` says whether there are more."""
        with transaction(connection, "DEFERRED"):
            if not self._narrowed:
                return self._next(connection, None)
            if self._candidates is None:
                self._candidates = _found(connection, self._narrowed)
            chunk, self._candidates = self._candidates[-_CHUNK:], self._candidates[:-_CHUNK]
            return self._next(connection, chunk)

    def _next(self, connection: sqlite3.Connection, chunk: list[int] | None) -> tuple[StoredText, ...]:
        condition, values = where(self._filters, self._before)
        if chunk is not None:
            condition += " AND number IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(chunk))
        rows = connection.execute(
            f"SELECT number, id, version, metadata FROM entries WHERE {condition} ORDER BY number DESC",
            values,
        )
        texts, size = [], 0
        for looked_at, (number, id_, version, metadata) in enumerate(rows, start=1):
            self._before = id_
            if not self._filters.metadata or self._filters.fit(json.loads(metadata)):
                text = _text(connection, number)
                texts.append(StoredText(id=id_, version=version, text=text))
                size += len(text.encode())
            if size >= self._batch_bytes or looked_at == limits.STORE_BATCH_ENTRIES:
                if self._candidates is not None and chunk is not None:
                    self._candidates += [other for other in chunk if other < number]
                return tuple(texts)
        self.ended = not self._candidates
        return tuple(texts)


def _text(connection: sqlite3.Connection, number: int) -> str:
    (text,) = connection.execute("SELECT text FROM texts WHERE number = ?", (number,)).fetchone()
    return str(text)


def _found(connection: sqlite3.Connection, narrowed: Narrowing) -> list[int]:
    """Numbers of the entries whose trigrams satisfy `narrowed`, ascending."""
    if not all(narrowed):
        return []
    groups = (
        " OR ".join(f"({' AND '.join(map(_quoted, alternative))})" for alternative in group)
        for group in narrowed
    )
    query = " AND ".join(f"({group})" for group in groups)
    rows = connection.execute("SELECT rowid FROM trigrams WHERE trigrams MATCH ? ORDER BY rowid", (query,))
    return [number for (number,) in rows]


def _quoted(trigram: str) -> str:
    return '"{}"'.format(trigram.replace('"', '""'))
