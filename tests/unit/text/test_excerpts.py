import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.excerpts import Clip, clip_around, clip_bytes, clip_middle, utf8_size
from tests.strategies import plain_lines


@st.composite
def occurrences(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(plain_lines())
    start = draw(st.integers(0, len(text)))
    return text, start, draw(st.integers(start, len(text)))


@given(occurrences(), st.integers(1, 50))
def test_an_excerpt_holds_the_beginning_of_the_occurrence(
    occurrence: tuple[str, int, int], limit: int
) -> None:
    text, start, end = occurrence
    clip = clip_around(text, start, end, limit)
    kept = min(end - start, limit)
    assert clip.text[start - clip.start :][:kept] == text[start : start + kept]


@given(occurrences(), st.integers(1, 50))
def test_an_excerpt_is_a_part_of_the_line_within_the_limit(
    occurrence: tuple[str, int, int], limit: int
) -> None:
    text, start, end = occurrence
    clip = clip_around(text, start, end, limit)
    assert len(clip.text) <= limit
    assert text[clip.start :].startswith(clip.text)
    assert clip.clipped == (clip.text != text)


def test_the_occurrence_stands_in_the_middle() -> None:
    assert clip_around("0123456789", 5, 6, 5) == Clip(text="34567", start=3, clipped=True)


@pytest.mark.parametrize(("start", "excerpt"), [(0, "01234"), (1, "01234"), (8, "56789"), (9, "56789")])
def test_near_an_end_of_the_line_the_room_is_used_on_the_other_side(start: int, excerpt: str) -> None:
    assert clip_around("0123456789", start, start + 1, 5).text == excerpt


def test_of_a_longer_occurrence_the_beginning_is_kept() -> None:
    assert clip_around("0123456789", 2, 9, 4) == Clip(text="2345", start=2, clipped=True)


def test_what_fits_is_not_cut() -> None:
    assert clip_around("abc", 1, 2, 3) == Clip(text="abc", start=0, clipped=False)


@pytest.mark.parametrize("mark", ["\u0301", "\ufe0f", "\u200d", "\U0001f3fd", "\u0903"])
def test_no_excerpt_begins_with_a_mark_of_what_was_cut(mark: str) -> None:
    clip = clip_around(f"____x{mark}{mark}needle____", 7, 13, 10)
    assert clip == Clip(text="needle__", start=7, clipped=True)


def test_a_mark_that_is_the_occurrence_is_kept() -> None:
    assert clip_around("xxxe\u0301xxx", 4, 5, 1) == Clip(text="\u0301", start=4, clipped=True)


@given(plain_lines(), st.integers(0, 120))
def test_a_text_cut_to_bytes_is_the_longest_beginning_that_fits(text: str, limit: int) -> None:
    beginnings = [text[:size] for size in range(len(text) + 1)]
    assert clip_bytes(text, limit) == max(b for b in beginnings if len(b.encode()) <= limit)


@given(plain_lines(), st.integers(1, 60))
def test_a_cut_in_the_middle_keeps_both_ends(text: str, limit: int) -> None:
    cut = clip_middle(text, limit)
    assert len(cut) == min(len(text), limit)
    beginning, _, end = cut.partition("…") if len(text) > limit else (text, "", "")
    assert text.startswith(beginning)
    assert text.endswith(end)
    assert 0 <= len(end) - len(beginning) <= 1 or cut == text


@given(plain_lines())
def test_the_size_is_that_of_the_encoded_text(text: str) -> None:
    assert utf8_size(text) == len(text.encode())
