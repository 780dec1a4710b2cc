"""Connections to one database: made when one is needed, kept for the next, few at a time.

Not the pool of `psycopg_pool`: its workers outlive a cancellation that meets them while they connect, and an
event loop then never ends.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from sg_server import limits
from sg_server.context.store.postgresql_schema import bring_up_to_date
from sg_server.errors import StoreUnavailable

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

_OPTIONS: Final[dict[str, Any]] = {
    # A transaction is begun where one is wanted.
    "autocommit": True,
    # Plans made ahead would have to be made again behind a pooler.
    "prepare_threshold": None,
    "connect_timeout": int(limits.STORE_WAIT_SECONDS),
    "application_name": "signal-grep",
}


class Connections:
    """Each is used by one call at a time; further calls wait in order."""

    def __init__(self, dsn: str) -> None:
        """`dsn` as libpq takes it."""
        self._dsn = dsn
        self._turns = asyncio.Semaphore(limits.STORE_CONNECTIONS)
        self._idle: list[Connection] = []
        self._opening = asyncio.Lock()
        self._closings = 0
        self.schema_version = 0
        """0 until the schema was looked at."""

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A connection with a transaction, committed at the end. Raises StoreUnavailable, psycopg.Error."""
        async with self._turns:
            connection = await self._begun()
            closings = self._closings
            try:
                yield connection
                await connection.execute("COMMIT")
            except BaseException:
                # Without a server there is nothing to roll back, and the first failure is the one to tell.
                with suppress(psycopg.Error):
                    await connection.rollback()
                raise
            finally:
                at_rest = connection.info.transaction_status is TransactionStatus.IDLE
                if at_rest and closings == self._closings:
                    self._idle.append(connection)
                else:
                    await connection.close()

    async def close(self) -> None:
        """Close what is idle, and what is in use when it comes back."""
        self._closings += 1
        self.schema_version = 0
        while self._idle:
            await self._idle.pop().close()

    async def _begun(self) -> Connection:
        """A connection whose transaction has begun, which shows that there is a server behind it."""
        while self._idle:
            # A server that was started again has ended what is idle: no command shall notice.
            with suppress(psycopg.OperationalError):
                return await _begin(self._idle.pop())
        return await _begin(await self._connect())

    async def _connect(self) -> Connection:
        try:
            conninfo_to_dict(self._dsn)
        except psycopg.ProgrammingError:
            # What is wrong is told with parts of the DSN, and one of them may be the password.
            raise StoreUnavailable(
                "The address of the store cannot be read", "Write it as postgresql://USER@HOST/DATABASE."
            ) from None
        connection = await psycopg.AsyncConnection.connect(self._dsn, **_OPTIONS)
        try:
            async with self._opening:
                if self.schema_version == 0:
                    self.schema_version = await bring_up_to_date(connection)
        except BaseException:
            await connection.close()
            raise
        return connection


async def _begin(connection: Connection) -> Connection:
    try:
        await connection.execute("BEGIN")
    except BaseException:
        await connection.close()
        raise
    return connection
