import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.symbols.query import EXACT, PREFIX, SCATTERED, SUBSTRING, parse_query

queries = st.text(alphabet="abAB_-. 1+é", min_size=1, max_size=8)
identifiers = st.text(alphabet="abAB_-1é$", max_size=12)


def fits(query: str, name: str) -> bool:
    parsed = parse_query(query)
    assert parsed is not None
    return parsed.rank(name) is not None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("foobar", {"foobar", "fooBar", "FooBar", "FOOBAR"}),
        ("foo_bar", {"foo_bar", "foobar", "fooBar", "FOO_BAR", "foo_big_bar", "Foo-Bar"}),
        ("fooBar", {"fooBar", "foo_bar", "foo-bar", "fooBigBar", "foo_big_bar"}),
        ("FooBar", {"FooBar", "Foo_bar"}),
        ("FOO", {"FOO_BAR", "FOOBAR"}),
        ("HTTPServer", {"HTTPServer", "HTTP_server", "MyHTTPBigServer"}),
        ("foo bar", {"foo bar", "foo_bar", "fooBar", "foo the bar"}),
        ("ns::foo", {"ns::foo", "nsfoo"}),
        ("++", {"operator++"}),
    ],
)
def test_a_name_fits_when_it_has_the_parts_in_order(query: str, found: set[str]) -> None:
    assert {name for name in found if not fits(query, name)} == set()


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("fooBar", "foobar"),
        ("fooBar", "FOO_BAR"),
        ("fooBar", "Foo_bar"),
        ("foo_bar", "bar_foo"),
        ("foo_bar", "foo the bar"),
        ("Foo", "foo"),
        ("++", "operator+"),
    ],
)
def test_what_lacks_a_part_or_its_case_does_not_fit(query: str, name: str) -> None:
    assert not fits(query, name)


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("pack_row", EXACT),
        ("PACK_ROW", EXACT),
        ("pack_rows", PREFIX),
        ("unpack_row", SUBSTRING),
        ("packRow", SCATTERED),
        ("pack_the_row", SCATTERED),
        ("row_pack", None),
    ],
)
def test_the_closer_a_name_is_the_better_it_ranks(name: str, rank: int | None) -> None:
    query = parse_query("pack_row")
    assert query is not None
    assert query.rank(name) == rank


@pytest.mark.parametrize("text", ["", " \t\n", "a\0b", "\ud800", "x" * (limits.SYMBOL_QUERY_CHARACTERS + 1)])
def test_a_text_that_no_name_can_fit_is_no_query(text: str) -> None:
    assert parse_query(text) is None


@given(queries)
def test_a_query_fits_itself_exactly(text: str) -> None:
    query = parse_query(text)
    assume(query is not None)
    assert query is not None
    assert query.rank(text.strip()) == EXACT


@given(queries, identifiers)
def test_the_pattern_finds_every_line_that_a_fitting_name_stands_in(text: str, name: str) -> None:
    query = parse_query(text)
    assume(query is not None)
    assert query is not None
    if query.rank(name) is not None:
        assert query.compiled.search(f"int {name} = 1;")
        assert query.needle in name.encode().lower()


@pytest.mark.parametrize(
    ("line", "defines"),
    [
        ("class pack_row(Base):", True),
        ("struct pack_row {", True),
        ("struct pack_row *p = get();", False),
        ("def pack_row(self):", True),
        ("func (r *Row) pack_row() {", True),
        ("#define pack_row(x) x", True),
        ("static int pack_row(struct row *r)", True),
        ("    x = pack_row(r);", False),
        ("extern int pack_row(struct row *r);", False),
        ("const pack_row = () => 1", True),
        ("static void repack_rows(void)", True),
        ("#define MAX_pack_row 3", True),
    ],
)
def test_lines_that_look_like_definitions_are_told_from_uses(line: str, *, defines: bool) -> None:
    query = parse_query("pack_row")
    assert query is not None
    pattern = query.definition_pattern.replace("(?-u:", "(?:")
    assert (re.search(pattern, line) is not None) == defines
