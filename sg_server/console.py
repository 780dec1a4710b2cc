"""What every subcommand needs in a terminal: to run until a signal, to print, to end with a code."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine, Iterable
from typing import Any, TextIO

import msgspec

from sg_server import terminal
from sg_server.errors import SignalGrepError

FOUND, NOTHING, ERROR, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def colors(parsed: argparse.Namespace) -> terminal.Palette:
    """The colors that `--color` stands for here."""
    return terminal.palette(parsed.color, os.environ, is_terminal=sys.stdout.isatty())


def run(work: Coroutine[Any, Any, int]) -> int:
    """Run `work` to its end or to a signal, leaving no program running. Returns the exit code."""
    if sys.stdout is None:
        work.close()
        complain("standard output is closed")
        return ERROR
    return _run(work)


def _run(work: Coroutine[Any, Any, int]) -> int:
    try:
        return asyncio.run(_until_terminated(work))
    except SignalGrepError as error:
        complain(error.message.removeprefix("uri: "))
        if error.hint:
            complain(error.hint)
        return ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    except asyncio.CancelledError:
        return TERMINATED
    except BrokenPipeError:
        # Whoever read has seen enough.
        _drop(sys.stdout)
        return FOUND
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
        _drop(sys.stdout)
        return ERROR


def _drop(stream: TextIO) -> None:
    """Let go of what could not be written, which would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


async def _until_terminated(work: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(work)
    with contextlib.suppress(NotImplementedError):  # Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def write(lines: Iterable[str]) -> None:
    """Print lines."""
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """Print one object on a line of its own."""
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")


def complain(message: str) -> None:
    """Say on standard error what is wrong, or left out, if anybody can hear it."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"sg-server: {message}\n")
    except OSError:
        _drop(sys.stderr)
