import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.symbols.source import SourceText
from sg_server.text import lines
from sg_server.text.positions import Position, TextView, ranges_in
from tests.strategies import searched_texts, views


def source(text: str, **view: object) -> SourceText:
    return SourceText(text, TextView(**view))  # type: ignore[arg-type]


def test_a_line_is_its_content_alone() -> None:
    text = source("ab\r\n\ncd\ne")
    assert [text.line(number) for number in range(1, 6)] == [(0, 2), (4, 4), (5, 7), (8, 9), (9, 9)]


def test_a_lone_cr_ends_a_line_only_for_a_client_that_says_so() -> None:
    ending, showing = (source("a\rb\nc", lone_cr_ends_line=ends) for ends in (True, False))
    assert (ending.position(2), ending.position(4)) == (
        Position(line=1, character=0),
        Position(line=2, character=0),
    )
    assert (showing.position(2), showing.position(4)) == (
        Position(line=0, character=2),
        Position(line=1, character=0),
    )


@given(searched_texts(), views())
def test_positions_are_those_of_a_search(data: bytes, view: TextView) -> None:
    text = data.decode("utf-8", "replace")
    here = SourceText(text, view)
    crs = 0
    for number, line in enumerate(lines.lf_lines(text.encode()), 1):
        start, end = here.line(number)
        size = len(text[start:end].encode())
        (range_,) = ranges_in(line, [(0, size)], view)
        first = number - 1 + (crs if view.lone_cr_ends_line else 0)
        assert here.position(start) == Position(line=first, character=0)
        found = here.position(end)
        assert (found.line - first, found.character) == (range_.end.line, range_.end.character)
        crs += lines.lone_crs(line)


@given(st.text(alphabet="a𝄞é\r\n", max_size=20), views())
def test_later_offsets_have_later_positions(text: str, view: TextView) -> None:
    here = SourceText(text, view)
    inside = [offset for offset in range(len(text) + 1) if text[offset - 1 : offset + 1] != "\r\n"]
    positions = [here.position(offset) for offset in inside]
    assert positions == sorted(set(positions))


@pytest.mark.parametrize(
    ("line", "name", "start"),
    [
        ("int foobar, foo;", "foo", 12),
        ("Foo::Foo() {", "Foo", 5),
        ("foo foo = foo(1);", "foo", 10),
        ("foobar", "foo", 0),
        ("bool operator+(int)", "operator+", 5),
        ("a~b ~b()", "~b", 4),
        ("é.éa éa", "éa", 2),
    ],
)
def test_the_whole_word_before_a_parenthesis_is_the_name_of_a_function(
    line: str, name: str, start: int
) -> None:
    assert source(line).name(name, [1], before_parenthesis=True) == (start, start + len(name))


def test_the_first_whole_word_is_the_name_of_anything_else() -> None:
    assert source("foobar foo = foo();").name("foo", [1], before_parenthesis=False) == (7, 10)


def test_a_name_is_looked_for_on_the_lines_given_in_order() -> None:
    text = source("x\ny x\nx\n")
    assert text.name("x", [2, 3], before_parenthesis=False) == (4, 5)
    assert text.name("z", [1, 2, 3, 9], before_parenthesis=False) is None
