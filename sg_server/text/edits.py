"""A text that a client edits by ranges, with the start of each of its lines at hand."""

import re

from sg_server.text.positions import Position, Range, TextView, offset_of

_LINE_END = re.compile(r"\r?\n")
_LINE_END_OR_LONE_CR = re.compile(r"\r\n?|\n")


class EditedText:
    """One document's text. Lines end where the client's view says; `text` never holds a lone surrogate."""

    def __init__(self, text: str, view: TextView) -> None:
        self.text = text
        self._view = view
        self._line_end = _LINE_END_OR_LONE_CR if view.lone_cr_ends_line else _LINE_END
        self._starts = [0, *self._line_starts(0, len(text))]

    def replace(self, range_: Range, new: str) -> None:
        """Put `new` in the place of `range_`. Positions past the end of a line or of the text clamp to it."""
        start, end = sorted((self.offset(range_.start), self.offset(range_.end)))
        last = len(self._starts) - 1
        top, bottom = sorted((min(range_.start.line, last), min(range_.end.line, last)))
        # What is put in may join a CR before it or an LF after it: one more line either side is read again.
        first = max(0, top - 1)
        moved = [offset + len(new) - (end - start) for offset in self._starts[bottom + 2 :]]
        self.text = f"{self.text[:start]}{new}{self.text[end:]}"
        begin, stop = self._starts[first], moved[0] if moved else len(self.text)
        between = [offset for offset in self._line_starts(begin, stop) if not moved or offset < stop]
        self._starts = [*self._starts[: first + 1], *between, *moved]

    def offset(self, position: Position) -> int:
        """The code point at `position`, clamped into the text (LSP 3.17, Position)."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        line = self._line_end.split(self.text[start : self._end_of(position.line)], maxsplit=1)[0]
        return start + offset_of(line, position.character, self._view.encoding)

    def _end_of(self, line: int) -> int:
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)

    def _line_starts(self, begin: int, stop: int) -> list[int]:
        return [found.end() for found in self._line_end.finditer(self.text, begin, stop)]
