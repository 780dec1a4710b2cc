"""From definitions, which tell lines, to symbols with exact ranges, and to the tree they make."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from sg_server.engines.definitions import Definition
from sg_server.symbols.kinds import CALLABLE, SymbolKind, kind_of
from sg_server.symbols.results import DocumentSymbol, SymbolInformation
from sg_server.symbols.source import SourceText
from sg_server.text.outline import Heading
from sg_server.text.positions import Location, Position, Range

_NAME_WITHIN_LINES: Final = 20
"""A name may follow a return type, attributes or a comment that the definition begins with."""
_MADE_UP: Final = re.compile(r"__anon[0-9a-f]{8,}")
"""How ctags calls what has no name, where it is a container."""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol at its place. `range` is the lines of the definition, from the start of the first.

    Without a proven end they are the name's line alone. `container` is None for a symbol of the top.
    """

    name: str
    kind: SymbolKind
    container: str | None
    range: Range
    selection_range: Range


def place(definition: Definition, source: SourceText) -> Placed:
    """Where `definition` is in `source`. A name that does not stand there has its line for a range."""
    kind = kind_of(definition.kind, definition.language)
    first, last = definition.line, definition.end_line or definition.line
    within = range(first, min(last, first + _NAME_WITHIN_LINES) + 1)
    name = source.name(definition.name, within, before_parenthesis=kind in CALLABLE)
    start, end = source.line(first)
    _, last_end = source.line(last)
    return Placed(
        name=f"(anonymous {definition.kind})" if definition.is_anonymous else definition.name,
        kind=kind,
        container=definition.container and _MADE_UP.sub("(anonymous)", definition.container),
        range=source.range((start, max(end, last_end))),
        selection_range=source.range(name or (start, end)),
    )


def place_headings(headings: Iterable[Heading], source: SourceText) -> Iterator[Placed]:
    """The sections of a Markdown text; each lies in the one of a smaller level before it."""
    around: list[Heading] = []
    for heading in headings:
        while around and around[-1].level >= heading.level:
            around.pop()
        end = source.without_terminator(heading.title_end, heading.end)
        yield Placed(
            name=_heading_name(heading),
            kind=SymbolKind.STRING,
            container=_heading_name(around[-1]) if around else None,
            range=source.range((heading.start, end)),
            selection_range=source.range((heading.title_start, heading.title_end)),
        )
        around.append(heading)


def nest(symbols: Iterable[Placed]) -> tuple[DocumentSymbol, ...]:
    """The tree of `symbols`, in order of position.

    A symbol with a container lies in the nearest one whose range holds its own; without such a one it stands
    at the top, for children must lie in their parents.
    """
    top: list[DocumentSymbol] = []
    around: list[tuple[Placed, list[DocumentSymbol]]] = []

    def close() -> None:
        symbol, children = around.pop()
        (around[-1][1] if around else top).append(_document_symbol(symbol, children))

    for symbol in sorted(symbols, key=_by_position):
        while around and not _holds(around[-1][0], symbol):
            close()
        around.append((symbol, []))
    while around:
        close()
    return tuple(top)


def flat(symbols: Iterable[Placed], uri: str) -> tuple[SymbolInformation, ...]:
    """`symbols` of the document `uri` as a list in order of position, for clients without trees."""
    return tuple(
        SymbolInformation(
            name=symbol.name,
            kind=symbol.kind,
            location=Location(uri=uri, range=symbol.range),
            container_name=symbol.container,
        )
        for symbol in sorted(symbols, key=_by_position)
    )


def _heading_name(heading: Heading) -> str:
    # A name must not be empty or blank (LSP 3.17, DocumentSymbol).
    return heading.title if heading.title.strip() else "#" * heading.level


def _by_position(symbol: Placed) -> tuple[Position, int, int, Position]:
    end = symbol.range.end
    return symbol.range.start, -end.line, -end.character, symbol.selection_range.start


def _holds(outer: Placed, inner: Placed) -> bool:
    if inner.container is None or inner.range.end > outer.range.end:
        return False
    # Definitions on one line have one range; only a name then tells which is inside.
    around = inner.container.removesuffix(outer.name)
    is_named = len(around) < len(inner.container) and not around[-1:].isalnum()
    return is_named or inner.range != outer.range


def _document_symbol(symbol: Placed, children: list[DocumentSymbol]) -> DocumentSymbol:
    return DocumentSymbol(
        name=symbol.name,
        kind=symbol.kind,
        range=symbol.range,
        selection_range=symbol.selection_range,
        children=tuple(children),
    )
