"""What the user sees, as plain Python, against what a server answers after edits, saves and searches."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from pytest_lsp import LanguageClient

from sg_server.text.positions import PositionEncoding, TextView, units
from tests.server.conftest import Start
from tests.server.editing import At, Buffer, edit
from tests.server.wire import command, write_files

T = TypeVar("T")

UNTITLED = "untitled:Untitled-1"
NAMES = ("a.txt", "b.txt", "deep/c.txt", "ignored.log", UNTITLED)
PATTERNS = ("a", "é", "ab", "𝄞")
EDITS, STEPS, RUNS = 500, 50, 15

texts = st.lists(
    st.sampled_from(["a", "b", "ab", "é", "𝄞", "漢", " ", "\n", "\n", "\r\n", "\r"]), max_size=12
).map("".join)
names = st.sampled_from(NAMES)
numbers = st.integers(0, 2**32)


class Row(NamedTuple):
    """A matching line as the user sees it."""

    path: str
    line: int
    text: str
    ranges: tuple[tuple[At, At], ...]
    version: int | None


class Screen(NamedTuple):
    """A text in an editor of VS Code's kind."""

    text: str
    view: TextView

    def position(self, offset: int) -> At:
        """Where a code point is. The middle of a CRLF cannot be pointed at: it is the line's end."""
        if self.text[max(0, offset - 1) : offset + 1] == "\r\n":
            offset -= 1
        before = self.text[:offset]
        lines = re.split(r"\r\n|\r|\n", before)
        return len(lines) - 1, units(lines[-1], self.view.encoding)

    def replaced(self, start: int, end: int, new: str) -> "Screen":
        """The text after an edit between the positions of two offsets."""
        start, end = (at - (self.text[max(0, at - 1) : at + 1] == "\r\n") for at in (start, end))
        return self._replace(text=self.text[:start] + new + self.text[end:])

    def rows(self, path: str, pattern: str, version: int | None) -> Iterator[Row]:
        start = 0
        for number, line in enumerate(self.text.split("\n"), 1):
            found = [start + match.start() for match in re.finditer(re.escape(pattern), line)]
            if found:
                ranges = tuple((self.position(at), self.position(at + len(pattern))) for at in found)
                is_last = start + len(line) == len(self.text)
                yield Row(path, number, line if is_last else line.removesuffix("\r"), ranges, version)
            start += len(line) + 1

    def context(self, line: int) -> tuple[list[str], list[str]]:
        """One line before and one after an LF line."""
        lines = self.text.split("\n")
        lines = [*(one.removesuffix("\r") for one in lines[:-1]), *([lines[-1]] if lines[-1] else [])]
        return lines[max(0, line - 2) : line - 1], lines[line : line + 1]


class Open(NamedTuple):
    """A document that the user has open."""

    buffer: Buffer
    screen: Screen
    is_touched: bool


class Kept(NamedTuple):
    """A snapshot, the rows that it is to have, and the texts that they were found in."""

    id: str
    rows: list[Row]
    screens: dict[str, Screen]
    documents: dict[str, tuple[Buffer, int]]


class Session(RuleBasedStateMachine):
    """One user with one server, which several sessions use one after the other."""

    edits = 0

    def __init__(
        self, client: LanguageClient, folder: Path, view: TextView, loop: asyncio.AbstractEventLoop
    ) -> None:
        super().__init__()
        self._client = client
        self._folder = folder
        self._view = view
        self._loop = loop
        self._disk: dict[str, Screen] = {}
        self._open: dict[str, Open] = {}
        self._kept: list[Kept] = []
        self._write(".gitignore", "*.log\n")
        for name in NAMES[:2]:
            self._write(name, "ab\né\n")

    @rule(name=names, text=texts, is_clean=st.booleans(), version=st.integers(1, 3))
    def open(self, name: str, text: str, is_clean: bool, version: int) -> None:  # noqa: FBT001
        if name in self._open:
            return
        if is_clean and name in self._disk:
            text = self._disk[name].text
        where = name if name == UNTITLED else self._folder / name
        buffer = self._in_loop(lambda: Buffer(self._client, where, text, version=version))
        self._open[name] = Open(buffer, Screen(text, self._view), is_touched=False)

    @precondition(lambda self: self._open)
    @rule(which=numbers, changes=st.lists(st.tuples(numbers, numbers, texts), min_size=8, max_size=14))
    def edit(self, which: int, changes: list[tuple[int, int, str]]) -> None:
        name, document = self._pick(which)
        screen, sent = document.screen, []
        for one, other, new in changes:
            start, end = sorted(at % (len(screen.text) + 1) for at in (one, other))
            sent.append(edit(screen.position(start), screen.position(end), new))
            screen = screen.replaced(start, end, new)
        self._in_loop(lambda: document.buffer.change(*sent))
        self._open[name] = Open(document.buffer, screen, is_touched=True)
        Session.edits += len(sent)

    @precondition(lambda self: self._open)
    @rule(which=numbers, text=texts)
    def replace_all(self, which: int, text: str) -> None:
        name, document = self._pick(which)
        self._in_loop(lambda: document.buffer.write(text))
        self._open[name] = Open(document.buffer, Screen(text, self._view), is_touched=True)
        Session.edits += 1

    @precondition(lambda self: self._open)
    @rule(which=numbers)
    def save(self, which: int) -> None:
        name, document = self._pick(which)
        if name != UNTITLED:
            self._write(name, document.screen.text)
            self._in_loop(document.buffer.save)
            self._open[name] = document._replace(is_touched=False)

    @precondition(lambda self: self._open)
    @rule(which=numbers)
    def close(self, which: int) -> None:
        name, document = self._pick(which)
        self._in_loop(document.buffer.close)
        del self._open[name]

    @rule(name=names, text=texts)
    def write_behind_the_editor(self, name: str, text: str) -> None:
        if name != UNTITLED:
            self._write(name, text)

    @rule(pattern=st.sampled_from(PATTERNS), unsaved=st.booleans(), limit=st.integers(1, 3))
    def search(self, pattern: str, unsaved: bool, limit: int) -> None:  # noqa: FBT001
        screens: dict[str, tuple[Screen, Buffer | None]] = {
            name: (screen, None) for name, screen in self._disk.items()
        }
        if unsaved:
            screens |= {
                name: (document.screen, document.buffer)
                for name, document in self._open.items()
                if document.is_touched or self._differs(name, document.screen)
            }
        rows = [
            row
            for name, (screen, buffer) in sorted(screens.items())
            if name != "ignored.log"
            for row in screen.rows(name, pattern, buffer.version if buffer else None)
        ]
        request = {"pattern": pattern, "literal": True, "ignoreCase": False, "includeUnsaved": unsaved}
        answer = self._ask("sg.search", **request, mode="matches", limit=limit)
        assert answer["totals"]["matches"] == len(rows)
        assert answer["totals"]["occurrences"] == sum(len(row.ranges) for row in rows)
        assert [seen(match) for match in answer.get("matches") or ()] == rows[:limit]
        if rows:
            documents = {
                name: (buffer, buffer.version) for name, (_, buffer) in screens.items() if buffer is not None
            }
            texts = {name: screen for name, (screen, _) in screens.items()}
            self._kept.append(Kept(answer["snapshot"], rows, texts, documents))

    @precondition(lambda self: self._kept)
    @rule(which=numbers)
    def page(self, which: int) -> None:
        kept = self._kept[which % len(self._kept)]
        matches = self._ask("sg.page", snapshot=kept.id, context=1, limit=100, view="items")["matches"]
        for match, row in zip(matches, kept.rows, strict=True):
            if row.version is None and kept.screens[row.path] is not self._disk[row.path]:
                # Where lone CRs put the line is read from the file, which has been written since.
                assert seen(match)[:3] == row[:3]
            else:
                assert seen(match) == row
            if "contextUnavailable" in match:
                assert row.version is None or not self._is_as_searched(kept, row.path)
            else:
                assert row.version is None or self._is_as_searched(kept, row.path)
                assert (match["before"], match["after"]) == kept.screens[row.path].context(row.line)

    @precondition(lambda self: self._kept)
    @rule(which=numbers, index=numbers)
    def inspect(self, which: int, index: int) -> None:
        kept = self._kept[which % len(self._kept)]
        number = index % len(kept.rows)
        row = kept.rows[number]
        answer = self._ask("sg.inspect", snapshot=kept.id, matchIndex=number + 1)
        (found,) = answer["inspections"]
        if row.version is not None:
            assert (found["outcome"] == "returned") is self._is_as_searched(kept, row.path)
        if found["outcome"] == "returned":
            block = answer["blocks"][found["block"]]
            assert block["lines"][row.line - block["startLine"]] == row.text
            assert block["source"] == ("disk" if row.version is None else "document")
        else:
            assert found["structure"] in ("source-changed", "source-unavailable")

    def teardown(self) -> None:
        for document in self._open.values():
            self._in_loop(document.buffer.close)
        for name in self._disk:
            (self._folder / name).unlink()

    def _is_as_searched(self, kept: Kept, name: str) -> bool:
        buffer, version = kept.documents[name]
        return name in self._open and self._open[name].buffer is buffer and buffer.version == version

    def _differs(self, name: str, screen: Screen) -> bool:
        return name not in self._disk or lf(self._disk[name].text) != lf(screen.text)

    def _pick(self, which: int) -> tuple[str, Open]:
        return sorted(self._open.items())[which % len(self._open)]

    def _write(self, name: str, text: str) -> None:
        write_files(self._folder, {name: text})
        self._disk[name] = Screen(text, self._view)

    def _ask(self, name: str, **argument: Any) -> Any:
        return self._await(command(self._client, name, argument))

    def _in_loop(self, call: Callable[[], T]) -> T:
        async def called() -> T:
            return call()

        return self._await(called())

    def _await(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


def lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def seen(match: Any) -> Row:
    ranges = tuple((at(range_["start"]), at(range_["end"])) for range_ in match["ranges"])
    assert match["location"]["range"] == match["ranges"][0]
    return Row(match["path"], match["line"], match["text"], ranges, match.get("documentVersion"))


def at(position: Any) -> At:
    return position["line"], position["character"]


async def test_every_answer_is_about_what_the_user_sees(start: Start, project: Path) -> None:
    loop = asyncio.get_running_loop()
    Session.edits = 0
    encodings: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")
    for encoding in encodings:
        session = partial(
            Session, await start(encodings=[encoding]), project, TextView(encoding=encoding), loop
        )
        await asyncio.to_thread(run, session)
    assert Session.edits >= EDITS, Session.edits


def run(session: Any) -> None:
    """Let Hypothesis, which knows nothing of event loops, draw what users do."""
    run_state_machine_as_test(session, settings=settings(max_examples=RUNS, stateful_step_count=STEPS))
