"""What a client gets: the policy of search and page, over snapshots."""

import asyncio
import contextlib
import time
from functools import partial

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Ripgrep
from sg_server.errors import CursorMismatch, CursorUnknown, InvalidParams
from sg_server.search import explain, plain_grep
from sg_server.search.answers import Kept, empty_answer, matches_answer, summary_answer
from sg_server.search.budget import fits
from sg_server.search.cursors import ALL_FILES, Cursor
from sg_server.search.defaults import Retention, SearchDefaults
from sg_server.search.evidence import Row, rows_between
from sg_server.search.metrics import Window, is_comparable
from sg_server.search.params import ClearParams, ClearResult, ExplainParams, PageParams, SearchParams
from sg_server.search.proof import Looks, prove
from sg_server.search.reading import ShownRow, file_facts, read_rows
from sg_server.search.request import PageStyle, SearchRequest, normalise, page_style
from sg_server.search.results import Budget, ExplainResult, SearchResult
from sg_server.search.scan import Scan, scan, without_repeats
from sg_server.search.scope import is_within, require_folder_for_rules
from sg_server.search.selection import selected
from sg_server.search.snapshots import HeldSnapshot, Slice, Snapshot, SnapshotStore, make_snapshot
from sg_server.search.streaming import NOBODY, Streamer, Watch
from sg_server.search.unsaved import Candidate, candidates
from sg_server.text.positions import TextView
from sg_server.workspace.documents import DocumentRevision, OpenDocuments, unsaved
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import Revision, ScanWindow


class RetainedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a snapshot as the target of an inspection."""

    index: int
    path: str
    row: Row
    revision: Revision | DocumentRevision | None
    encoding: str


class SearchService:
    """Searches, and pages through what was found, for one client."""

    def __init__(self, ripgrep: Ripgrep, view: TextView, documents: OpenDocuments) -> None:
        self._ripgrep = ripgrep
        self._view = view
        self._documents = documents
        self._store = SnapshotStore()
        self._defaults = SearchDefaults()
        self._retention = Retention()
        self._turns = asyncio.Semaphore(limits.SEARCHES)
        self.metrics: Window | None = None
        """What is being compared; None while metrics are off."""

    def start_metrics(self) -> None:
        """Compare from now on, from nothing: what was found before is forgotten, and cannot be paged."""
        self._store.clear()
        self.metrics = Window()

    def stop_metrics(self) -> None:
        """Forget what was compared."""
        self.metrics = None

    def configure(self, defaults: SearchDefaults, retention: Retention) -> None:
        """Let other defaults hold for the searches that follow, and other bounds for what is kept."""
        self._defaults = defaults
        self._retention = retention
        self._store.limit(retention)

    async def search(self, params: SearchParams, workspace: Workspace, watch: Watch = NOBODY) -> SearchResult:
        """`sg.search`, told to `watch` while it runs.

        Raises InvalidParams and RequestFailed; nothing starts before `params` are right.
        """
        began = time.monotonic()
        if documents := self._documents.all():
            require_folder_for_rules(params, workspace)
        request = normalise(self._defaults.fill(params), workspace, documents)
        window = self.metrics if is_comparable(request) else None
        async with self._turns:
            found, snapshot = await self._run(request, workspace, watch, with_heads=window is not None)
            if snapshot.totals.matches == 0:
                answer = await self._empty(request, found, snapshot, workspace)
                if window is not None:
                    window.count_search(answer.text or "", plain_grep.NOTHING, None)
                return _timed(answer, began)
        kept = self._kept(self._store.add(snapshot), snapshot, workspace)
        answer = await self._first_answer(request, kept)
        if window is not None:
            window.count_search(answer.text or "", await self._plain(request, kept), kept.number)
        if answer.snapshot is None:
            self._store.release(kept.number)
        return _timed(answer, began)

    async def page(self, params: PageParams, workspace: Workspace) -> SearchResult:
        """`sg.page`. Never runs a search."""
        began = time.monotonic()
        if (params.cursor is None) == (params.snapshot is None):
            raise InvalidParams("cursor", "exactly one of `cursor` and `snapshot` is accepted")
        number, cursor = self._store.resolve(params.cursor, params.snapshot)
        snapshot = self._store.get(number)
        kept = self._kept(number, snapshot, workspace)
        style = page_style(params, snapshot.style)
        selection = selected(params, snapshot, workspace)
        if cursor is not None and cursor.kind == "matches":
            answer = await self._matches(kept, _continued(cursor, selection), cursor.offset, style)
        elif cursor is not None and selection is None:
            answer = await self._summary(kept, cursor.offset, style)
        else:
            answer = await self._matches(kept, selection or ALL_FILES, 0, style)
        if self.metrics is not None and answer.text is not None:
            self.metrics.count_page(answer.text, number)
        return _timed(answer, began)

    async def explain(self, params: ExplainParams, workspace: Workspace) -> ExplainResult:
        """`sg.explain`."""
        async with self._turns:
            open_now = self._documents.all() if params.include_unsaved is not False else ()
            documents = await asyncio.to_thread(unsaved, open_now)
            return await explain.explain(self._ripgrep, self._defaults.fill(params), workspace, documents)

    def clear(self, params: ClearParams) -> ClearResult:
        """`sg.clear`. What is unknown or gone already counts 0."""
        if params.cursor is not None and params.snapshot is not None:
            raise InvalidParams("cursor", "only one of `cursor` and `snapshot` is accepted")
        if params.cursor is None and params.snapshot is None:
            return ClearResult(cleared=self._store.clear())
        try:
            number, _ = self._store.resolve(params.cursor, params.snapshot)
        except CursorUnknown:
            return ClearResult(cleared=0)
        return ClearResult(cleared=self._store.release(number))

    def snapshots_held(self) -> tuple[HeldSnapshot, ...]:
        """What is kept, for health."""
        return self._store.held()

    async def retained(
        self, cursor: str | None, snapshot: str | None, match_index: int, *, field: str
    ) -> RetainedMatch:
        """The row `match_index` (1-based; `field` for messages) of the snapshot that either word names.

        Raises InvalidParams for an index it does not have, CursorUnknown, CursorExpired.
        """
        number, _ = self._store.resolve(cursor, snapshot)
        held = self._store.get(number)
        found = held.locate(match_index)
        if found is None:
            last = held.totals.retained
            raise InvalidParams(field, f"{match_index} was given; this snapshot has 1 to {last}")
        shown = (await self._rows(held, [found], _NO_CONTEXT))[0]
        file = held.files[found.position]
        return RetainedMatch(
            index=shown.index,
            path=file.path,
            row=shown.row,
            revision=file.revision,
            encoding=held.matching.encoding,
        )

    async def _run(
        self, request: SearchRequest, workspace: Workspace, watch: Watch, *, with_heads: bool
    ) -> tuple[Scan, Snapshot]:
        looks = Looks(ScanWindow.open(request.scope.roots))
        found = await self._scan(request, workspace, watch, looks, with_heads=with_heads)
        await prove(self._ripgrep, request, self._view, looks, with_heads=with_heads)
        return found, await asyncio.to_thread(make_snapshot, request, workspace, found)

    async def _scan(
        self, request: SearchRequest, workspace: Workspace, watch: Watch, looks: Looks, *, with_heads: bool
    ) -> Scan:
        """One search, each file of which `looks` is given once it is known to be shown."""
        documents = await self._unsaved(request, workspace)
        search = partial(
            scan,
            self._ripgrep,
            request.matching,
            request.scope,
            self._view,
            documents=documents,
            most_rows=self._retention.rows,
            with_heads=with_heads,
        )
        with contextlib.closing(Streamer(watch, request, workspace, self._view)) as streamer:
            listeners = [] if watch is NOBODY else [streamer.file]
            if not request.scope.filters.follow:
                return await search(listeners=[looks.file, *listeners])
            found = await search(admits=partial(is_within, workspace=workspace), listeners=listeners)
        # Of what links lead to several times only one is shown.
        replaced = {document.real for document in documents}
        once = await asyncio.to_thread(without_repeats, found, request.scope.roots, replaced)
        if found.is_cut and len(once.files) < len(found.files):
            # The others took room from the rest.
            once = await search(admits={file.path for file in once.files}.__contains__)
        for file in once.files:
            looks.file(file)
        return once

    async def _unsaved(self, request: SearchRequest, workspace: Workspace) -> tuple[Candidate, ...]:
        """The documents to search in the place of their files; without a folder, every open one."""
        open_now = self._documents.all() if request.include_unsaved else ()
        if not open_now:
            return ()
        return await candidates(self._ripgrep, open_now, request.scope, workspace)

    async def _empty(
        self, request: SearchRequest, found: Scan, snapshot: Snapshot, workspace: Workspace
    ) -> SearchResult:
        kept_out = None
        if request.explain_empty:
            kept_out = await explain.kept_out(self._ripgrep, request, workspace, found.unsaved)
        return empty_answer(snapshot, request.style, kept_out)

    async def _first_answer(self, request: SearchRequest, kept: Kept) -> SearchResult:
        style, snapshot = request.style, kept.snapshot
        if request.mode == "matches" or (request.mode == "auto" and request.has_limit):
            return await self._matches(kept, ALL_FILES, 0, style, keep=request.keep)
        if request.mode == "auto" and 0 < snapshot.totals.retained <= limits.PAGE_ROWS_MAX:
            answer = await self._whole_if_it_fits(request, kept)
            if answer is not None:
                return answer
        budget = request.budget if request.mode == "auto" else None
        return await self._summary(kept, 0, style, budget)

    async def _whole_if_it_fits(self, request: SearchRequest, kept: Kept) -> SearchResult | None:
        if kept.snapshot.totals.retained < kept.snapshot.totals.matches:
            return None
        view = request.style.view
        trial = msgspec.structs.replace(
            request.style, limit=limits.PAGE_ROWS_MAX, view="both" if view == "items" else view
        )
        answer = await self._matches(kept, ALL_FILES, 0, trial, budget=request.budget, keep=request.keep)
        if answer.cursor is not None or not fits(answer.text or "", request.budget):
            return None
        return answer if view != "items" else msgspec.structs.replace(answer, text=None)

    async def _summary(
        self, kept: Kept, offset: int, style: PageStyle, budget: Budget | None = None
    ) -> SearchResult:
        positions = kept.snapshot.by_count[offset : offset + limits.SUMMARY_ROWS]
        first_rows = await asyncio.to_thread(_first_rows, kept.snapshot, positions, self._view)
        return summary_answer(kept, offset, first_rows, style, budget)

    async def _matches(
        self,
        kept: Kept,
        selection: str,
        offset: int,
        style: PageStyle,
        *,
        budget: Budget | None = None,
        keep: bool = True,
    ) -> SearchResult:
        slices = kept.snapshot.slices(selection, offset, style.limit)
        rows = await self._rows(kept.snapshot, slices, style)
        return matches_answer(kept, selection, offset, rows, style, budget=budget, keep=keep)

    async def _plain(self, request: SearchRequest, kept: Kept) -> str:
        """The answer of the usual grep tool to the same search."""
        slices = kept.snapshot.slices(ALL_FILES, 0, limits.PLAIN_GREP_ROWS)
        rows = await self._rows(kept.snapshot, slices, request.style)
        return plain_grep.plain_grep(rows, partial(plain_grep.shown_path, kept.snapshot, request.scope.roots))

    def _kept(self, number: int, snapshot: Snapshot, workspace: Workspace) -> Kept:
        return Kept(
            number=number,
            snapshot=snapshot,
            codec=self._store.codec,
            uri_of=lambda file: file.uri_in(workspace),
        )

    async def _rows(self, snapshot: Snapshot, slices: list[Slice], style: PageStyle) -> list[ShownRow]:
        now = {document.uri: document for document in self._documents.all()}
        return await asyncio.to_thread(read_rows, snapshot, slices, style, self._view, now)


_NO_CONTEXT = PageStyle(limit=1, before=0, after=0, view="items")


def _first_rows(
    snapshot: Snapshot, positions: tuple[int, ...], view: TextView
) -> list[tuple[Row, int] | None]:
    """Of each file the first retained row and the lone CRs before its line; blocks."""
    found: list[tuple[Row, int] | None] = []
    for position in positions:
        file = snapshot.files[position]
        facts = file_facts(snapshot, file, view)
        rows = rows_between(file, 0, 1, view, multiline=snapshot.matching.multiline, latin1=facts.latin1)
        first = next(rows, None)
        found.append((first, facts.lone_crs_before.get(first.line, 0)) if first else None)
    return found


def _continued(cursor: Cursor, selection: str | None) -> str:
    if selection is not None and selection != cursor.selection:
        raise CursorMismatch(
            "this cursor continues other files than those named in `path`",
            "Leave `path` out to continue, or start from the snapshot or the summary's cursor.",
        )
    return cursor.selection


def _timed(answer: SearchResult, began: float) -> SearchResult:
    elapsed_ms = round((time.monotonic() - began) * 1000, 3)
    return msgspec.structs.replace(answer, elapsed_ms=elapsed_ms)
