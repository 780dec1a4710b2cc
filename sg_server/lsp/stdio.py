"""Serving over the standard streams.

Threads do the blocking reads and writes: pipes, sockets, files and terminals, on every platform, then work
alike, and a client that stops reading never stops the event loop. They are daemons, because a read that waits
for a client who says nothing cannot be interrupted.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from sg_server import limits
from sg_server.lsp.conversation import converse
from sg_server.lsp.server import ServerOptions, build_server

_CHUNK_BYTES = 64 * limits.KIB


def serve_stdio(options: ServerOptions) -> int:
    """Serve one client on standard input and output. Returns the process's exit code."""
    return asyncio.run(_serve(options))


async def _serve(options: ServerOptions) -> int:
    server = build_server(options)
    source, target = _claim_streams()
    reader = asyncio.StreamReader()
    _start(_pump, source, reader, asyncio.get_running_loop())
    writer = ThreadedWriter(target, asyncio.get_running_loop(), server.protocol.ended)
    end_on_signals(server.protocol.ended)
    return await converse(server.protocol, reader, writer)


def end_on_signals(ended: asyncio.Event) -> None:
    """Take a polite signal for the end of the conversation, so that nothing is left running."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        # Windows has no SIGHUP, and no signals on its event loop: there EOF is the end.
        with contextlib.suppress(AttributeError, NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), ended.set)


def _claim_streams() -> tuple[int, int]:
    """Take the descriptors of the two streams for ourselves.

    What is left at 0 and 1 is empty input and standard error: a stray print, here or in a library, then
    cannot break the protocol.
    """
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    with contextlib.suppress(OSError):  # there may be no standard error
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, target


def _pump(source: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Feed `reader` from the descriptor `source` until its end."""
    # Closed under the read, or the loop is gone: either way nobody waits for more.
    with contextlib.suppress(OSError, RuntimeError):
        while data := os.read(source, _CHUNK_BYTES):
            loop.call_soon_threadsafe(reader.feed_data, data)
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(reader.feed_eof)


class ThreadedWriter:
    """Writes to a descriptor from a thread of its own, in order."""

    def __init__(self, target: int, loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
        self._target = target
        self._loop = loop
        self._ended = ended
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._delivered: asyncio.Future[None] = loop.create_future()
        # Each is counted up by one thread alone.
        self._taken = 0
        self._written = 0
        _start(self._drain)

    def write(self, data: bytes) -> None:
        """Deliver `data` after what was given before. When nobody reads any more, set `ended` instead."""
        self._taken += len(data)
        self._waiting.put(data)

    @property
    def unread(self) -> int:
        """Bytes taken that the client has not made room for."""
        return self._taken - self._written

    def close(self) -> None:
        """Take nothing more."""
        self._waiting.put(None)

    async def wait_closed(self) -> None:
        """Wait until all is delivered."""
        await asyncio.shield(self._delivered)

    def _drain(self) -> None:
        try:
            while (data := self._waiting.get()) is not None:
                _write_all(self._target, data)
                self._written += len(data)
        except OSError:
            self._tell(self._ended.set)
        self._tell(self._delivered.set_result, None)

    def _tell(self, tell: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it who would be told
            self._loop.call_soon_threadsafe(tell, *arguments)


def _write_all(target: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(target, rest) :]


def _start(work: Callable[..., object], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
