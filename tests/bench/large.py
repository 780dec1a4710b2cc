"""Search 100,000 stored texts of 20 KB on both back ends: `python -m tests.bench.large`."""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import closing
from functools import cache, partial
from itertools import islice
from uuid import UUID

import psycopg

from sg_server.context.filters import Filters
from sg_server.context.ids import IdMaker
from sg_server.context.store import sqlite_entries
from sg_server.context.store.interface import Store
from sg_server.context.store.opening import open_store
from sg_server.context.store.postgresql_scan import index_of
from sg_server.context.store.sqlite_file import open_file, transaction
from sg_server.text.folding import fold
from tests.bench.measure import HEADING, Line, latency, row, seconds
from tests.bench.stores import database, entry, made_up_texts, putting
from tests.databases import ROLES, SUPERUSER, Database

DISTINCT = 1_000
"""Texts made. They are repeated, which makes no difference to an index."""
RARE, RARE_IN = "SnapshotOutlineBudget", 3
"""Made of words that most texts have; all together it stands in this many entries only."""
SCANS, SCAN_GOAL = 20, 60.0
OWNER = ROLES[0]


@cache
def texts() -> list[str]:
    return made_up_texts(DISTINCT)


def numbered(entries: int) -> Iterable[str]:
    """The texts to load, with the rare literal in a few, far from each other."""
    rare_at = {(2 * at + 1) * entries // (2 * RARE_IN) for at in range(RARE_IN)}
    for number in range(entries):
        text = texts()[number % DISTINCT]
        yield text[:9_000] + RARE + text[9_000:] if number in rare_at else text


def load_file(path: str, entries: int) -> None:
    """As `put` does, but many in one transaction."""
    ids = IdMaker()
    waiting = iter(numbered(entries))
    with closing(open_file(path)) as connection:
        while some := tuple(islice(waiting, DISTINCT)):
            with transaction(connection):
                for text in some:
                    sqlite_entries.add(connection, entry(text), ids, OWNER)


def load_database(found: Database, entries: int) -> None:
    """Into the store's own tables, and the index after them."""
    (index,) = found.sql(
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indexrelid = 'signal_grep.trigrams_of_entries'::regclass"
    )[0]
    found.sql("DROP INDEX signal_grep.trigrams_of_entries")
    ids = IdMaker()
    index_of_text = cache(index_of)
    rows = [(UUID(ids.make()), text) for text in numbered(entries)]
    with psycopg.connect(found.address(SUPERUSER)) as connection, connection.cursor() as cursor:
        with cursor.copy(
            "COPY signal_grep.entries (id, thread_id, source, content_type, tags, metadata, owner, readers,"
            " everybody, created_at, updated_at, characters, text) FROM STDIN"
        ) as copy:
            for id_, text in rows:
                head = ("bench", "agent", "text", "{}", "{}", OWNER, "{}", False, 0, 0, len(text))
                copy.write_row((id_, *head, text))
        with cursor.copy("COPY signal_grep.trigrams FROM STDIN") as copy:
            for id_, text in rows:
                copy.write_row((id_, index_of_text(text)))
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute(index)
    for table in ("entries", "trigrams"):
        found.sql(f"VACUUM ANALYZE signal_grep.{table}")


async def measured(name: str, store: Store) -> AsyncIterator[Line]:
    """A rare literal, one that is nowhere, and a put beside all that is there."""
    for what, literal, expected in (("rare literal", RARE, RARE_IN), ("no match", f"{RARE}zq", 0)):
        held = await holding(store, literal)
        assert held == expected, f"{literal} is in {held} entries"
        taken = [await seconds(partial(holding, store, literal)) for _ in range(SCANS)]
        yield latency(f"{what}, {name}", taken, SCAN_GOAL, "through Store.scan")
    yield await putting(f"put beside them, {name}", store)


async def holding(store: Store, literal: str) -> int:
    """How many of the texts that the store gives hold the literal."""
    required = ((fold(literal),),)
    held = 0
    async for batch in store.scan(Filters(), required=required, before=None):
        held += sum(literal in found.text for found in batch)
    return held


async def in_file(entries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/entries.db"
        await load("SQLite", partial(load_file, path, entries))
        await tell("SQLite", open_store(path))


async def in_database(entries: int) -> None:
    with database() as found:
        if found is not None:
            store = open_store(found.address(OWNER))
            await store.health()
            await load("PostgreSQL", partial(load_database, found, entries))
            await tell("PostgreSQL", store)


async def load(name: str, run: partial[None]) -> None:
    started = time.perf_counter()
    await asyncio.to_thread(run)
    print(f"{name}: loaded in {time.perf_counter() - started:.0f} s", flush=True)


async def tell(name: str, store: Store) -> None:
    async for line in measured(name, store):
        print(row(line), flush=True)
    await store.close()


BACK_ENDS = {"sqlite": in_file, "postgresql": in_database}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.large")
    parser.add_argument("--entries", type=int, default=100_000, help="how many texts of 20 KB are stored")
    parser.add_argument("--only", choices=BACK_ENDS, help="one back end; default both")
    options = parser.parse_args()
    print(HEADING)
    for name in [options.only] if options.only else BACK_ENDS:
        asyncio.run(BACK_ENDS[name](options.entries))


if __name__ == "__main__":
    main()
