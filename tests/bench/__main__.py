"""Measure the server against rg, ctags and pygls on a folder: `python -m tests.bench --corpus DIR`."""

import argparse
import asyncio
import platform
from pathlib import Path

import msgspec

from tests.bench import cases, editor, greps, stores
from tests.bench.measure import HEADING, Line, row

CASES = (
    cases.start,
    cases.searches,
    cases.fresh,
    cases.retained,
    editor.typing,
    editor.unsaved,
    editor.symbols,
    stores.puts,
    greps.greps,
)


async def report(corpus: Path, repetitions: int) -> list[Line]:
    """Measure everything, telling each number as soon as it is there."""
    print(HEADING)
    lines = []
    for case in CASES:
        async for line in case(corpus, repetitions):
            print(row(line), flush=True)
            lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--corpus", type=Path, required=True, help="a large source tree, such as Linux")
    parser.add_argument("--out", type=Path, default=Path("bench.json"), help="where the numbers go as JSON")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each search and of its reference")
    options = parser.parse_args()
    corpus = options.corpus.resolve(strict=True)
    lines = asyncio.run(report(corpus, options.repeat))
    machine = {"python": platform.python_version(), "system": platform.platform()}
    numbers = {"machine": machine, "corpus": corpus.name, "lines": lines}
    options.out.write_bytes(msgspec.json.format(msgspec.json.encode(numbers), indent=2))


if __name__ == "__main__":
    main()
