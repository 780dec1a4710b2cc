"""What a person types to find a symbol, and which names it finds.

A query is cut into parts: at everything that is no letter or digit, and where a small letter or digit is
followed by a capital, so that `foo_bar`, `foo bar` and `fooBar` all have the parts of one name. A name is
found when the parts stand in it in their order. Between two parts there may be anything but white space, and
that too where the query has some.

Without a capital in the query case does not matter. With one, the parts count as they are spelled, but for
this: where a capital begins a part it may stand for `_` or `-` and small letters. `fooBar` finds `fooBar` and
`foo_bar`, neither `foobar` nor `FOO_BAR`.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sg_server import limits

EXACT, PREFIX, SUBSTRING, SCATTERED = range(4)
"""How well a name fits: it is the query, begins with it, holds it, or has its parts."""

_WHITE_SPACE: Final = re.compile(r"\s")
_NEAR: Final = r"\S*?"
_FAR: Final = r".*?"
_TYPES: Final = "class|struct|union|enum|interface|trait|protocol"
_OTHERS: Final = (
    "def|fn|func|fun|function|sub|proc|procedure|subroutine|macro|macro_rules!|define|const|let|var|val"
    "|type|module|namespace|package|object|record"
)


class _Part(NamedTuple):
    """`between` is what the query has before it, which is nothing where a capital begins it."""

    between: str
    text: str


class SymbolQuery:
    """A query that some name may fit. Its patterns mean the same to ripgrep and to `re`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.is_case_sensitive = any(character.isupper() for character in text)
        self._folded = text if self.is_case_sensitive else text.lower()
        words = tuple(_parts(text))
        parts = words or tuple(_Part(" ", word) for word in text.split())
        self.pattern = "".join(self._part_patterns(parts))
        """Matches in every line that a name which fits stands in."""
        self.definition_pattern = "|".join(_definition_patterns(self.pattern))
        """For ripgrep: matches in lines that look as if they define one, good for what to read first."""
        flags = re.NOFLAG if self.is_case_sensitive else re.IGNORECASE
        self.compiled = re.compile(self.pattern, flags)
        longest = max((word.text for word in words if word.text.isascii()), key=len, default="")
        self.needle = longest.lower().encode()
        """Bytes that every name which fits has, in whatever case; they may be none."""

    def rank(self, name: str) -> int | None:
        """How well `name` fits, EXACT to SCATTERED; None when it does not."""
        if not self.compiled.search(name):
            return None
        folded = name if self.is_case_sensitive else name.lower()
        if folded == self._folded:
            return EXACT
        if folded.startswith(self._folded):
            return PREFIX
        return SUBSTRING if self._folded in folded else SCATTERED

    def _part_patterns(self, parts: tuple[_Part, ...]) -> Iterator[str]:
        for index, part in enumerate(parts):
            if index:
                yield _FAR if _WHITE_SPACE.search(part.between) else _NEAR
            spelled = re.escape(part.text)
            is_hump = index > 0 and not part.between
            yield f"(?:{spelled}|[_-]{spelled.lower()})" if is_hump and self.is_case_sensitive else spelled


def _definition_patterns(pattern: str) -> Iterator[str]:
    """Types, what else a keyword begins, and functions of C's kin, which begin their line.

    Without Unicode, whose word boundaries make such a search a hundred times slower.
    """
    name = rf"\w*(?:{pattern})\w*"
    yield rf"(?-u:\b(?:{_TYPES})\s+{name}\s*(?:[{{(:<]|extends|implements|$))"
    yield rf"(?-u:\b(?:{_OTHERS})\s+(?:\([^)\n]*\)\s*)?{name})"
    yield rf"(?-u:^\w[^;={{}}\n]*?\b{name}\s*\([^;\n]*$)"


def parse_query(text: str) -> SymbolQuery | None:
    """The query in `text`; None when no name can fit it.

    That is when there is nothing to look for, when it is longer than any name worth finding, and when it
    holds what no source has: a NUL or half of a surrogate pair.
    """
    text = text.strip()
    if not text or len(text) > limits.SYMBOL_QUERY_CHARACTERS or "\0" in text:
        return None
    if any("\ud800" <= character <= "\udfff" for character in text):
        return None
    return SymbolQuery(text)


def _parts(text: str) -> Iterator[_Part]:
    between, part = "", ""
    for index, character in enumerate(text):
        if not character.isalnum():
            if part:
                yield _Part(between, part)
                between, part = "", ""
            between += character
        elif part and _begins_hump(text, index):
            yield _Part(between, part)
            between, part = "", character
        else:
            part += character
    if part:
        yield _Part(between, part)


def _begins_hump(text: str, index: int) -> bool:
    """Whether a word of its own begins at `index`: `Bar` in `fooBar`, `Server` in `HTTPServer`."""
    if not text[index].isupper():
        return False
    return not text[index - 1].isupper() or text[index + 1 : index + 2].islower()
