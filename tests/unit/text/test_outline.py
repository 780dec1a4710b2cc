import json
import re
import time
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.outline import Heading, outline

BLOCKS = (
    "# one\n",
    "## two ##\n",
    "###### six\n",
    "  #\tindented\n",
    "Under\nlined\n===\n",
    "under\r\n---\r\n",
    "#\n",
    "#no\n",
    "text\n",
    "\n",
    "> # quoted\n",
    "- # listed\n",
    "```\n# fenced\n```\n",
    "    # code\n",
    "<div>\n# html\n</div>\n\n",
    "# caf\u00e9 \U0001d11e\r",
    "# \0\u2028\x0c x\n",
    "***\n",
    "```\n",
)


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in outline(text)]


def section(text: str, heading: Heading) -> str:
    return text[heading.start : heading.end]


def test_both_forms_of_headings_are_found() -> None:
    assert titles("# ATX #\n\nSetext one\n===\nSetext two\n---\n") == [
        (1, "ATX"),
        (1, "Setext one"),
        (2, "Setext two"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        "```\n# no\n```\n",
        "~~~ markdown\n# no\n",
        "    # no\n",
        "<!--\n# no\n-->\n",
        "<pre>\n# no\n\n# no\n</pre>\n",
        "> # no\n",
        "- # no\n",
        "1. a\n\n   # no\n",
        "#no\n",
        "####### no\n",
        "\\# no\n",
        "[no]: /url\n===\n",
        "- no\n---\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(block: str) -> None:
    assert titles(block) == []


def test_a_section_runs_to_the_next_heading_of_the_same_or_a_smaller_level() -> None:
    text = "intro\n# a\n1\n### b\n2\n## c\n3\n# d\n4"
    assert [section(text, heading) for heading in outline(text)] == [
        "# a\n1\n### b\n2\n## c\n3\n",
        "### b\n2\n",
        "## c\n3\n",
        "# d\n4",
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_of_commonmark_ends_a_line(end: str) -> None:
    text = end.join(["# a", "", "b", "c", "==", "# d"])
    first, second, third = outline(text)
    assert (first.title, second.title, third.title) == ("a", "b c", "d")
    assert text[second.title_start : second.title_end] == f"b{end}c"
    assert section(text, third) == "# d"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("#  a  ##  ", "a"),
        ("# # #", "#"),
        ("## a#", "a#"),
        ("# `code` *and* [link](x)", "`code` *and* [link](x)"),
        ("   ##\ta b\t##", "a b"),
        ("# 漢𝄞", "漢𝄞"),
        ("#", ""),
        ("### ###", ""),
    ],
)
def test_a_title_is_as_written_without_the_marks_around_it(line: str, title: str) -> None:
    (heading,) = outline(f"{line}\n")
    assert heading.title == title
    assert line[heading.title_start : heading.title_end] == title


def test_no_headings_make_an_empty_outline() -> None:
    assert outline("") == ()
    assert outline("plain\n\ntext") == ()


@given(st.lists(st.sampled_from(BLOCKS), max_size=12).map("".join))
def test_sections_nest_and_titles_lie_in_them(text: str) -> None:
    headings = outline(text)
    for heading in headings:
        assert 0 <= heading.start <= heading.title_start <= heading.title_end <= heading.end <= len(text)
        title = " ".join(line.strip() for line in heading.title.split())
        written = text[heading.title_start : heading.title_end]
        assert " ".join(written.split()) == title
        assert written == written.strip()
    for one, other in pairwise(headings):
        assert one.start < other.start
        assert one.end <= other.start or other.end <= one.end
        assert (other.start < one.end) == (other.level > one.level)


@given(st.text(alphabet="#=-> \t`*a1.\r\n\0", max_size=40))
def test_any_text_has_an_outline_in_order(text: str) -> None:
    headings = outline(text)
    assert [heading.start for heading in headings] == sorted({heading.start for heading in headings})
    written = [text[heading.title_start : heading.title_end] for heading in headings]
    assert written == [title.strip() for title in written]


def test_a_lone_carriage_return_can_be_a_character_of_its_line() -> None:
    text = "# a\r# b\r\n#\rc\nd\r\n===\r\n"
    headings = outline(text, lone_cr_ends_line=False)
    assert [heading.title for heading in headings] == ["a\r# b", "#\rc d"]
    assert [section(text, heading) for heading in headings] == ["# a\r# b\r\n", "#\rc\nd\r\n===\r\n"]


def test_a_heading_of_many_spaces_takes_no_time() -> None:
    began = time.process_time()
    for blank in (" ", "\t", "#", "# "):
        line = f"# a{blank * 100_000}b\n"
        assert outline(line)[0].title == line[2:].strip()
    assert time.process_time() - began < 1


class TopHeadings(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.levels: list[int] = []
        self._around = 0

    def handle_starttag(self, tag: str, _: object) -> None:
        if re.fullmatch("h[1-6]", tag) and not self._around:
            self.levels.append(int(tag[1]))
        self._around += tag in ("blockquote", "ul", "ol")

    def handle_endtag(self, tag: str) -> None:
        self._around -= tag in ("blockquote", "ul", "ol")


EXAMPLES = json.loads(Path(__file__).with_name("commonmark_examples.json").read_bytes())["examples"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["example"]))
def test_headings_of_the_specification_are_those_of_its_html(example: dict[str, str]) -> None:
    reference = TopHeadings()
    reference.feed(example["html"])
    for text in (example["markdown"], example["markdown"].replace("\n", "\r\n")):
        headings = outline(text, lone_cr_ends_line=False)
        assert [heading.level for heading in headings] == reference.levels
