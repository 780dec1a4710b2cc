"""The store in a file of the user's own, read and written in one thread beside the event loop."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from sg_server import limits
from sg_server.context.entries import Entry, EntryHead, NewEntry
from sg_server.context.filters import Filters
from sg_server.context.ids import IdMaker
from sg_server.context.standing import StoreHealth
from sg_server.context.store import sqlite_entries
from sg_server.context.store.interface import NodeSummary, Required, StoredText
from sg_server.context.store.narrowing import narrowing
from sg_server.context.store.sqlite_file import failures, open_file, user_name
from sg_server.context.store.sqlite_scan import Scan
from sg_server.workspace import uris

P = ParamSpec("P")
R = TypeVar("R")


class SqliteStore:
    """A `Store` in one file. All its entries belong to the user whom the file belongs to.

    The thread alone touches the connection, and does one whole call after the other.
    """

    def __init__(self, path: str) -> None:
        """Nothing is opened before the first call."""
        self._path = os.path.abspath(path)
        self._ids = IdMaker()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sg-store")
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        """Device and inode of the file that is open."""

    async def put(
        self, new: NewEntry, *, id: str | None = None, expected_version: int | None = None
    ) -> Entry:
        """See `Store.put`."""
        if id is None:
            return await self._run(sqlite_entries.insert, new, self._ids, user_name())
        return await self._run(sqlite_entries.replace, new, id, expected_version)

    async def get(self, given: str) -> Entry:
        """See `Store.get`."""
        return await self._run(sqlite_entries.get, given)

    async def page(self, filters: Filters, *, limit: int, before: str | None) -> tuple[EntryHead, ...]:
        """See `Store.page`."""
        return await self._run(sqlite_entries.page, filters, limit, before)

    async def delete(self, given: Sequence[str]) -> int:
        """See `Store.delete`."""
        return await self._run(sqlite_entries.delete, given)

    async def delete_matching(self, filters: Filters, *, confirm: int) -> int:
        """See `Store.delete_matching`."""
        return await self._run(sqlite_entries.delete_matching, filters, confirm)

    async def scan(
        self,
        filters: Filters,
        *,
        required: Required,
        before: str | None,
        batch_bytes: int = limits.STORE_BATCH_BYTES,
    ) -> AsyncGenerator[tuple[StoredText, ...], None]:
        """See `Store.scan`."""
        scan = Scan(filters, narrowing(required), before, batch_bytes)
        while not scan.ended:
            batch = await self._run(scan.batch)
            if batch:
                yield batch

    def narrows(self, required: Required) -> bool:
        """See `Store.narrows`."""
        return bool(narrowing(required))

    async def node_summaries(self, id: str) -> tuple[NodeSummary, ...]:
        """See `Store.node_summaries`."""
        return await self._run(sqlite_entries.node_summaries, id)

    async def keep_summaries(
        self,
        id: str,
        *,
        version: int,
        summary: str | None,
        nodes: Sequence[NodeSummary],
    ) -> bool:
        """See `Store.keep_summaries`."""
        return await self._run(sqlite_entries.keep_summaries, id, version, summary, nodes)

    async def health(self) -> StoreHealth:
        """See `Store.health`."""
        entries, version = await self._run(sqlite_entries.numbers)
        return StoreHealth(
            kind="sqlite",
            place=uris.display(self._path),
            caller=user_name(),
            program=f"SQLite {sqlite3.sqlite_version}",
            schema_version=version,
            entries=entries,
        )

    async def close(self) -> None:
        """See `Store.close`."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)

    async def _run(
        self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """What `work` gives for the connection, in the thread that owns it."""

        def run() -> R:
            with failures(self._path):
                try:
                    return work(self._current(), *args, **kwargs)
                except (sqlite3.Error, OSError):
                    # The next call opens the file anew: whatever was wrong may have been put right.
                    self._close()
                    raise

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def _current(self) -> sqlite3.Connection:
        """The open connection, or a new one where the file is no longer the one that was opened."""
        if self._connection is not None and _identity(self._path) != self._opened:
            self._close()
        if self._connection is None:
            self._connection = open_file(self._path)
            self._opened = _identity(self._path)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
