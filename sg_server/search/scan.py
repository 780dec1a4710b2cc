"""One search over files: its runs of ripgrep, and what they found."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import msgspec

from sg_server import limits
from sg_server.engines.records import Oversized
from sg_server.engines.ripgrep import EndEvent, Filters, Matching, Ripgrep, Unreadable
from sg_server.errors import PathNotFound, SignalGrepError
from sg_server.search.evidence import FileEvidence, Row, is_without_submatch, keep, row_count, rows_of
from sg_server.search.scope import Scope, is_within
from sg_server.search.unsaved import Candidate, UnsavedMatches, search_documents
from sg_server.text.positions import TextView
from sg_server.workspace import uris
from sg_server.workspace.folders import Workspace


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """All that one search found, before anything is proven or shown."""

    files: tuple[FileEvidence, ...]
    """In the order in which they were found."""
    files_searched: int
    unreadable: tuple[Unreadable, ...]
    bytes: int
    """What the kept rows take, roughly."""
    is_cut: bool
    """Not every row was kept; counts are exact all the same."""


class Collector:
    """Keeps the rows of a search up to the retention bound, and the counts of everything."""

    def __init__(
        self,
        view: TextView,
        *,
        multiline: bool,
        only: frozenset[str] | None = None,
        passed_over: frozenset[str] = frozenset(),
        row_limits: Mapping[str, int] | None = None,
        most_rows: int = limits.RETAINED_ROWS,
        on_file: Callable[[FileEvidence], None] | None = None,
    ) -> None:
        """Files outside `only` are left out; with `row_limits` just so many rows of each file are kept.

        Of the files in `passed_over` only the names are kept, in `seen`. `on_file` is given every file that
        is finished.
        """
        self.seen: set[str] = set()
        self.files: dict[str, FileEvidence] = {}
        self.is_cut = False
        self._view = view
        self._multiline = multiline
        self._only = only
        self._passed_over = passed_over
        self._limits = row_limits
        self._most_rows = most_rows
        self._on_file = on_file
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
        kept, size = keep(record, self._view, multiline=self._multiline)
        if self.bytes + size > limits.RETAINED_BYTES:
            self.is_cut = True
            return
        self._add(file, kept, rows, size)

    def end(self, path: str, event: EndEvent) -> None:
        """Take the exact counts of `path`."""
        self._current = None
        if not self._takes(path):
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
        if self._on_file is not None:
            self._on_file(file)

    def _takes(self, path: str) -> bool:
        if path in self._passed_over:
            self.seen.add(path)
            return False
        return self._only is None or path in self._only

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


async def scan(
    ripgrep: Ripgrep,
    matching: Matching,
    scope: Scope,
    view: TextView,
    *,
    documents: Sequence[Candidate] = (),
    most_rows: int = limits.RETAINED_ROWS,
    on_file: Callable[[FileEvidence], None] | None = None,
) -> Scan:
    """Search the files of `scope`, with `documents` in the place of theirs, keeping at most `most_rows` rows.

    `on_file` is given each file on disk as soon as ripgrep is through with it.
    Raises PathNotFound for a root that cannot be read, and as `Ripgrep.search`.
    """
    unsaved = await search_documents(ripgrep, matching, documents, view, cwd=scope.cwd, most_rows=most_rows)
    members = await _members(ripgrep, scope)
    collector = Collector(
        view,
        multiline=matching.multiline,
        only=None if members is None else members.union(scope.files),
        passed_over=frozenset(document.path for document in documents),
        most_rows=most_rows - unsaved.rows,
        on_file=on_file,
    )
    searched = sum(document.is_new for document in documents)
    unreadable: list[Unreadable] = []
    # rg takes a file that is named however it is filtered, but still checks the filters themselves.
    named = msgspec.structs.replace(scope.filters, ignored=True, text=True)
    for filters, roots in ((scope.filters, scope.folders), (named, scope.files)):
        if roots:
            outcome = await ripgrep.search(matching, filters, roots, collector, cwd=scope.cwd)
            walked = roots is scope.folders
            searched += len(members) if walked and members is not None else outcome.files_searched
            unreadable += outcome.unreadable
    _refuse_unreadable_root(scope, unreadable)
    in_scope = await _documents_in_scope(ripgrep, scope, unsaved, members, collector.seen)
    return Scan(
        files=(*in_scope, *collector.files.values()),
        files_searched=searched,
        unreadable=tuple(unreadable),
        bytes=collector.bytes + unsaved.bytes,
        is_cut=collector.is_cut or unsaved.is_cut,
    )


async def _documents_in_scope(
    ripgrep: Ripgrep,
    scope: Scope,
    unsaved: UnsavedMatches,
    members: frozenset[str] | None,
    seen: set[str],
) -> list[FileEvidence]:
    """The documents that matched, without those whose files the rules leave out, as ripgrep decides it."""
    undecided = {file.path for file in unsaved.undecided} - seen
    if undecided and members is None:
        members = frozenset(map(os.fsdecode, await _listed(ripgrep, scope.filters, scope)))
    out_of_scope = undecided - (members or frozenset())
    return [file for file in unsaved.files if file.path not in out_of_scope]


def without_strays(found: Scan, workspace: Workspace) -> Scan:
    """`found` without the files that links led to outside every folder, or in `.git`; blocks."""
    files = tuple(file for file in found.files if file.document or is_within(file.path, workspace))
    return msgspec.structs.replace(found, files=files)


async def _members(ripgrep: Ripgrep, scope: Scope) -> frozenset[str] | None:
    """The files that the globs name and that the other rules let through; None when one run of rg decides."""
    if scope.membership is None or not scope.folders:
        return None
    try:
        async with asyncio.TaskGroup() as group:
            named = group.create_task(_listed(ripgrep, scope.filters, scope))
            allowed = group.create_task(_listed(ripgrep, scope.membership, scope))
    except* SignalGrepError as failures:
        raise failures.exceptions[0] from failures
    return frozenset(os.fsdecode(name) for name in named.result() & allowed.result())


async def _listed(ripgrep: Ripgrep, filters: Filters, scope: Scope) -> set[bytes]:
    names: set[bytes] = set()
    await ripgrep.files(filters, scope.folders, names.update, cwd=scope.cwd)
    return names


def _refuse_unreadable_root(scope: Scope, unreadable: list[Unreadable]) -> None:
    roots = {uris.display(root): root for root in scope.roots}
    for path in unreadable:
        if path.path in roots:
            message = f"{path.path} cannot be searched: {path.reason}"
            raise PathNotFound(message, "Check the permissions of the folder or file that was named.")
