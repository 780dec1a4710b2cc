"""A text by the lines that stored text has: they end at LF and CRLF, and nowhere else."""

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from sg_server.text.positions import Span


class EntryLines:
    """Offsets are code points from 0, line numbers count from 1.

    There is one line more than terminators, so that a final LF adds an empty line. A CR that no LF follows
    is content, and of several before an LF only the last is not.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.joined = text.replace("\r\n", "\n") if "\r\n" in text else text
        """The contents of all lines, with LF between them."""

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def _joined_starts(self) -> list[int]:
        return self._starts if self.joined is self.text else line_starts(self.joined)

    @property
    def count(self) -> int:
        """The number of the last line."""
        return len(self._starts)

    def number_at(self, offset: int) -> int:
        """The line that holds `offset`; a terminator belongs to the line that it ends."""
        return bisect_right(self._starts, offset)

    def span(self, number: int) -> Span:
        """The content of a line, its terminator left out."""
        start = self._starts[number - 1]
        return start, start + len(self.content(number))

    def content(self, number: int) -> str:
        """A line without its terminator."""
        end = self._joined_starts[number] - 1 if number < self.count else len(self.joined)
        return self.joined[self._joined_starts[number - 1] : end]

    def unjoined(self, offset: int) -> int:
        """The offset in the text of an offset into `joined`."""
        if self.joined is self.text:
            return offset
        index = bisect_right(self._joined_starts, offset) - 1
        return self._starts[index] + offset - self._joined_starts[index]


def line_starts(text: str) -> list[int]:
    """Where each line of `text` starts: at its beginning and after each LF."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]
