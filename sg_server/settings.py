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
    log: LogSettings = LogSettings()
