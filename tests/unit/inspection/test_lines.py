from hypothesis import given
from hypothesis import strategies as st

from sg_server.inspection.lines import SourceLines
from sg_server.text.positions import Position, TextView

CODE = TextView(encoding="utf-16", lone_cr_ends_line=True)
NEOVIM = TextView(encoding="utf-8", lone_cr_ends_line=False)

texts = st.text(alphabet="aé𝄞\r\n\t", max_size=40).map(str.encode)


def lines(text: bytes, view: TextView = CODE, *, latin1: bool = False) -> SourceLines:
    return SourceLines(text, view, latin1=latin1)


def at(line: int, character: int) -> Position:
    return Position(line=line, character=character)


def test_terminators_are_no_part_of_a_line() -> None:
    found = lines(b"a\r\nb\n\nc")
    assert [found.shown(line) for line in range(1, found.count + 1)] == ["a", "b", "", "c"]


def test_an_empty_text_has_one_empty_line() -> None:
    found = lines(b"")
    assert (found.count, found.shown(1), found.range(1, 1).end) == (1, "", at(0, 0))


def test_a_range_ends_where_the_last_line_does_in_units_of_the_client() -> None:
    text = "a\n𝄞b\n".encode()
    assert (lines(text).range(1, 2).start, lines(text).range(1, 2).end) == (at(0, 0), at(1, 3))
    assert lines(text, NEOVIM).range(2, 2).end == at(1, 5)


def test_lone_carriage_returns_move_positions_only_for_a_client_that_ends_lines_there() -> None:
    text = b"a\rb\nc\rd\n"
    assert (lines(text).start(2), lines(text).range(2, 2).end) == (at(2, 0), at(3, 1))
    assert (lines(text, NEOVIM).start(2), lines(text, NEOVIM).range(2, 2).end) == (at(1, 0), at(1, 3))
    assert [lines(text).line_at(at(line, 0)) for line in range(5)] == [1, 1, 2, 2, 2]


def test_invalid_utf8_is_shown_as_the_client_shows_it() -> None:
    assert lines(b"\xe9\xe9\n").shown(1) == "\N{REPLACEMENT CHARACTER}" * 2
    assert lines(b"\xe9\xe9\n", latin1=True).shown(1) == "éé"
    assert lines(b"\xe9\xe9\n", latin1=True).range(1, 1).end == at(0, 2)


def test_a_column_counts_code_points() -> None:
    found = lines("𝄞𝄞x\n".encode())
    assert [found.column_at(at(0, units)) for units in (0, 2, 4, 5, 99)] == [0, 1, 2, 3, 3]


@given(texts)
def test_a_line_is_at_its_own_start(text: bytes) -> None:
    for view in (CODE, NEOVIM):
        found = lines(text, view)
        assert all(found.line_at(found.start(line)) == line for line in range(1, found.count + 1))
