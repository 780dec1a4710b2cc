"""Ids of entries: UUIDv7, made in ascending order, and read as people give them."""

import re
import secrets
import time
from collections.abc import Callable
from typing import Final

from sg_server import limits
from sg_server.errors import InvalidParams

_DIGITS: Final = 32
_PREFIX: Final = re.compile(r"[0-9a-f]{8,32}")
_HYPHENATED: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MILLISECOND_NS: Final = 10**6


class IdMaker:
    """Makes UUIDv7 ids (RFC 9562, section 5.7). Each is greater than the one before, whatever the clock does.

    The 12 bits after the milliseconds are a fraction of one (section 6.2, method 3), so makers beside each
    other agree on the order too, to a quarter of a microsecond. The 62 bits after that are random.
    """

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        """`clock` tells nanoseconds since 1970."""
        self._clock = clock
        self._last = 0

    def make(self, *, after: str | None = None) -> str:
        """32 lower-case hexadecimal digits, greater than the id `after` too."""
        milliseconds, rest = divmod(self._clock(), _MILLISECOND_NS)
        now = milliseconds << 12 | (rest << 12) // _MILLISECOND_NS
        last = self._last if after is None else max(self._last, _stamp(after))
        self._last = max(now, last + 1)
        stamp = self._last >> 12 << 16 | 7 << 12 | self._last & 0xFFF
        return f"{stamp << 64 | 0b10 << 62 | secrets.randbits(62):032x}"


def _stamp(id_: str) -> int:
    """The milliseconds and the fraction in an id."""
    bits = int(id_, 16) >> 64
    return bits >> 16 << 12 | bits & 0xFFF


def id_prefix(given: str, field: str = "id") -> str:
    """The 8 to 32 lower-case digits that `given` means. Raises InvalidParams that names `field`."""
    # Cut before it is searched: what is given may be of any length.
    text = given.strip()[: limits.GIVEN_ID_CHARACTERS].lower()
    if _PREFIX.fullmatch(text):
        return text
    if _HYPHENATED.fullmatch(text):
        return text.replace("-", "")
    raise InvalidParams(
        field, f"{text!r} is no id: give its {_DIGITS} hexadecimal digits, or the first 8 or more"
    )
