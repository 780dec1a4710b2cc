"""The one owner of subprocesses: start, feed, drain, end, reap."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from sg_server import limits
from sg_server.errors import CleanupFailed

if sys.platform == "linux":
    import fcntl

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_PIPE_BYTES = 1024 * 1024
_READ_BYTES = 256 * 1024
_SMALL_READ_BYTES = 64 * 1024
_SMALL_READS = 16
"""So many before resting after each: a short answer is not to be late."""
_REST_SECONDS = 0.004
_BUSY_BYTES = 256 * 1024
"""Read between two small reads: more comes in a rest than is good."""


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """How a process ended.

    `returncode` is POSIX: negative is the signal that ended it.
    `stderr` is at most `limits.STDERR_BYTES` bytes of it, undecodable bytes replaced.
    """

    returncode: int
    stderr: str


class ProcessOwner:
    """Starts processes without a shell, in groups of their own, and leaves none behind."""

    def __init__(self) -> None:
        self._running: dict[int, str] = {}

    @property
    def running(self) -> tuple[tuple[int, str], ...]:
        """Process id and program name of every process that has not been reaped."""
        return tuple(self._running.items())

    async def run(
        self,
        argv: Sequence[str],
        consume: Callable[[bytes], None],
        *,
        stdin: bytes | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Finished:
        """Run `argv` to its end, giving each chunk of its standard output to `consume`.

        `consume` runs on the event loop between reads, so a slow one slows the process down.
        On cancellation, or when `consume` raises, the whole process group is told to terminate,
        killed `limits.TERMINATE_SECONDS` later, and reaped before the cause is raised.

        Raises OSError when the program cannot be started, CleanupFailed when it does not go away.
        """
        exchange = _Exchange(self._running, os.path.basename(argv[0]), consume)
        fed = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        options: dict[str, Any] = {"stdin": fed, "cwd": cwd, "env": env, **_own_group()}
        transport = await _start(argv, options, exchange)
        try:
            if stdin is not None:
                exchange.feed(transport, stdin)
            await asyncio.shield(exchange.done)
            if not exchange.closed.done():
                # What the process started and left behind holds its pipes.
                _signal_group(transport, "SIGKILL")
        except BaseException as cause:
            await _end(transport, exchange, cause)
            raise
        finally:
            transport.close()
        # Output is only over after the process has been reaped.
        returncode = cast("int", transport.get_returncode())
        return Finished(returncode=returncode, stderr=exchange.stderr.decode("utf-8", "replace"))


class _Exchange(asyncio.SubprocessProtocol):
    """What goes in and out of one process, which is listed in `running` until it has been reaped."""

    def __init__(self, running: dict[int, str], name: str, consume: Callable[[bytes], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self.stderr = bytearray()
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self.closed: asyncio.Future[None] = self._loop.create_future()
        self.done: asyncio.Future[None] = self._loop.create_future()
        """Closed, silent after its exit, or failed in the consumer: whichever comes first."""
        self._running = running
        self._name = name
        self._pid = 0
        self._consume: Callable[[bytes], None] | None = consume
        self._stdout: asyncio.ReadTransport | None = None
        self._may_rest = False
        self._reads = 0
        self._small_reads = 0
        self._gathered = 0
        """Bytes read since the last small read."""
        self._resting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        process = cast("asyncio.SubprocessTransport", transport)
        self._pid = process.get_pid()
        self._running[self._pid] = self._name
        self._stdout = cast("asyncio.ReadTransport", process.get_pipe_transport(_STDOUT))
        if not self._stdout.is_closing():
            self._may_rest = _widen(self._stdout)

    def feed(self, transport: asyncio.SubprocessTransport, data: bytes) -> None:
        """Write all of `data` to standard input and close it. The transport buffers."""
        pipe = cast("asyncio.WriteTransport", transport.get_pipe_transport(_STDIN))
        pipe.write(data)
        pipe.close()

    def stop_consuming(self, transport: asyncio.SubprocessTransport) -> None:
        """Drop what is still to come and close our end, so that a blocked writer wakes up."""
        self._consume = None
        if (pipe := transport.get_pipe_transport(_STDIN)) is not None:
            stdin = cast("asyncio.WriteTransport", pipe)
            if stdin.get_write_buffer_size():
                stdin.abort()
            else:
                # asyncio fails when a pipe is aborted that has been closed.
                stdin.close()
        cast("asyncio.ReadTransport", transport.get_pipe_transport(_STDOUT)).close()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._reads += 1
        if fd == _STDERR:
            # What does not fit is read all the same: a full pipe would stop the process.
            self.stderr += data[: limits.STDERR_BYTES - len(self.stderr)]
        else:
            self._take(data)

    def _take(self, data: bytes) -> None:
        if self._consume is None:
            return
        try:
            self._consume(data)
        except Exception as error:  # noqa: BLE001 - handed to the caller of run, who knows what it means
            self._consume = None
            self.done.set_exception(error)
        else:
            if self._stdout is not None and self._may_rest and self._is_to_rest(len(data)):
                self._stdout.pause_reading()
                self._resting = self._loop.call_later(_REST_SECONDS, self._read_after_rest, self._stdout)

    def _is_to_rest(self, size: int) -> bool:
        """Whether a process that writes little at a time shall gather more before it is read again.

        ripgrep writes file by file; woken for each, we would take a third of its time on two cores. Only a
        wide pipe has room for what gathers meanwhile.
        """
        self._gathered += size
        if size >= _SMALL_READ_BYTES:
            return False
        if self._gathered > _BUSY_BYTES:
            # It writes so much that it would fill the pipe, and wait for us.
            self._small_reads = 0
        self._gathered = 0
        self._small_reads += 1
        return self._small_reads > _SMALL_READS

    def _read_after_rest(self, stdout: asyncio.ReadTransport) -> None:
        """Take what has gathered; to let the loop watch the pipe for it costs as much as reading it."""
        self._resting = None
        if data := _read_at_once(stdout):
            self._reads += 1
            self._take(data)
        if self._resting is None:
            stdout.resume_reading()

    def _read_on(self) -> None:
        if self._resting is not None and self._stdout is not None:
            self._resting.cancel()
            self._resting = None
            self._stdout.resume_reading()

    def process_exited(self) -> None:
        del self._running[self._pid]
        self.exited.set_result(None)
        self._read_on()
        self._await_silence()

    def _await_silence(self) -> None:
        """After the exit, wait for the end of the pipes only while they bring something.

        A grandchild may hold them open for as long as it lives.
        """
        self._loop.call_later(limits.CLOSE_SECONDS, self._end_if_silent, self._reads)

    def _end_if_silent(self, reads: int) -> None:
        if self.done.done():
            return
        if self._reads != reads:
            self._await_silence()
            return
        self._consume = None
        self.done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._consume = None
        self.closed.set_result(None)
        if not self.done.done():
            self.done.set_result(None)


async def _start(
    argv: Sequence[str], options: Mapping[str, Any], exchange: _Exchange
) -> asyncio.SubprocessTransport:
    """Start a process. A cancel that lands meanwhile still finds it, and ends it."""
    loop = asyncio.get_running_loop()
    starting = asyncio.ensure_future(loop.subprocess_exec(lambda: exchange, *argv, **options))
    try:
        transport, _ = await asyncio.shield(starting)
    except asyncio.CancelledError as cause:
        await _settle(starting)
        if starting.exception() is None:
            await _end(starting.result()[0], exchange, cause)
        raise
    return transport


async def _end(transport: asyncio.SubprocessTransport, exchange: _Exchange, cause: BaseException) -> None:
    """End the process group and wait until the process is reaped and its pipes are closed."""
    exchange.stop_consuming(transport)
    ending = asyncio.ensure_future(_terminate_then_kill(transport, exchange))
    await _settle(ending)
    if not ending.result():
        message = f"process {transport.get_pid()} is still running after it was killed"
        raise CleanupFailed(message, "End it by hand.") from cause


async def _settle(future: asyncio.Future[Any]) -> None:
    """Wait for `future` whatever happens to the waiting task: a second cancel must leave nothing behind."""
    while not future.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((future,))


async def _terminate_then_kill(transport: asyncio.SubprocessTransport, exchange: _Exchange) -> bool:
    """Whether the process is gone."""
    _signal_group(transport, "SIGTERM")
    await asyncio.wait((exchange.exited,), timeout=limits.TERMINATE_SECONDS)
    # Also where it has ended: those of its group may not have.
    _signal_group(transport, "SIGKILL")
    await asyncio.wait((exchange.exited,), timeout=limits.CLOSE_SECONDS)
    if not exchange.exited.done():
        return False
    # A grandchild that left the group may hold a pipe open; the process itself is gone.
    transport.close()
    await exchange.closed
    return True


def _own_group() -> dict[str, int]:
    """Start-up arguments that let one signal reach a process and all it started."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def _signal_group(transport: asyncio.SubprocessTransport, name: str) -> None:
    """Send SIGTERM or SIGKILL to the group; on Windows both end the process alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            transport.kill()
        else:
            os.killpg(transport.get_pid(), getattr(signal, name))


def _widen(pipe: asyncio.BaseTransport) -> bool:
    """Let the writer run ahead: with Linux's 64 KiB it stops at every read of ours. Return whether it can."""
    if sys.platform == "linux":
        # Refused where the user's pipes already hold much; the process works without.
        with contextlib.suppress(OSError):
            return fcntl.fcntl(pipe.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, _PIPE_BYTES) >= _PIPE_BYTES
    return False


def _read_at_once(pipe: asyncio.ReadTransport) -> bytes:
    """Read what is in a paused pipe; nothing at its end."""
    if pipe.is_closing():
        return b""
    try:
        return os.read(pipe.get_extra_info("pipe").fileno(), _READ_BYTES)
    except BlockingIOError:
        return b""
