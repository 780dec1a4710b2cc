"""One page of matches: as many rows as fit, as text and as items."""

from collections.abc import Callable, Sequence

from sg_server import limits
from sg_server.search.evidence import FileEvidence
from sg_server.search.reading import Context, ShownRow
from sg_server.search.results import Match
from sg_server.search.snapshots import Snapshot
from sg_server.text.excerpts import clip_bytes, utf8_size
from sg_server.text.plain import plain
from sg_server.text.positions import Location, Position, Range

_ITEM_BYTES = 500
"""What an item's JSON takes beside its texts, paths and ranges, at the most."""
_RANGE_BYTES = 120
_HEADING_BYTES = 4 * limits.KIB
"""The longest path of Linux; one of bytes that are not UTF-8 takes three times as much to show."""


class MatchText:
    """Grows by a row at a time, file by file, with each line of context shown once."""

    def __init__(self, snapshot: Snapshot, room: int) -> None:
        """Room is in bytes of UTF-8."""
        self.lines: list[str] = []
        self._snapshot = snapshot
        self._room = room
        self._position = -1
        self._last_line = 0

    def add(self, shown: ShownRow) -> bool:
        """Add a row if it fits; the first one always does, if need be without its context."""
        added, last_line = self._rendered(shown, shown.context)
        if _size(added) > self._room:
            if self.lines:
                return False
            added, last_line = self._rendered(shown, None)
            added.append(" (context left out: it does not fit)")
        self.lines += added
        self._room -= _size(added)
        self._position, self._last_line = shown.position, last_line
        return True

    def _rendered(self, shown: ShownRow, context: Context | None) -> tuple[list[str], int]:
        """The lines that `shown` adds, and the last source line that has then been shown of its file."""
        row = shown.row
        same_file = shown.position == self._position
        last = self._last_line if same_file else 0
        lines = [] if same_file else [_heading(self._snapshot, shown.position)]
        before = context.before if context else ()
        for number, text in enumerate(before, row.line - len(before)):
            if number > last:
                lines.append(_context_line(number, text))
        lines.append(_match_line(shown))
        if context is not None and context.problem is not None:
            lines.append(f" (context refused: {context.problem})")
        last = max(last, row.line)
        after = context.after if context else ()
        for number, text in enumerate(after, (context.after_line if context else 0)):
            # From the next match on, the page that has that match shows the lines.
            if last < number and (shown.next_line is None or number < shown.next_line):
                lines.append(_context_line(number, text))
                last = number
        return lines, last


def items(
    snapshot: Snapshot,
    rows: Sequence[ShownRow],
    uri_of: Callable[[FileEvidence], str],
    room: int | None = None,
) -> list[Match]:
    """The items of `rows`; with `room`, bytes of JSON, only as many as fit, but one at least."""
    made: list[Match] = []
    for shown in rows:
        match = _item(snapshot, shown, uri_of)
        if room is not None:
            room -= _item_size(match)
            if room < 0 and made:
                break
        made.append(match)
    return made


def absolute(range_: Range, line: int) -> Range:
    """`range_`, whose lines count from a row's line, in its text; `line` is that LSP line, 0-based."""
    return Range(
        start=Position(line=range_.start.line + line, character=range_.start.character),
        end=Position(line=range_.end.line + line, character=range_.end.character),
    )


def _item(snapshot: Snapshot, shown: ShownRow, uri_of: Callable[[FileEvidence], str]) -> Match:
    row, context = shown.row, shown.context
    file = snapshot.files[shown.position]
    line = row.line - 1 + shown.lone_crs_before
    ranges = tuple(absolute(range_, line) for range_ in row.ranges[: limits.SHOWN_OCCURRENCES])
    uri = uri_of(file)
    has_context = context is not None and context.problem is None
    return Match(
        index=shown.index,
        uri=uri,
        path=snapshot.displays[shown.position],
        line=row.line,
        location=Location(uri=uri, range=ranges[0]),
        ranges=ranges,
        ranges_omitted=len(row.ranges) - len(ranges),
        text=row.text,
        clipped=row.clipped,
        byte_ranges=tuple(
            (row.byte_start + start, row.byte_start + end)
            for start, end in row.spans[: limits.SHOWN_OCCURRENCES]
        ),
        source="document" if file.document else "disk",
        document_version=file.document.version if file.document else None,
        verified=file.revision is not None,
        lossy=True if row.lossy else None,
        before=context.before if context and has_context else None,
        after=context.after if context and has_context else None,
        context_unavailable=context.problem if context else None,
    )


def _item_size(match: Match) -> int:
    texts = (match.text, *(match.before or ()), *(match.after or ()))
    return (
        _ITEM_BYTES
        + 2 * (len(match.uri) + utf8_size(match.path))
        + _RANGE_BYTES * len(match.ranges)
        # JSON may spend six bytes on a character.
        + sum(6 * len(text) for text in texts)
    )


def _heading(snapshot: Snapshot, position: int) -> str:
    file = snapshot.files[position]
    notes = [
        note
        for note, applies in (
            ("unverified", file.revision is None),
            (f"{file.retained:,} of {file.matches:,} matches kept", file.retained < file.matches),
        )
        if applies
    ]
    path = clip_bytes(plain(snapshot.displays[position]), _HEADING_BYTES)
    return f"{path} ({'; '.join(notes)})" if notes else path


def _match_line(shown: ShownRow) -> str:
    row = shown.row
    columns = ",".join(f"{start + 1}-{end + 1}" for start, end in row.columns)
    omitted = len(row.spans) - len(row.columns)
    more = f" (+{omitted:,} more occurrences)" if omitted else ""
    cut_before = "…" if row.text_start else ""
    cut_after = "…" if row.clipped else ""
    return f" {row.line}:{columns} [{shown.index}]{more} {cut_before}{plain(row.text)}{cut_after}"


def _context_line(number: int, text: str) -> str:
    return f" {number}- {plain(text)}"


def _size(lines: Sequence[str]) -> int:
    return sum(utf8_size(line) + 1 for line in lines)
