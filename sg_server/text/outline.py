"""The heading tree of a Markdown text, as CommonMark has it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from sg_server.text.positions import Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINE_END: Final = re.compile(r"\r\n?|\n")
_LF_LINE_END: Final = re.compile(r"\r?\n")
_LONE_CR: Final = re.compile(r"\r(?!\n)")
_CONTENT: Final = "\N{REPLACEMENT CHARACTER}"
"""To CommonMark a character like any other."""
_ATX_OPENING: Final = re.compile(r" {0,3}#{1,6}")
_SETEXT_UNDERLINES: Final = ("=", "-")
_MAY_HEAD: Final = re.compile(r"(?:\A|[\r\n]) {0,3}[#=-]")
"""Each heading has a line that begins so."""


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """A heading of the document itself: one in a quote, a list or a code block heads nothing.

    `level` is 1 to 6. `title` is as written, inline marks included, the lines of a longer one joined by
    spaces; it may be empty. Offsets are code points, ends exclusive. `start` and `end` are those of the
    section: it begins with the heading's first line and runs to the next heading of the same or a smaller
    level. `title_start` and `title_end` are those of the title, blanks and marks around it left out.
    """

    level: int
    title: str
    start: int
    end: int
    title_start: int
    title_end: int


class _Opening(NamedTuple):
    level: int
    start: int
    title: Span


def outline(text: str, *, lone_cr_ends_line: bool = True) -> tuple[Heading, ...]:
    """The headings of `text` in order, ATX and setext (CommonMark 0.31, sections 4.2 and 4.3).

    Lines end at LF, CRLF or a lone CR, as CommonMark has it; without `lone_cr_ends_line` a lone CR is a
    character of its line. Takes some 0.2 s for a million code points.
    """
    if _MAY_HEAD.search(text) is None:
        return ()
    line_end = _LINE_END if lone_cr_ends_line else _LF_LINE_END
    parsed = text if lone_cr_ends_line else _LONE_CR.sub(_CONTENT, text)
    starts = [0, *(found.end() for found in line_end.finditer(text)), len(text)]
    openings = [_opening(heading, content, starts, parsed) for heading, content in _heading_tokens(parsed)]
    ends = _section_ends(openings, len(text))
    return tuple(
        Heading(
            level=opening.level,
            title=" ".join(line.strip() for line in line_end.split(text[slice(*opening.title)])),
            start=opening.start,
            end=end,
            title_start=opening.title[0],
            title_end=opening.title[1],
        )
        for opening, end in zip(openings, ends, strict=True)
    )


def _heading_tokens(text: str) -> "Iterator[tuple[Token, Token]]":
    """Each heading that is in no other block, and the token of its content."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 20 ms that the start of a server need not wait for

    parser = MarkdownIt("commonmark")
    # What is inside a paragraph takes most of the time, and heads nothing.
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open" and heading.level == 0:
            yield heading, content


def _opening(heading: "Token", content: "Token", starts: Sequence[int], text: str) -> _Opening:
    """Where a heading and its title stand. The parser tells lines, and the content without what is around."""
    first, after = content.map or (0, 1)
    start = starts[first]
    if heading.markup in _SETEXT_UNDERLINES:
        source = text[start : starts[after]]
        length = len(source.strip())
    else:
        mark = _ATX_OPENING.match(text, start)
        start = mark.end() if mark else start
        source = text[start : starts[after]]
        length = len(content.content)
    title_start = start + len(source) - len(source.lstrip()) if length else start
    return _Opening(int(heading.tag[1:]), starts[first], (title_start, title_start + length))


def _section_ends(openings: Sequence[_Opening], text_end: int) -> list[int]:
    """The end of each section: found from behind, with the nearest start of each level in hand."""
    ends = []
    next_starts: dict[int, int] = {}
    for opening in reversed(openings):
        ends.append(min(next_starts.get(level, text_end) for level in range(1, opening.level + 1)))
        next_starts[opening.level] = opening.start
    return ends[::-1]
