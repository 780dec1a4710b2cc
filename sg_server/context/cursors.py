"""Cursors of `sg.context.grep`: words that say where to go on, and nothing of what is sought or found."""

import base64
import hashlib
import hmac
import secrets
from typing import Final, Literal

import msgspec

from sg_server.errors import CursorMismatch, CursorUnknown

_MAC_BYTES: Final = 6
_REQUEST_BYTES: Final = 8
_REMEDY: Final = "Copy the cursor whole from the latest answer, or grep again without one."


class GrepCursor(msgspec.Struct, frozen=True, array_like=True):
    """A place in a grep: in the text that `key` names, or after it."""

    kind: Literal["document", "entry"]
    key: str
    """The id of an entry, the URI of a document."""
    state: tuple[int, ...] = ()
    """What tells one state of that text from another; () is after the text, whatever its state."""
    skip: int = 0
    """How many matches of the text come before."""


class GrepCursors:
    """Writes and reads the cursors of one session.

    A cursor carries a keyed hash of its request, so that it is known when it comes back with another, and of
    itself, so that one with a changed or missing character is unknown, not another place.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def request_mark(self, request: bytes) -> bytes:
        """What cursors of `request` carry of it."""
        return hashlib.blake2b(request, key=self._key, digest_size=_REQUEST_BYTES).digest()

    def encode(self, cursor: GrepCursor, mark: bytes) -> str:
        """The word for `cursor`, for the request with `mark`."""
        body = mark + msgspec.msgpack.encode(cursor)
        mac = hashlib.blake2b(body, key=self._key, digest_size=_MAC_BYTES).digest()
        return "g" + base64.urlsafe_b64encode(mac + body).decode().rstrip("=")

    def decode(self, word: str, mark: bytes) -> GrepCursor:
        """The cursor behind `word`. Raises CursorUnknown, and CursorMismatch for another request."""
        word = word.strip()
        try:
            body = base64.urlsafe_b64decode(word[1:] + "=" * (-len(word[1:]) % 4))[_MAC_BYTES:]
            cursor = msgspec.msgpack.decode(body[_REQUEST_BYTES:], type=GrepCursor)
        except (ValueError, msgspec.DecodeError) as error:
            raise CursorUnknown("this is not a whole cursor", _REMEDY) from error
        # Compared as words: base64 has bits that nothing reads.
        if not hmac.compare_digest(self.encode(cursor, body[:_REQUEST_BYTES]).encode(), word.encode()):
            raise CursorUnknown("this cursor was not given in this session", _REMEDY)
        if body[:_REQUEST_BYTES] != mark:
            raise CursorMismatch(
                "this cursor belongs to another request", "Send it with the request that it came from."
            )
        return cursor
