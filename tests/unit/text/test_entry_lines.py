import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.entry_lines import EntryLines
from tests.strategies import CHARACTERS, LINE_ENDS


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from((*CHARACTERS, *LINE_ENDS, *LINE_ENDS)), max_size=30).map("".join)


def contents(text: str) -> list[str]:
    lines = EntryLines(text)
    return [lines.content(number) for number in range(1, lines.count + 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\r\nb", ["a", "b"]),
        ("x\r\r\n", ["x\r", ""]),
        ("a\rb\r", ["a\rb\r"]),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g", ["a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"]),
        ("\ufeffa\n\r\n", ["\ufeffa", "", ""]),
    ],
)
def test_only_lf_and_crlf_end_a_line(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


@given(texts())
def test_lines_and_their_ends_make_the_text(text: str) -> None:
    lines = EntryLines(text)
    spans = [lines.span(number) for number in range(1, lines.count + 1)]
    assert [text[start:end] for start, end in spans] == contents(text)
    between = [
        text[end:start] for (_, end), (start, _) in zip(spans, [*spans[1:], (len(text), 0)], strict=True)
    ]
    assert set(between[:-1]) <= {"\n", "\r\n"}
    assert between[-1] == ""
    assert lines.joined == "\n".join(contents(text))


@given(texts())
def test_offsets_in_joined_lines_lead_to_the_same_characters(text: str) -> None:
    lines = EntryLines(text)
    for offset, character in enumerate(lines.joined):
        original = lines.unjoined(offset)
        assert text[original] == character or text[original : original + 2] == "\r\n"
        assert lines.number_at(original) == lines.joined.count("\n", 0, offset) + 1
    assert lines.unjoined(len(lines.joined)) == len(text)


@given(texts())
def test_a_terminator_is_in_the_line_that_it_ends(text: str) -> None:
    lines = EntryLines(text)
    for ending in re.finditer("\r?\n", text):
        number = text.count("\n", 0, ending.start()) + 1
        assert {lines.number_at(offset) for offset in range(ending.start(), ending.end())} == {number}
