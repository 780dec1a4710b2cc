import threading
import time
from collections.abc import Sequence

import pytest
import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.patterns import Matcher, compile_literal, compile_regex
from sg_server.context.timing import ScanTimedOut, Stopped, TextTimedOut, Timer
from sg_server.errors import InvalidParams
from sg_server.text.entry_lines import EntryLines
from sg_server.text.folding import fold
from sg_server.text.positions import Span
from tests.grepping import line_by_line

ENDLESS = "(x|xx)+[yz]"

ATOMS = (
    *"abAB \u00df\u1e9e\u017fskK\u212a\u03c3\u03c2\u03a3\u00b5\u03bciI\u0130\u0131\U0001d11e.-]}",
    r"\.",
    r"\t",
    r"\n",
    r"\r",
    r"\x61",
    r"\u0130",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    r"\w",
    r"\W",
    r"\p{Lu}",
    r"\P{L}",
    "[ab]",
    "[^ab]",
    "[^-a]",
    "[a-]",
    r"[\s\d]",
    r"[\t-\r]",
    r"[^\n]",
    r"[^\S]",
    "[K\u00df]",
)
PLACES = ("^", "$", r"\b", r"\B", r"\A", r"\Z", r"\m", r"\M")
RARE = (r"\G", r"\K", r"\X", r"\R", "(?#c)", "(?i)", "a{e<=1}", "(?(1)a|b)", "[[:alpha:]]", "(?s)", "(?-i:a)")
QUANTIFIERS = ("*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??", "*+", "++", "{1,2}+")
GROUPS = ("(", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?P<n>", "(?i:", "(?s:")
FLAGS = ("", "", "", "(?i)", "(?s)", "(?m)", "(?r)", "(?a)", "(?ris)")
CHARACTERS = (
    *"aabbABsSkKiI 1_-x",
    "\u017f",
    "\u212a",
    "\u00df",
    "\u1e9e",
    "\u03c2",
    "\u03c3",
    "\u00b5",
    "\u03bc",
    "\u0130",
    "\u0131",
    "\U0001d11e",
    "\t",
    "\r",
    "\x0b",
    "\x85",
    "\u2028",
    "\ufeff",
    "\n",
    "\n",
    "\r\n",
    "\r\r\n",
)


def patterns(*, rare: bool = False) -> st.SearchStrategy[str]:
    pieces = st.sampled_from((*ATOMS, *RARE) if rare else ATOMS)
    quantified = st.tuples(pieces, st.sampled_from(("", "", *QUANTIFIERS))).map("".join)
    leaves = st.one_of(quantified, quantified, st.sampled_from((*PLACES, "|", r"\1")))

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        body = st.lists(inner, max_size=4).map("".join)
        group = st.tuples(st.sampled_from(GROUPS), body, st.just(")"), st.sampled_from(("", *QUANTIFIERS)))
        return st.one_of(body, group.map("".join))

    body = st.recursive(leaves, grow, max_leaves=8)
    return st.tuples(st.sampled_from(FLAGS), st.lists(body, max_size=4).map("".join)).map("".join)


def texts(*, max_size: int = 24) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(CHARACTERS), max_size=max_size).map("".join)


def timer(*, text_seconds: float = 60, scan_seconds: float = 60, stop: bool = False) -> Timer:
    event = threading.Event()
    if stop:
        event.set()
    new = Timer(text_seconds=text_seconds, scan_seconds=scan_seconds, stop=event)
    if not stop:
        new.begin_text()
    return new


def found(matcher: Matcher, text: str) -> list[Span]:
    lines = EntryLines(text)
    return [
        (lines.unjoined(start), lines.unjoined(end)) for start, end in matcher.spans(lines.joined, timer())
    ]


def compiled_as_given(pattern: str, *, case_sensitive: bool) -> "regex.Pattern[str]":
    flags = regex.MULTILINE if case_sensitive else regex.MULTILINE | regex.IGNORECASE
    try:
        return regex.compile(pattern, flags)
    except (regex.error, ValueError):
        assume(condition=False)
        raise


def satisfies(text: str, required: Sequence[Sequence[str]]) -> bool:
    folded = fold(text)
    return all(any(literal in folded for literal in group) for group in required)


@settings(max_examples=300, deadline=None)
@given(pattern=st.one_of(patterns(), patterns(rare=True)), text=texts(), case_sensitive=st.booleans())
@example(pattern="x*", text="ax\nxx\n", case_sensitive=True)
@example(pattern="(?r)x*", text="ax\r\nxx\n", case_sensitive=True)
@example(pattern=r"\s*$", text="a \r\n b", case_sensitive=True)
@example(pattern="$", text="a\r\nb\n", case_sensitive=True)
@example(pattern=r"(?!\s)", text="a\n\nb", case_sensitive=True)
@example(pattern="[^-a]+", text="a\n-\nb", case_sensitive=True)
@example(pattern=r"\Ab\Z", text="b\r\nb\nb", case_sensitive=True)
@example(pattern=r"(?<=\W)b", text="\nb", case_sensitive=True)
@example(pattern=r"[^a]++$", text="bb\nbb", case_sensitive=True)
def test_a_regex_finds_in_a_whole_text_what_it_finds_in_each_line(
    *, pattern: str, text: str, case_sensitive: bool
) -> None:
    model = compiled_as_given(pattern, case_sensitive=case_sensitive)
    try:
        matcher = compile_regex(pattern, case_sensitive=case_sensitive)
    except InvalidParams:
        return  # counted repeats of what is not common syntax, taken for nested ones
    spans = line_by_line(model, text)
    assert found(matcher, text) == spans
    if spans:
        assert satisfies(text, matcher.required)


@st.composite
def texts_with_a_pattern(draw: st.DrawFn) -> tuple[str, str]:
    """A text and a regex that is made from a part of one of its lines, so that it matches there."""
    text = draw(texts())
    line = draw(st.sampled_from(EntryLines(text).joined.split("\n")))
    start = draw(st.integers(0, len(line)))
    parts = []
    for character in line[start : draw(st.integers(start, len(line)))]:
        literal = regex.escape(
            draw(st.sampled_from([character, character.upper()[:1], character.lower()[:1]]))
        )
        shapes = (
            literal,
            literal,
            literal,
            f"{literal}+",
            f"[{literal}q]",
            f"(?:q|{literal})",
            f"q?{literal}",
        )
        parts.append(draw(st.sampled_from((*shapes, f"(?:{literal}|qqq|rrr)", ".", f"{literal}{{1,2}}"))))
    return text, "".join(parts)


@settings(max_examples=300, deadline=None)
@given(texts_with_a_pattern())
def test_a_text_with_a_match_holds_what_the_pattern_requires(made: tuple[str, str]) -> None:
    text, pattern = made
    matcher = compile_regex(pattern, case_sensitive=False)
    if found(matcher, text):
        assert satisfies(text, matcher.required)


@settings(deadline=None)
@given(data=st.data(), text=texts(), case_sensitive=st.booleans())
def test_a_literal_finds_what_its_escaped_regex_finds(
    *, data: st.DataObject, text: str, case_sensitive: bool
) -> None:
    start = data.draw(st.integers(0, len(text)))
    literal = data.draw(st.one_of(st.just(text[start : start + 4]), texts(max_size=3)))
    matcher = compile_literal(literal or "a", case_sensitive=case_sensitive)
    model = compiled_as_given(regex.escape(literal or "a"), case_sensitive=case_sensitive)
    spans = line_by_line(model, text)
    assert found(matcher, text) == spans
    assert found(compile_regex(regex.escape(literal or "a"), case_sensitive=case_sensitive), text) == spans
    assert not spans or satisfies(text, matcher.required)


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("foo", (("foo",),)),
        ("FOO.*Bar", (("bar",), ("foo",))),
        ("fo+bar", (("obar",),)),
        ("(foo|bar)baz", (("barbaz", "foobaz"),)),
        ("foo(a|b*)bar", (("bar",), ("foo",))),
        ("[Gg]rep", (("grep",),)),
        ("^foo\\b$", (("foo",),)),
        ("(?=abc)def", (("def",),)),
        ("(?i:foo)bar", (("foobar",),)),
        ("foo|ba", ()),
        ("foo|bar", (("bar", "foo"),)),
        ("(?:foo)*", ()),
        ("(?:foo){2,}", (("foo",),)),
        ("(?:foo){0}", ()),
        (r"\x66oo\.", (("foo.",),)),
        ("foo{e<=1}", ()),
        ("(?V1)foo", ()),
        ("(?x)f oo", ()),
        ("foo(?#c)", ()),
        ("a.b", ()),
        ("\u0130\u0131Ixx", (("iiixx",),)),
    ],
)
def test_required_literals_are_those_that_are_certain(pattern: str, required: tuple[object, ...]) -> None:
    assert compile_regex(pattern, case_sensitive=True).required == required


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s", "\u017f"),
        ("k", "\u212a"),
        ("\u00e5", "\u212b"),
        ("\u00df", "\u1e9e"),
        ("\u03c2", "\u03c3"),
        ("\u03a3", "\u03c2"),
        ("\u00b5", "\u03bc"),
    ],
)
def test_case_is_folded_one_code_point_to_one(one: str, other: str) -> None:
    for pattern, text in ((one, other), (other, one)):
        assert found(compile_literal(pattern, case_sensitive=False), text) == [(0, 1)]
        assert found(compile_regex(pattern, case_sensitive=False), text) == [(0, 1)]
        assert found(compile_literal(pattern, case_sensitive=True), text) == []


@pytest.mark.parametrize(("one", "other"), [("\u00df", "ss"), ("\ufb01", "fi"), ("e\u0301", "\u00e9")])
def test_no_code_point_equals_several(one: str, other: str) -> None:
    for pattern, text in ((one, other), (other, one)):
        assert found(compile_literal(pattern, case_sensitive=False), text) == []


def test_a_lone_carriage_return_is_content_and_half_of_a_line_end_is_not() -> None:
    matcher = compile_literal("\r", case_sensitive=False)
    assert found(matcher, "x\r\r\ny\rz\r\n") == [(1, 2), (5, 6)]
    assert found(compile_regex("x.$", case_sensitive=False), "x\r\r\n") == [(0, 2)]


def test_no_literal_reaches_over_a_line_end() -> None:
    assert found(compile_literal("a\nb", case_sensitive=False), "a\nb") == []
    assert found(compile_literal("a\r\nb", case_sensitive=False), "a\r\nb") == []


@pytest.mark.parametrize("pattern", ["(", "a**", "[z-a]", "(?a)(?u)x", r"\p{Nonsense}", "(?P<n>", "\\"])
def test_a_broken_regex_is_told_with_its_reason(pattern: str) -> None:
    with pytest.raises(InvalidParams, match=r"^pattern: not a regex: "):
        compile_regex(pattern, case_sensitive=False)


def test_a_regex_nested_too_deep_is_refused() -> None:
    with pytest.raises(InvalidParams, match="nested too deep"):
        compile_regex("(" * 10_000 + ")" * 10_000, case_sensitive=False)


@pytest.mark.parametrize("pattern", ["(x{65535}){65535}", "(?:x{400,}){400,}", "(?x)x{60000}"])
def test_a_regex_that_would_fill_memory_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams, match=r"counted repeats make [\d,]+ parts"):
        compile_regex(pattern, case_sensitive=False)


def test_a_long_regex_of_rare_syntax_is_refused() -> None:
    with pytest.raises(InvalidParams, match=r"2,004 characters were given; .* may have 1,000"):
        compile_regex("(?x)" + "ab" * 1_000, case_sensitive=False)


@pytest.mark.parametrize("pattern", ["ab" * 8_000, "[a]" * 8_000, "a" * 16_000, "(?:aab)" * 4_000])
def test_long_patterns_are_ready_at_once(pattern: str) -> None:
    matcher = compile_regex(pattern, case_sensitive=False)
    plain = pattern.replace("[", "").replace("]", "").replace("(?:", "").replace(")", "")
    began = time.process_time()
    assert found(matcher, f"{plain[1:]}\n-{plain}\n") == [(len(plain) + 1, 2 * len(plain) + 1)]
    assert found(compile_literal(plain, case_sensitive=False), f"-{plain}") == [(1, len(plain) + 1)]
    assert time.process_time() - began < 5


def test_a_regex_that_takes_too_long_is_given_up() -> None:
    matcher = compile_regex(ENDLESS, case_sensitive=True)
    with pytest.raises(TextTimedOut):
        list(matcher.spans("x" * 3_000, timer(text_seconds=0.1)))


def test_all_lines_of_a_text_share_its_time() -> None:
    matcher = compile_regex(f"(?#rare){ENDLESS}", case_sensitive=True)
    assert matcher.line_by_line
    with pytest.raises(TextTimedOut):
        list(matcher.spans("\n".join(["x" * 24] * 1_000), timer(text_seconds=0.2)))


def test_the_time_of_all_texts_goes_before_that_of_one() -> None:
    matcher = compile_regex(ENDLESS, case_sensitive=True)
    with pytest.raises(ScanTimedOut):
        list(matcher.spans("x" * 3_000, timer(scan_seconds=0.1)))


def test_a_search_that_nobody_waits_for_stops() -> None:
    with pytest.raises(Stopped):
        list(compile_literal("a", case_sensitive=True).spans("a", timer(stop=True)))


def test_a_literal_is_given_to_the_engine_in_short_pieces() -> None:
    literal = "ab" * limits.REGEX_LITERAL_CHARACTERS
    assert found(compile_literal(literal, case_sensitive=False), f"b{literal.upper()}") == [(1, 201)]


def test_a_pattern_that_calls_itself_for_ever_is_refused_and_does_no_harm() -> None:
    with pytest.raises(InvalidParams, match=r"^pattern: takes more memory"):
        list(compile_regex("(?R)", case_sensitive=True).spans("abc", timer()))
