"""Noticing that the client's process has ended, for a client that leaves its streams open behind it."""

import asyncio
import logging
import os
import sys

logger = logging.getLogger(__name__)

_POLL_SECONDS = 2.0


async def end_of_process(pid: int) -> None:
    """Wait until the process `pid` has ended.

    Waits for ever where that cannot be seen: on Windows, where the end of the stream has to do, and for a
    process that is not there from the start: a client that has just spoken is alive, in another container.
    """
    if sys.platform == "win32" or not _is_alive(pid):
        logger.info("the client's process %d cannot be watched", pid)
        await asyncio.get_running_loop().create_future()
    elif (descriptor := _descriptor_of(pid)) is not None:
        await _readable(descriptor)
    else:
        while _is_alive(pid):  # noqa: ASYNC110 nothing tells of the end of a process that is not a child
            await asyncio.sleep(_POLL_SECONDS)


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False  # these name groups
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _descriptor_of(pid: int) -> int | None:
    """A descriptor that can be read once the process has ended; None where the system has no such thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
