"""Text for people and models: one line stays one line, and requests can be copied."""

import json
from typing import Final

_CONTROL_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if code != ord("\t")} | {
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    0x2028: 0xFFFD,
    0x2029: 0xFFFD,
}


def plain(text: str) -> str:
    """`text` on one line: what would end a line or steer a terminal is shown as a picture of itself."""
    return text if text.isprintable() else text.translate(_CONTROL_PICTURES)


def call(command: str, **params: object) -> str:
    """A command as it is to be sent, for the reader to copy; it takes one line."""
    text = json.dumps(params, ensure_ascii=False, separators=(",", ":"))
    return f"{command} {text if text.isprintable() else json.dumps(params, separators=(',', ':'))}"


def counted(count: int, noun: str) -> str:
    """`1 file`, `1,200 files`, `3 matches`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}es" if noun.endswith(("ch", "s")) else f"{count:,} {noun}s"
