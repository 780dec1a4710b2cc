"""Snapshots: what a search found, kept unchanged for paging and inspection, within bounds."""

import hashlib
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from operator import attrgetter, itemgetter

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Matching
from sg_server.errors import CursorExpired, CursorUnknown
from sg_server.search.cursors import ALL_FILES, Cursor, CursorCodec
from sg_server.search.defaults import Retention
from sg_server.search.evidence import FileEvidence
from sg_server.search.request import PageStyle, SearchRequest
from sg_server.search.results import PartialReason, Rules, Totals
from sg_server.search.scan import Scan
from sg_server.workspace.folders import Workspace

_FILE_BYTES = 400


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """Retained rows [start, stop) of one file; `position` is the file's in the snapshot."""

    position: int
    start: int
    stop: int


class Snapshot(msgspec.Struct, kw_only=True):
    """One search's result. Only `selections` grows; the evidence stays what it was."""

    files: tuple[FileEvidence, ...]
    """By the UTF-8 bytes of their display path."""
    displays: tuple[str, ...]
    """The display path of each file."""
    first_rows: tuple[int, ...]
    """How many retained rows come before each file's; one more entry for the end."""
    by_count: tuple[int, ...]
    """The files' positions, most matches first, ties by path."""
    matching: Matching
    rules: Rules
    style: PageStyle
    totals: Totals
    partial_reasons: tuple[PartialReason, ...]
    unreadable_paths: tuple[str, ...]
    binary_files: tuple[str, ...]
    unverified_files: int
    bytes: int
    selections: dict[str, tuple[int, ...]]
    """The files, as positions, that a match cursor's signature stands for."""

    def select(self, positions: Iterable[int]) -> str:
        """The signature of a selection of files, which the snapshot remembers; `ALL_FILES` for all."""
        chosen = tuple(sorted(set(positions)))
        if len(chosen) == len(self.files):
            return ALL_FILES
        signature = hashlib.blake2b(msgspec.msgpack.encode(chosen), digest_size=6).hexdigest()
        self.selections[signature] = chosen
        return signature

    def row_total(self, selection: str) -> int:
        """How many rows are kept of a selection's files."""
        if selection == ALL_FILES:
            return self.first_rows[-1]
        return sum(self.files[position].retained for position in self.selections[selection])

    def slices(self, selection: str, offset: int, count: int) -> list[Slice]:
        """Where the rows [offset, offset + count) of a selection are, file by file."""
        positions: Iterable[int]
        if selection == ALL_FILES:
            first = max(0, bisect_right(self.first_rows, offset) - 1)
            positions, before = range(first, len(self.files)), self.first_rows[first]
        else:
            positions, before = self.selections[selection], 0
        slices: list[Slice] = []
        for position in positions:
            retained = self.files[position].retained
            start = max(0, offset - before)
            stop = min(retained, offset + count - before)
            if start < stop:
                slices.append(Slice(position=position, start=start, stop=stop))
            before += retained
            if before >= offset + count:
                break
        return slices

    def locate(self, index: int) -> Slice | None:
        """Where the row with the 1-based `index` is; None when there is none."""
        found = self.slices(ALL_FILES, index - 1, 1) if index > 0 else []
        return found[0] if found else None


def make_snapshot(request: SearchRequest, workspace: Workspace, found: Scan) -> Snapshot:
    """The snapshot of what `found` holds, in its final order."""
    # The order of code points is that of UTF-8. Paths are almost in it, and quicker to sort.
    by_path = sorted(found.files, key=attrgetter("path"))
    named = sorted([(workspace.display_of(file.path), file) for file in by_path], key=itemgetter(0))
    files = tuple([file for _, file in named])
    displays = tuple([display for display, _ in named])
    fewest_first = [-file.matches for file in files]
    by_count = sorted(range(len(files)), key=fewest_first.__getitem__)
    ended = tuple(display for display, file in named if file.binary_offset is not None)
    reasons: dict[PartialReason, bool] = {
        "retention-limit": found.is_cut,
        "unreadable-path": bool(found.unreadable),
        "oversized-line": any(file.oversized for file in files),
        "binary-file": bool(ended),
    }
    first_rows = tuple(accumulate((file.retained for file in files), initial=0))
    return Snapshot(
        files=files,
        displays=displays,
        first_rows=first_rows,
        by_count=tuple(by_count),
        matching=request.matching,
        rules=request.rules,
        style=request.style,
        totals=Totals(
            matches=sum(file.matches for file in files),
            occurrences=sum(file.occurrences for file in files),
            files=len(files),
            files_searched=found.files_searched,
            retained=first_rows[-1],
        ),
        partial_reasons=tuple(reason for reason, applies in reasons.items() if applies),
        # rg tells of them in the order of its threads.
        unreadable_paths=tuple(sorted(workspace.display_of(path.path) for path in found.unreadable))[
            : limits.NAMED_PATHS
        ],
        binary_files=ended[: limits.NAMED_PATHS],
        unverified_files=sum(file.retained > 0 and file.revision is None for file in files),
        bytes=found.bytes + _FILE_BYTES * len(files),
        selections={},
    )


class HeldSnapshot(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A snapshot as health reports it."""

    id: str
    rows: int
    bytes: int
    age_seconds: float


class _Held(msgspec.Struct, kw_only=True):
    snapshot: Snapshot
    made: float
    used: float


class SnapshotStore:
    """Holds the snapshots of one session; the least recently used go first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.codec = CursorCodec()
        self._retention = Retention()
        self._clock = clock
        self._held: dict[int, _Held] = {}
        self._issued = 0

    def add(self, snapshot: Snapshot) -> int:
        """Keep `snapshot`, making room for it, and give its number."""
        self._drop_idle()
        self._issued += 1
        now = self._clock()
        self._held[self._issued] = _Held(snapshot=snapshot, made=now, used=now)
        self._drop_surplus()
        return self._issued

    def limit(self, retention: Retention) -> None:
        """Keep no more than `retention` says, from now on."""
        self._retention = retention
        self._drop_surplus()

    def get(self, number: int) -> Snapshot:
        """The snapshot, now the most recently used. Raises CursorExpired, CursorUnknown."""
        self._drop_idle()
        held = self._held.pop(number, None)
        if held is None:
            if 0 < number <= self._issued:
                raise CursorExpired("this snapshot has been released", "Search again.")
            raise CursorUnknown("this snapshot was not made in this session", "Search again.")
        held.used = self._clock()
        self._held[number] = held
        return held.snapshot

    def resolve(self, cursor: str | None, snapshot: str | None) -> tuple[int, Cursor | None]:
        """The number of the snapshot that either names, and the cursor. Raises CursorUnknown."""
        if cursor is not None:
            decoded = self.codec.decode(cursor)
            return decoded.snapshot, decoded
        return self.codec.snapshot_number(snapshot or ""), None

    def release(self, number: int) -> int:
        """Forget one snapshot; how many that were, 0 or 1."""
        return 0 if self._held.pop(number, None) is None else 1

    def clear(self) -> int:
        """Forget all; how many that were."""
        count = len(self._held)
        self._held.clear()
        return count

    def held(self) -> tuple[HeldSnapshot, ...]:
        """What is held, the least recently used first."""
        self._drop_idle()
        now = self._clock()
        return tuple(
            HeldSnapshot(
                id=self.codec.snapshot_id(number),
                rows=held.snapshot.first_rows[-1],
                bytes=held.snapshot.bytes,
                age_seconds=round(now - held.made, 3),
            )
            for number, held in self._held.items()
        )

    def _drop_surplus(self) -> None:
        while len(self._held) > 1 and (
            len(self._held) > self._retention.snapshots
            or sum(held.snapshot.bytes for held in self._held.values()) > self._retention.bytes
        ):
            del self._held[next(iter(self._held))]

    def _drop_idle(self) -> None:
        oldest = self._clock() - self._retention.idle_seconds
        for number in [number for number, held in self._held.items() if held.used < oldest]:
            del self._held[number]
