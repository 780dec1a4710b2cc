"""Random texts and clients, shared by the tests of laws."""

from hypothesis import strategies as st

from sg_server.text.positions import Span, TextView

CHARACTERS = (
    *"ab \t(",
    "é",  # two bytes of UTF-8
    "e\u0301",  # a combining mark
    "漢",  # three bytes
    "\ufeff",
    "𝄞",  # four bytes, a surrogate pair in UTF-16
    "👩\u200d🔬",  # joined
    "\u2028",  # a line separator, which ends no line here
    "\x0b\x0c\x85",  # nor do these
    "\0",
)
LINE_ENDS = ("\n", "\r\n", "\r")
INVALID_UTF8 = (
    b"\x80",
    b"\xff",
    b"\xc0\xaf",  # too long a form
    b"\xe2\x82",  # broken off
    b"\xed\xa0\x80",  # a surrogate
    b"\xf0\x9f\x92",
    b"\xf4\x90\x80\x80",  # past U+10FFFF
)

_valid = st.sampled_from([piece.encode() for piece in CHARACTERS])
_line_ends = st.sampled_from([piece.encode() for piece in LINE_ENDS])
_invalid = st.sampled_from(INVALID_UTF8)


def searched_texts(*, max_size: int = 30) -> st.SearchStrategy[bytes]:
    """What ripgrep may search: UTF-8 with all kinds of line ends and invalid parts, here and there."""
    return st.lists(st.one_of(_valid, _line_ends, _invalid), max_size=max_size).map(b"".join)


def lf_line_texts(*, max_size: int = 20) -> st.SearchStrategy[bytes]:
    """One LF line, with its terminator unless it is the last."""
    lone_cr = st.just(b"\r")
    pieces = st.lists(st.one_of(_valid, _invalid, lone_cr), max_size=max_size).map(b"".join)
    return st.tuples(pieces, st.sampled_from([b"\n", b"\r\n", b""])).map(b"".join)


def plain_lines(*, max_size: int = 40) -> st.SearchStrategy[str]:
    """The text of one line, without line ends or anything invalid."""
    return st.lists(st.sampled_from(CHARACTERS), max_size=max_size).map("".join)


def views() -> st.SearchStrategy[TextView]:
    return st.builds(
        TextView,
        encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
        lone_cr_ends_line=st.booleans(),
    )


@st.composite
def spans_in(draw: st.DrawFn, size: int) -> list[Span]:
    """Ascending spans [start, end) in 0..size that do not overlap, some empty."""
    offsets = sorted(draw(st.lists(st.integers(0, size), max_size=10)))
    return list(zip(offsets[::2], offsets[1::2], strict=False))


@st.composite
def chunked(draw: st.DrawFn, text: bytes) -> list[bytes]:
    """`text` cut anywhere, with empty chunks among the others."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
