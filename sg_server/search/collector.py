"""Takes the events of a run of ripgrep, and keeps what the bounds let it."""

from collections.abc import Callable, Collection, Mapping, Sequence

from sg_server import limits
from sg_server.engines.events import EndEvent, split_matches, unreported_in
from sg_server.search.evidence import (
    FileEvidence,
    Kept,
    Records,
    Row,
    cut_down,
    fitting,
    is_small,
    rows_made,
    size_of,
)
from sg_server.text.positions import TextView


class Collector:
    """Keeps the rows of a search up to the retention bound, and the counts of everything."""

    def __init__(
        self,
        view: TextView,
        *,
        multiline: bool,
        only: Collection[str] | None = None,
        admits: Callable[[str], bool] | None = None,
        passed_over: Mapping[str, FileEvidence | None] | None = None,
        row_limits: Mapping[str, int] | None = None,
        most_rows: int = limits.RETAINED_ROWS,
        most_bytes: int = limits.RETAINED_BYTES,
        listeners: Sequence[Callable[[FileEvidence], None]] = (),
        head_rows: int = 0,
    ) -> None:
        """Files outside `only`, and those that `admits` says no to, are as if they had not matched.

        With `row_limits` just so many rows of each file are kept. Of files in `passed_over` only names are
        kept, in `seen`. `listeners` are given every file that is finished, and what `passed_over` has in its
        place. Of the first `head_rows` rows of a file the heads of their lines are kept as well.
        """
        self.seen: set[str] = set()
        self.files: dict[str, FileEvidence] = {}
        self.is_cut = False
        self._view = view
        self._multiline = multiline
        self._only = only
        self._admits = admits
        self._passed_over = passed_over or {}
        self._limits = row_limits
        self._most_rows = most_rows
        self._most_bytes = most_bytes
        self._listeners = listeners
        self._head_rows = head_rows
        self._current: FileEvidence | None = None
        self._unreported = 0
        """Occurrences in the current file that rg does not count."""
        self._has_unreported = multiline
        self._room = 0
        self._rows = 0
        self.bytes = 0

    @property
    def wants_matches(self) -> bool:
        """False from the retention bound on, after the last file with rows and where rg counts everything."""
        has_rows = self._current is not None and self._current.retained > 0
        return not self.is_cut or has_rows or self._has_unreported

    def matches(self, path: str, records: bytes, count: int) -> None:
        """Keep `count` match records of `path`, unless the bound is reached."""
        file = self._current or self._begin(path)
        if file is None:
            return
        if unreported := unreported_in(records):
            self._unreported += unreported
            self._has_unreported = True
        if self.is_cut:
            return
        rows = rows_made(records) if self._multiline else count
        size = len(records)
        fits = rows <= self._room and self.bytes + size <= self._most_bytes
        if fits and is_small(records, count, self._view):
            self._add(file, Records(records, rows), rows, size)
        else:
            for record in split_matches(records):
                self._keep(file, record + b"\n")

    def oversized(self, path: str) -> None:
        """Note that `path` has a match that nobody could keep."""
        file = self._current or self._begin(path)
        if file is not None and not self.is_cut:
            file.oversized = True

    def end(self, path: str, event: EndEvent, records: bytes, count: int) -> None:
        """Take the last matches of `path`, and its exact counts."""
        if count:
            self.matches(path, records, count)
        file = self._current or self._begin(path)
        self._current = None
        if file is None:
            if path in self.seen:
                self._tell(self._passed_over[path])
            return
        stats = event.stats
        occurrences = stats.matches + self._unreported
        file.occurrences = max(occurrences, 1 if self._multiline else stats.matched_lines)
        file.matches = file.occurrences if self._multiline else stats.matched_lines
        file.binary_offset = event.binary_offset
        self._tell(file)

    def _begin(self, path: str) -> FileEvidence | None:
        """Make the evidence of `path`, unless it is left out."""
        if not self._takes(path):
            return None
        before = self.files.get(path)
        self._unreported = 0
        if before is not None and self.is_cut:
            # There is no room for other rows than those that it has.
            self._current = before
            return before
        if before is not None:
            self._forget(before)
        self._current = self.files[path] = FileEvidence(path=path, kept=[])
        self._room = self._most_rows - self._rows
        if self._limits is not None:
            self._room = min(self._room, self._limits.get(path, 0))
        return self._current

    def _forget(self, file: FileEvidence) -> None:
        """Make room again: what no rule could keep out of an earlier walk is now searched as named."""
        self._rows -= file.retained
        self.bytes -= sum(
            len(kept.data) if isinstance(kept, Records) else size_of(kept) for kept in file.kept
        )

    def _tell(self, file: FileEvidence | None) -> None:
        if file is not None:
            for tell in self._listeners:
                tell(file)

    def _takes(self, path: str) -> bool:
        if self._only is not None and path not in self._only:
            return False
        if self._admits is not None and not self._admits(path):
            return False
        if path in self._passed_over:
            self.seen.add(path)
            return False
        return True

    def _keep(self, file: FileEvidence, record: bytes) -> None:
        """Keep one record, or what there is room for."""
        if self.is_cut:
            return
        rows = rows_made(record) if self._multiline else 1
        if rows > self._room:
            self._keep_first(file, record)
            return
        kept: Kept = Records(record, rows)
        size = len(record)
        if not is_small(record, 1, self._view):
            kept = self._cut_down(file, record, rows)
            size = size_of(kept)
        room = self._most_bytes - self.bytes
        if size <= room:
            self._add(file, kept, rows, size)
            return
        if isinstance(kept, tuple) and (first := fitting(kept, room)):
            self._add(file, first, len(first), size_of(first))
        self.is_cut = self._limits is None

    def _keep_first(self, file: FileEvidence, record: bytes) -> None:
        """Keep the rows of `record` that there is still room for: the last ones of the file, or of all."""
        room = self._most_bytes - self.bytes
        if self._room and is_small(record, 1, self._view) and len(record) <= room:
            self._add(file, Records(record, self._room), self._room, len(record))
        elif self._room:
            kept = fitting(self._cut_down(file, record, self._room), room)
            self._add(file, kept, len(kept), size_of(kept))
        self.is_cut = self._limits is None

    def _cut_down(self, file: FileEvidence, record: bytes, most: int) -> tuple[Row, ...]:
        with_heads = file.retained < self._head_rows
        return cut_down(record, self._view, multiline=self._multiline, with_heads=with_heads, most=most)

    def _add(self, file: FileEvidence, kept: Kept, rows: int, size: int) -> None:
        file.kept.append(kept)
        file.retained += rows
        self._room -= rows
        self._rows += rows
        self.bytes += size
