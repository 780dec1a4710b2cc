"""Neovim's own protocol over the standard streams of one process: requests, their answers, notifications.

pynvim speaks it too, but takes no environment for the process, does not wait for its end, and leaves its
pipes open.
"""

import os
import select
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]

_REQUEST, _ANSWER, _NOTIFICATION = 0, 1, 2
_SECONDS = 15.0
"""Without a byte from Neovim until giving it up: it hangs, or waits for a key."""


class NeovimError(Exception):
    """What Neovim says when a request fails."""


class Rpc:
    """A process that speaks MessagePack-RPC."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        # Handles of buffers, windows and tab pages come as extension types: a number each.
        self._unpacker = msgpack.Unpacker(ext_hook=lambda _, data: msgpack.unpackb(data))
        self._last_id = 0
        self._notifications: deque[tuple[str, list[Any]]] = deque()

    def request(self, method: str, *arguments: Any) -> Any:
        """Call a function of Neovim's API and give its answer. Raises NeovimError."""
        self._last_id += 1
        self._send([_REQUEST, self._last_id, method, arguments])
        while True:
            kind, *rest = self._next()
            if kind == _NOTIFICATION:
                self._notifications.append((rest[0], rest[1]))
            elif kind == _ANSWER and rest[0] == self._last_id:
                if rest[1] is not None:
                    raise NeovimError(rest[1][1])
                return rest[2]

    def notifications(self) -> list[tuple[str, list[Any]]]:
        """Names and arguments of those that came before the last answer, each given once."""
        came = list(self._notifications)
        self._notifications.clear()
        return came

    def close(self) -> None:
        """Let Neovim end, and see that it has."""
        self._send([_NOTIFICATION, "nvim_command", ["qall!"]])
        with self._process as process:
            try:
                process.communicate(timeout=_SECONDS)
            finally:
                process.kill()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(msgpack.packb(message))

    def _next(self) -> list[Any]:
        assert self._process.stdout is not None
        while True:
            for message in self._unpacker:
                assert isinstance(message, list)
                return message
            if not select.select([self._process.stdout], [], [], _SECONDS)[0]:
                raise TimeoutError(f"nothing from Neovim for {_SECONDS} s")
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                raise EOFError("Neovim has ended")
            self._unpacker.feed(data)
