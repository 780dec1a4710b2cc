"""What a search found: the rows of each file, as rg's own records until somebody looks at them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate, chain, groupby, islice, takewhile
from operator import itemgetter
from typing import Final

import msgspec

from sg_server import limits
from sg_server.engines.events import (
    SUBMATCH_MARK,
    MatchEvent,
    decode_match,
    split_matches,
)
from sg_server.text import lines
from sg_server.text.excerpts import clip_around
from sg_server.text.positions import Range, Span, TextView, codepoint_columns, ranges_in, shown
from sg_server.workspace.documents import DocumentRevision
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import Revision

_RAW_BYTES = 4 * limits.KIB
"""A longer record is cut down to its rows at once; shorter ones are cheapest as they are."""
_MEAN_BYTES = limits.KIB
"""Among many that are shorter a long one matters little."""
_ROW_BYTES = 400
_OCCURRENCE_BYTES = 250


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One matching line or, in multiline mode, one occurrence and the line it starts on."""

    line: int
    """1-based, counting LF only."""
    byte_start: int
    """Of the line's first byte in the searched text."""
    spans: tuple[Span, ...]
    """Bytes [start, end) of each occurrence, from the line's first byte on."""
    ranges: tuple[Range, ...]
    """The same for the client; line 0 is the LSP line on which this LF line starts."""
    columns: tuple[Span, ...]
    """The same in code points of the LF line, for people; the first `limits.SHOWN_OCCURRENCES`."""
    text: str
    """At most `limits.LINE_CHARACTERS` of the line around the first occurrence."""
    text_start: int
    """Code points of the line before `text`."""
    head: str | None
    """As much of the line from its start on; None where it was not kept, or `text` is that."""
    clipped: bool
    line_hash: bytes
    """Of the whole line's content, to know it again when the source is read."""
    lossy: bool

    @property
    def primary(self) -> Range:
        """The first occurrence."""
        return self.ranges[0]


class Records(msgspec.Struct, frozen=True, gc=False):
    """Match records of one file as rg wrote them, each ended by LF, and how many rows they make."""

    data: bytes
    rows: int


Kept = Records | tuple[Row, ...]
"""Rows of one file, in order: decoded when somebody looks at them or, where that is smaller, at once."""


class FileEvidence(msgspec.Struct, kw_only=True, gc=False):
    """All that is kept of one file that matched."""

    path: str
    """Absolute, in its root's spelling, undecodable bytes as surrogates; a URI where there is no file."""
    kept: list[Kept]
    retained: int = 0
    """Rows in `kept`."""
    matches: int = 0
    occurrences: int = 0
    binary_offset: int | None = None
    oversized: bool = False
    """A record was over the protocol's cap: counted, without a row."""
    revision: Revision | DocumentRevision | None = None
    """None until, and unless, it is proven that this is the text that was searched."""
    facts: "FileFacts | None" = None
    """Read when rows of the file are first shown, and kept with the revision."""

    @property
    def document(self) -> DocumentRevision | None:
        """The open document whose unsaved text this is about; None for a file on disk."""
        return self.revision if isinstance(self.revision, DocumentRevision) else None

    def uri_in(self, workspace: Workspace) -> str:
        """The URI in the client's spelling."""
        return self.document.uri if self.document else workspace.uri_of(self.path)


class FileFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What only the whole file tells about its rows."""

    lone_crs_before: Mapping[int, int]
    """CRs without an LF before the start of a retained line, where there are any, by line number."""
    latin1: bool | None
    """Whether the client shows every byte of the file as one character; None when that is not known."""


UNKNOWN_FACTS: Final = FileFacts(lone_crs_before={}, latin1=None)


def rows_between(
    file: FileEvidence, start: int, stop: int, view: TextView, *, multiline: bool, latin1: bool | None
) -> Iterator[Row]:
    """The retained rows [start, stop) of `file`, 0-based."""
    first = 0
    for kept in file.kept:
        after = first + row_count(kept)
        if start < after and first < stop:
            span = max(0, start - first), stop - first
            yield from _rows_in(kept, span, view, multiline=multiline, latin1=latin1)
        first = after


def all_rows(file: FileEvidence, view: TextView, *, multiline: bool, latin1: bool | None) -> Iterator[Row]:
    """Every retained row of `file`."""
    return rows_between(file, 0, file.retained, view, multiline=multiline, latin1=latin1)


def _rows_in(
    kept: Kept, span: Span, view: TextView, *, multiline: bool, latin1: bool | None
) -> Iterator[Row]:
    """The rows of `kept` in `span`, which is [start, stop), 0-based."""
    if isinstance(kept, tuple):
        yield from kept[slice(*span)]
    elif multiline:
        rows = chain.from_iterable(
            rows_of(one, view, multiline=True, latin1=latin1) for one in split_matches(kept.data)
        )
        yield from islice(rows, *span)
    else:
        for record in split_matches(kept.data)[slice(*span)]:
            yield from rows_of(record, view, multiline=False, latin1=latin1)


def line_numbers(file: FileEvidence, *, multiline: bool) -> list[int]:
    """The lines of the retained rows, ascending, each once."""
    numbers: dict[int, None] = {}
    for kept in file.kept:
        if isinstance(kept, tuple):
            numbers.update((row.line, None) for row in kept)
            continue
        for event in map(decode_match, split_matches(kept.data)):
            if multiline:
                block = event.lines.raw()
                starts = _line_starts(event, block, _spans(event, block))
                numbers.update((line, None) for line, _, _ in starts)
            else:
                numbers[event.line_number] = None
    return list(numbers)


def hash_line(content: bytes) -> bytes:
    """The hash of a line without its terminator by which a read line is compared with the retained one."""
    return hashlib.blake2b(content, digest_size=16).digest()


def row_count(kept: Kept) -> int:
    """How many rows are in `kept`."""
    return len(kept) if isinstance(kept, tuple) else kept.rows


def rows_made(records: bytes) -> int:
    """How many rows `records`, each ended by LF, make in multiline mode, without decoding them."""
    return sum(max(record.count(SUBMATCH_MARK), 1) for record in split_matches(records))


def cut_down(
    record: bytes, view: TextView, *, multiline: bool, with_heads: bool, most: int
) -> tuple[Row, ...]:
    """The first `most` rows of a long record, their heads only if wanted."""
    rows = tuple(rows_of(record, view, multiline=multiline, latin1=None, most=most))
    if with_heads:
        return rows
    return tuple(msgspec.structs.replace(row, head=None) if row.head else row for row in rows)


def is_small(records: bytes, count: int, view: TextView) -> bool:
    """Whether `count` records take the least memory as they are, one with another."""
    # Where only the whole file tells how the client shows it, a line that is not plain ASCII stays as it is.
    return len(records) <= max(_RAW_BYTES, count * _MEAN_BYTES) or (
        view.invalid_utf8 == "latin1" and not records.isascii()
    )


def size_of(rows: Iterable[Row]) -> int:
    """Roughly how many bytes `rows` take in memory."""
    return sum(map(_size, rows))


def fitting(rows: tuple[Row, ...], room: int) -> tuple[Row, ...]:
    """The first of `rows` that take at most `room` bytes, roughly."""
    sizes = accumulate(map(_size, rows))
    return rows[: sum(1 for _ in takewhile(lambda size: size <= room, sizes))]


def _size(row: Row) -> int:
    return _ROW_BYTES + _OCCURRENCE_BYTES * len(row.spans) + 4 * len(row.text)


def rows_of(
    record: bytes, view: TextView, *, multiline: bool, latin1: bool | None, most: int | None = None
) -> Iterator[Row]:
    """The rows of one record, in order; at most `most` of them.

    `latin1` says whether the client shows every byte of this file as one character; None when that is not
    known, and then the line itself decides.
    """
    event = decode_match(record)
    block = event.lines.raw()
    lossy = event.lines.base64 is not None
    as_latin1 = (lossy if latin1 is None else latin1) and view.invalid_utf8 == "latin1"
    spans = _spans(event, block)
    rows = partial(_rows, view=view, latin1=as_latin1, lossy=lossy, multiline=multiline)
    if not multiline:
        yield from rows(event.line_number, event.absolute_offset, block, [spans])
        return
    for (line, start), found in groupby(_line_starts(event, block, spans[:most]), key=itemgetter(0, 1)):
        on_line = [(span[0] - start, span[1] - start) for _, _, span in found]
        end = (block.find(b"\n", start) + 1 or len(block)) - start
        # Only the last one on a line can go on after it, and takes the lines that it touches with it.
        further = on_line.pop() if on_line[-1][1] > end else None
        if on_line:
            yield from rows(line, event.absolute_offset + start, block[start : start + end], zip(on_line))
        if further is not None:
            stop = block.find(b"\n", start + further[1] - 1) + 1 or len(block)
            yield from rows(line, event.absolute_offset + start, block[start:stop], [(further,)])


def _spans(event: MatchEvent, block: bytes) -> tuple[Span, ...]:
    """The occurrences in `block`; the one without a submatch is at the end."""
    end = len(lines.content(block))
    return tuple((found.start, found.end) for found in event.submatches) or ((end, end),)


def _line_starts(event: MatchEvent, block: bytes, spans: tuple[Span, ...]) -> Iterator[tuple[int, int, Span]]:
    """Each span with the line it starts on, 1-based, and where in `block` that line starts."""
    line, line_start, passed = event.line_number, 0, 0
    for span in spans:
        start = max(block.rfind(b"\n", passed, span[0]) + 1, line_start)
        line += block.count(b"\n", line_start, start)
        line_start, passed = start, span[0]
        yield line, line_start, span


def _rows(
    line: int,
    byte_start: int,
    block: bytes,
    parts: Iterable[tuple[Span, ...]],
    *,
    view: TextView,
    latin1: bool,
    lossy: bool,
    multiline: bool,
) -> Iterator[Row]:
    """A row for each of `parts`, which are occurrences that start on the first line of `block`.

    What the rows have in common is worked out once: a line may hold thousands of them.
    """
    rows = list(parts)
    spans = list(chain.from_iterable(rows))
    first_line = block[: block.find(b"\n") + 1 or len(block)] if multiline else block
    content = lines.content(first_line)
    text = shown(content, latin1=latin1)
    line_hash = hash_line(content)
    # Without `multiline` there is one row, with all of them.
    shown_spans = spans if multiline else spans[: limits.SHOWN_OCCURRENCES]
    columns = codepoint_columns(first_line, shown_spans, latin1=latin1)
    ranges = ranges_in(block, spans, view, multiline=multiline, latin1=latin1)
    start = 0
    for row in rows:
        stop = start + len(row)
        clip = clip_around(text, *columns[start], limits.LINE_CHARACTERS)
        yield Row(
            line=line,
            byte_start=byte_start,
            spans=row,
            ranges=tuple(ranges[start:stop]),
            columns=tuple(columns[start:stop]),
            text=clip.text,
            text_start=clip.start,
            head=text[: limits.LINE_CHARACTERS] if clip.start else None,
            clipped=clip.clipped,
            line_hash=line_hash,
            lossy=lossy,
        )
        start = stop
