from hypothesis import given
from hypothesis import strategies as st

from sg_server.context.store.trigram_numbers import number, numbers
from sg_server.text.folding import trigrams

ASCII = st.text(st.characters(max_codepoint=127), max_size=40)


@given(ASCII | st.text(max_size=40))
def test_a_text_has_the_numbers_of_its_trigrams(text: str) -> None:
    assert numbers(text) == {number(trigram) for trigram in trigrams(text)}


@given(st.text(min_size=3, max_size=3))
def test_a_number_fits_an_integer_of_the_database(trigram: str) -> None:
    assert -(2**31) <= number(trigram) < 2**31


@given(ASCII, ASCII)
def test_ascii_trigrams_share_no_number(one: str, other: str) -> None:
    apart = trigrams(one) | trigrams(other)
    assert len({number(trigram) for trigram in apart}) == len(apart)


def test_the_numbers_are_those_that_indexes_on_disk_have() -> None:
    assert number("abc") == 0x636261
    assert [number(trigram) for trigram in ("raß", "漢字か", "𝄞𝄞𝄞")] == [-1459610556, 1672968240, -504056066]
