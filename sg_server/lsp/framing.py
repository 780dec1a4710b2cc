"""LSP's base protocol on a byte stream: a header that tells the length, then that many bytes of JSON."""

import asyncio
import logging
import re

from sg_server import limits

logger = logging.getLogger(__name__)

# Looked for at the end of a line, in any case: after a body of unknown length, or a broken header, the next
# message's header stands at the end of what was left over, and there reading finds its feet again.
_CONTENT_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,19})[ \t]*\r?\n$", re.IGNORECASE)


async def read_body(reader: asyncio.StreamReader) -> bytes | None:
    """Read the body of the next message; None at the end of the stream.

    A header without a usable length is passed over, with whatever follows it up to the next one. A body of
    more than `limits.MESSAGE_BYTES` is not read: that is the end too.
    """
    length: int | None = None
    while True:
        try:
            line = await reader.readuntil(b"\n")
            if line.strip():
                found = _CONTENT_LENGTH.search(line)
                length = int(found[1]) if found else length
            elif length is None:
                logger.warning("a message header without Content-Length was passed over")
            elif length > limits.MESSAGE_BYTES:
                most = limits.MESSAGE_BYTES
                logger.error("a message of %d bytes is refused: at most %d are read; goodbye", length, most)
                return None
            else:
                return await reader.readexactly(length)
        except asyncio.LimitOverrunError as overrun:
            await reader.readexactly(overrun.consumed)
        except asyncio.IncompleteReadError:
            return None


def framed(body: bytes) -> bytes:
    """`body` with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
