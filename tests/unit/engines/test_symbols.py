from hypothesis import given
from hypothesis import strategies as st

from sg_server.engines.symbols import Symbol, smallest_enclosing


def symbol(name: str, start_line: int, end_line: int, container: str | None = None) -> Symbol:
    return Symbol(
        name=name,
        kind="function",
        container=container,
        language="C",
        start_line=start_line,
        end_line=end_line,
        provider="ctags",
    )


symbols = st.lists(
    st.builds(
        lambda start, size: symbol("f", start, start + size),
        st.integers(1, 20),
        st.integers(0, 10),
    )
)


@given(symbols, st.integers(1, 30))
def test_nothing_smaller_holds_the_line(candidates: list[Symbol], line: int) -> None:
    holding = [each for each in candidates if each.start_line <= line <= each.end_line]
    found = smallest_enclosing(candidates, line)
    assert (found is None) == (not holding)
    if found is not None:
        assert found in holding
        assert all(found.end_line - found.start_line <= each.end_line - each.start_line for each in holding)


def test_first_and_last_line_belong_to_a_symbol() -> None:
    f = symbol("f", 3, 5)
    assert [smallest_enclosing([f], line) for line in (2, 3, 5, 6)] == [None, f, f, None]


def test_of_equally_small_symbols_the_later_start_wins() -> None:
    assert smallest_enclosing([symbol("b", 2, 4), symbol("a", 1, 3)], 3) == symbol("b", 2, 4)


def test_of_symbols_on_the_same_lines_the_deeper_one_wins() -> None:
    outer, inner = symbol("A", 1, 1), symbol("f", 1, 1, "A")
    assert smallest_enclosing([outer, inner], 1) == inner
    assert smallest_enclosing([inner, outer], 1) == inner


def test_of_siblings_on_one_line_the_later_one_wins() -> None:
    assert smallest_enclosing([symbol("f", 1, 1), symbol("g", 1, 1)], 1) == symbol("g", 1, 1)
