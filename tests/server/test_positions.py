import asyncio
import codecs
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sg_server.search.results import Match
from sg_server.text.positions import Position, PositionEncoding, Range, TextView
from tests.searching import Searcher, let_time_pass
from tests.server.conftest import Start
from tests.server.wire import command, write_files
from tests.strategies import CHARACTERS, LINE_ENDS, searched_texts

UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
VS_CODE = re.compile(r"\r\n|\r|\n")
NEOVIM = re.compile(r"\r\n|\n")


class Editor(NamedTuple):
    """A text as an editor shows it: a list of lines, and columns in units."""

    text: str
    view: TextView

    def lines(self) -> Iterator[tuple[int, int]]:
        """Where the content of each line begins and ends in the text."""
        start = 0
        for end in (VS_CODE if self.view.lone_cr_ends_line else NEOVIM).finditer(self.text):
            yield start, end.start()
            start = end.end()
        yield start, len(self.text)

    def offset(self, position: Position) -> int:
        """Where a position is in the text. Fails for one that is not on a character."""
        start, end = list(self.lines())[position.line]
        codec, size = UNITS[self.view.encoding], UNIT_BYTES[self.view.encoding]
        before = self.text[start:end].encode(codec)[: position.character * size]
        assert len(before) == position.character * size, "a column past the end of its line"
        return start + len(before.decode(codec))

    def select(self, range_: Range) -> str:
        return self.text[self.offset(range_.start) : self.offset(range_.end)]


class Document(NamedTuple):
    """A file: its bytes, what ripgrep searches in it, and what VS Code shows."""

    data: bytes
    searched: bytes

    @property
    def text(self) -> str:
        return self.searched.decode("utf-8", "replace")


def document(searched: bytes, kind: str) -> Document:
    if kind in ("utf-16-le", "utf-16-be"):
        bom = codecs.BOM_UTF16_LE if kind == "utf-16-le" else codecs.BOM_UTF16_BE
        text = searched.decode("utf-8", "replace").lstrip("\ufeff")
        return Document(bom + text.encode(kind), text.encode())
    if kind == "utf-8-sig":
        return Document(codecs.BOM_UTF8 + searched, searched)
    return Document(searched, searched.removeprefix(codecs.BOM_UTF8))


_pieces = st.sampled_from([*CHARACTERS, *LINE_ENDS, "a", "漢" * 300, "b" * 700]).map(str.encode)
texts = searched_texts() | st.lists(_pieces, max_size=12).map(b"".join)
documents = st.builds(
    document, texts, st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"])
).filter(lambda made: made.searched)
trees = st.lists(documents, min_size=1, max_size=8)
encodings = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def search_tree(
    tree: list[Document], view: TextView, pattern: str, *, multiline: bool = False, engine: str = "default"
) -> dict[str, list[Match]]:
    """All matches of each file, which are named by their numbers."""

    async def found() -> tuple[Match, ...]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(folder, {str(number): made.data for number, made in enumerate(tree)})
            let_time_pass(folder)
            answer = await Searcher(folder, view=view).search(
                pattern, binary=True, multiline=multiline, engine=engine, view="items", limit=1000
            )
            assert answer.cursor is None
            return answer.matches or ()

    rows: dict[str, list[Match]] = {str(number): [] for number in range(len(tree))}
    for match in asyncio.run(found()):
        rows[match.path].append(match)
    return rows


@settings(max_examples=40)
@given(trees, encodings, st.booleans())
def test_every_range_selects_its_match_in_the_editor(
    tree: list[Document],
    encoding: PositionEncoding,
    lone_cr_ends_line: bool,  # noqa: FBT001
) -> None:
    view = TextView(encoding=encoding, lone_cr_ends_line=lone_cr_ends_line)
    rows = search_tree(tree, view, "a")
    for made, matches in zip(tree, rows.values(), strict=True):
        editor = Editor(made.text, view)
        found = [
            (editor.select(range_), editor.offset(range_.start)) for row in matches for range_ in row.ranges
        ]
        occurrences = [match.start() for match in re.finditer("a", made.text)]
        assert found == [("a", offset) for offset in occurrences]


@settings(max_examples=40)
@given(trees)
def test_lines_texts_and_byte_ranges_are_those_of_the_searched_text(tree: list[Document]) -> None:
    rows = search_tree(tree, TextView(), "a")
    for made, matches in zip(tree, rows.values(), strict=True):
        found = [(row.line, start, end) for row in matches for start, end in row.byte_ranges]
        offsets = [match.start() for match in re.finditer(b"a", made.searched)]
        assert found == [(made.searched.count(b"\n", 0, at) + 1, at, at + 1) for at in offsets]
        for row in matches:
            line = made.searched.split(b"\n")[row.line - 1]
            is_last = row.line == made.searched.count(b"\n") + 1
            shown = (line if is_last else line.removesuffix(b"\r")).decode("utf-8", "replace")
            assert row.clipped == (len(shown) > 500)
            assert row.text in shown if row.clipped else row.text == shown
            assert "a" in row.text


@settings(max_examples=40)
@given(trees, encodings, st.booleans(), st.sampled_from(["^", "$", "b*", r"\b"]))
def test_an_empty_match_is_an_empty_range_at_its_place(
    tree: list[Document],
    encoding: PositionEncoding,
    lone_cr_ends_line: bool,  # noqa: FBT001
    pattern: str,
) -> None:
    view = TextView(encoding=encoding, lone_cr_ends_line=lone_cr_ends_line)
    rows = search_tree(tree, view, pattern)
    for made, matches in zip(tree, rows.values(), strict=True):
        editor = Editor(made.text, view)
        for row in matches:
            for (start, end), range_ in zip(row.byte_ranges, row.ranges, strict=True):
                assert editor.select(range_) == made.searched[start:end].decode()
                assert editor.offset(range_.start) == shown_before(made.searched, start)


@settings(max_examples=60)
@given(trees, encodings, st.booleans(), st.sampled_from([r"a\s+", r"\s", r"[^a]+", r"(?s)a.*b", r"\n", "$"]))
def test_a_match_over_several_lines_is_selected_from_its_first_line_to_its_last(
    tree: list[Document],
    encoding: PositionEncoding,
    lone_cr_ends_line: bool,  # noqa: FBT001
    pattern: str,
) -> None:
    view = TextView(encoding=encoding, lone_cr_ends_line=lone_cr_ends_line)
    rows = search_tree(tree, view, pattern, multiline=True)
    for made, matches in zip(tree, rows.values(), strict=True):
        editor = Editor(made.text, view)
        for row in matches:
            ((start, end),) = row.byte_ranges
            assert row.line == made.searched.count(b"\n", 0, start) + 1
            (range_,) = row.ranges
            assert editor.offset(range_.start) == shown_before(made.searched, start)
            assert editor.offset(range_.end) == shown_before(made.searched, end)


def shown_before(searched: bytes, offset: int) -> int:
    """How many characters are shown before `offset`; the middle of a CRLF or a character is before it."""
    if searched[max(offset - 1, 0) : offset + 1] == b"\r\n":
        offset -= 1
    whole = searched.decode("utf-8", "replace")
    for start in range(offset, -1, -1):
        before, after = (part.decode("utf-8", "replace") for part in (searched[:start], searched[start:]))
        if before + after == whole:
            return len(before)
    raise AssertionError("unreachable: nothing is before the start")


@settings(max_examples=40)
@given(
    st.lists(texts.filter(bool).map(lambda text: document(text, "utf-8")), min_size=1, max_size=8), encodings
)
def test_a_client_that_shows_invalid_files_as_latin1_gets_its_own_columns(
    tree: list[Document], encoding: PositionEncoding
) -> None:
    view = TextView(encoding=encoding, lone_cr_ends_line=False, invalid_utf8="latin1")
    rows = search_tree(tree, view, "a")
    for made, matches in zip(tree, rows.values(), strict=True):
        try:
            text = made.searched.decode()
        except UnicodeDecodeError:
            text = made.searched.decode("latin-1")
        editor = Editor(text, view)
        assert [editor.offset(range_.start) for row in matches for range_ in row.ranges] == [
            match.start() for match in re.finditer("a", text)
        ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_negotiated_encoding_counts_the_columns_on_the_wire(
    start: Start, project: Path, encoding: str
) -> None:
    write_files(project, {"a.txt": "\r𝄞é needle\n"})
    client = await start(encodings=[encoding])
    answer = await command(client, "sg.search", {"pattern": "needle"})
    before = "𝄞é ".encode(UNITS[encoding])
    column = len(before) // UNIT_BYTES[encoding]
    assert answer["locations"][0]["range"] == {
        "start": {"line": 1, "character": column},
        "end": {"line": 1, "character": column + 6},
    }
    assert answer["matches"][0]["line"] == 1


async def test_neovim_shows_a_lone_cr_within_a_line(start: Start, project: Path) -> None:
    write_files(project, {"a.txt": "one\rneedle\n"})
    client = await start(encodings=["utf-8"], options={"loneCrEndsLine": False})
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert answer["locations"][0]["range"]["start"] == {"line": 0, "character": 4}


async def test_names_that_are_not_utf8_are_told_apart_by_their_uris(start: Start, project: Path) -> None:
    for name in (b"\xff.txt", b"\xfe.txt"):
        (project / name.decode("utf-8", "surrogateescape")).write_bytes(b"needle " + name[:1] + b"\n")
    client = await start()
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert [match["path"] for match in answer["matches"]] == ["\ufffd.txt"] * 2
    assert [match["uri"].rpartition("/")[2] for match in answer["matches"]] == ["%FE.txt", "%FF.txt"]
    for match in answer["matches"]:
        detail = await command(client, "sg.page", {"snapshot": answer["snapshot"], "uri": match["uri"]})
        assert [row["index"] for row in detail["matches"]] == [match["index"]]
    both = await command(client, "sg.page", {"snapshot": answer["snapshot"], "path": "\ufffd.txt"})
    assert len(both["matches"]) == 2
