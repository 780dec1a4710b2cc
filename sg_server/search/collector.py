"""Takes the events of a run of ripgrep, and keeps what the bounds let it."""

from collections.abc import Callable, Collection, Mapping
from itertools import islice

from sg_server import limits
from sg_server.engines.records import Oversized
from sg_server.engines.ripgrep import EndEvent
from sg_server.search.evidence import FileEvidence, Row, is_without_submatch, keep, row_count, rows_of
from sg_server.text.positions import TextView


class Collector:
    """Keeps the rows of a search up to the retention bound, and the counts of everything."""

    def __init__(
        self,
        view: TextView,
        *,
        multiline: bool,
        only: Collection[str] | None = None,
        passed_over: Mapping[str, FileEvidence | None] | None = None,
        row_limits: Mapping[str, int] | None = None,
        most_rows: int = limits.RETAINED_ROWS,
        most_bytes: int = limits.RETAINED_BYTES,
        on_file: Callable[[FileEvidence], None] | None = None,
        head_rows: int = 0,
    ) -> None:
        """Files outside `only` are left out; with `row_limits` just so many rows of each file are kept.

        Of the files in `passed_over` only the names are kept, in `seen`. `on_file` is given every file that
        is finished, and what `passed_over` has in the place of one. Of the first `head_rows`
        rows of a file the heads of their lines are kept as well.
        """
        self.seen: set[str] = set()
        self.files: dict[str, FileEvidence] = {}
        self.is_cut = False
        self._view = view
        self._multiline = multiline
        self._only = only
        self._passed_over = passed_over or {}
        self._limits = row_limits
        self._most_rows = most_rows
        self._most_bytes = most_bytes
        self._on_file = on_file
        self._head_rows = head_rows
        self._current: FileEvidence | None = None
        self._room = 0
        self._rows = 0
        self.bytes = 0

    @property
    def wants_matches(self) -> bool:
        """False from the retention bound on."""
        return not self.is_cut

    def begin(self, path: str) -> None:
        """Take the matches that follow as those of `path`."""
        self._current = None
        if self._takes(path):
            self._current = self.files[path] = FileEvidence(path=path, records=[])
        self._room = self._most_rows - self._rows
        if self._limits is not None:
            self._room = min(self._room, self._limits.get(path, 0))

    def match(self, record: bytes | Oversized) -> None:
        """Keep one record, unless the bound is reached."""
        file = self._current
        if file is None or self.is_cut:
            return
        if isinstance(record, Oversized):
            file.oversized = True
            return
        rows = row_count(record, multiline=self._multiline)
        if rows > self._room:
            self._keep_first(file, record)
            return
        with_heads = file.retained < self._head_rows
        kept, size = keep(record, self._view, multiline=self._multiline, with_heads=with_heads)
        if self.bytes + size > self._most_bytes:
            self.is_cut = True
            return
        self._add(file, kept, rows, size)

    def end(self, path: str, event: EndEvent) -> None:
        """Take the exact counts of `path`."""
        self._current = None
        if not self._takes(path):
            if path in self.seen:
                self._tell(self._passed_over[path])
            return
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = FileEvidence(path=path, records=[])
        # rg neither reports nor counts an empty occurrence at the very end of a text.
        unreported = file.records and is_without_submatch(file.records[-1])
        least = 1 if self._multiline else event.stats.matched_lines
        file.occurrences = max(event.stats.matches + bool(unreported), least)
        file.matches = file.occurrences if self._multiline else event.stats.matched_lines
        file.binary_offset = event.binary_offset
        self._tell(file)

    def _tell(self, file: FileEvidence | None) -> None:
        if self._on_file is not None and file is not None:
            self._on_file(file)

    def _takes(self, path: str) -> bool:
        if self._only is not None and path not in self._only:
            return False
        if path in self._passed_over:
            self.seen.add(path)
            return False
        return True

    def _keep_first(self, file: FileEvidence, record: bytes) -> None:
        """Keep the rows of `record` that there is still room for: the last ones of the file, or of all."""
        found = rows_of(record, self._view, multiline=self._multiline, latin1=None)
        kept = tuple(islice(found, self._room))
        self._add(file, kept, len(kept), len(record))
        if self._limits is None:
            self.is_cut = True
        else:
            self._current = None

    def _add(self, file: FileEvidence, kept: bytes | tuple[Row, ...], rows: int, size: int) -> None:
        file.records.append(kept)
        file.retained += rows
        self._room -= rows
        self._rows += rows
        self.bytes += size
