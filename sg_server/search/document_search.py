"""Searches documents with unsaved text, through ripgrep's standard input."""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Filters, Matching, Ripgrep
from sg_server.search.collector import Collector
from sg_server.search.evidence import FileEvidence, FileFacts, Row, all_rows, line_numbers, size_of
from sg_server.search.unsaved import Candidate
from sg_server.text import lines
from sg_server.text.positions import TextView

_LONG_LINE_BYTES = 64 * limits.KIB
"""A document with a longer line is searched alone: its records may be oversized and then name no line."""
_ALONE_BYTES = limits.MIB
"""A larger document is searched alone: then ripgrep counts what is not kept of it."""
_TOGETHER_BYTES = 16 * limits.MIB
"""Of the documents that share a run."""
_SMALL_PART = 0.1
_KNOWS_TEXT_ENDS = re.compile(r"\\[AzZG]|\(\?\w*-\w*m")
"""Patterns that can tell the end of a text from that of a line."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A document that matched."""

    candidate: Candidate
    evidence: FileEvidence
    bytes: int
    """What the kept rows take, roughly."""
    is_cut: bool
    """Not every row was kept."""


class UnsavedMatches(msgspec.Struct, frozen=True, kw_only=True):
    """The documents that matched, and are in scope as far as that is known."""

    found: tuple[Found, ...] = ()

    @property
    def rows(self) -> int:
        """Kept ones."""
        return sum(found.evidence.retained for found in self.found)

    @property
    def bytes(self) -> int:
        """What the kept rows take, roughly."""
        return sum(found.bytes for found in self.found)

    @property
    def is_cut(self) -> bool:
        """Not every row was kept."""
        return any(found.is_cut for found in self.found)

    def takes_room(self, most_rows: int) -> bool:
        """Documents that may not be in scope leave noticeably less room for those that are, and for files."""
        open_questions = [found for found in self.found if not found.candidate.is_decided]
        rows = sum(found.evidence.retained for found in open_questions)
        size = sum(found.bytes for found in open_questions)
        return rows > _SMALL_PART * most_rows or size > _SMALL_PART * limits.RETAINED_BYTES

    def among(self, names: Collection[str]) -> "UnsavedMatches":
        """Those that are in scope where `names` are all files that are."""
        return UnsavedMatches(
            found=tuple(
                found
                for found in self.found
                if found.candidate.is_decided or not found.candidate.names.isdisjoint(names)
            )
        )

    def in_place_of(self, documents: Iterable[Candidate]) -> dict[str, FileEvidence | None]:
        """By the names of the files of `documents` what was found in their place."""
        evidence = {found.candidate.document.uri: found.evidence for found in self.found}
        return {name: evidence.get(one.document.uri) for one in documents for name in one.names}

    def tell_decided(self, on_file: Callable[[FileEvidence], None]) -> None:
        """Give `on_file` those that are in scope whatever ripgrep finds."""
        for found in self.found:
            if found.candidate.is_decided:
                on_file(found.evidence)


class _Text(NamedTuple):
    candidate: Candidate
    text: bytes

    @property
    def ended(self) -> bytes:
        """The text as it stands before another one."""
        return self.text if self.text.endswith(b"\n") else self.text + b"\n"


def _batches(matching: Matching, texts: Iterable[_Text]) -> Iterator[list[_Text]]:
    """Cut `texts` into runs of ripgrep, which they share where one can stand after the other."""
    # PCRE2 is given line ends to match.
    knows_ends = (
        matching.multiline or matching.engine != "default" or _KNOWS_TEXT_ENDS.search(matching.pattern)
    )
    alone: list[_Text] = []
    together: list[_Text] = []
    room = _TOGETHER_BYTES
    for one in texts:
        size = len(one.text)
        if knows_ends or size > _ALONE_BYTES or one.text.endswith(b"\r") or _has_long_line(one.text):
            alone.append(one)
            continue
        if size > room:
            yield together
            together, room = [], _TOGETHER_BYTES
        together.append(one)
        room -= size
    if together:
        yield together
    for one in alone:
        yield [one]


def _has_long_line(text: bytes) -> bool:
    start = 0
    while len(text) - start > _LONG_LINE_BYTES:
        line_feed = text.rfind(b"\n", start, start + _LONG_LINE_BYTES + 1)
        if line_feed < 0:
            return True
        start = line_feed + 1
    return False


def _as_alone(row: Row, text: bytes) -> Row:
    """`row` without the empty occurrence at the end of `text` that ripgrep only sees before a line end."""
    is_added = row.spans[-1] == (len(text) - row.byte_start,) * 2 and not text.endswith(b"\n")
    if not is_added or len(row.spans) == 1:
        return row
    spans, ranges = row.spans[:-1], row.ranges[:-1]
    return msgspec.structs.replace(row, spans=spans, ranges=ranges, columns=row.columns[: len(spans)])


class DocumentSearch:
    """One search of documents, in as few runs of ripgrep as give the same answer."""

    def __init__(
        self,
        ripgrep: Ripgrep,
        matching: Matching,
        filters: Filters,
        view: TextView,
        *,
        cwd: str,
        most_rows: int,
        with_heads: bool = False,
    ) -> None:
        """At most `most_rows` rows are kept. `filters` are those for what is named."""
        self._ripgrep = ripgrep
        # The text is UTF-8 and all of it: a byte order mark in it is a character that the client shows.
        self._matching = msgspec.structs.replace(matching, encoding="none")
        self._filters = filters
        self._view = view
        self._cwd = cwd
        self._with_heads = with_heads
        self._rows_left = most_rows
        self._bytes_left = limits.RETAINED_BYTES

    async def run(self, documents: Iterable[Candidate]) -> UnsavedMatches:
        """Search `documents`. Raises as `Ripgrep.search`."""
        texts = [_Text(one, text) for one in documents if (text := one.document.searched)]
        # The long ones come last, which may leave no room.
        texts.sort(key=lambda one: len(one.text))
        found: list[Found] = []
        # A wrong pattern is refused even where there is no text.
        for together in list(_batches(self._matching, texts)) or [[]]:
            found += await self._search(together)
        return UnsavedMatches(found=tuple(found))

    async def _search(self, texts: Sequence[_Text]) -> list[Found]:
        """Search `texts` in one run, or each alone where it would not keep all of their rows."""
        collector = Collector(
            self._view,
            multiline=self._matching.multiline,
            most_rows=self._rows_left,
            most_bytes=self._bytes_left,
            head_rows=self._rows_left if self._with_heads else 0,
        )
        is_alone = len(texts) == 1
        stdin = texts[0].text if is_alone else b"".join(one.ended for one in texts)
        await self._ripgrep.search(
            self._matching, self._filters, ["-"], collector, cwd=self._cwd, stdin=stdin
        )
        if not is_alone and collector.is_cut:
            return [found for one in texts for found in await self._search([one])]
        found: list[Found] = []
        # There is one text, whatever ripgrep calls it.
        for evidence in collector.files.values():
            if is_alone:
                found.append(await asyncio.to_thread(self._found, texts[0], evidence, collector))
            else:
                found += await asyncio.to_thread(self._taken_apart, texts, evidence)
        self._rows_left -= sum(one.evidence.retained for one in found)
        self._bytes_left -= sum(one.bytes for one in found)
        return found

    def _found(self, one: _Text, evidence: FileEvidence, collector: Collector) -> Found:
        evidence.path, evidence.revision = one.candidate.path, one.candidate.document.revision
        evidence.facts = self._facts(one, evidence)
        return Found(
            candidate=one.candidate, evidence=evidence, bytes=collector.bytes, is_cut=collector.is_cut
        )

    def _taken_apart(self, texts: Sequence[_Text], evidence: FileEvidence) -> list[Found]:
        """What a run over several texts found in each."""
        lines_before = list(accumulate((one.ended.count(b"\n") for one in texts), initial=0))
        bytes_before = list(accumulate((len(one.ended) for one in texts), initial=0))
        rows: list[list[Row]] = [[] for _ in texts]
        for row in all_rows(evidence, self._view, multiline=False, latin1=False):
            at = bisect_right(lines_before, row.line - 1, hi=len(texts)) - 1
            line, byte_start = row.line - lines_before[at], row.byte_start - bytes_before[at]
            moved = msgspec.structs.replace(row, line=line, byte_start=byte_start)
            rows[at].append(_as_alone(moved, texts[at].text))
        return [self._found_rows(one, tuple(kept)) for one, kept in zip(texts, rows, strict=True) if kept]

    def _found_rows(self, one: _Text, rows: tuple[Row, ...]) -> Found:
        evidence = FileEvidence(
            path=one.candidate.path,
            kept=[rows],
            retained=len(rows),
            matches=len(rows),
            occurrences=sum(len(row.spans) for row in rows),
            revision=one.candidate.document.revision,
        )
        evidence.facts = self._facts(one, evidence)
        return Found(candidate=one.candidate, evidence=evidence, bytes=size_of(rows), is_cut=False)

    def _facts(self, one: _Text, evidence: FileEvidence) -> FileFacts:
        if not self._view.lone_cr_ends_line or not lines.lone_crs(one.text):
            return FileFacts(lone_crs_before={}, latin1=False)
        numbers = line_numbers(evidence, multiline=self._matching.multiline)
        counts = zip(numbers, lines.lone_crs_before([one.text], numbers), strict=True)
        return FileFacts(lone_crs_before={line: lone for line, lone in counts if lone}, latin1=False)
