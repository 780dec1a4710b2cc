"""The store in a PostgreSQL database that several roles may share."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import psycopg

from sg_server import limits
from sg_server.context.entries import Entry, EntryHead, NewEntry
from sg_server.context.filters import Filters
from sg_server.context.ids import IdMaker
from sg_server.context.standing import StoreHealth
from sg_server.context.store import postgresql_entries, postgresql_scan
from sg_server.context.store.interface import NodeSummary, Required, StoredText
from sg_server.context.store.narrowing import narrowing
from sg_server.context.store.postgresql_connections import Connection, Connections
from sg_server.errors import StoreUnavailable

P = ParamSpec("P")
R = TypeVar("R")

_UNUSABLE: Final = (
    # The connection, or what is behind it.
    psycopg.OperationalError,
    psycopg.InterfaceError,
    # The database is there, and not as it was left.
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.ReadOnlySqlTransaction,
)


class PostgresStore:
    """A `Store` in a database. Entries belong to the role that connects; the database guards them."""

    def __init__(self, dsn: str) -> None:
        """`dsn` as libpq takes it. Nothing is opened before the first call."""
        self._ids = IdMaker()
        self._connections = Connections(dsn)

    async def put(
        self, new: NewEntry, *, id: str | None = None, expected_version: int | None = None
    ) -> Entry:
        """See `Store.put`."""
        trigrams = await asyncio.to_thread(postgresql_scan.index_of, new.text)
        if id is None:
            return await self._run(postgresql_entries.insert, new, self._ids.make(), trigrams)
        return await self._run(postgresql_entries.replace, new, id, expected_version, trigrams)

    async def get(self, given: str) -> Entry:
        """See `Store.get`."""
        return await self._run(postgresql_entries.get, given)

    async def page(self, filters: Filters, *, limit: int, before: str | None) -> tuple[EntryHead, ...]:
        """See `Store.page`."""
        return await self._run(postgresql_entries.page, filters, limit, before)

    async def delete(self, given: Sequence[str]) -> int:
        """See `Store.delete`."""
        return await self._run(postgresql_entries.delete, given)

    async def delete_matching(self, filters: Filters, *, confirm: int) -> int:
        """See `Store.delete_matching`."""
        return await self._run(postgresql_entries.delete_matching, filters, confirm)

    def scan(
        self,
        filters: Filters,
        *,
        required: Required,
        before: str | None,
        batch_bytes: int = limits.STORE_BATCH_BYTES,
    ) -> AsyncGenerator[tuple[StoredText, ...], None]:
        """See `Store.scan`."""
        return postgresql_scan.scan(self._ask, filters, narrowing(required), before, batch_bytes)

    def narrows(self, required: Required) -> bool:
        """See `Store.narrows`."""
        return bool(narrowing(required))

    async def node_summaries(self, id: str) -> tuple[NodeSummary, ...]:
        """See `Store.node_summaries`."""
        return await self._run(postgresql_entries.node_summaries, id)

    async def keep_summaries(
        self, id: str, *, version: int, summary: str | None, nodes: Sequence[NodeSummary]
    ) -> bool:
        """See `Store.keep_summaries`."""
        return await self._run(postgresql_entries.keep_summaries, id, version, summary, nodes)

    async def health(self) -> StoreHealth:
        """See `Store.health`."""
        return await self._run(self._health)

    async def close(self) -> None:
        """See `Store.close`."""
        await self._connections.close()

    async def _ask(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        async def ask(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = await connection.execute(query, values)
            return await cursor.fetchall()

        return await self._run(ask)

    async def _run(
        self,
        work: Callable[Concatenate[Connection, P], Awaitable[R]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """What `work` gives for a connection, in one transaction."""
        try:
            with _failures():
                async with (
                    asyncio.timeout(limits.STORE_ANSWER_SECONDS),
                    self._connections.transaction() as connection,
                ):
                    return await work(connection, *args, **kwargs)
        except StoreUnavailable:
            # The next call connects anew, and is told at once what is wrong if something still is.
            await self.close()
            raise

    async def _health(self, connection: Connection) -> StoreHealth:
        info = connection.info
        return StoreHealth(
            kind="postgresql",
            place=f"{info.dbname} at {info.host}:{info.port}",
            caller=info.user,
            program=f"PostgreSQL {info.parameter_status('server_version')}",
            schema_version=self._connections.schema_version,
            entries=await postgresql_entries.count(connection),
        )


@contextmanager
def _failures() -> Iterator[None]:
    """What the database cannot do becomes StoreUnavailable, in its own words."""
    try:
        yield
    except _UNUSABLE as error:
        words = " ".join((error.diag.message_primary or str(error)).split())
        raise StoreUnavailable(
            f"The store in PostgreSQL cannot be used: {words}",
            "See to the database, and try again; what was stored before is there.",
        ) from error
    except TimeoutError as error:
        raise StoreUnavailable(
            f"The store in PostgreSQL did not answer within {limits.STORE_ANSWER_SECONDS:g} s",
            "See to the database; a text that was being put may or may not be stored.",
        ) from error
