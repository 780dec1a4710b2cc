"""Stores on real back ends."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from sg_server.context.store.interface import Store
from sg_server.context.store.opening import open_store
from sg_server.context.store.sqlite import SqliteStore
from tests.databases import ROLES, Database, Server, packaged_programs, required_debian_programs


@pytest.fixture(scope="session")
def debian_server() -> Iterator[Server]:
    """Debian's PostgreSQL, running."""
    yield from _running(Server(required_debian_programs()))


@pytest.fixture(scope="session")
def packaged_server() -> Iterator[Server]:
    """The newest PostgreSQL from PyPI, running."""
    yield from _running(Server(packaged_programs()))


def _running(server: Server) -> Iterator[Server]:
    try:
        server.prepare()
        server.start()
        for role in ROLES:
            Database(server, "postgres").sql(f"CREATE ROLE {role} LOGIN")
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="session")
def debian_database(debian_server: Server) -> Database:
    """One that many tests empty and use."""
    return debian_server.create()


@pytest.fixture(scope="session")
def packaged_database(packaged_server: Server) -> Database:
    """The same in the other server."""
    return packaged_server.create()


@pytest.fixture(params=["debian", "packaged"])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database, in one server and then in the other."""
    return _emptied(request)


def _emptied(request: pytest.FixtureRequest) -> Database:
    database: Database = request.getfixturevalue(f"{request.param}_database")
    database.empty()
    return database


@pytest_asyncio.fixture
async def sqlite_store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    store = SqliteStore(str(tmp_path / "kept" / "entries.db"))
    yield store
    await store.close()


@pytest_asyncio.fixture(params=["sqlite", "debian", "packaged"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store, in each back end in turn; in PostgreSQL it is that of alice."""
    place = str(tmp_path / "kept" / "entries.db")
    if request.param != "sqlite":
        place = _emptied(request).address("alice")
    opened = open_store(place)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def shared(database: Database) -> AsyncIterator[tuple[Store, Store]]:
    """One database as alice and as bob see it."""
    alice, bob = (open_store(database.address(role)) for role in ROLES)
    await alice.health()
    yield alice, bob
    await alice.close()
    await bob.close()
