"""Symbols whose first and last lines are proven, whichever provider found them."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

Provider: TypeAlias = Literal["ctags", "tree-sitter"]

StructureStatus: TypeAlias = Literal[
    "available", "provider-unavailable", "unsupported-range", "parse-error", "oversized"
]


class Symbol(msgspec.Struct, frozen=True, kw_only=True):
    """A definition and the lines it is proven to span.

    `kind` and `language` are the provider's own words, `container` its own spelling of the enclosing scope
    ("A.b", "ns::A"). Lines are 1-based, end at LF only, and both are inclusive.
    """

    name: str
    kind: str
    container: str | None = None
    language: str
    start_line: int
    end_line: int
    provider: Provider


class Structure(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider can say of one text.

    - `available`: `symbols` is all of it, which may be nothing.
    - `provider-unavailable`: there is no program or grammar to ask.
    - `unsupported-range`: the language is not known, or its definitions come without an end.
    - `parse-error`: the provider failed, or met errors of syntax; `symbols` holds what is still proven.
    - `oversized`: the text is over the provider's bound.

    `detail` says in one sentence why a status is not `available`.
    """

    status: StructureStatus
    symbols: tuple[Symbol, ...] = ()
    detail: str | None = None
    knows_language: bool = True
    """False when the provider says that it does not."""


def smallest_enclosing(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The symbol with the fewest lines that holds `line` (1-based); None when there is none.

    Of equally small ones the later start wins, then the deeper one, then the later one.
    """
    smallest: Symbol | None = None
    for symbol in symbols:
        if symbol.start_line <= line <= symbol.end_line and (
            smallest is None or _closeness(symbol) >= _closeness(smallest)
        ):
            smallest = symbol
    return smallest


def _closeness(symbol: Symbol) -> tuple[int, int, int]:
    # A scope nested in another spells it out first, so the longer spelling is the deeper scope.
    return (symbol.start_line - symbol.end_line, symbol.start_line, len(symbol.container or ""))
