"""One page of a summary: files by count, with their first retained match where it fits."""

from collections.abc import Callable, Sequence

import msgspec

from sg_server import limits
from sg_server.search.evidence import FileEvidence, Row
from sg_server.search.results import FileRow, Preview
from sg_server.search.snapshots import Snapshot
from sg_server.text.excerpts import clip_around, clip_bytes, utf8_size
from sg_server.text.plain import plain

_PREVIEW_CHARACTERS = 160
_PATH_BYTES = 4 * limits.KIB


class SummaryPage(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one page, in both forms."""

    lines: tuple[str, ...]
    files: tuple[FileRow, ...]


def summary_page(
    snapshot: Snapshot,
    positions: Sequence[int],
    first_rows: Sequence[Row | None],
    uri_of: Callable[[FileEvidence], str],
    room: int,
) -> SummaryPage:
    """As many of the files at `positions` as fit `room` bytes of text, one at least, then as many previews.

    `first_rows` has the first retained row of each, None where a file has none.
    """
    rows: list[FileRow] = []
    width = max((len(f"{snapshot.files[position].matches:,}") for position in positions), default=0)
    for position, first in zip(positions, first_rows, strict=True):
        row = _file_row(snapshot, position, first, uri_of)
        room -= utf8_size(_row_line(row, width)) + 1
        if room < 0 and rows:
            break
        rows.append(row)
    lines: list[str] = []
    for number, row in enumerate(rows):
        lines.append(_row_line(row, width))
        first = first_rows[number]
        if first is not None:
            preview = _preview(snapshot, positions[number], first)
            line = f"    {preview.line}:{first.columns[0][0] + 1} [{preview.index}] {plain(preview.text)}"
            if utf8_size(line) + 1 <= room:
                room -= utf8_size(line) + 1
                lines.append(line)
                rows[number] = msgspec.structs.replace(row, preview=preview)
    return SummaryPage(lines=tuple(lines), files=tuple(rows))


def _file_row(
    snapshot: Snapshot, position: int, first: Row | None, uri_of: Callable[[FileEvidence], str]
) -> FileRow:
    file = snapshot.files[position]
    return FileRow(
        uri=uri_of(file),
        path=snapshot.displays[position],
        matches=file.matches,
        occurrences=file.occurrences,
        retained=file.retained,
        verified=file.revision is not None,
        unsaved=True if file.document else None,
        lossy=True if first is not None and first.lossy else None,
    )


def _row_line(row: FileRow, width: int) -> str:
    notes = [
        note
        for note, applies in (
            (f"{row.occurrences:,} occurrences", row.occurrences != row.matches),
            (f"{row.retained:,} kept", row.retained < row.matches),
            ("unsaved text", row.unsaved is True),
            ("unverified", row.retained > 0 and not row.verified),
        )
        if applies
    ]
    path = clip_bytes(plain(row.path), _PATH_BYTES)
    return f"{row.matches:>{width},}  {path}" + (f" ({'; '.join(notes)})" if notes else "")


def _preview(snapshot: Snapshot, position: int, first: Row) -> Preview:
    start, end = (column - first.text_start for column in first.columns[0])
    clip = clip_around(first.text, start, end, _PREVIEW_CHARACTERS)
    return Preview(index=snapshot.first_rows[position] + 1, line=first.line, text=clip.text)
