"""How long a search through stored text may go on: by the clock, and until it is cancelled."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


class TextTimedOut(Exception):
    """One text took longer than it may. Others may still be searched."""


class ScanTimedOut(Exception):
    """All texts together took longer than they may."""


class Stopped(Exception):
    """Nobody waits for the result any more."""


class Timer:
    """Counts the seconds of one search, in whatever thread it runs."""

    def __init__(self, *, text_seconds: float, scan_seconds: float, stop: threading.Event) -> None:
        self._text_seconds = text_seconds
        self._scan_end = time.monotonic() + scan_seconds
        self._text_end = self._scan_end
        self._stop = stop

    def begin_text(self) -> None:
        """Give the next text its time. Raises as `left` does."""
        self._text_end = time.monotonic() + self._text_seconds
        self.left()

    def left(self) -> float:
        """Seconds that the text has left, more than 0. Raises Stopped, ScanTimedOut or TextTimedOut."""
        if self._stop.is_set():
            raise Stopped
        now = time.monotonic()
        if now >= self._scan_end:
            raise ScanTimedOut
        if now >= self._text_end:
            raise TextTimedOut
        return min(self._text_end, self._scan_end) - now


async def in_thread(work: Callable[[], _T], stop: threading.Event) -> _T:
    """What `work` returns, done in a worker thread; `stop` is set when the caller is cancelled.

    A cancelled caller still waits for the thread, so that nothing runs on behind its back. A regex cannot be
    interrupted inside one match but by its time limit: that is the longest this takes.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()
        raise
