"""What a search found: the rows of each file, as rg's own records until somebody looks at them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import SUBMATCH_MARK, MatchEvent, decode_match
from sg_server.text import lines
from sg_server.text.excerpts import clip_around
from sg_server.text.positions import Range, Span, TextView, codepoint_columns, ranges_in, shown
from sg_server.workspace.documents import DocumentRevision
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import Revision

_RAW_BYTES = 4 * limits.KIB
"""A longer record is cut down to its rows at once; shorter ones are cheapest as they are."""
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


class FileEvidence(msgspec.Struct, kw_only=True, gc=False):
    """All that is kept of one file that matched."""

    path: str
    """Absolute, in its root's spelling, undecodable bytes as surrogates; a URI where there is no file."""
    records: list[bytes | tuple[Row, ...]]
    retained: int = 0
    """Rows in `records`."""
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
    if not multiline:
        for record in file.records[start:stop]:
            yield from rows_of(record, view, multiline=False, latin1=latin1)
        return
    first = 0
    for record in file.records:
        after = first + (len(record) if isinstance(record, tuple) else row_count(record, multiline=True))
        if start < after and first < stop:
            rows = rows_of(record, view, multiline=True, latin1=latin1)
            yield from islice(rows, max(0, start - first), stop - first)
        first = after


def line_numbers(file: FileEvidence, *, multiline: bool) -> list[int]:
    """The lines of the retained rows, ascending, each once."""
    numbers: dict[int, None] = {}
    for record in file.records:
        if isinstance(record, tuple):
            numbers.update((row.line, None) for row in record)
        elif multiline:
            event = decode_match(record)
            block = event.lines.raw()
            numbers.update((line, None) for line, _, _ in _line_starts(event, block, _spans(event, block)))
        else:
            numbers[decode_match(record).line_number] = None
    return list(numbers)


def hash_line(content: bytes) -> bytes:
    """The hash of a line without its terminator by which a read line is compared with the retained one."""
    return hashlib.blake2b(content, digest_size=16).digest()


def row_count(record: bytes, *, multiline: bool) -> int:
    """How many rows `record` makes, without decoding it."""
    return max(record.count(SUBMATCH_MARK), 1) if multiline else 1


def is_without_submatch(record: bytes | tuple[Row, ...]) -> bool:
    """Whether this is the record of an empty occurrence at the very end of a text: it has no submatch."""
    return isinstance(record, bytes) and SUBMATCH_MARK not in record


def keep(
    record: bytes, view: TextView, *, multiline: bool, with_heads: bool = False
) -> tuple[bytes | tuple[Row, ...], int]:
    """`record` in the form that takes little memory, and how many bytes that is; heads are not counted."""
    # Where only the whole file tells how the client shows it, a line that is not plain ASCII stays as it is.
    if len(record) <= _RAW_BYTES or (view.invalid_utf8 == "latin1" and not record.isascii()):
        return record, len(record)
    rows = tuple(rows_of(record, view, multiline=multiline, latin1=None))
    if not with_heads:
        rows = tuple(msgspec.structs.replace(row, head=None) for row in rows)
    return rows, size_of(rows)


def size_of(rows: Iterable[Row]) -> int:
    """Roughly how many bytes `rows` take in memory."""
    return sum(_ROW_BYTES + _OCCURRENCE_BYTES * len(row.spans) + 4 * len(row.text) for row in rows)


def rows_of(
    record: bytes | tuple[Row, ...], view: TextView, *, multiline: bool, latin1: bool | None
) -> Iterator[Row]:
    """The rows of one kept record, in order.

    `latin1` says whether the client shows every byte of this file as one character; None when that is not
    known, and then the line itself decides.
    """
    if isinstance(record, tuple):
        yield from record
        return
    event = decode_match(record)
    block = event.lines.raw()
    lossy = event.lines.base64 is not None
    as_latin1 = (lossy if latin1 is None else latin1) and view.invalid_utf8 == "latin1"
    spans = _spans(event, block)
    if not multiline:
        yield _row(
            event.line_number, event.absolute_offset, block, spans, view, latin1=as_latin1, lossy=lossy
        )
        return
    for line, line_start, (start, end) in _line_starts(event, block, spans):
        # Only the lines that the occurrence touches: a block may hold thousands of occurrences.
        stop = block.find(b"\n", max(end - 1, start)) + 1 or len(block)
        yield _row(
            line,
            event.absolute_offset + line_start,
            block[line_start:stop],
            ((start - line_start, end - line_start),),
            view,
            latin1=as_latin1,
            lossy=lossy,
            multiline=True,
        )


def _spans(event: MatchEvent, block: bytes) -> tuple[Span, ...]:
    """The occurrences in `block`; the one without a submatch is at the end."""
    end = len(lines.content(block))
    return tuple((found.start, found.end) for found in event.submatches) or ((end, end),)


def _line_starts(event: MatchEvent, block: bytes, spans: tuple[Span, ...]) -> Iterator[tuple[int, int, Span]]:
    """Each span with the line it starts on, 1-based, and where in `block` that line starts."""
    line, line_start = event.line_number, 0
    for span in spans:
        start = block.rfind(b"\n", 0, span[0]) + 1
        line += block.count(b"\n", line_start, start)
        line_start = start
        yield line, line_start, span


def _row(
    line: int,
    byte_start: int,
    block: bytes,
    spans: tuple[Span, ...],
    view: TextView,
    *,
    latin1: bool,
    lossy: bool,
    multiline: bool = False,
) -> Row:
    first_line = block[: block.find(b"\n") + 1 or len(block)] if multiline else block
    content = lines.content(first_line)
    columns = tuple(codepoint_columns(first_line, spans[: limits.SHOWN_OCCURRENCES], latin1=latin1))
    text = shown(content, latin1=latin1)
    clip = clip_around(text, *columns[0], limits.LINE_CHARACTERS)
    return Row(
        line=line,
        byte_start=byte_start,
        spans=spans,
        ranges=tuple(ranges_in(block, spans, view, multiline=multiline, latin1=latin1)),
        columns=columns,
        text=clip.text,
        text_start=clip.start,
        head=text[: limits.LINE_CHARACTERS] if clip.start else None,
        clipped=clip.clipped,
        line_hash=hash_line(content),
        lossy=lossy,
    )
