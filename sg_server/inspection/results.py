"""What `sg.inspect` answers: its wire structs."""

from typing import Literal, TypeAlias

import msgspec

from sg_server.engines.symbols import Provider
from sg_server.inspection.request import RetryParams
from sg_server.text.positions import Location, Range

StructureOutcome: TypeAlias = Literal[
    "available",
    "no-enclosing-symbol",
    "provider-unavailable",
    "unsupported-range",
    "parse-error",
    "oversized",
    "source-unavailable",
    "source-changed",
]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An answer, or a part of one. Optional fields are left out, never null."""


class EnclosingSymbol(_Wire, frozen=True, kw_only=True):
    """The smallest symbol that is proven to hold the target line."""

    name: str
    kind: str
    container: str | None = None
    language: str
    range: Range
    """From the start of its first line to the end of its last."""
    provider: Provider


class SourceBlock(_Wire, frozen=True, kw_only=True):
    """Consecutive lines of one state of a text, without terminators."""

    uri: str
    path: str
    start_line: int
    """1-based, counting LF only."""
    lines: tuple[str, ...]
    source: Literal["disk", "document"]
    document_version: int | None = None


class Inspection(_Wire, frozen=True, kw_only=True):
    """What became of one target."""

    input: int
    """Which target of the request, from 0."""
    path: str
    uri: str
    line: int
    match_index: int | None = None
    outcome: Literal["returned", "deferred", "error"]
    structure: StructureOutcome
    symbol: EnclosingSymbol | None = None
    block: int | None = None
    """Index into `blocks`."""
    location: Location | None = None
    """The occurrence of a match, else the target line."""
    range: Range | None = None
    """The lines of `block` that were chosen for this target."""
    lines_omitted_before: int | None = None
    """Of the symbol or, without one, of the text."""
    lines_omitted_after: int | None = None
    clipped_lines: tuple[int, ...] | None = None
    """Lines of `range` that are cut, counted as `line`."""
    message: str | None = None
    retry: RetryParams | None = None
    """A request for what is left out: the same target alone, or the lines after it, or else before it."""
    retry_before: RetryParams | None = None
    """A request for the lines before it, where `retry` is for those after."""


class InspectResult(_Wire, frozen=True, kw_only=True, omit_defaults=False):
    """`sg.inspect`."""

    version: Literal[1] = 1
    status: Literal["complete", "partial"]
    """Partial when a target was not returned."""
    text: str
    inspections: tuple[Inspection, ...]
    blocks: tuple[SourceBlock, ...]
