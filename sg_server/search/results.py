"""What the search commands answer: the wire structs of `sg.search`, `sg.page` and `sg.explain`."""

from typing import Literal

import msgspec

from sg_server.text.positions import Location, Range

PartialReason = Literal["retention-limit", "unreadable-path", "oversized-line", "binary-file"]
Tier = Literal["full", "tight", "critical"]
ContextProblem = Literal["unverified", "changed", "unreadable"]
KeptOutRule = Literal[
    "ignore-file",
    "hidden",
    "glob",
    "exclude",
    "file-type",
    "binary",
    "size",
    "outside-workspace",
    "unreadable",
    "symlink",
    "git-internal",
    "missing",
]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An answer, or a part of one. Optional fields are left out, never null."""


class Totals(_Wire, frozen=True, kw_only=True):
    """Exact counts of the whole search, whatever is shown."""

    matches: int
    """Matching lines; with `multiline`, occurrences."""
    occurrences: int
    files: int
    files_searched: int
    retained: int
    """Rows that the snapshot keeps and can show."""


class Preview(_Wire, frozen=True, kw_only=True):
    """A file's first retained match."""

    index: int
    line: int
    text: str


class FileRow(_Wire, frozen=True, kw_only=True):
    """One file of a summary."""

    uri: str
    path: str
    matches: int
    occurrences: int
    retained: int
    verified: bool
    unsaved: Literal[True] | None = None
    lossy: Literal[True] | None = None
    preview: Preview | None = None


class Match(_Wire, frozen=True, kw_only=True):
    """One matching line, or one occurrence with `multiline`."""

    index: int
    """1-based, stable in its snapshot."""
    uri: str
    path: str
    line: int
    """1-based, counting LF only."""
    location: Location
    """The first occurrence."""
    ranges: tuple[Range, ...]
    ranges_omitted: int
    text: str
    clipped: bool
    byte_ranges: tuple[tuple[int, int], ...]
    """Offsets [start, end) into the searched text: UTF-8, byte order mark not counted."""
    source: Literal["disk", "document"]
    verified: bool
    document_version: int | None = None
    lossy: Literal[True] | None = None
    before: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None
    context_unavailable: ContextProblem | None = None


class Omitted(_Wire, frozen=True, kw_only=True, omit_defaults=False):
    """What this one answer leaves out of what was found."""

    files: int = 0
    previews: int = 0
    occurrence_ranges: int = 0


class Rules(_Wire, frozen=True, kw_only=True):
    """The rules that decided what was searched and how."""

    hidden: bool
    ignored: bool
    binary: bool
    follow: bool
    globs: tuple[str, ...]
    excludes: tuple[str, ...]
    file_types: tuple[str, ...]
    engine: str
    encoding: str
    case: Literal["smart", "sensitive", "insensitive"]
    max_file_size: int | None = None
    """Bytes; larger files were left out."""


class KeptOutFile(_Wire, frozen=True, kw_only=True):
    """A file that holds the pattern and was kept out of an empty search."""

    path: str
    uri: str


class KeptOut(_Wire, frozen=True, kw_only=True):
    """What ignore, hidden and binary rules kept out of an empty search."""

    files: int
    matching: tuple[KeptOutFile, ...]
    complete: bool


class Budget(_Wire, frozen=True, kw_only=True):
    """How the caller's remaining context changed the answer."""

    tier: Tier
    remaining_percent: float
    token_target: int


class SearchResult(_Wire, frozen=True, kw_only=True):
    """The answer of `sg.search` and `sg.page`."""

    version: Literal[1]
    mode: Literal["empty", "summary", "matches"]
    status: Literal["complete", "partial"]
    partial_reasons: tuple[PartialReason, ...]
    totals: Totals
    omitted: Omitted
    unverified_files: int
    rules: Rules
    elapsed_ms: float
    text: str | None = None
    files: tuple[FileRow, ...] | None = None
    matches: tuple[Match, ...] | None = None
    locations: tuple[Location, ...] | None = None
    snapshot: str | None = None
    cursor: str | None = None
    unreadable_paths: tuple[str, ...] | None = None
    binary_files: tuple[str, ...] | None = None
    kept_out: KeptOut | None = None
    budget: Budget | None = None


class StreamedMatch(_Wire, frozen=True, kw_only=True):
    """A match before it has an index, or a proof."""

    uri: str
    path: str
    line: int
    location: Location
    ranges: tuple[Range, ...]
    text: str
    clipped: bool


class StreamedTotals(_Wire, frozen=True, kw_only=True):
    """What has been counted so far."""

    matches: int
    files: int


class StreamedBatch(_Wire, frozen=True, kw_only=True):
    """The value of one `$/progress` for a `partialResultToken`. The result replaces it."""

    matches: tuple[StreamedMatch, ...]
    totals: StreamedTotals


class Reason(_Wire, frozen=True, kw_only=True):
    """One rule that keeps a file out of a search."""

    rule: KeptOutRule
    detail: str


class ExplainResult(_Wire, frozen=True, kw_only=True):
    """The answer of `sg.explain`."""

    path: str
    uri: str
    searched: bool
    reasons: tuple[Reason, ...]
    text: str
