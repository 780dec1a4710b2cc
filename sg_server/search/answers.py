"""Composes answers: what is found becomes one text and the same rows as items."""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from sg_server import limits
from sg_server.search import headline, pages
from sg_server.search.budget import room_for
from sg_server.search.cursors import ALL_FILES, Cursor, CursorCodec, CursorKind
from sg_server.search.evidence import FileEvidence, Row
from sg_server.search.reading import ShownRow
from sg_server.search.request import PageStyle
from sg_server.search.results import Budget, FileRow, KeptOut, Match, Omitted, SearchResult
from sg_server.search.snapshots import Snapshot
from sg_server.search.summary import SummaryPage, summary_page
from sg_server.text.excerpts import utf8_size
from sg_server.text.plain import call, counted
from sg_server.text.positions import Location, Position, Range

_NUMBERS_BYTES = 64
"""How much longer the numbers of a finished answer may be than those it was measured with."""
_EXAMPLE_PATH_CHARACTERS = 200
_FILE_START = Range(start=Position(line=0, character=0), end=Position(line=0, character=0))


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot in the store, and the words by which a client reaches it."""

    number: int
    snapshot: Snapshot
    codec: CursorCodec
    uri_of: Callable[[FileEvidence], str]

    @property
    def id(self) -> str:
        """The public id."""
        return self.codec.snapshot_id(self.number)

    def cursor(self, kind: CursorKind, offset: int, selection: str = ALL_FILES) -> str:
        """The cursor at `offset`."""
        return self.codec.encode(Cursor(snapshot=self.number, offset=offset, kind=kind, selection=selection))


def empty_answer(snapshot: Snapshot, style: PageStyle, kept_out: KeptOut | None) -> SearchResult:
    """Nothing matched: what was searched, by which rules, and what those kept out."""
    lines = [
        f"0 matches; {counted(snapshot.totals.files_searched, 'file')} searched.",
        *headline.completeness_lines(snapshot),
        headline.rules_line(snapshot.rules),
        *headline.kept_out_lines(kept_out),
    ]
    text = "\n".join(lines) + "\n"
    return _result(
        snapshot,
        mode="empty",
        text=None if style.view == "items" else text,
        omitted=Omitted(),
        kept_out=kept_out,
        budget=None,
    )


def summary_answer(
    kept: Kept,
    offset: int,
    first_rows: Sequence[tuple[Row, int] | None],
    style: PageStyle,
    budget: Budget | None,
) -> SearchResult:
    """A page of files from `offset` on. `first_rows` has each file's first row and the lone CRs before it."""
    snapshot = kept.snapshot
    positions = snapshot.by_count[offset : offset + len(first_rows)]
    rows_only = [found[0] if found else None for found in first_rows]
    head = _head(snapshot, budget)

    def framed(page: SummaryPage) -> list[str]:
        after = offset + len(page.files)
        more = kept.cursor("summary", after) if after < len(snapshot.files) else None
        showing = f"Files {offset + 1:,}-{after:,} of {len(snapshot.files):,}, most matches first:"
        return [*head, showing, *page.lines, *_summary_tail(kept, more)]

    bare = framed(SummaryPage(lines=(), files=()))
    room = room_for(budget) - _size(bare) - _NUMBERS_BYTES
    page = summary_page(snapshot, positions, rows_only, kept.uri_of, room)
    after = offset + len(page.files)
    has_items = style.view != "text"
    return _result(
        snapshot,
        mode="summary",
        text=None if style.view == "items" else "\n".join(framed(page)) + "\n",
        files=page.files if has_items else None,
        locations=tuple(
            Location(uri=row.uri, range=_first_range(found))
            for row, found in zip(page.files, first_rows, strict=False)
        )
        if has_items
        else None,
        snapshot_id=kept.id,
        cursor=kept.cursor("summary", after) if after < len(snapshot.files) else None,
        omitted=Omitted(
            files=len(snapshot.files) - len(page.files),
            previews=sum(row.preview is None and row.retained > 0 for row in page.files),
        ),
        budget=budget,
    )


def matches_answer(
    kept: Kept,
    selection: str,
    offset: int,
    rows: Sequence[ShownRow],
    style: PageStyle,
    *,
    budget: Budget | None = None,
    keep: bool = True,
) -> SearchResult:
    """A page of matches: as many of `rows`, which start at `offset` of the selection, as fit."""
    snapshot = kept.snapshot
    total = snapshot.row_total(selection)
    body: list[str] = []
    if style.view == "items":
        matches = pages.items(snapshot, rows, kept.uri_of, limits.ITEMS_BYTES_MAX)
        shown = rows[: len(matches)]
    else:
        tail = _matches_tail(kept, kept.cursor("matches", total, selection), snapshot.totals.retained)
        frame = [*_head(snapshot, budget), _showing(total, total, total), *tail]
        text = pages.MatchText(snapshot, limits.RESPONSE_BYTES - _size(frame) - _NUMBERS_BYTES)
        count = next((number for number, row in enumerate(rows) if not text.add(row)), len(rows))
        shown, body = rows[:count], text.lines
        matches = pages.items(snapshot, shown, kept.uri_of) if style.view == "both" else []
    after = offset + len(shown)
    cursor = kept.cursor("matches", after, selection) if after < total else None
    is_kept = keep or cursor is not None
    inspectable = shown[0].index if shown and is_kept else None
    lines = [
        *_head(snapshot, budget),
        _showing(offset + 1, after, total),
        *body,
        *_matches_tail(kept, cursor, inspectable),
    ]
    has_items = style.view != "text"
    files = len(snapshot.files if selection == ALL_FILES else snapshot.selections[selection])
    return _result(
        snapshot,
        mode="matches",
        text=None if style.view == "items" else "\n".join(lines) + "\n",
        matches=tuple(matches) if has_items else None,
        locations=tuple(match.location for match in matches) if has_items else None,
        snapshot_id=kept.id if is_kept else None,
        cursor=cursor,
        omitted=Omitted(
            files=files - len({row.position for row in shown}),
            occurrence_ranges=sum(max(0, len(row.row.ranges) - limits.SHOWN_OCCURRENCES) for row in shown),
        ),
        budget=budget,
    )


def _result(
    snapshot: Snapshot,
    *,
    mode: Literal["empty", "summary", "matches"],
    omitted: Omitted,
    budget: Budget | None,
    text: str | None,
    files: tuple[FileRow, ...] | None = None,
    matches: tuple[Match, ...] | None = None,
    locations: tuple[Location, ...] | None = None,
    snapshot_id: str | None = None,
    cursor: str | None = None,
    kept_out: KeptOut | None = None,
) -> SearchResult:
    return SearchResult(
        version=1,
        mode=mode,
        status="partial" if snapshot.partial_reasons else "complete",
        partial_reasons=snapshot.partial_reasons,
        text=text,
        totals=snapshot.totals,
        files=files,
        matches=matches,
        locations=locations,
        snapshot=snapshot_id,
        cursor=cursor,
        omitted=omitted,
        unverified_files=snapshot.unverified_files,
        unreadable_paths=snapshot.unreadable_paths or None,
        binary_files=snapshot.binary_files or None,
        rules=snapshot.rules,
        kept_out=kept_out,
        budget=budget,
        elapsed_ms=0.0,
    )


def _head(snapshot: Snapshot, budget: Budget | None) -> list[str]:
    return [
        headline.totals_line(snapshot),
        *headline.completeness_lines(snapshot),
        *headline.budget_lines(budget),
    ]


def _showing(first: int, last: int, total: int) -> str:
    if last < first:
        return "No match is kept here."
    return f"Matches {first:,}-{last:,} of {total:,} as line:columns [index]; columns from 1, end excluded:"


def _matches_tail(kept: Kept, cursor: str | None, inspectable: int | None) -> list[str]:
    """The requests that can follow; `inspectable` is the index of a match for an example."""
    lines = [] if cursor is None else [f"More: {call('sg.page', cursor=cursor)}"]
    if inspectable is not None:
        example = call("sg.inspect", snapshot=kept.id, matchIndex=inspectable)
        lines.append(f"Source around one: {example}")
    return ["", *lines] if lines else []


def _summary_tail(kept: Kept, cursor: str | None) -> list[str]:
    snapshot = kept.snapshot
    example = snapshot.displays[snapshot.by_count[0]]
    path = example if len(example) <= _EXAMPLE_PATH_CHARACTERS else "PATH"
    return [
        "",
        *([] if cursor is None else [f"More files: {call('sg.page', cursor=cursor)}"]),
        f"Matches of files: {call('sg.page', snapshot=kept.id, path=[path])}",
        f"All matches: {call('sg.page', snapshot=kept.id)}",
    ]


def _first_range(found: tuple[Row, int] | None) -> Range:
    if found is None:
        return _FILE_START
    row, lone_crs_before = found
    return pages.absolute(row.primary, row.line - 1 + lone_crs_before)


def _size(lines: Sequence[str]) -> int:
    return sum(utf8_size(line) + 1 for line in lines)
