"""Stores on real back ends."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from sg_server.context.store.sqlite import SqliteStore


@pytest_asyncio.fixture
async def sqlite_store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """An empty store in a file."""
    store = SqliteStore(str(tmp_path / "kept" / "entries.db"))
    yield store
    await store.close()
