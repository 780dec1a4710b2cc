import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.lines import content, lf_line_of, lf_lines, lone_crs, lone_crs_before
from tests.strategies import chunked, searched_texts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"", b""),
        (b"a", b"a"),
        (b"a\n", b"a"),
        (b"a\r\n", b"a"),
        (b"a\r\r\n", b"a\r"),
        (b"a\r", b"a\r"),
        (b"\r\n", b""),
    ],
)
def test_content_leaves_out_one_terminator(line: bytes, expected: bytes) -> None:
    assert content(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b"\n", [b"\n"]),
        (b"a\nb", [b"a\n", b"b"]),
        (b"a\r\nb\n", [b"a\r\n", b"b\n"]),
        (b"a\rb\x0bc\x85\xe2\x80\xa8d\n", [b"a\rb\x0bc\x85\xe2\x80\xa8d\n"]),
    ],
)
def test_only_an_lf_ends_a_line_for_ripgrep(text: bytes, expected: list[bytes]) -> None:
    assert lf_lines(text) == expected


@given(searched_texts())
def test_lines_joined_are_the_text(text: bytes) -> None:
    assert b"".join(lf_lines(text)) == text


@pytest.mark.parametrize(("text", "count"), [(b"a\r\nb", 0), (b"a\rb\r\r\n", 2), (b"\r", 1)])
def test_a_cr_before_an_lf_is_not_alone(text: bytes, count: int) -> None:
    assert lone_crs(text) == count


@given(st.data(), searched_texts(max_size=60))
def test_lone_crs_before_lines_do_not_depend_on_the_chunks(data: st.DataObject, text: bytes) -> None:
    lines = lf_lines(text)
    numbers = sorted(data.draw(st.lists(st.integers(1, len(lines) + 2), max_size=8)))
    expected = [lone_crs(b"".join(lines[: number - 1])) for number in numbers]
    assert list(lone_crs_before(data.draw(chunked(text)), numbers)) == expected


def test_a_crlf_between_two_chunks_is_one_line_end() -> None:
    assert list(lone_crs_before([b"a\r", b"\nb\r", b"c\n", b"d"], [1, 2, 3])) == [0, 0, 1]


def test_counting_takes_no_chunk_past_the_last_line_asked_for() -> None:
    taken: list[bytes] = []

    def chunks() -> Iterator[bytes]:
        for chunk in (b"a\rb\n", b"c\n", b"d\n"):
            taken.append(chunk)
            yield chunk

    assert list(lone_crs_before(chunks(), [2])) == [1]
    assert taken == [b"a\rb\n"]


def test_no_lines_asked_for_take_no_chunk() -> None:
    assert list(lone_crs_before(iter([b"a"]), [])) == []


@given(searched_texts(), st.integers(0, 40), st.booleans())
def test_the_lf_line_of_an_lsp_line_is_the_one_that_holds_its_start(
    text: bytes,
    lsp_line: int,
    lone_cr_ends_line: bool,  # noqa: FBT001
) -> None:
    line_end = rb"\r\n|\r|\n" if lone_cr_ends_line else rb"\r\n|\n"
    starts = [0, *(match.end() for match in re.finditer(line_end, text))]
    start = starts[min(lsp_line, len(starts) - 1)]
    expected = min(text.count(b"\n", 0, start) + 1, max(1, len(lf_lines(text))))
    assert lf_line_of(text, lsp_line, lone_cr_ends_line=lone_cr_ends_line) == expected


@pytest.mark.parametrize(("lsp_line", "line"), [(0, 1), (1, 1), (2, 2), (3, 2), (99, 2)])
def test_past_the_end_is_the_last_line(lsp_line: int, line: int) -> None:
    assert lf_line_of(b"a\rb\nc\n", lsp_line, lone_cr_ends_line=True) == line
