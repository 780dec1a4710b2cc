"""A text that a client edits by ranges."""

import io

from sg_server.text.positions import Position, Range, TextView, offset_of


class EditedText:
    """One document's text. Lines end where the client's view says; there must be no lone surrogates.

    It is kept line by line: an edit then costs what it changes, however long the text is.
    """

    def __init__(self, text: str, view: TextView) -> None:
        self._encoding = view.encoding
        self._line_ends = ("\r\n", "\n", "\r") if view.lone_cr_ends_line else ("\r\n", "\n")
        # Of Python's own ways to cut lines only this one takes no other character for a line end.
        self._newline = "" if view.lone_cr_ends_line else "\n"
        self._lines = self._cut(text)
        self._text: str | None = text

    @property
    def text(self) -> str:
        """The whole of it."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def replace(self, range_: Range, new: str) -> None:
        """Put `new` in the place of `range_`. Positions past the end of a line or of the text clamp to it."""
        (top, start), (bottom, end) = sorted((self._place(range_.start), self._place(range_.end)))
        between = f"{self._lines[top][:start]}{new}{self._lines[bottom][end:]}"
        if top > 0 and self._lines[top - 1].endswith("\r"):
            # An LF that is put after it makes one line end of both.
            top -= 1
            between = self._lines[top] + between
        lines = self._cut(between)
        if bottom + 1 < len(self._lines):
            # What follows the last line end begins the next line, which is there already.
            lines.pop()
        self._lines[top : bottom + 1] = lines
        self._text = None

    def _place(self, position: Position) -> tuple[int, int]:
        """The line and the code point in it, clamped into the text (LSP 3.17, Position)."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        line_end = next((end for end in self._line_ends if line.endswith(end)), "")
        content = line.removesuffix(line_end)
        return position.line, offset_of(content, position.character, self._encoding)

    def _cut(self, text: str) -> list[str]:
        """The lines with their ends; the last has none, and may be empty."""
        lines = io.StringIO(text, newline=self._newline).readlines()
        if not lines or lines[-1].endswith(self._line_ends):
            lines.append("")
        return lines
