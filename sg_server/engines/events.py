"""What ripgrep writes with `--json`: its events, read no further than somebody wants to know."""

import os
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from sg_server import limits
from sg_server.engines.records import CappedRecords, Oversized

SUBMATCH_MARK: Final = b'{"match":{"'
"""Stands once in a record for each submatch, and nowhere else: inside JSON strings quotes are escaped."""

# A record of each kind begins with these bytes: rg writes an event's fields in the order of its own structs.
_MATCH: Final = b'{"type":"match"'
_NEXT_MATCH: Final = b"\n" + _MATCH
_BEGIN: Final = b'{"type":"begin"'
_END: Final = b'{"type":"end"'
_NO_SUBMATCH: Final = b'"submatches":[]}}\n'
_SUMMARY: Final = b'{"data":{"elapsed_total"'
_TAIL_BYTES: Final = 4 * limits.KIB
"""More than the closing summary takes, which is the last record of a run."""


class _Text(msgspec.Struct, frozen=True):
    """rg's way with text: plain where it is valid UTF-8, else in base64."""

    text: str | None = None
    base64: bytes | None = msgspec.field(default=None, name="bytes")

    def raw(self) -> bytes:
        return self.base64 if self.base64 is not None else (self.text or "").encode()

    def path(self) -> str:
        # Most names are ASCII, which every file system's encoding takes for itself.
        if self.text is not None and self.text.isascii():
            return self.text
        return os.fsdecode(self.raw())


class Submatch(msgspec.Struct, frozen=True):
    """Bytes [start, end) of an event's lines."""

    start: int
    end: int


class MatchEvent(msgspec.Struct, frozen=True):
    """Matching lines, with their terminators."""

    lines: _Text
    line_number: int
    """1-based, of the first line."""
    absolute_offset: int
    """Of the first line's first byte in the searched text."""
    submatches: tuple[Submatch, ...]


class Stats(msgspec.Struct, frozen=True):
    """Exact counts of one file, or of a run."""

    matched_lines: int
    matches: int
    searches: int


class EndEvent(msgspec.Struct, frozen=True):
    """The end of one file that matched."""

    path: _Text
    stats: Stats
    binary_offset: int | None = None


class _BeginEvent(msgspec.Struct, frozen=True):
    path: _Text


class _Summary(msgspec.Struct, frozen=True):
    stats: Stats


_Data = TypeVar("_Data")


class _Event(msgspec.Struct, Generic[_Data], frozen=True):
    data: _Data


_match_decoder = msgspec.json.Decoder(_Event[MatchEvent])
_begin_decoder = msgspec.json.Decoder(_Event[_BeginEvent])
_end_decoder = msgspec.json.Decoder(_Event[EndEvent])
_summary_decoder = msgspec.json.Decoder(_Event[_Summary])


def decode_match(record: bytes) -> MatchEvent:
    """The match event in `record`."""
    return _match_decoder.decode(record).data


def split_matches(records: bytes) -> list[bytes]:
    """The match events in `records`, each of which ends with LF; other kinds are passed over."""
    return [record for record in records[:-1].split(b"\n") if record.startswith(_MATCH)]


def unreported_in(records: bytes) -> int:
    """How many of `records` are of an occurrence that rg neither reports nor counts in them.

    Such as an empty one at the very end of a text, or one that lies in a line's CRLF.
    """
    return records.count(_NO_SUBMATCH)


class EventSink(Protocol):
    """Takes one run's events, file by file."""

    @property
    def wants_matches(self) -> bool:
        """False once only the ends of files matter: the rest is then passed over undecoded."""

    def matches(self, path: str, records: bytes, count: int) -> None:
        """`count` match events of a file that goes on, as `split_matches` takes them, in order."""

    def oversized(self, path: str) -> None:
        """A match event whose record is over `limits.RECORD_BYTES`, of a file that goes on."""

    def end(self, path: str, event: EndEvent, records: bytes, count: int) -> None:
        """The end of a file, and its match events that were not given yet."""


class EventReader:
    """Turns rg's JSON, in chunks, into calls of a sink: mostly one for each file."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._records = CappedRecords(b"\n", limits.RECORD_BYTES)
        self._tail = b""
        self._path = ""
        """Of the file that goes on."""

    def feed(self, chunk: bytes) -> None:
        """Take the next chunk. Raises msgspec.DecodeError where it is not what rg writes."""
        self._tail = (self._tail + chunk[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        if not self._sink.wants_matches:
            for record in self._records.feed_only(chunk, _END):
                end = _end_decoder.decode(record).data
                self._sink.end(end.path.path(), end, b"", 0)
            return
        for records in self._records.feed_whole(chunk):
            if isinstance(records, Oversized):
                self._sink.oversized(self._path)
            else:
                self._read(records)

    def summary(self) -> Stats | None:
        """The closing summary, which is the last record; None when the run did not get that far."""
        *_, last, after = (b"", *self._tail.split(b"\n"))
        return _summary_decoder.decode(last).data.stats if last.startswith(_SUMMARY) and not after else None

    def _read(self, records: bytes) -> None:
        """Take whole records, each ended by LF."""
        start = 0
        while (end := _next(records, _END, start)) < len(records):
            after = records.find(b"\n", end) + 1
            event = _end_decoder.decode(records[end:after]).data
            if records.startswith(_BEGIN, start):
                start = records.find(b"\n", start) + 1
            matches = records[start:end]
            self._sink.end(event.path.path(), event, matches, _count(matches))
            start = after
        if records.startswith(_BEGIN, start):
            after = records.find(b"\n", start) + 1
            self._path = _begin_decoder.decode(records[start:after]).data.path.path()
            start = after
        matches = records[start:]
        if count := _count(matches):
            self._sink.matches(self._path, matches, count)


def _next(records: bytes, kind: bytes, start: int) -> int:
    """Where the first record of a kind begins, at or after the one at `start`; the end if there is none."""
    if records.startswith(kind, start):
        return start
    found = records.find(b"\n" + kind, start)
    return found + 1 if found >= 0 else len(records)


def _count(records: bytes) -> int:
    return records.startswith(_MATCH) + records.count(_NEXT_MATCH)
