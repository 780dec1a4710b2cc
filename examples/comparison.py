"""First answers of Signal Grep beside those of the usual grep tool, in bytes.

Run it as: python -m examples.comparison
It searches three small projects, and writes the table in docs/modes.md.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from examples.search_page_inspect import Ask, opened

PAGE = Path(__file__).resolve().parent.parent / "docs" / "modes.md"
PATTERN = "retry_after"

_BEGINS = "<!-- made by `python -m examples.comparison` -->\n"
_ENDS = "<!-- end -->\n"
_HEAD = "| searched | usual grep tool | Signal Grep | which answers with |\n|---|---|---|---|\n"
_ANSWERS = {"matches": "all matches", "summary": "a summary, with the first match of each file"}


class Project(NamedTuple):
    """Files to search: what is in them, and the lines of each."""

    about: str
    lines: Mapping[str, Sequence[str]]

    def write(self, folder: Path) -> None:
        """Write the files, each of their lines after one that does not match."""
        for name, lines in self.lines.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f"\n{line}\n" for line in lines), "utf-8")


def few() -> Project:
    """What one turn should be enough for."""
    line = "    delay = max(delay, parse_seconds(response.headers.get('retry_after'), default={}))"
    counts = {"backoff": 14, "client": 9, "errors": 6, "policy": 4}
    files = {f"src/transport/{name}.py": _numbered(line, count) for name, count in counts.items()}
    return Project("33 matches in 4 files", files)


def noisy() -> Project:
    """Three lines worth reading, and two files that drown them."""
    log = "2024-05-07T08:31:31Z worker-3 WARN upstream answered 429, retry_after={} s, queue=emails"
    event = '    {{"type": "throttled", "service": "emails", "retry_after": {}, "attempt": 2}},'
    code = "    return float(headers.get('retry_after', {}))"
    files = {"logs/worker.log": _numbered(log, 200), "tests/data/events.json": _numbered(event, 30)}
    for name in ("backoff", "client", "errors"):
        files[f"src/transport/{name}.py"] = _numbered(code, 1)
    return Project("233 matches in 5 files, 230 of them in two", files)


def medium() -> Project:
    """Long lines, whose number alone says little."""
    line = "The service may answer with retry_after, the seconds to wait before request {}" + (
        "; after them the whole batch is sent again, in the order in which it came" * 4
    )
    files = {f"docs/{name}.md": _numbered(line, 6) for name in ("limits", "retries", "sending")}
    return Project("18 matches in long lines", files)


def _numbered(line: str, count: int) -> list[str]:
    return [line.format(number) for number in range(count)]


class Row(NamedTuple):
    """One search, and how many bytes either answer takes."""

    about: str
    mode: str
    normal: int
    signal: int

    @property
    def more_percent(self) -> float:
        """By how much Signal Grep's answer is longer; negative where it is shorter."""
        return 100 * (self.signal - self.normal) / self.normal


ASKED: Sequence[tuple[Callable[[], Project], float | None]] = (
    (few, None),
    (noisy, None),
    (medium, 80),
    (medium, 30),
    (medium, 8),
)
"""The projects, and how much of the reader's context is left, in per cent, where that is said."""


async def rows() -> AsyncIterator[Row]:
    """Make every search once."""
    for build, remaining in ASKED:
        with tempfile.TemporaryDirectory() as name:
            build().write(Path(name))
            async with opened(Path(name)) as ask:
                yield await _row(ask, build().about, remaining)


async def _row(ask: Ask, about: str, remaining: float | None) -> Row:
    await ask("sg.metrics", action="on")
    found = await ask("sg.search", pattern=PATTERN, remainingContextPercent=remaining)
    counted = await ask("sg.metrics", action="report")
    left = "" if remaining is None else f", {remaining:g} % of the context left"
    return Row(about + left, found["mode"], counted["normal"]["bytes"], counted["signal"]["bytes"])


def page(made: Sequence[Row]) -> str:
    """docs/modes.md with the table that belongs in it."""
    before, _, rest = PAGE.read_text("utf-8").partition(_BEGINS)
    _, _, after = rest.partition(_ENDS)
    return f"{before}{_BEGINS}{_table(made)}{_ENDS}{after}"


def _table(made: Sequence[Row]) -> str:
    return _HEAD + "".join(map(_line, made))


def _line(row: Row) -> str:
    signal = f"{row.signal:,} ({row.more_percent:+.0f} %)"
    return f"| {row.about} | {row.normal:,} | {signal} | {_ANSWERS[row.mode]} |\n"


async def main() -> None:
    """Write the table, and print it."""
    made = [row async for row in rows()]
    PAGE.write_text(page(made), "utf-8")
    print(_table(made))


if __name__ == "__main__":
    asyncio.run(main())
