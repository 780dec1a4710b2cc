"""One text by its lines: for people by LF, for the client by position."""

from itertools import accumulate

from sg_server.text.lines import content, lf_line_of, lf_lines, lone_crs
from sg_server.text.positions import Position, Range, TextView, offset_of, ranges_in, shown


class SourceLines:
    """The lines of a searched text. Line numbers are 1-based and count LF only; an empty text has line 1."""

    def __init__(self, text: bytes, view: TextView, *, latin1: bool) -> None:
        """Take `latin1` when the client shows every byte of this text as one character."""
        self._text = text
        self._view = view
        self._latin1 = latin1
        self._lines = lf_lines(text) or [b""]
        self._has_lone_crs = view.lone_cr_ends_line and lone_crs(text) > 0
        self._starts = list(accumulate(map(len, self._lines), initial=0)) if self._has_lone_crs else []

    @property
    def count(self) -> int:
        """The number of the last line."""
        return len(self._lines)

    def content(self, line: int) -> bytes:
        """A line as it was searched, its terminator left out."""
        return content(self._lines[line - 1])

    def shown(self, line: int) -> str:
        """A line as the client shows it, its terminator left out."""
        return shown(self.content(line), latin1=self._latin1)

    def line_at(self, position: Position) -> int:
        """The line that holds a position; past the end, the last."""
        ends = self._view.lone_cr_ends_line
        return lf_line_of(self._text, position.line, lone_cr_ends_line=ends)

    def column_at(self, position: Position) -> int:
        """The code point (0-based) in its line of a position; 0 in a line that the client sees as several."""
        line = self.line_at(position)
        if self._has_lone_crs and b"\r" in self.content(line):
            return 0
        return offset_of(self.shown(line), position.character, self._view.encoding)

    def start(self, line: int) -> Position:
        """Where a line starts."""
        lone = lone_crs(self._text, 0, self._starts[line - 1]) if self._has_lone_crs else 0
        return Position(line=line - 1 + lone, character=0)

    def range(self, first: int, last: int) -> Range:
        """From the start of line `first` to the end of line `last`, its terminator left out."""
        block = self._lines[last - 1]
        (whole,) = ranges_in(block, [(0, len(content(block)))], self._view, latin1=self._latin1)
        return Range(start=self.start(first), end=moved(whole, self.start(last)).end)


def moved(range_: Range, start: Position) -> Range:
    """`range_`, whose line 0 is the line of `start`, in the whole text."""
    return Range(
        start=Position(line=range_.start.line + start.line, character=range_.start.character),
        end=Position(line=range_.end.line + start.line, character=range_.end.character),
    )
