"""What a client can set: the section `signalGrep`, each setting with its type, default and bounds.

The table in `docs/settings.md` is made from these structs; their descriptions are written for people.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sg_server import limits

SECTION = "signalGrep"
"""The section's name in a client's configuration."""

LogLevel = Literal["debug", "info", "warning", "error"]
Switch = bool | Literal["auto"]


class _Section(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """Settings that are checked, and take effect, as a whole."""


class SnapshotSettings(_Section, frozen=True, kw_only=True):
    """How much of earlier searches is kept for paging and inspection."""

    count: Annotated[
        int, Meta(ge=1, le=limits.SNAPSHOTS, description="Snapshots kept; the one unused longest goes first.")
    ] = limits.SNAPSHOTS
    bytes: Annotated[
        int,
        Meta(ge=limits.MIB, le=limits.SNAPSHOTS_BYTES, description="Bytes that all snapshots take together."),
    ] = limits.SNAPSHOTS_BYTES
    idle_seconds: Annotated[
        int,
        Meta(ge=1, le=limits.SNAPSHOT_IDLE_SECONDS, description="Seconds a snapshot lasts without use."),
    ] = limits.SNAPSHOT_IDLE_SECONDS
    retained_rows: Annotated[
        int,
        Meta(ge=1, le=limits.RETAINED_ROWS, description="Rows kept of one search; all are counted anyway."),
    ] = limits.RETAINED_ROWS


class SymbolSettings(_Section, frozen=True, kw_only=True):
    """The server's part in the editor's own symbol lists."""

    enabled: Annotated[
        bool, Meta(description="Give the editor the symbols of its documents and of the workspace.")
    ] = True


class SummarySettings(_Section, frozen=True, kw_only=True):
    """Summaries of stored text, where a provider is configured."""

    enabled: Annotated[bool, Meta(description="Summarise the sections of what is stored.")] = True
    min_characters: Annotated[
        int,
        Meta(ge=1, le=limits.SUMMARY_CHARACTERS_MAX, description="Shorter sections get no summary."),
    ] = limits.SUMMARY_CHARACTERS_MIN
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=limits.SUMMARY_SECONDS, description="Seconds that one summary may take.")
    ] = limits.SUMMARY_SECONDS
    max_tokens: Annotated[
        int, Meta(ge=1, le=limits.SUMMARY_TOKENS_MAX, description="Of one summary; a longer one is left out.")
    ] = limits.SUMMARY_TOKENS
    concurrency: Annotated[
        int, Meta(ge=1, le=limits.SUMMARIES_AT_ONCE, description="Summaries of one entry written at once.")
    ] = limits.SUMMARIES_AT_ONCE


class ContextSettings(_Section, frozen=True, kw_only=True):
    """Stored text: which commands are answered, and how much each may take."""

    grep: Annotated[
        Switch, Meta(description="Answer `sg.context.grep`; true also has `sg.health` open the store.")
    ] = "auto"
    navigate: Annotated[Switch, Meta(description="The same for `sg.context.navigate`.")] = "auto"
    read: Annotated[Switch, Meta(description="The same for `sg.context.read`.")] = "auto"
    max_matches: Annotated[
        int, Meta(ge=1, le=limits.GREP_MATCHES_MAX, description="A greater `maxMatches` is cut to this.")
    ] = limits.GREP_MATCHES_MAX
    max_context_lines: Annotated[
        int, Meta(ge=0, le=limits.CONTEXT_LINES_MAX, description="Greater `contextLines` are cut to this.")
    ] = limits.CONTEXT_LINES_MAX
    max_entries_scanned: Annotated[
        int, Meta(ge=1, le=limits.GREP_ENTRIES, description="A greater `maxEntriesScanned` is cut to this.")
    ] = limits.GREP_ENTRIES
    scan_bytes: Annotated[
        int,
        Meta(
            ge=64 * limits.KIB,
            le=limits.GREP_BYTES,
            description="Bytes of text that a grep has in memory, but for a longer text.",
        ),
    ] = limits.STORE_BATCH_BYTES
    regex_seconds: Annotated[
        float, Meta(gt=0, le=limits.GREP_ENTRY_SECONDS, description="Seconds for a regex in one entry.")
    ] = limits.GREP_ENTRY_SECONDS
    scan_seconds: Annotated[
        float, Meta(gt=0, le=limits.GREP_SECONDS, description="Seconds for a regex in all entries.")
    ] = limits.GREP_SECONDS
    summaries: SummarySettings = SummarySettings()


class LogSettings(_Section, frozen=True, kw_only=True):
    """What the server writes to its log."""

    level: Annotated[
        LogLevel | None, Meta(description="What is worth a line in the log; null: as `--log-level` says.")
    ] = None


class Settings(_Section, frozen=True, kw_only=True):
    """The whole section. What a request says itself goes before it."""

    exclude: Annotated[
        tuple[str, ...], Meta(description="Exclude globs of a request without any; `[]` in it lifts them.")
    ] = ()
    hidden: Annotated[bool, Meta(description="Search hidden files and folders; never `.git`.")] = True
    follow: Annotated[bool, Meta(description="Follow symbolic links.")] = False
    max_file_size: Annotated[
        Annotated[int, Meta(ge=0, le=limits.FILE_SIZE_MAX)] | None,
        Meta(description="Larger files, in bytes, are not searched; null: no limit."),
    ] = None
    threads: Annotated[
        Annotated[int, Meta(ge=1, le=limits.THREADS_MAX)] | None,
        Meta(description="Threads of one search; null: as ripgrep chooses."),
    ] = None
    snapshots: SnapshotSettings = SnapshotSettings()
    symbols: SymbolSettings = SymbolSettings()
    context: ContextSettings = ContextSettings()
    log: LogSettings = LogSettings()
