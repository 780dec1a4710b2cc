"""Cuts of text that keep what matters: the occurrence, whole characters, a budget of bytes."""

import unicodedata

import msgspec

_ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")


class Clip(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a line."""

    text: str
    start: int
    """Code points of the line that were cut before `text`."""
    clipped: bool
    """Something was cut, before or after."""


def clip_around(text: str, start: int, end: int, limit: int) -> Clip:
    """At most `limit` code points of `text` around the occurrence [start, end), in code points.

    The occurrence is centred and whole where it fits; of a longer one the beginning is kept. The excerpt
    never begins with what belongs to a character that was cut (a combining mark, a variation selector, a
    joiner, a skin tone), unless the occurrence does.
    """
    if len(text) <= limit:
        return Clip(text=text, start=0, clipped=False)
    room_before = max(0, limit - (end - start)) // 2
    cut = max(0, min(start - room_before, len(text) - limit))
    stop = cut + limit
    while 0 < cut < start and _extends_the_one_before(text[cut]):
        cut += 1
    return Clip(text=text[cut:stop], start=cut, clipped=True)


def clip_bytes(text: str, limit: int) -> str:
    """The longest prefix of `text` that takes at most `limit` bytes of UTF-8. Characters stay whole."""
    return text[:limit].encode()[:limit].decode("utf-8", "ignore")


def clip_middle(text: str, limit: int) -> str:
    """The beginning and the end of `text`, with an ellipsis between them, in at most `limit` code points."""
    if len(text) <= limit:
        return text
    tail = limit // 2
    return f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"


def utf8_size(text: str) -> int:
    """Bytes that `text` takes in UTF-8. It must hold no lone surrogates."""
    return len(text) if text.isascii() else len(text.encode())


def _extends_the_one_before(character: str) -> bool:
    return (
        unicodedata.category(character).startswith("M")
        or character == _ZERO_WIDTH_JOINER
        or _SKIN_TONES[0] <= character <= _SKIN_TONES[1]
    )
