"""Serving over TCP: every connection is a client of its own, with a server built for it."""

import asyncio
import contextlib
import ipaddress
import logging
import sys

from sg_server.lsp.conversation import converse
from sg_server.lsp.server import ServerOptions, build_server
from sg_server.lsp.stdio import end_on_signals

logger = logging.getLogger(__name__)


def serve_tcp(options: ServerOptions, host: str, port: int) -> int:
    """Serve clients at `host` and `port` (0: any free one) until a signal. Returns the process's exit code.

    Standard error tells the port: there is no other way to learn it.
    Raises OSError when the address cannot be listened at.
    """
    if not _is_loopback(host):
        logger.warning("%s is not a loopback address: whoever reaches it can search these folders", host)
    asyncio.run(_serve(options, host, port))
    return 0


async def _serve(options: ServerOptions, host: str, port: int) -> None:
    ended = asyncio.Event()
    conversations: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(_converse(options, reader, writer))
        conversations.add(task)
        task.add_done_callback(conversations.discard)

    listener = await asyncio.start_server(accept, host, port)
    end_on_signals(ended)
    for socket in listener.sockets:
        bound_host, bound_port, *_ = socket.getsockname()
        sys.stderr.write(f"listening on {bound_host}:{bound_port}\n")
    sys.stderr.flush()
    await ended.wait()
    listener.close()
    for task in conversations:
        task.cancel()
    await asyncio.gather(*conversations, return_exceptions=True)


async def _converse(
    options: ServerOptions, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    server = build_server(options)
    try:
        with contextlib.suppress(ConnectionError):
            await converse(server.protocol, reader, _Connection(writer))
    finally:
        # A client that has stopped reading would hold its answers, and the server, for ever.
        writer.transport.abort()


class _Connection:
    """A stream as the conversation writes to it."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream
        self.write = stream.write
        self.close = stream.close
        self.wait_closed = stream.wait_closed

    @property
    def unread(self) -> int:
        """Bytes taken that the system has not."""
        return self._stream.transport.get_write_buffer_size()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
