"""From byte offsets in the searched text to the columns an editor counts, and back."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec

from sg_server.text import lines

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]
"""The unit of a column, by LSP's names (`PositionEncodingKind`)."""

Span = tuple[int, int]
"""Offsets [start, end), in the unit that the function says."""

# One character of UTF-8, or one maximal part of one that is broken off: every match is one code point of the
# text as decoded with replacement (Unicode 15, section 3.9, U+FFFD Substitution of Maximal Subparts).
_CHARACTER = re.compile(
    rb"""
      [\xc2-\xdf] [\x80-\xbf]?
    | \xe0 (?: [\xa0-\xbf] [\x80-\xbf]? )?
    | [\xe1-\xec\xee\xef] [\x80-\xbf]{0,2}
    | \xed (?: [\x80-\x9f] [\x80-\xbf]? )?
    | \xf0 (?: [\x90-\xbf] [\x80-\xbf]{0,2} )?
    | [\xf1-\xf3] [\x80-\xbf]{0,3}
    | \xf4 (?: [\x80-\x8f] [\x80-\xbf]{0,2} )?
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_CONTINUATION_BYTES = range(0x80, 0xC0)
_CONTINUATION_BYTES_MAX = 3
"""Of one character, after its lead byte."""
_LINE_END = re.compile(rb"\r?\n")
_LINE_END_OR_LONE_CR = re.compile(rb"\r\n?|\n")


class Position(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """LSP's Position: both 0-based, `character` in units of the negotiated encoding."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """LSP's Range: `end` is exclusive."""

    start: Position
    end: Position


class Location(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """LSP's Location: a range in a named text."""

    uri: str
    range: Range


class TextView(msgspec.Struct, frozen=True, kw_only=True):
    """How the client shows text, as far as positions depend on it."""

    encoding: PositionEncoding = "utf-16"
    lone_cr_ends_line: bool = True
    """VS Code says yes; Neovim says no and shows a character."""
    invalid_utf8: Literal["replace", "latin1"] = "replace"
    """What a file that is not UTF-8 looks like: U+FFFD for each invalid part, or every byte a character."""


_CODE_POINTS_OF_LF_LINES = TextView(encoding="utf-32", lone_cr_ends_line=False)


def units(text: str, encoding: PositionEncoding) -> int:
    """The length of `text` in units of `encoding`. It must hold no lone surrogates."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text.encode("utf-16-le")) // 2
    return len(text.encode())


def offset_of(text: str, character: int, encoding: PositionEncoding) -> int:
    """The code point (0-based) of one line's `text` at column `character`, in units of `encoding`.

    Past the end clamps to the line's length (LSP 3.17, Position). A column inside a character rounds down.
    `text` must hold no lone surrogates.
    """
    if encoding == "utf-32" or text.isascii():
        return min(character, len(text))
    if encoding == "utf-16":
        return len(text.encode("utf-16-le")[: 2 * character].decode("utf-16-le", "ignore"))
    return len(text.encode()[:character].decode("utf-8", "ignore"))


def shown(data: bytes, *, latin1: bool = False) -> str:
    """`data` as the client shows it: each maximal invalid part as one U+FFFD, or every byte as U+00XX."""
    return data.decode("latin-1") if latin1 else data.decode("utf-8", "replace")


def ranges_in(
    block: bytes,
    spans: Sequence[Span],
    view: TextView,
    *,
    multiline: bool = False,
    latin1: bool = False,
) -> list[Range]:
    """The ranges of `spans` as `view` counts them; line 0 is the first LSP line of `block`.

    `block` is one LF line with its terminator or, with `multiline`, the lines of one match. `spans` are byte
    offsets into it, ascending and without overlap, some perhaps empty. `latin1` says that the client shows
    every byte of this file as one character.

    An offset inside a character or an invalid part rounds outwards. An empty span there, which ripgrep finds
    between any two bytes, stays empty and goes to the start. An offset in a terminator goes to the line's
    end; one after it does so too, unless `multiline`, where it is the start of the next line.
    """
    content_end = len(block) if multiline else len(lines.content(block))
    one_unit_bytes = block.isascii() or (latin1 and view.encoding != "utf-8")
    one_line = not multiline and not (view.lone_cr_ends_line and block.find(b"\r", 0, content_end) >= 0)
    if one_unit_bytes and one_line and (not spans or spans[-1][1] <= content_end):
        return [
            Range(start=Position(line=0, character=start), end=Position(line=0, character=end))
            for start, end in spans
        ]
    ruler = _Ruler(block, view, latin1=latin1)
    floor, ceiling = (_same, _same) if latin1 else (_character_start, _character_end)
    return [
        Range(
            start=ruler.position(floor(block, min(start, content_end))),
            end=ruler.position((ceiling if start < end else floor)(block, min(end, content_end))),
        )
        for start, end in spans
    ]


def codepoint_columns(block: bytes, spans: Sequence[Span], *, latin1: bool = False) -> list[Span]:
    """The code points [start, end), 0-based, that `spans` take in the LF line `block`, for people to read.

    Offsets round and clamp as in `ranges_in`.
    """
    ranges = ranges_in(block, spans, _CODE_POINTS_OF_LF_LINES, latin1=latin1)
    return [(range_.start.character, range_.end.character) for range_ in ranges]


class _Ruler:
    """Walks through one block and measures only what it passes, so that all spans together cost one pass."""

    def __init__(self, block: bytes, view: TextView, *, latin1: bool) -> None:
        self._block = block
        self._measure = _measure_of(view.encoding, latin1=latin1)
        pattern = _LINE_END_OR_LONE_CR if view.lone_cr_ends_line else _LINE_END
        self._line_ends: Iterator[re.Match[bytes]] = pattern.finditer(block)
        self._line_end = next(self._line_ends, None)
        self._line = 0
        self._offset = 0
        self._column = 0

    def position(self, offset: int) -> Position:
        """The position of byte `offset`, where a character starts; never on an earlier line than the last."""
        while self._line_end is not None and offset >= self._line_end.end():
            self._line += 1
            self._offset = self._line_end.end()
            self._column = 0
            self._line_end = next(self._line_ends, None)
        if self._line_end is not None:
            offset = min(offset, self._line_end.start())
        if offset >= self._offset:
            self._column += self._measure(self._block[self._offset : offset])
        else:
            # Two spans in one character: the end of the first was rounded up, the start of the second down.
            self._column -= self._measure(self._block[offset : self._offset])
        self._offset = offset
        return Position(line=self._line, character=self._column)


def _measure_of(encoding: PositionEncoding, *, latin1: bool) -> Callable[[bytes], int]:
    def measure(data: bytes) -> int:
        return len(data) if data.isascii() else units(shown(data, latin1=latin1), encoding)

    return measure


def _character_start(block: bytes, offset: int) -> int:
    start, _ = _character_around(block, offset)
    return start


def _character_end(block: bytes, offset: int) -> int:
    _, end = _character_around(block, offset)
    return end


def _same(_block: bytes, offset: int) -> int:
    return offset


def _character_around(block: bytes, offset: int) -> Span:
    """The character or invalid part that `offset` divides; [offset, offset) when it divides none."""
    if offset == len(block) or block[offset] not in _CONTINUATION_BYTES:
        return offset, offset
    for start in range(offset - 1, max(offset - _CONTINUATION_BYTES_MAX, 0) - 1, -1):
        if block[start] not in _CONTINUATION_BYTES:
            character = _CHARACTER.match(block, start)
            if character is not None and character.end() > offset:
                return start, character.end()
            break
    return offset, offset
