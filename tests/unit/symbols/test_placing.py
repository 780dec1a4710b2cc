from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sg_server.engines.definitions import Definition
from sg_server.symbols.kinds import SymbolKind
from sg_server.symbols.placing import flat, nest, place, place_headings
from sg_server.symbols.results import DocumentSymbol
from sg_server.symbols.source import SourceText
from sg_server.text.outline import outline
from sg_server.text.positions import Position, Range, TextView
from tests.strategies import searched_texts, views

TEXT = "class A {\n  int x;\n  void f() {\n  }\n};\nint g; int h;\n"


def definition(name: str, line: int, end_line: int | None = None, container: str | None = None) -> Definition:
    return Definition(
        name=name, kind="function", container=container, language="C++", line=line, end_line=end_line
    )


def nested(text: str, *definitions: Definition) -> tuple[DocumentSymbol, ...]:
    source = SourceText(text, TextView())
    return nest(place(one, source) for one in definitions)


def span(range_: Range) -> tuple[int, int, int, int]:
    return range_.start.line, range_.start.character, range_.end.line, range_.end.character


def names(symbols: Sequence[DocumentSymbol]) -> list[object]:
    return [(symbol.name, names(symbol.children)) if symbol.children else symbol.name for symbol in symbols]


def everything(symbols: Sequence[DocumentSymbol]) -> list[DocumentSymbol]:
    return [one for symbol in symbols for one in (symbol, *everything(symbol.children))]


def assert_in_order_and_inside(symbols: Sequence[DocumentSymbol]) -> None:
    for one, next_one in pairwise(symbols):
        assert one.range.start <= next_one.range.start
    for symbol in symbols:
        assert contains(symbol.range, symbol.selection_range)
        assert all(contains(symbol.range, child.range) for child in symbol.children)
        assert_in_order_and_inside(symbol.children)


def contains(outer: Range, inner: Range) -> bool:
    return outer.start <= inner.start <= inner.end <= outer.end


def test_symbols_lie_in_what_encloses_them() -> None:
    symbols = nested(
        TEXT,
        definition("g", 6),
        definition("f", 3, 4, "A"),
        definition("A", 1, 5),
        definition("x", 2, 2, "A"),
    )
    assert names(symbols) == [("A", ["x", "f"]), "g"]
    assert span(symbols[0].range) == (0, 0, 4, 2)
    assert span(symbols[0].children[1].range) == (2, 0, 3, 3)
    assert span(symbols[0].children[1].selection_range) == (2, 7, 2, 8)


def test_without_a_proven_end_the_range_is_the_line_of_the_name() -> None:
    (symbol,) = nested(TEXT, definition("f", 3))
    assert span(symbol.range) == (2, 0, 2, 12)


def test_symbols_on_one_line_are_neighbours_unless_one_names_the_other() -> None:
    assert names(nested(TEXT, definition("h", 6, 6), definition("g", 6, 6))) == ["g", "h"]
    inside = nested("struct A { int x; };", definition("x", 1, 1, "A"), definition("A", 1, 1))
    assert names(inside) == [("A", ["x"])]


def test_members_on_one_line_are_neighbours() -> None:
    text = "struct Aa {\n  int a; int b;\n};\n"
    symbols = (definition("Aa", 1, 3), definition("a", 2, 2, "Aa"), definition("b", 2, 2, "Aa"))
    assert names(nested(text, *symbols)) == [("Aa", ["a", "b"])]


def test_what_has_no_container_stands_at_the_top() -> None:
    text = "typedef struct {\n  int x;\n} point;\n"
    assert names(
        nested(text, definition("s", 1, 3), definition("x", 2, 2, "s"), definition("point", 3, 3))
    ) == [
        ("s", ["x"]),
        "point",
    ]


def test_what_has_no_name_of_its_own_is_called_so() -> None:
    made_up = Definition(
        name="__anon0123456789ab",
        kind="struct",
        container="ns::__anonfedcba9876",
        language="C",
        line=1,
        end_line=1,
        is_anonymous=True,
    )
    placed = place(made_up, SourceText("struct { int x; }", TextView()))
    assert (placed.name, placed.container) == ("(anonymous struct)", "ns::(anonymous)")
    assert placed.selection_range == placed.range


def test_a_name_may_follow_the_first_line_of_its_definition() -> None:
    (symbol,) = nested("template <class T>\nvoid f()\n{\n}\n", definition("f", 1, 4))
    assert span(symbol.selection_range) == (1, 5, 1, 6)
    assert span(symbol.range) == (0, 0, 3, 1)


def test_a_definition_past_the_end_of_a_text_that_has_changed_is_placed_at_the_end() -> None:
    (symbol,) = nested("x\n", definition("gone", 9, 12))
    assert span(symbol.range) == (1, 0, 1, 0)


def test_a_list_has_the_tree_in_order() -> None:
    source = SourceText(TEXT, TextView())
    placed = [place(one, source) for one in (definition("f", 3, 4, "A"), definition("A", 1, 5))]
    first, second = flat(placed, "file:///a")
    assert (first.name, first.container_name, second.name, second.container_name) == ("A", None, "f", "A")
    assert second.location.range.start == Position(line=2, character=0)


def test_sections_lie_in_the_section_of_a_smaller_level() -> None:
    text = "# a\n### b\n## c\n#\n## d\n"
    symbols = nest(place_headings(outline(text), SourceText(text, TextView())))
    assert names(symbols) == [("a", ["b", "c"]), ("#", ["d"])]
    assert {symbol.kind for symbol in everything(symbols)} == {SymbolKind.STRING}
    assert span(symbols[0].range) == (0, 0, 2, 4)


numbers = st.integers(1, 12)
definitions = st.lists(
    st.builds(
        definition,
        st.sampled_from(["a", "ab", "A", "é"]),
        numbers,
        st.none() | numbers,
        st.sampled_from([None, "a", "a.A"]),
    ).filter(lambda one: one.end_line is None or one.end_line >= one.line),
    max_size=12,
)


@given(searched_texts(), definitions, views())
def test_children_lie_in_parents_and_names_in_ranges(
    data: bytes, found: list[Definition], view: TextView
) -> None:
    source = SourceText(data.decode("utf-8", "replace"), view)
    symbols = nest(place(one, source) for one in found)
    assert_in_order_and_inside(symbols)
    assert sorted(symbol.name for symbol in everything(symbols)) == sorted(one.name for one in found)


@given(st.text(alphabet="#=-> a\r\n𝄞`", max_size=40), views())
def test_sections_lie_in_sections_whatever_the_text(text: str, view: TextView) -> None:
    headings = outline(text)
    symbols = nest(place_headings(headings, SourceText(text, view)))
    assert_in_order_and_inside(symbols)
    assert len(everything(symbols)) == len(headings)
    assert all(symbol.name.strip() for symbol in everything(symbols))
