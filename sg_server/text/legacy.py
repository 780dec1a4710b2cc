"""The legacy encodings of the WHATWG Encoding Standard, by way of Python's codecs, which differ in places."""

import codecs
import re
from collections.abc import Callable, Mapping

import msgspec
import webencodings  # type: ignore[import-untyped]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def decoded(data: bytes, name: str) -> str:
    """`data` in the legacy encoding that the standard calls `name`, each undecodable part as one U+FFFD.

    Exact but for rare characters of three encodings, which become U+FFFD or a lookalike (some two hundred in
    Big5, one in EUC-JP, NEC's and IBM's extensions and every error in ISO-2022-JP), and for a lead byte that
    ends the file, which ripgrep loses in some encodings.
    """
    if name == "iso-2022-jp":
        return data.decode("iso2022_jp_ext", "replace").translate(_JIS_RESPELLED)
    if data.isascii():
        return data.decode("ascii")
    if name in _MULTI_BYTE:
        return _decoded_multi_byte(data, _MULTI_BYTE[name])
    return codecs.charmap_decode(data, "strict", _single_byte_table(name))[0]


def _single_byte_table(name: str) -> str:
    """The character of each byte 0x00..0xFF, U+FFFD where there is none."""
    decode = webencodings.lookup(name).codec_info.decode
    table = [decode(bytes([byte]), "replace")[0] for byte in range(0x100)]
    for byte in range(0x80, 0xA0):
        if table[byte] == _REPLACEMENT:  # undefined by Windows, C1 controls in the standard
            table[byte] = chr(byte)
    for byte, character in _SINGLE_BYTE_RESPELLED.get(name, {}).items():
        table[byte] = character
    return "".join(table)


def _always_replaced(_part: bytes) -> str:
    return _REPLACEMENT


class _MultiByte(msgspec.Struct, frozen=True, kw_only=True):
    """How an encoding of East Asia follows from a Python codec."""

    codec: str
    undecodable: re.Pattern[bytes]
    """What one error takes. It matches any byte; an ASCII byte after a lead byte is left to the text."""
    repaired: Callable[[bytes], str] = _always_replaced
    """What stands for such a part."""
    respelled: Mapping[int, int]
    """Code points of Python's table that are others in the standard's."""


_WINDOW = 1024
"""Bytes decoded at a time once there are errors: each error holds a copy of what was to be decoded."""
_CHARACTER_BYTES_MAX = 4


def _decoded_multi_byte(data: bytes, encoding: _MultiByte) -> str:
    try:
        return data.decode(encoding.codec).translate(encoding.respelled)
    except UnicodeDecodeError:
        return "".join(_pieces(data, encoding))


def _pieces(data: bytes, encoding: _MultiByte) -> list[str]:
    """`data` decoded piece by piece: what the codec takes, and what stands for each part that it does not."""
    pieces: list[str] = []
    at = 0
    while at < len(data):
        window = data[at : at + _WINDOW]
        good = _decodable_bytes(window, encoding.codec)
        pieces.append(window[:good].decode(encoding.codec).translate(encoding.respelled))
        at += good
        left = len(window) - good
        # A short rest may be no more than the cut: it then begins the next window, whole.
        is_error = left >= _CHARACTER_BYTES_MAX or (left > 0 and good == 0)
        if is_error and (part := encoding.undecodable.match(data, at)):
            pieces.append(encoding.repaired(part[0]))
            at = part.end()
    return pieces


def _decodable_bytes(data: bytes, codec: str) -> int:
    """How many bytes of `data` come before the first error."""
    try:
        data.decode(codec)
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def _gb18030_repaired(part: bytes) -> str:
    return "€" if part == b"\x80" else _REPLACEMENT


_JIS_PAIR = re.compile(rb"[\xa1-\xfe]{2}")
_LOW_ROWS = 62
"""Rows of JIS X 0208 whose lead bytes in Shift_JIS come before the half-width katakana."""
_LOW_CELLS = 63
"""Cells of an odd row whose trail bytes in Shift_JIS come before DEL."""


def _euc_jp_repaired(part: bytes) -> str:
    """NEC's and IBM's extensions: Python has them in Shift_JIS only, at the same places of JIS X 0208."""
    if not _JIS_PAIR.fullmatch(part):
        return _REPLACEMENT
    row, cell = (byte - 0xA1 for byte in part)
    lead = row // 2 + (0x81 if row < _LOW_ROWS else 0xC1)
    trail = cell + (0x9F if row % 2 else 0x40 if cell < _LOW_CELLS else 0x41)
    characters = bytes([lead, trail]).decode("cp932", "replace")
    return characters if len(characters) == 1 else _REPLACEMENT


_SINGLE_BYTE_RESPELLED = {"koi8-u": {0xAE: "ў", 0xBE: "Ў"}, "windows-1255": {0xCA: "\u05ba"}}
_JIS_RESPELLED = str.maketrans("\u301c\u2016\u2212\u00a2\u00a3\u00ac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2")
_BIG5_RESPELLED = str.maketrans(
    "\u2022\uff64\u203e\u223c\u2641\u2609\u00a5\u00a2\u00a3",
    "\u2027\ufe51\u00af\uff5e\u2295\u2299\uffe5\uffe0\uffe1",
)
_GB18030_RESPELLED = str.maketrans(
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\u1e3f"
    "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f\ue7c7"
    "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
)
_LEAD_81_TO_FE = re.compile(rb"[\x81-\xfe][\x80-\xff]?|.", re.DOTALL)
_GB18030 = _MultiByte(
    codec="gb18030",
    undecodable=re.compile(
        rb"[\x81-\xfe][0-9](?:[\x81-\xfe](?:[0-9]|\Z)|\Z)|[\x81-\xfe][\x80-\xff]?|.", re.DOTALL
    ),
    repaired=_gb18030_repaired,
    respelled=_GB18030_RESPELLED,
)
_MULTI_BYTE = {
    "big5": _MultiByte(codec="big5hkscs", undecodable=_LEAD_81_TO_FE, respelled=_BIG5_RESPELLED),
    "euc-jp": _MultiByte(
        codec="euc_jp",
        undecodable=re.compile(rb"\x8f[\xa1-\xfe][\x80-\xff]?|[\x8e\x8f\xa1-\xfe][\x80-\xff]?|.", re.DOTALL),
        repaired=_euc_jp_repaired,
        respelled=_JIS_RESPELLED,
    ),
    "euc-kr": _MultiByte(codec="cp949", undecodable=_LEAD_81_TO_FE, respelled={}),
    "gb18030": _GB18030,
    "gbk": _GB18030,
    "shift_jis": _MultiByte(
        codec="cp932",
        undecodable=re.compile(rb"[\x81-\x9f\xe0-\xfc][\x80-\xff]?|.", re.DOTALL),
        respelled=dict.fromkeys(range(0xF8F0, 0xF8F4), ord(_REPLACEMENT)),
    ),
}
