"""One page of a grep while it is found: rows, counts, and where the next page begins."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, Self

import msgspec

from sg_server import limits
from sg_server.context.cursors import GrepCursor
from sg_server.context.grep_request import GrepRequest
from sg_server.context.patterns import Matcher
from sg_server.context.results import GrepRow, TruncatedReason
from sg_server.context.store.interface import StoredText
from sg_server.context.timing import ScanTimedOut, TextTimedOut, Timer
from sg_server.errors import CursorExpired
from sg_server.text.entry_lines import EntryLines
from sg_server.text.excerpts import clip_around
from sg_server.text.places import Places
from sg_server.text.positions import Span, TextView
from sg_server.workspace.documents import Document


class GrepText(msgspec.Struct, frozen=True, kw_only=True):
    """A text to look at; `key` and `state` are a cursor's."""

    kind: Literal["document", "entry"]
    key: str
    state: tuple[int, ...]
    text: str

    @classmethod
    def of_entry(cls, stored: StoredText) -> Self:
        """An entry's."""
        return cls(kind="entry", key=stored.id, state=(stored.version,), text=stored.text)

    @classmethod
    def of_document(cls, document: Document) -> Self:
        """An open document's."""
        state = (document.revision.version, document.revision.opened)
        return cls(kind="document", key=document.uri, state=state, text=document.text)

    def cursor(self, skip: int) -> GrepCursor:
        """The place in it after `skip` matches."""
        return GrepCursor(kind=self.kind, key=self.key, state=self.state, skip=skip)

    @property
    def after(self) -> GrepCursor:
        """The place behind it."""
        return GrepCursor(kind=self.kind, key=self.key)


class ShownRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the page."""

    row: GrepRow
    key: str
    place: GrepCursor | None
    """Where a page begins that begins with it; None for the first row of all."""
    cut_before: bool = False
    """Whether something of the line was left out, before what is shown of it or after."""
    cut_after: bool = False


class GrepPage:
    """Takes texts in their order until it is full."""

    def __init__(
        self, request: GrepRequest, matcher: Matcher, start: GrepCursor | None, view: TextView
    ) -> None:
        """`start` is where the page begins; None for the first page."""
        self.matcher = matcher
        self.rows: list[ShownRow] = []
        self.total = 0
        """Matches in the rows."""
        self.looked_at = 0
        self.timed_out: list[str] = []
        self.reasons: list[TruncatedReason] = []
        self.next: GrepCursor | None = None
        self.entries_left: int | None = None
        """Entries that may still be looked at; None for all."""
        self._is_full = False
        self._request = request
        self._view = view
        self._place = start
        self._pending = start if start is not None and start.state else None
        self._room = limits.GREP_ROWS_BYTES

    def take(self, texts: Iterable[GrepText], timer: Timer) -> bool:
        """Look at the next texts; False when the page wants no more of them.

        Raises CursorExpired, and Stopped when nobody waits any more.
        """
        for text in texts:
            if text.kind == "entry" and self.entries_left is not None:
                if self.entries_left == 0:
                    self._stop("entries", self._place)
                    return False
                self.entries_left -= 1
            self._look_at(text, self._skip(text), timer)
            if self._is_full:
                return False
        return True

    def check_begun(self) -> None:
        """Raise CursorExpired when the text in which the page begins was not among those taken."""
        if self._pending is not None:
            raise CursorExpired(
                f"{self._pending.key} has changed since the page before, or is gone",
                "Grep again without a cursor; pages before it stay as they were.",
            )

    def _skip(self, text: GrepText) -> int:
        """How many matches of `text` belong to former pages."""
        pending = self._pending
        if pending is None:
            return 0
        if (text.key, text.state) != (pending.key, pending.state):
            self.check_begun()
        self._pending = None
        return pending.skip

    def _look_at(self, text: GrepText, skip: int, timer: Timer) -> None:
        rows, total, room = len(self.rows), self.total, self._room
        try:
            timer.begin_text()
            self._add(text, skip, timer)
        except (TextTimedOut, ScanTimedOut) as timeout:
            del self.rows[rows:]
            self.total, self._room = total, room
            is_last = isinstance(timeout, ScanTimedOut)
            # A text that takes all the time there is must not be the first of the next page as well.
            if not is_last or self.looked_at == 0:
                self.timed_out.append(text.key)
                self._truncate("regex-timeout")
                self._place = text.after
            if is_last:
                self._stop("scan-timeout", self._place)
                return
        self.looked_at += 1
        self._place = text.after

    def _add(self, text: GrepText, skip: int, timer: Timer) -> None:
        lines = EntryLines(text.text)
        spans = self.matcher.spans(lines.joined, timer)
        if self._request.mode == "content":
            self._add_matches(text, lines, spans, skip)
        elif self.total >= self._request.max_matches:
            if next(spans, None) is not None:
                self._stop("matches", self._place)
        elif count := sum(1 for _ in spans):
            name = _name(text)
            row = (
                GrepRow(**name, count=count)
                if self._request.mode == "count"
                else GrepRow(**name, match_count=count)
            )
            if self._keep(ShownRow(row=row, key=text.key, place=self._place)):
                self.total += count

    def _add_matches(self, text: GrepText, lines: EntryLines, spans: Iterator[Span], skip: int) -> None:
        writer = _RowWriter(text, lines, self._request.context_lines, self._view)
        for ordinal, (start, end) in enumerate(spans):
            if ordinal < skip:
                continue
            place = self._place if ordinal == 0 and self._place is not None else text.cursor(ordinal)
            if self.total >= self._request.max_matches:
                self._stop("matches", place)
                return
            if not self._keep(writer.row((lines.unjoined(start), lines.unjoined(end)), place)):
                return
            self.total += 1

    def _keep(self, row: ShownRow) -> bool:
        """Add a row if there is room; the first one always has it."""
        self._room -= len(msgspec.json.encode(row.row)) + 1
        if self._room < 0 and self.rows:
            self._stop("rows", row.place)
            return False
        self.rows.append(row)
        return True

    def _stop(self, reason: TruncatedReason, place: GrepCursor | None) -> None:
        self._truncate(reason)
        self.next = place
        self._is_full = True

    def _truncate(self, reason: TruncatedReason) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)


class _RowWriter:
    """Makes the rows of one text."""

    def __init__(self, text: GrepText, lines: EntryLines, context: int, view: TextView) -> None:
        self._text = text
        self._lines = lines
        self._context = context
        self._view = view
        self._places: Places | None = None

    def row(self, span: Span, place: GrepCursor) -> ShownRow:
        """The row of the match [start, end), in code points of the text."""
        if self._places is None:
            self._places = Places(self._text.text, self._view)
        number = self._lines.number_at(span[0])
        line_start, _ = self._lines.span(number)
        line = self._lines.content(number)
        clip = clip_around(line, span[0] - line_start, span[1] - line_start, limits.LINE_CHARACTERS)
        row = GrepRow(
            **_name(self._text),
            line_number=number,
            line=clip.text,
            line_clipped=clip.clipped,
            match_start=span[0],
            match_end=span[1],
            range=self._places.range(span),
            before=self._shown(number - self._context, number),
            after=self._shown(number + 1, number + 1 + self._context),
        )
        return ShownRow(
            row=row,
            key=self._text.key,
            place=place,
            cut_before=clip.start > 0,
            cut_after=clip.start + len(clip.text) < len(line),
        )

    def _shown(self, first: int, after: int) -> tuple[str, ...]:
        numbers = range(max(first, 1), min(after, self._lines.count + 1))
        return tuple(self._lines.content(number)[: limits.LINE_CHARACTERS] for number in numbers)


def _name(text: GrepText) -> dict[str, Any]:
    return {"id" if text.kind == "entry" else "uri": text.key}
