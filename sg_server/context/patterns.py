"""A pattern of a request, ready to find its matches in the lines of a text."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from sg_server import limits
from sg_server.context import syntax
from sg_server.context.one_pass import for_whole_text
from sg_server.context.required import required_by_literal, required_by_regex
from sg_server.context.store.interface import Required
from sg_server.context.timing import TextTimedOut, Timer
from sg_server.errors import InvalidParams
from sg_server.text.positions import Span

if TYPE_CHECKING:
    import regex

_NEVER: Final = "(?!)"
_LOOK_AT_THE_CLOCK: Final = 1_000
"""Matches after which a text's time is looked at; `regex` looks at its own while it searches for the next."""


class Matcher(msgspec.Struct, frozen=True, kw_only=True):
    """Finds matches. Compile one with `compile_literal` or `compile_regex`."""

    required: Required
    """What every text with a match holds."""
    pattern: Any
    """A `regex.Pattern` of text."""
    backwards: bool
    """Whether it finds the last match of a line first."""
    line_by_line: bool
    """Whether `pattern` is to see each line alone; else it finds in joined lines what it finds in each."""

    def spans(self, joined: str, timer: Timer) -> Iterator[Span]:
        """All matches in order, as code points [start, end) of `joined`: lines with LF between them.

        What matches in one line depends on that line alone. Raises TextTimedOut, and what `timer` raises.
        """
        try:
            if not self.line_by_line:
                yield from self._found(joined, timer)
                return
            start = 0
            for line in joined.split("\n"):
                # Most lines have no match, and this says so in half the time.
                if self.pattern.search(line, timeout=timer.left()) is not None:
                    for found_start, found_end in self._found(line, timer):
                        yield start + found_start, start + found_end
                start += len(line) + 1
        except TimeoutError as error:
            # When the time of all texts is up, or nobody waits any more, that goes first.
            timer.left()
            raise TextTimedOut from error
        except (MemoryError, RecursionError) as error:
            message = "takes more memory than there is; a pattern that calls itself needs something before it"
            raise InvalidParams("pattern", message) from error

    def _found(self, text: str, timer: Timer) -> Iterator[Span]:
        found = self.pattern.finditer(text, timeout=timer.left())
        spans: Iterable[Span] = (match.span() for match in found)
        if self.backwards:
            spans = reversed(list(spans))
        for number, span in enumerate(spans, start=1):
            if number % _LOOK_AT_THE_CLOCK == 0:
                timer.left()
            yield span


def compile_literal(literal: str, *, case_sensitive: bool) -> Matcher:
    """A matcher of `literal` as it stands. One with an LF matches nothing: no line holds it."""
    import regex  # noqa: PLC0415 - as below

    pieces = [
        f"(?>{regex.escape(literal[start : start + limits.REGEX_LITERAL_CHARACTERS])})"
        for start in range(0, len(literal), limits.REGEX_LITERAL_CHARACTERS)
    ]
    pattern = _NEVER if "\n" in literal else "".join(pieces)
    return _matcher(required_by_literal(literal), _compiled(pattern, case_sensitive=case_sensitive))


def compile_regex(pattern: str, *, case_sensitive: bool) -> Matcher:
    """A matcher of a regex of the package `regex`, for each line on its own. May take 0.2 s.

    Raises InvalidParams.
    """
    tree = syntax.parse(pattern)
    size = syntax.most_size(pattern) if tree is None else syntax.size(tree.branches)
    if size > limits.REGEX_PARTS:
        message = f"counted repeats make {size:,} parts of it; at most {limits.REGEX_PARTS:,} are compiled"
        raise InvalidParams("pattern", message)
    as_given = _compiled(pattern, case_sensitive=case_sensitive)
    if tree is not None:
        whole = _compiled(for_whole_text(tree), case_sensitive=case_sensitive)
        return _matcher(required_by_regex(tree), whole)
    if len(pattern) > limits.REGEX_RARE_CHARACTERS:
        message = (
            f"{len(pattern):,} characters were given; a regex with flags inside it, comments, conditionals, "
            f"calls, set operations or fuzzy matching may have {limits.REGEX_RARE_CHARACTERS:,}"
        )
        raise InvalidParams("pattern", message)
    return _matcher((), as_given, line_by_line=True)


def _matcher(required: Required, pattern: "regex.Pattern[str]", *, line_by_line: bool = False) -> Matcher:
    import regex  # noqa: PLC0415 - as below

    backwards = bool(pattern.flags & regex.REVERSE)
    # Matches of a whole text, from its end, would all be kept until the last is found.
    return Matcher(
        required=required, pattern=pattern, backwards=backwards, line_by_line=line_by_line or backwards
    )


def _compiled(pattern: str, *, case_sensitive: bool) -> "regex.Pattern[str]":
    import regex  # noqa: PLC0415 - 20 ms that the start of a server need not wait for

    flags = regex.MULTILINE if case_sensitive else regex.MULTILINE | regex.IGNORECASE
    try:
        return regex.compile(pattern, flags, cache_pattern=False)
    except RecursionError as error:
        raise InvalidParams("pattern", "its groups are nested too deep") from error
    except (regex.error, ValueError, OverflowError) as error:
        raise InvalidParams("pattern", f"not a regex: {error}") from error
