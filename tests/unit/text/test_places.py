import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.edits import EditedText
from sg_server.text.places import Places
from sg_server.text.positions import Position, TextView
from tests.strategies import CHARACTERS, LINE_ENDS, views

NEOVIM = TextView(encoding="utf-8", lone_cr_ends_line=False)


def test_an_offset_inside_a_line_end_is_the_end_of_the_line() -> None:
    places = Places("ab\r\nc", TextView())
    assert places.position(3) == places.position(2) == Position(line=0, character=2)
    assert places.position(4) == Position(line=1, character=0)


@pytest.mark.parametrize(
    ("view", "position"),
    [(TextView(), Position(line=1, character=0)), (NEOVIM, Position(line=0, character=2))],
)
def test_a_lone_carriage_return_ends_a_line_where_the_client_says_so(
    view: TextView, position: Position
) -> None:
    assert Places("a\r\r\n", view).position(2) == position


@given(st.lists(st.sampled_from((*CHARACTERS, *LINE_ENDS)), max_size=20).map("".join), views(), st.data())
def test_an_editor_that_deletes_a_range_deletes_its_text(
    text: str, view: TextView, data: st.DataObject
) -> None:
    offsets = [at for at in range(len(text) + 1) if text[max(0, at - 1) : at + 1] != "\r\n"]
    start, end = sorted(data.draw(st.sampled_from(offsets)) for _ in range(2))
    edited = EditedText(text, view)
    edited.replace(Places(text, view).range((start, end)), "")
    assert edited.text == text[:start] + text[end:]
