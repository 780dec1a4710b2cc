from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.store.narrowing import Narrowing, narrowing
from sg_server.text.folding import fold, trigrams

LITERALS = st.text("abcAB\0\ud800é", max_size=6).map(fold)
REQUIRED = st.lists(st.lists(LITERALS, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)


def admits(narrowed: Narrowing, text: str) -> bool:
    """What an index answers, done by hand."""
    present = trigrams(text)
    return all(any(present.issuperset(alternative) for alternative in group) for group in narrowed)


@given(REQUIRED, st.text("abcABé", max_size=20).map(fold))
def test_a_text_that_satisfies_what_is_required_is_never_left_out(
    required: tuple[tuple[str, ...], ...], text: str
) -> None:
    if all(any(literal in text for literal in group) for group in required):
        assert admits(narrowing(required), text)


@given(st.text(min_size=3, max_size=400).map(fold))
def test_every_literal_of_three_narrows(literal: str) -> None:
    ((alternative,),) = narrowing(((literal,),)) if "\0" not in literal else ((("",),),)
    assert len(alternative) <= limits.INDEXED_TRIGRAMS
    if alternative != ("",):
        assert {literal[:3], literal[-3:]} <= set(alternative) <= trigrams(literal)


def test_short_literals_say_nothing() -> None:
    assert narrowing(()) == ()
    assert narrowing((("ab",),)) == ()
    assert narrowing((("abc", "ab"),)) == ()
    assert narrowing((("ab",), ("abcd",))) == ((("abc", "bcd"),),)


def test_a_text_cannot_hold_what_was_refused() -> None:
    assert narrowing((("a\0b", "ab\udc80"),)) == ((),)
    assert narrowing((("a\0bc", "abc"),)) == ((("abc",),),)


def test_a_flood_of_literals_is_cut_to_the_ones_that_say_most() -> None:
    many = tuple(f"word{number}" for number in range(limits.INDEXED_LITERALS + 1))
    assert narrowing((many,)) == ()
    assert len(narrowing((many, ("long literal",)))) == 1
    halves = (many[: limits.INDEXED_LITERALS // 2 + 1],) * 2
    assert len(narrowing((*halves, ("abc",), ("abcd",)))) == 3
