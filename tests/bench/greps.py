"""What is measured of grep over stored text: with an index that helps, and without."""

import asyncio
import statistics
import tempfile
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from sg_server.context.filters import Filters
from sg_server.context.store.interface import Store
from sg_server.context.store.opening import open_store
from tests.bench.large import RARE, load_file
from tests.bench.measure import Line, latency, seconds
from tests.grepping import Session

ENTRIES_A_REPETITION = 200
"""With the usual five, 1,000 entries."""
GREPS = 10
CASES: tuple[tuple[str, float, dict[str, Any]], ...] = (
    # (name, goal in milliseconds, request)
    ("grep: rare literal", 15.0, {"pattern": RARE.lower()}),
    ("grep: rare literal, by case", 15.0, {"pattern": RARE, "case_sensitive": True}),
    ("grep: absent literal", 10.0, {"pattern": f"{RARE}zq"}),
    ("grep: rare regex", 30.0, {"pattern": rf"\b\w*{RARE}\d*", "is_regex": True}),
    ("grep: regex without literal", 600.0, {"pattern": r"\b\d{7}\b", "is_regex": True}),
    ("grep: regex line by line", 1_200.0, {"pattern": r"(?#rare)\b\d{7}\b", "is_regex": True}),
)


async def greps(_corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """Texts of 20 KB in SQLite, beside a scan that only looks for a string in each."""
    entries = ENTRIES_A_REPETITION * repetitions
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/entries.db"
        await asyncio.to_thread(load_file, path, entries)
        store = open_store(path)
        session = Session(store)
        plain = 1_000 * statistics.median([await seconds(partial(scanned, store)) for _ in range(GREPS)])
        for name, goal, request in CASES:
            ask = partial(session.grep, **request)
            found = await ask()
            taken = [await seconds(ask) for _ in range(GREPS)]
            detail = (
                f"{found.total_matches:,} matches in {entries:,} entries; a plain scan takes {plain:.0f} ms"
            )
            yield latency(name, taken, goal, detail)
        await store.close()


async def scanned(store: Store) -> None:
    """Read every text and look for a string in it."""
    async for batch in store.scan(Filters(), required=(), before=None):
        assert not any(f"{RARE}zq" in found.text for found in batch)
