"""Records of a program's output: cut at a separator, capped, over any chunking."""

from typing import Final


class Oversized:
    """Stands for one record over the cap, whose bytes were not kept."""


OVERSIZED: Final = Oversized()


class CappedRecords:
    """Cuts a stream into records that end at `separator`, which is one byte.

    A record of more than `cap` bytes, separator not counted, comes out as `OVERSIZED` and costs no memory.
    """

    def __init__(self, separator: bytes, cap: int) -> None:
        self._separator = separator
        self._cap = cap
        self._partial: list[bytes] = []
        self._partial_size = 0

    def feed(self, chunk: bytes) -> list[bytes | Oversized]:
        """The records that end in `chunk`, without their separators, in order."""
        records: list[bytes | Oversized] = []
        *complete, rest = chunk.split(self._separator)
        if complete:
            records.append(self._completed(complete[0]))
            records += complete[1:]
            if len(chunk) > self._cap:
                records[1:] = [
                    record if isinstance(record, Oversized) or len(record) <= self._cap else OVERSIZED
                    for record in records[1:]
                ]
        if rest:
            self._keep(rest)
        return records

    def feed_whole(self, chunk: bytes) -> list[bytes | Oversized]:
        """As `feed`, with separators and in as few pieces as can be: several records, or one oversized."""
        if len(chunk) > self._cap:
            return [
                record if isinstance(record, Oversized) else record + self._separator
                for record in self.feed(chunk)
            ]
        pieces: list[bytes | Oversized] = []
        start = 0
        stop = chunk.rfind(self._separator) + 1
        if stop and self._partial_size:
            start = chunk.find(self._separator) + 1
            first = self._completed(chunk[: start - 1])
            pieces.append(first if isinstance(first, Oversized) else first + self._separator)
        if start < stop:
            pieces.append(chunk[start:stop])
        if stop < len(chunk):
            self._keep(chunk[stop:])
        return pieces

    def feed_only(self, chunk: bytes, prefix: bytes) -> list[bytes]:
        """As `feed`, but only the records that begin with `prefix`; the rest is passed over uncut.

        Oversized records are passed over too. Several times faster than `feed` where few begin so.
        """
        records: list[bytes] = []
        position = 0
        if self._partial_size:
            position = chunk.find(self._separator) + 1
            if not position:
                self._keep(chunk)
                return records
            first = self._completed(chunk[: position - 1])
            if not isinstance(first, Oversized) and first.startswith(prefix):
                records.append(first)
        begins = position if chunk.startswith(prefix, position) else self._next(chunk, prefix, position)
        while begins >= 0:
            ends = chunk.find(self._separator, begins)
            if ends < 0:
                break
            if ends - begins <= self._cap:
                records.append(chunk[begins:ends])
            begins = self._next(chunk, prefix, ends)
        if rest := chunk[max(position, chunk.rfind(self._separator) + 1) :]:
            self._keep(rest)
        return records

    def finish(self) -> list[bytes | Oversized]:
        """The last record, when the stream did not end with a separator."""
        return [self._completed(b"")] if self._partial_size else []

    def _next(self, chunk: bytes, prefix: bytes, start: int) -> int:
        """Where the next record that begins with `prefix` begins, looking from a separator on; -1 if none."""
        found = chunk.find(self._separator + prefix, start)
        return found + 1 if found >= 0 else -1

    def _keep(self, rest: bytes) -> None:
        self._partial_size += len(rest)
        if self._partial_size > self._cap:
            self._partial.clear()
        else:
            self._partial.append(rest)

    def _completed(self, tail: bytes) -> bytes | Oversized:
        size = self._partial_size + len(tail)
        kept = self._partial
        self._partial, self._partial_size = [], 0
        if size > self._cap:
            return OVERSIZED
        return b"".join((*kept, tail)) if kept else tail
