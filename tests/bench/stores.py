"""What is measured of stored text: putting it, with its index, on each back end."""

import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sg_server.context.entries import NewEntry, new_entry
from sg_server.context.store.interface import Store
from sg_server.context.store.opening import open_store
from tests.bench.measure import Line, latency, seconds
from tests.databases import ROLES, Database, Server, debian_programs

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT_CHARACTERS, PASSAGES = 20_000, 4
PUTS, PUT_GOAL = 200, 10.0


def made_up_texts(count: int) -> list[str]:
    """The same texts every time: passages from this project's sources and documents."""
    files = sorted([*ROOT.glob("sg_server/**/*.py"), *ROOT.glob("docs/*.md")])
    everything = "\n".join(file.read_text("utf-8") for file in files)
    chance = random.Random(0)  # noqa: S311
    length = TEXT_CHARACTERS // PASSAGES
    last = len(everything) - length

    def passage() -> str:
        start = chance.randint(0, last)
        return everything[start : start + length]

    return ["".join(passage() for _ in range(PASSAGES)) for _ in range(count)]


def entry(text: str) -> NewEntry:
    return new_entry(thread_id="bench", source="agent", text=text)


@contextmanager
def database() -> Iterator[Database | None]:
    """An empty database in a PostgreSQL of its own; none where Debian's is not installed."""
    programs = debian_programs()
    if programs is None:
        yield None
        return
    server = Server(programs, durable=True)
    try:
        server.prepare()
        server.start()
        for role in ROLES:
            Database(server, "postgres").sql(f"CREATE ROLE {role} LOGIN")
        yield server.create()
    finally:
        server.remove()


async def puts(_corpus: Path, _repetitions: int) -> AsyncIterator[Line]:
    """What a caller waits for after handing over a text of 20 KB."""
    with tempfile.TemporaryDirectory() as folder:
        yield await putting("put of 20 KB, SQLite", open_store(f"{folder}/entries.db"))
    with database() as found:
        if found is not None:
            yield await putting("put of 20 KB, PostgreSQL", open_store(found.address(ROLES[0])))


async def putting(name: str, store: Store) -> Line:
    texts = made_up_texts(PUTS + 1)
    await store.put(entry(texts.pop()))
    taken = [await seconds(partial(store.put, entry(text))) for text in texts]
    await store.close()
    return latency(name, taken, PUT_GOAL, "with its index, committed")
