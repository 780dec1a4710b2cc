"""What is measured: searches against rg, then pages, inspection, start and memory of the server."""

import asyncio
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from examples.search_page_inspect import Ask, opened
from sg_server.engines.binaries import find_ctags, find_rg
from tests.bench.measure import Line, latency, pairs, ratio, seconds

MANY = "static int"
SEARCHES = (
    # (name, pattern, goal): on a Linux 6.1 tree none, 20 thousand, 210 thousand and 1.6 million lines.
    ("no match", "signal_grep_absent_needle", 1.15),
    ("some matches", "container_of", 1.15),
    ("many matches", MANY, 1.4),
    ("matches everywhere", r"\bif\b", 1.7),
)
"""Goals are bounds on our time over rg's. A pipe that is only drained costs rg up to 1.24 of /dev/null."""

FRESH_FILES, FRESH_GOAL, FRESH_BESIDE_GOAL = 3_000, 2.5, 1.7
PAGES, PAGE_GOAL = 200, 5.0
INSPECTIONS, INSPECTION_GOAL = 40, 5.0
ROUND_TRIPS, ROUND_TRIP_GOAL = 300, 3.0
START_GOAL = 1.2
MEMORY_GOAL = 150.0

RG = ("--no-config", "--no-mmap", "--crlf", "--no-require-git", "--no-ignore-messages", "--color=never")
SCOPE = ("--hidden", "--no-ignore", "--glob=!**/.git")
CTAGS = (
    "--quiet=yes",
    "--options=NONE",
    "--output-format=json",
    "--fields={name}{line}{end}{kind}{scope}{language}{extras}",
    "--extras=+{inputFile}-{pseudo}",
    "--sort=no",
    "-f",
    "-",
)


async def program(*argv: str) -> None:
    """Run to the end with its output thrown away."""
    process = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    await process.wait()


async def rg(pattern: str, *roots: Path) -> None:
    binary = find_rg()
    assert binary is not None
    what = ("--json", "--smart-case", "--engine=default", "-e", pattern)
    await program(binary.path, *RG, *what, *SCOPE, "--", *map(str, roots))


async def search(ask: Ask, pattern: str, **more: Any) -> Any:
    """What a client sends for a first look; ignore rules are off, since source packages ignore themselves."""
    return await ask("sg.search", pattern=pattern, ignored=True, explainEmpty=False, **more)


async def searches(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    async with opened(corpus) as ask:
        for name, pattern, goal in SEARCHES:
            totals = (await search(ask, pattern))["totals"]
            ours, theirs = partial(search, ask, pattern), partial(rg, pattern, corpus)
            taken = await pairs(ours, theirs, repetitions)
            await ask("sg.clear")
            detail = (
                f"{totals['matches']:,} lines in {totals['files']:,} of {totals['filesSearched']:,} files"
            )
            yield ratio(f"search: {name}", taken, goal, detail)


async def fresh(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """Files written a moment ago: times prove nothing, so those that match are searched twice."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve()
        copied = tuple(copy_some(corpus, tree, FRESH_FILES))
        name = f"{len(copied):,} files just written"
        yield await searched_fresh(f"search: {name}", (tree,), copied, repetitions, FRESH_GOAL)
        both = (corpus, tree)
        yield await searched_fresh(
            "search: the same, and corpus", both, copied, repetitions, FRESH_BESIDE_GOAL
        )


async def searched_fresh(
    name: str, folders: tuple[Path, ...], copied: tuple[Path, ...], repetitions: int, goal: float
) -> Line:
    taken: list[tuple[float, float]] = []
    async with opened(*folders) as ask:
        for _ in range(repetitions + 1):
            reference = await seconds(partial(rg, MANY, *folders))
            touch(copied)
            taken.append((await seconds(partial(search, ask, MANY)), reference))
        totals = (await search(ask, MANY))["totals"]
    return ratio(name, taken[1:], goal, f"{totals['matches']:,} lines in {totals['files']:,} files")


async def retained(corpus: Path, _repetitions: int) -> AsyncIterator[Line]:
    """Memory, pages and inspection with one full snapshot held."""
    async with opened(corpus) as ask:
        found = await search(ask, MANY)
        if found["mode"] == "empty":
            return
        rows = f"{found['totals']['retained']:,} lines kept"
        if (megabytes := server_memory()) is not None:
            yield memory(megabytes, rows)
        turned = [taken async for taken, _ in pages(ask, PAGES, snapshot=found["snapshot"])]
        yield latency("page of 20", turned, PAGE_GOAL, rows)
        if find_ctags() is not None:
            yield await inspection(ask, found["snapshot"], corpus)
        trips = [await seconds(partial(ask, "sg.clear", snapshot="none")) for _ in range(ROUND_TRIPS)]
        yield latency("command round trip", trips, ROUND_TRIP_GOAL, "sg.clear of nothing")


async def pages(ask: Ask, most: int, **first: Any) -> AsyncIterator[tuple[float, Any]]:
    """Up to `most` pages read one after the other, each with the seconds it took."""
    where = first
    for _ in range(most):
        started = time.perf_counter()
        page = await ask("sg.page", **where)
        yield time.perf_counter() - started, page
        if "cursor" not in page:
            break
        where = first | {"cursor": page["cursor"]}
        where.pop("snapshot", None)


async def inspection(ask: Ask, snapshot: str, corpus: Path) -> Line:
    """How much longer an inspection takes than ctags alone on the same file."""
    binary = find_ctags()
    assert binary is not None
    index_in: dict[str, int] = {}
    async for _, page in pages(ask, 50, snapshot=snapshot, view="items", limit=1000):
        index_in |= {match["path"]: match["index"] for match in page["matches"]}
    chosen = random.Random(0).sample(sorted(index_in), min(INSPECTIONS, len(index_in)))  # noqa: S311
    taken: list[tuple[float, float]] = []
    for path in chosen:
        ours = partial(ask, "sg.inspect", snapshot=snapshot, matchIndex=index_in[path])
        taken += await pairs(ours, partial(program, binary.path, *CTAGS, str(corpus / path)), 1)
    longest = max(1000 * mine for mine, _ in taken)
    added = [mine - alone for mine, alone in taken]
    return latency("inspection, beyond ctags", added, INSPECTION_GOAL, f"longest whole {longest:.1f} ms")


async def start(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """From starting the process until `initialize` is answered."""

    async def answered() -> float:
        started = time.perf_counter()
        async with opened(corpus):
            return time.perf_counter() - started

    theirs = partial(program, sys.executable, "-c", "import pygls.lsp.server")
    await theirs()
    await answered()
    taken = [(await answered(), await seconds(theirs)) for _ in range(repetitions)]
    yield ratio("start until initialize", taken, START_GOAL, "reference: importing pygls")


def memory(megabytes: float, detail: str) -> Line:
    return Line(
        name="memory of the server",
        value=megabytes,
        unit="MB",
        goal=MEMORY_GOAL,
        spread=(megabytes, megabytes),
        detail=f"resident; {detail}",
    )


def server_memory() -> float | None:
    """Resident megabytes of the one child process; None where there is no /proc."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    if not children.exists():
        return None
    (child,) = children.read_text().split()
    status = Path(f"/proc/{child}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def copy_some(corpus: Path, tree: Path, most: int) -> Iterator[Path]:
    """Copy up to `most` regular files, chosen the same way every time."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file() and not path.is_symlink())
    for path in random.Random(0).sample(files, min(most, len(files))):  # noqa: S311
        copy = tree / path.relative_to(corpus)
        copy.parent.mkdir(parents=True, exist_ok=True)
        yield Path(shutil.copyfile(path, copy))


def touch(files: tuple[Path, ...]) -> None:
    for path in files:
        os.utime(path)
