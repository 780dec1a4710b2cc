"""What the commands on stored text answer: the wire structs of `sg.context.*`."""

from typing import Any, Literal

import msgspec

from sg_server.context.params import ContentType, ContextReadParams, OutputMode, Source
from sg_server.text.positions import Range

TruncatedReason = Literal["matches", "entries", "regex-timeout", "scan-timeout", "rows"]
OutlineProvider = Literal["markdown", "ctags", "tree-sitter"]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An answer, or a part of one. Optional fields are left out, never null."""


class _Addressed(_Wire, frozen=True, kw_only=True):
    """What an answer is about: an entry of the store, by its whole id, or a document."""

    id: str | None = None
    uri: str | None = None


class GrepRow(_Addressed, frozen=True, kw_only=True):
    """One match in mode `content`; else one entry or document with its count."""

    match_count: int | None = None
    """Mode `files_with_matches`: of the whole text."""
    count: int | None = None
    """Mode `count`: of the whole text."""
    line_number: int | None = None
    """1-based."""
    line: str | None = None
    line_clipped: bool | None = None
    match_start: int | None = None
    """Code points from the beginning of the text, 0-based."""
    match_end: int | None = None
    """Exclusive."""
    range: Range | None = None
    before: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None


class ContextGrepResult(_Wire, frozen=True, kw_only=True):
    """The answer of `sg.context.grep`."""

    mode: OutputMode
    total_matches: int
    truncated: bool
    truncated_reasons: tuple[TruncatedReason, ...]
    results: tuple[GrepRow, ...]
    text: str
    timed_out_ids: tuple[str, ...] | None = None
    cursor: str | None = None


class OutlineNode(_Wire, frozen=True, kw_only=True):
    """A section: from its heading to the next heading that is not below it."""

    node_id: str
    level: int
    ordinal: int
    """1-based, among the nodes with the same parent."""
    title: str
    char_start: int
    char_end: int
    range: Range
    summary: str | None
    children: tuple["OutlineNode", ...]


class ContextNavigateResult(_Addressed, frozen=True, kw_only=True):
    """The answer of `sg.context.navigate`."""

    total_chars: int
    node_count: int
    """Shown nodes, the root not counted."""
    truncated: bool
    truncated_reason: str | None = None
    """Which sections are not among the nodes, and why."""
    root: OutlineNode
    text: str
    provider: OutlineProvider


class ContextReadResult(_Addressed, frozen=True, kw_only=True):
    """The answer of `sg.context.read`: what was read, by characters and by lines."""

    start_char: int
    end_char: int
    start_line: int
    end_line: int
    range: Range
    text: str
    truncated: bool
    next: ContextReadParams | None = None
    """The request that goes on where this answer was cut."""


class EntryRow(_Wire, frozen=True, kw_only=True):
    """An entry without its text."""

    id: str
    thread_id: str
    source: Source
    content_type: ContentType
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    owner: str
    readers: tuple[str, ...] | Literal["*"]
    version: int
    created_at: str
    """UTC with milliseconds, as in RFC 3339."""
    updated_at: str
    total_chars: int
    uri: str
    """Opens the text, read only, in an editor."""
    summary: str | None = None


class ContextPutResult(EntryRow, frozen=True, kw_only=True):
    """The answer of `sg.context.put`: the entry as it is stored."""

    created: bool
    """False: a former version was replaced."""


class ContextGetResult(EntryRow, frozen=True, kw_only=True):
    """The answer of `sg.context.get`."""

    text: str


class ContextListResult(_Wire, frozen=True, kw_only=True):
    """The answer of `sg.context.list`, newest first."""

    entries: tuple[EntryRow, ...]
    cursor: str | None = None


class ContextDeleteResult(_Wire, frozen=True, kw_only=True):
    """How many entries are gone."""

    deleted: int
