"""From offsets in a whole text to an editor's positions."""

import re
from bisect import bisect_left, bisect_right
from typing import Final

from sg_server.text.entry_lines import line_starts
from sg_server.text.positions import Position, Range, Span, TextView, units

_LONE_CR: Final = re.compile(r"\r(?!\n)")


class Places:
    """Offsets are code points from 0.

    `text` is as the client shows it, without lone surrogates.
    """

    def __init__(self, text: str, view: TextView) -> None:
        self.text = text
        self._encoding = view.encoding
        self._starts = line_starts(text)
        self._lone_crs: list[int] = []
        if view.lone_cr_ends_line and text.count("\r") != text.count("\r\n"):
            self._lone_crs = [found.start() for found in _LONE_CR.finditer(text)]

    def position(self, offset: int) -> Position:
        """The position of `offset`; inside a CRLF it is that of the line's end."""
        if offset and self.text.startswith("\r\n", offset - 1):
            offset -= 1
        index = bisect_right(self._starts, offset) - 1
        start = self._starts[index]
        if crs_before := bisect_left(self._lone_crs, offset):
            start = max(start, self._lone_crs[crs_before - 1] + 1)
        return Position(line=index + crs_before, character=units(self.text[start:offset], self._encoding))

    def range(self, span: Span) -> Range:
        """The range of `span`."""
        return Range(start=self.position(span[0]), end=self.position(span[1]))
