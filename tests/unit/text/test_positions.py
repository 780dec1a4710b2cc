import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.lines import content
from sg_server.text.positions import (
    Position,
    PositionEncoding,
    Range,
    Span,
    TextView,
    codepoint_columns,
    offset_of,
    ranges_in,
    shown,
    units,
)
from tests.strategies import lf_line_texts, plain_lines, searched_texts, spans_in, views

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")
VSCODE = TextView()
NEOVIM = TextView(lone_cr_ends_line=False)


class Editor:
    """Shows a text as one client does: it knows characters and line ends, and nothing of bytes searched."""

    def __init__(self, text: str, view: TextView) -> None:
        self._line_end = re.compile("\r\n|\r|\n" if view.lone_cr_ends_line else "\r\n|\n")
        self._codec, self._unit_bytes = CODECS[view.encoding]
        self.lines = self._line_end.split(text)

    def select(self, range_: Range) -> str:
        """The selected text, its line ends as LF."""
        last = self._units(self.lines[range_.end.line])[: range_.end.character * self._unit_bytes]
        if range_.start.line == range_.end.line:
            return last[range_.start.character * self._unit_bytes :].decode(self._codec)
        first = self._units(self.lines[range_.start.line])[range_.start.character * self._unit_bytes :]
        between = self.lines[range_.start.line + 1 : range_.end.line]
        return "\n".join([first.decode(self._codec), *between, last.decode(self._codec)])

    def end(self) -> Position:
        size = len(self._units(self.lines[-1])) // self._unit_bytes
        return Position(line=len(self.lines) - 1, character=size)

    def line_ends_as_lf(self, text: str) -> str:
        return self._line_end.sub("\n", text)

    def _units(self, text: str) -> bytes:
        return text.encode(self._codec)


def divides_nothing(block: bytes, offset: int, *, latin1: bool) -> bool:
    """Whether what is before and after `offset`, shown apart, looks as it does together."""
    before, after = shown(block[:offset], latin1=latin1), shown(block[offset:], latin1=latin1)
    between_cr_and_lf = block[offset - 1 : offset + 1] == b"\r\n" and offset > 0
    return before + after == shown(block, latin1=latin1) and not between_cr_and_lf


def expected(
    block: bytes, span: Span, view: TextView, *, multiline: bool = False, latin1: bool = False
) -> Range:
    """The slow way: show everything before each offset and see where an editor's text ends."""
    content_end = len(block) if multiline else len(content(block))
    start, end = (min(offset, content_end) for offset in span)
    while not divides_nothing(block, start, latin1=latin1):
        start -= 1
    is_in_crlf = end > 0 and block[end - 1 : end + 1] == b"\r\n"
    step = -1 if is_in_crlf or span[0] == span[1] else 1
    while not divides_nothing(block, end, latin1=latin1):
        end += step
    first, last = (Editor(shown(block[:offset], latin1=latin1), view).end() for offset in (start, end))
    return Range(start=first, end=last)


@given(st.data(), lf_line_texts(), views(), st.booleans())
def test_ranges_of_a_line_are_where_an_editor_has_them(
    data: st.DataObject,
    block: bytes,
    view: TextView,
    latin1: bool,  # noqa: FBT001
) -> None:
    spans = data.draw(spans_in(len(block)))
    assert ranges_in(block, spans, view, latin1=latin1) == [
        expected(block, span, view, latin1=latin1) for span in spans
    ]


@given(st.data(), searched_texts(), views(), st.booleans())
def test_ranges_over_lines_are_where_an_editor_has_them(
    data: st.DataObject,
    block: bytes,
    view: TextView,
    latin1: bool,  # noqa: FBT001
) -> None:
    spans = data.draw(spans_in(len(block)))
    assert ranges_in(block, spans, view, multiline=True, latin1=latin1) == [
        expected(block, span, view, multiline=True, latin1=latin1) for span in spans
    ]


@given(st.data(), searched_texts(), views())
def test_an_editor_that_selects_a_range_has_selected_the_match(
    data: st.DataObject, block: bytes, view: TextView
) -> None:
    offsets = [offset for offset in range(len(block) + 1) if divides_nothing(block, offset, latin1=False)]
    spans = [(offsets[i], offsets[j]) for i, j in data.draw(spans_in(len(offsets) - 1))]
    editor = Editor(shown(block), view)
    for (start, end), range_ in zip(spans, ranges_in(block, spans, view, multiline=True), strict=True):
        assert editor.select(range_) == editor.line_ends_as_lf(shown(block[start:end]))


@given(st.data(), searched_texts(), views(), st.booleans())
def test_ranges_ascend_with_the_spans(
    data: st.DataObject,
    block: bytes,
    view: TextView,
    multiline: bool,  # noqa: FBT001
) -> None:
    spans = [(start, end) for start, end in data.draw(spans_in(len(block))) if start < end]
    ranges = ranges_in(block, spans, view, multiline=multiline)
    assert all(range_.start <= range_.end for range_ in ranges)
    assert [range_.start for range_ in ranges] == sorted(range_.start for range_ in ranges)
    assert [range_.end for range_ in ranges] == sorted(range_.end for range_ in ranges)


@given(st.data(), searched_texts(), views(), st.booleans())
def test_an_empty_span_gives_an_empty_range(
    data: st.DataObject,
    block: bytes,
    view: TextView,
    multiline: bool,  # noqa: FBT001
) -> None:
    spans = [(start, start) for start, _ in data.draw(spans_in(len(block)))]
    assert all(range_.start == range_.end for range_ in ranges_in(block, spans, view, multiline=multiline))


@given(st.data(), lf_line_texts())
def test_code_point_columns_cut_the_shown_line_at_the_match(data: st.DataObject, block: bytes) -> None:
    spans = [
        (start, end)
        for start, end in data.draw(spans_in(len(content(block))))
        if divides_nothing(block, start, latin1=False) and divides_nothing(block, end, latin1=False)
    ]
    for (start, end), (first, last) in zip(spans, codepoint_columns(block, spans), strict=True):
        assert shown(block)[first:last] == shown(block[start:end])


@given(plain_lines(), st.sampled_from(ENCODINGS))
def test_the_offset_of_a_column_leads_back_to_the_character(text: str, encoding: PositionEncoding) -> None:
    for offset in range(len(text) + 1):
        assert offset_of(text, units(text[:offset], encoding), encoding) == offset


@pytest.mark.parametrize(("encoding", "inside"), [("utf-8", (2, 3, 4)), ("utf-16", (2,))])
def test_a_column_inside_a_character_rounds_down(encoding: PositionEncoding, inside: tuple[int, ...]) -> None:
    assert {offset_of("a𝄞b", column, encoding) for column in inside} == {1}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", ["", "ab", "a𝄞"])
def test_a_column_past_the_end_is_the_end(text: str, encoding: PositionEncoding) -> None:
    assert offset_of(text, 99, encoding) == len(text)


@pytest.mark.parametrize(("encoding", "size"), [("utf-8", 10), ("utf-16", 5), ("utf-32", 4)])
def test_units_differ_by_encoding(encoding: PositionEncoding, size: int) -> None:
    assert units("aé漢𝄞", encoding) == size


# As the WHATWG Encoding Standard decodes: where a sequence breaks off, one error ends before that byte.
@pytest.mark.parametrize(
    ("invalid", "replacements"),
    [
        (b"\x80", 1),
        (b"\xbf\xbf", 2),
        (b"\xc0\x80", 2),
        (b"\xc3", 1),
        (b"\xe0\x80\x80", 3),
        (b"\xe0\xa0", 1),
        (b"\xe2\x82", 1),
        (b"\xe2\x82\xe2\x82", 2),
        (b"\xed\xa0\x80", 3),
        (b"\xed\x9f", 1),
        (b"\xf0\x80\x80\x80", 4),
        (b"\xf0\x9f\x92", 1),
        (b"\xf0\x9f", 1),
        (b"\xf4\x90\x80\x80", 4),
        (b"\xf5\x80", 2),
        (b"\xff\xfe", 2),
    ],
)
def test_each_maximal_invalid_part_is_one_replacement_character(invalid: bytes, replacements: int) -> None:
    assert shown(b"a" + invalid + b"b") == "a" + "\ufffd" * replacements + "b"
    after = (1 + len(invalid), 2 + len(invalid))
    assert codepoint_columns(b"a" + invalid + b"b\n", [after]) == [(1 + replacements, 2 + replacements)]


def test_a_match_inside_an_invalid_part_takes_all_of_it() -> None:
    assert columns(b"a\xf0\x9f\x92b\n", [(2, 3)]) == [(1, 2)]


def test_two_matches_inside_one_character_both_take_all_of_it() -> None:
    assert columns("é𝄞!\n".encode(), [(3, 4), (4, 5), (6, 7)]) == [(1, 3), (1, 3), (3, 4)]


def test_bytes_shown_as_latin1_are_one_character_each() -> None:
    assert columns(b"\xe9\xf0\x9f!\n", [(3, 4)], latin1=True) == [(3, 4)]
    utf8 = TextView(encoding="utf-8")
    assert columns(b"\xe9\xf0\x9f!\n", [(3, 4)], view=utf8, latin1=True) == [(6, 7)]


def test_a_lone_cr_starts_a_line_where_the_client_says_so() -> None:
    block = b"a\rb needle\n"
    assert ranges_in(block, [(4, 10)], VSCODE) == [range_of(1, 2, 1, 8)]
    assert ranges_in(block, [(4, 10)], NEOVIM) == [range_of(0, 4, 0, 10)]


def test_a_cr_that_ends_the_text_is_alone() -> None:
    assert ranges_in(b"a\r", [(0, 2)], VSCODE) == [range_of(0, 0, 1, 0)]
    assert ranges_in(b"a\r", [(0, 2)], NEOVIM) == [range_of(0, 0, 0, 2)]


@pytest.mark.parametrize("block", [b"abc\n", b"abc\r\n"])
def test_a_match_of_the_terminator_ends_with_the_line(block: bytes) -> None:
    assert columns(block, [(2, len(block))]) == [(2, 3)]


@pytest.mark.parametrize("block", [b"abc\nd\n", b"abc\r\nd\r\n"])
def test_a_match_over_lines_ends_where_the_next_one_starts(block: bytes) -> None:
    after_terminator = block.index(b"d")
    assert ranges_in(block, [(2, after_terminator)], VSCODE, multiline=True) == [range_of(0, 2, 1, 0)]


def test_between_cr_and_lf_is_the_end_of_the_line() -> None:
    assert ranges_in(b"ab\r\nc\n", [(3, 5)], NEOVIM, multiline=True) == [range_of(0, 2, 1, 1)]


def test_an_empty_match_has_an_empty_range() -> None:
    assert columns("é\n".encode(), [(0, 0), (2, 2), (3, 3)]) == [(0, 0), (1, 1), (1, 1)]


def test_no_spans_have_no_ranges() -> None:
    assert ranges_in(b"abc\n", [], VSCODE) == []


@pytest.mark.parametrize("letter", [b"a", "é".encode(), b"\xff", b"\x80"])
def test_a_long_line_of_short_matches_takes_one_pass(letter: bytes) -> None:
    # Were each span measured from the start of the line, this would take minutes.
    size = len(letter)
    count = 100_000
    spans = [(index * size, (index + 1) * size) for index in range(count)]
    assert columns(letter * count + b"\n", spans)[-1] == (count - 1, count)


def test_a_range_is_lsp_on_the_wire() -> None:
    assert msgspec.to_builtins(range_of(1, 2, 3, 4)) == {
        "start": {"line": 1, "character": 2},
        "end": {"line": 3, "character": 4},
    }


def columns(block: bytes, spans: list[Span], view: TextView = VSCODE, *, latin1: bool = False) -> list[Span]:
    ranges = ranges_in(block, spans, view, latin1=latin1)
    assert {(range_.start.line, range_.end.line) for range_ in ranges} == {(0, 0)}
    return [(range_.start.character, range_.end.character) for range_ in ranges]


def range_of(start_line: int, start: int, end_line: int, end: int) -> Range:
    return Range(start=Position(line=start_line, character=start), end=Position(line=end_line, character=end))
