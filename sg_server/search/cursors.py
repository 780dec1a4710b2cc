"""Cursors: opaque words that say where in which snapshot a client is, and nothing else."""

import base64
import hashlib
import hmac
import re
import secrets
from typing import Literal

import msgspec

from sg_server.errors import CursorUnknown

CursorKind = Literal["summary", "matches"]
ALL_FILES = ""
"""The selection signature of a cursor over every file."""

_MAC_BYTES = 6
_NUMBER = re.compile("[1-9][0-9]{0,15}")
_REMEDY = "Copy the cursor whole from the latest answer, or search again."


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """A place in a snapshot: `offset` is 0-based, in files of a summary or in matches of the selection."""

    snapshot: int
    offset: int
    kind: CursorKind
    selection: str = ALL_FILES


class CursorCodec:
    """Writes and reads the cursors and snapshot ids of one session.

    Both carry the session's nonce, so that another session's are unknown here, and cursors a short
    authentication code, so that one with a changed or missing character is unknown, not another place.
    """

    def __init__(self) -> None:
        self._nonce = secrets.token_hex(4)
        self._key = secrets.token_bytes(16)

    def encode(self, cursor: Cursor) -> str:
        """The word for `cursor`."""
        body = msgspec.msgpack.encode(cursor)
        payload = base64.urlsafe_b64encode(self._mac(body) + body).decode().rstrip("=")
        return f"c{self._nonce}-{payload}"

    def decode(self, word: str) -> Cursor:
        """The cursor behind `word`. Raises CursorUnknown."""
        word = word.strip()
        payload = word.partition("-")[2]
        try:
            body = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))[_MAC_BYTES:]
            cursor = msgspec.msgpack.decode(body, type=Cursor)
        except (ValueError, msgspec.DecodeError) as error:
            raise CursorUnknown("this is not a whole cursor", _REMEDY) from error
        # Compared as words: base64 has bits that nothing reads.
        if not hmac.compare_digest(self.encode(cursor).encode(), word.encode()):
            raise CursorUnknown("this cursor was not given in this session", _REMEDY)
        return cursor

    def snapshot_id(self, number: int) -> str:
        """The public id of snapshot `number`."""
        return f"s{self._nonce}-{number}"

    def snapshot_number(self, word: str) -> int:
        """The number behind a public id. Raises CursorUnknown."""
        nonce, _, number = word.strip().partition("-")
        if nonce != f"s{self._nonce}" or not _NUMBER.fullmatch(number):
            raise CursorUnknown("this snapshot was not made in this session", _REMEDY)
        return int(number)

    def _mac(self, body: bytes) -> bytes:
        return hashlib.blake2b(body, key=self._key, digest_size=_MAC_BYTES).digest()
