"""A whole text by the lines of two worlds: the LF lines of ctags, and the positions of an editor."""

from collections.abc import Iterable

from sg_server.text.places import Places
from sg_server.text.positions import Span


class SourceText(Places):
    """Offsets are code points from 0, line numbers LF lines from 1."""

    def line(self, number: int) -> Span:
        """Where a line's content is, its terminator left out; a line past the end is empty there."""
        if number > len(self._starts):
            return len(self.text), len(self.text)
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return start, self.without_terminator(start, end)

    def without_terminator(self, start: int, end: int) -> int:
        """`end`, or where the LF, CRLF or CR begins that the offsets [start, end) finish with."""
        if end > start and self.text[end - 1] == "\n":
            end -= 1
        return end - 1 if end > start and self.text[end - 1] == "\r" else end

    def name(self, name: str, lines: Iterable[int], *, before_parenthesis: bool) -> Span | None:
        """Where `name` stands in the first of `lines` that has it; None when none has.

        A whole word goes first: of those, one before an opening parenthesis when `before_parenthesis`.
        """
        for number in lines:
            start, end = self.line(number)
            if (found := self._name_in(name, start, end, before_parenthesis=before_parenthesis)) is not None:
                return found, found + len(name)
        return None

    def _name_in(self, name: str, start: int, end: int, *, before_parenthesis: bool) -> int | None:
        whole = None
        found = first = self.text.find(name, start, end)
        while found >= 0:
            after = found + len(name)
            if self._is_whole_word(found, after):
                if not before_parenthesis or self.text[after:end].lstrip().startswith("("):
                    return found
                whole = found if whole is None else whole
            found = self.text.find(name, found + 1, end)
        if whole is not None:
            return whole
        return first if first >= 0 else None

    def _is_whole_word(self, start: int, end: int) -> bool:
        return not (
            (start > 0 and _is_word(self.text[start - 1]) and _is_word(self.text[start]))
            or (end < len(self.text) and _is_word(self.text[end]) and _is_word(self.text[end - 1]))
        )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
