from hypothesis import given
from hypothesis import strategies as st

from sg_server.search.metrics import Window, is_comparable, result
from sg_server.search.params import SearchParams
from sg_server.search.request import normalise
from tests.evidence import ROOT

texts = st.text(max_size=200)


def test_off_counts_nothing() -> None:
    off = result(None, "off")
    assert (off.active, off.searches, off.signal.bytes, off.normal.tokens) == (False, 0, 0, 0)
    assert (off.delta_tokens, off.delta_percent) == (0, 0.0)


def test_tokens_are_a_fourth_of_the_characters_and_bytes_are_exact() -> None:
    window = Window()
    window.count_search("漢字漢字é", "x" * 8, None)
    counted = result(window, "")
    assert (counted.signal.tokens, counted.signal.bytes) == (2, 14)
    assert (counted.normal.tokens, counted.normal.bytes) == (2, 8)


def test_a_longer_answer_is_a_negative_saving() -> None:
    window = Window()
    window.count_search("x" * 600, "x" * 400, 1)
    counted = result(window, "")
    assert (counted.delta_tokens, counted.delta_percent) == (-50, -50.0)


@given(st.lists(st.tuples(texts, texts, st.lists(texts, max_size=3)), max_size=5))
def test_a_search_counts_on_both_sides_once_and_its_pages_only_on_one(
    searches: list[tuple[str, str, list[str]]],
) -> None:
    window = Window()
    for number, (signal, normal, pages) in enumerate(searches):
        window.count_search(signal, normal, number)
        for page in pages:
            window.count_page(page, number)
        window.count_page("a page of a search that was not counted", number + len(searches))
    counted = result(window, "")
    assert counted.searches == len(searches)
    assert counted.normal.bytes == sum(len(normal.encode()) for _, normal, _ in searches)
    assert counted.signal.bytes == sum(
        len(text.encode()) for signal, _, pages in searches for text in (signal, *pages)
    )
    assert counted.delta_tokens == counted.normal.tokens - counted.signal.tokens


def test_only_what_a_reader_gets_line_by_line_is_comparable() -> None:
    def comparable(**fields: object) -> bool:
        return is_comparable(normalise(SearchParams(pattern="x", **fields), ROOT))  # type: ignore[arg-type]

    assert comparable()
    assert comparable(view="text")
    assert not comparable(view="items")
    assert not comparable(multiline=True)
