import asyncio
import json
import os

from sg_server import limits
from sg_server.lsp.conversation import converse
from sg_server.lsp.framing import framed
from sg_server.lsp.server import ServerOptions, build_server
from sg_server.lsp.stdio import ThreadedWriter


class Shut:
    """A way to a client that does not read, until it does."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.unread = limits.UNREAD_BYTES + 1

    def write(self, data: bytes) -> None:
        self.taken.append(data)

    def close(self) -> None:
        pass

    async def wait_closed(self) -> None:
        pass


def request(msg_id: int) -> bytes:
    message = {"jsonrpc": "2.0", "id": msg_id, "method": "initialize", "params": {"capabilities": {}}}
    return framed(json.dumps(message).encode())


async def test_nothing_more_is_taken_from_a_client_that_does_not_read_its_answers() -> None:
    reader, writer = asyncio.StreamReader(), Shut()
    reader.feed_data(request(1) + request(2))
    conversation = asyncio.create_task(converse(build_server(ServerOptions()).protocol, reader, writer))
    await asyncio.sleep(3 * limits.UNREAD_SECONDS)
    assert len(writer.taken) == 1
    writer.unread = 0
    reader.feed_eof()
    await conversation
    assert len(writer.taken) == 2


async def test_what_a_client_has_not_read_is_counted() -> None:
    source, target = os.pipe()
    writer = ThreadedWriter(target, asyncio.get_running_loop(), asyncio.Event())
    data = bytes(4 * limits.MIB)
    writer.write(data)
    assert writer.unread == len(data)
    writer.close()
    left = len(data)
    while left:
        left -= len(await asyncio.to_thread(os.read, source, left))
    await writer.wait_closed()
    assert writer.unread == 0
    os.close(source)
    os.close(target)
