import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.errors import CursorUnknown
from sg_server.search.cursors import Cursor, CursorCodec

NUMBERS = st.integers(1, 10**9)
CURSORS = st.builds(
    Cursor,
    NUMBERS,
    st.integers(0, 10**9),
    st.sampled_from(["summary", "matches"]),
    st.sampled_from(["", "0123456789ab"]),
)
CODEC = CursorCodec()
"""One for all, so that what is drawn from its words can be drawn again."""
WORD = re.compile("[A-Za-z0-9_-]+")


@given(CURSORS)
def test_a_cursor_comes_back_from_its_word(cursor: Cursor) -> None:
    codec = CursorCodec()
    word = codec.encode(cursor)
    assert WORD.fullmatch(word)
    assert codec.decode(word) == codec.decode(f" {word}\n") == cursor


@given(CURSORS, st.data())
def test_a_changed_word_is_unknown(cursor: Cursor, data: st.DataObject) -> None:
    word = CODEC.encode(cursor)
    at = data.draw(st.integers(0, len(word) - 1))
    other = data.draw(st.characters(exclude_characters=word[at], exclude_categories=("Cs", "Z", "Cc")))
    for changed in (word[:at] + other + word[at + 1 :], word[:at], word[:at] + word[at + 1 :], word + other):
        with pytest.raises(CursorUnknown):
            CODEC.decode(changed)


@given(CURSORS)
def test_another_session_does_not_know_a_word(cursor: Cursor) -> None:
    here, there = CursorCodec(), CursorCodec()
    with pytest.raises(CursorUnknown):
        there.decode(here.encode(cursor))
    with pytest.raises(CursorUnknown):
        there.snapshot_number(here.snapshot_id(cursor.snapshot))


@given(NUMBERS)
def test_a_snapshot_comes_back_from_its_id(number: int) -> None:
    codec = CursorCodec()
    word = codec.snapshot_id(number)
    assert WORD.fullmatch(word)
    assert codec.snapshot_number(word) == number
    nonce = word.partition("-")[0]
    for wrong in (
        nonce,
        f"{nonce}-",
        f"{nonce}-0{number}",
        f"{nonce}-٣",
        f"{nonce}-{'9' * 6_000}",
        f"c{word[1:]}",
    ):
        with pytest.raises(CursorUnknown):
            codec.snapshot_number(wrong)


@given(st.text())
def test_any_text_is_unknown_rather_than_a_crash(text: str) -> None:
    codec = CursorCodec()
    for read in (codec.decode, codec.snapshot_number):
        with pytest.raises(CursorUnknown):
            read(text)
