"""Tells of a search while it runs: how far it is and, provisionally, what it has found."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from sg_server import limits
from sg_server.search.evidence import UNKNOWN_FACTS, FileEvidence, rows_between
from sg_server.search.pages import absolute
from sg_server.search.request import SearchRequest
from sg_server.search.results import StreamedBatch, StreamedMatch, StreamedTotals
from sg_server.text.positions import Location, TextView
from sg_server.workspace.folders import Workspace


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What a client wants to hear during a search."""

    batch: Callable[[StreamedBatch], None] | None = None
    progress: Callable[[StreamedTotals], None] | None = None


NOBODY: Final = Watch()


class Streamer:
    """Gathers what `Watch` wants to hear and lets it go at its own pace: the first at once, then by time."""

    def __init__(self, watch: Watch, request: SearchRequest, workspace: Workspace, view: TextView) -> None:
        self._watch = watch
        self._workspace = workspace
        self._view = view
        self._room = request.style.limit
        self._multiline = request.matching.multiline
        self._loop = asyncio.get_running_loop()
        self._pending: list[StreamedMatch] = []
        self._matches = 0
        self._files = 0
        self._timer: asyncio.TimerHandle | None = None
        self._last_sent = float("-inf")

    def file(self, file: FileEvidence) -> None:
        """A file is finished."""
        self._files += 1
        self._matches += file.matches
        if self._watch.batch is not None and self._room > 0:
            rows = self._rows(file)
            self._room -= len(rows)
            self._pending += rows
        has_news = bool(self._pending) or self._watch.progress is not None
        if has_news and self._timer is None:
            wait = self._last_sent + limits.STREAM_SECONDS - self._loop.time()
            if wait <= 0:
                self._send()
            else:
                self._timer = self._loop.call_later(wait, self._send)

    def close(self) -> None:
        """Say nothing more: the answer itself is about to."""
        if self._timer is not None:
            self._timer.cancel()

    def _send(self) -> None:
        self._timer = None
        self._last_sent = self._loop.time()
        totals = StreamedTotals(matches=self._matches, files=self._files)
        if self._watch.batch is not None and self._pending:
            self._watch.batch(StreamedBatch(matches=tuple(self._pending), totals=totals))
            self._pending.clear()
        if self._watch.progress is not None:
            self._watch.progress(totals)

    def _rows(self, file: FileEvidence) -> list[StreamedMatch]:
        uri, path = file.uri_in(self._workspace), self._workspace.display_of(file.path)
        # Of a file on disk it is not known yet where lone CRs move its lines.
        facts = file.facts or UNKNOWN_FACTS
        rows = rows_between(file, 0, self._room, self._view, multiline=self._multiline, latin1=facts.latin1)
        streamed: list[StreamedMatch] = []
        for row in rows:
            line = row.line - 1 + facts.lone_crs_before.get(row.line, 0)
            ranges = tuple(absolute(range_, line) for range_ in row.ranges[: limits.SHOWN_OCCURRENCES])
            streamed.append(
                StreamedMatch(
                    uri=uri,
                    path=path,
                    line=row.line,
                    location=Location(uri=uri, range=ranges[0]),
                    ranges=ranges,
                    text=row.text,
                    clipped=row.clipped,
                )
            )
        return streamed
