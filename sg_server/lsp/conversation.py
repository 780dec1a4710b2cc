"""One conversation with a client, from the first message to the last process reaped."""

import asyncio
import contextlib
from typing import Protocol

from sg_server import limits
from sg_server.lsp.framing import read_body
from sg_server.lsp.protocol import SignalGrepProtocol


class Writer(Protocol):
    """Where answers go."""

    def write(self, data: bytes) -> None:
        """Take `data` without waiting; what can no longer be delivered is dropped."""

    @property
    def unread(self) -> int:
        """Bytes taken that are not delivered yet."""

    def close(self) -> None:
        """Take nothing more."""

    async def wait_closed(self) -> None:
        """Wait until what was taken is delivered, or cannot be; who calls this does not wait for ever."""


async def converse(protocol: SignalGrepProtocol, reader: asyncio.StreamReader, writer: Writer) -> int:
    """Answer until the client says `exit`, closes the stream or is gone; then leave nothing running.

    Returns the exit code that LSP asks for.
    """
    protocol.set_writer(writer)
    reading = asyncio.ensure_future(_receive_all(protocol, reader, writer))
    ending = asyncio.ensure_future(protocol.ended.wait())
    try:
        await asyncio.wait((reading, ending), return_when=asyncio.FIRST_COMPLETED)
    finally:
        reading.cancel()
        ending.cancel()
        await protocol.close()
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(limits.CLOSE_SECONDS):
                await writer.wait_closed()
    return protocol.exit_code


async def _receive_all(protocol: SignalGrepProtocol, reader: asyncio.StreamReader, writer: Writer) -> None:
    while not protocol.ended.is_set() and (body := await read_body(reader)) is not None:
        protocol.receive(body)
        # Who asks on without reading would fill our memory. Rare enough to look now and then.
        while writer.unread > limits.UNREAD_BYTES:  # noqa: ASYNC110 - a thread is who makes room
            await asyncio.sleep(limits.UNREAD_SECONDS)
