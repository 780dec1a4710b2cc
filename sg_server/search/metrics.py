"""What searches cost their reader, beside what the usual grep tool would have cost: off until switched on.

Counted are the texts of answers, never what was thought about them. Nothing is searched for it, nor sent.
"""

from typing import Final, Literal

import msgspec

from sg_server import limits
from sg_server.search.request import SearchRequest
from sg_server.text.excerpts import utf8_size


class MetricsParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`sg.metrics`."""

    action: Literal["on", "on-next-load", "off", "report"]


class Amount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The size of texts."""

    tokens: int
    """Estimated: a fourth of the characters, rounded up."""
    bytes: int
    """Of UTF-8, exact."""


class MetricsResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The answer of `sg.metrics`."""

    active: bool
    searches: int
    """Counted in both `signal` and `normal`."""
    signal: Amount
    """The answers of those searches and of the pages of what they found."""
    normal: Amount
    """The same searches as the usual grep tool would have answered them."""
    delta_tokens: int
    """What was saved; negative where the answers were the longer ones."""
    delta_percent: float
    """Of `normal.tokens`, to a tenth; 0 where nothing has been counted."""
    text: str
    """All of it in a sentence, for people."""


class Size:
    """Adds up texts."""

    def __init__(self) -> None:
        self.characters = 0
        self.bytes = 0

    def add(self, text: str) -> None:
        """Count one text."""
        self.characters += len(text)
        self.bytes += utf8_size(text)

    @property
    def tokens(self) -> int:
        """By the estimate of `limits.CHARACTERS_PER_TOKEN`."""
        return -(-self.characters // limits.CHARACTERS_PER_TOKEN)


class Window:
    """One comparison, from `on` to `off` or the next `on`."""

    def __init__(self) -> None:
        self.searches = 0
        self.signal = Size()
        self.normal = Size()
        self._snapshots: set[int] = set()

    def count_search(self, text: str, normal: str, snapshot: int | None) -> None:
        """Count a new search: its answer, and the usual tool's. From now on pages of `snapshot` count too."""
        self.searches += 1
        self.signal.add(text)
        self.normal.add(normal)
        if snapshot is not None:
            self._snapshots.add(snapshot)

    def count_page(self, text: str, snapshot: int) -> None:
        """Count a page of a search that was counted; the usual tool's answer to that is counted already."""
        if snapshot in self._snapshots:
            self.signal.add(text)

    @property
    def saved_tokens(self) -> int:
        """Negative where the answers were longer than the usual tool's."""
        return self.normal.tokens - self.signal.tokens

    @property
    def saved_percent(self) -> float:
        """Of the usual tool's tokens; 0 where there are none."""
        return round(100 * self.saved_tokens / self.normal.tokens, 1) if self.normal.tokens else 0.0


def is_comparable(request: SearchRequest) -> bool:
    """Whether the usual grep tool can be asked for the same: text for a reader, line by line."""
    return request.style.view != "items" and not request.matching.multiline


def result(window: Window | None, text: str) -> MetricsResult:
    """What `window` has counted; None stands for metrics that are off."""
    figures = window or _NOTHING
    return MetricsResult(
        active=window is not None,
        searches=figures.searches,
        signal=Amount(tokens=figures.signal.tokens, bytes=figures.signal.bytes),
        normal=Amount(tokens=figures.normal.tokens, bytes=figures.normal.bytes),
        delta_tokens=figures.saved_tokens,
        delta_percent=figures.saved_percent,
        text=text,
    )


_NOTHING: Final = Window()
