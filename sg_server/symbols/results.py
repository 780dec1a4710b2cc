"""Symbols as LSP has them; their fields are those of the wire."""

import msgspec

from sg_server.symbols.kinds import SymbolKind
from sg_server.text.positions import Location, Range


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Optional fields are left out, never null."""


class DocumentSymbol(_Wire, frozen=True, kw_only=True):
    """LSP 3.17, DocumentSymbol. `selection_range` is the name's and lies in `range`, as all children do."""

    name: str
    kind: SymbolKind
    range: Range
    selection_range: Range
    children: tuple["DocumentSymbol", ...] = ()


class SymbolInformation(_Wire, frozen=True, kw_only=True):
    """LSP 3.17, SymbolInformation; a WorkspaceSymbol with its range looks the same."""

    name: str
    kind: SymbolKind
    location: Location
    container_name: str | None = None
