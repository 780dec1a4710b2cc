"""Where lines end: for ripgrep at LF only, for LSP also at CRLF and, in some editors, at a lone CR."""

import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

_EDITOR_LINE_END = re.compile(rb"\r\n?|\n")


def content(line: bytes) -> bytes:
    """`line` without its terminator, LF or CRLF.

    Exactly one CR goes with the LF; a final CR without an LF is content.
    """
    if line.endswith(b"\n"):
        return line[:-2] if line.endswith(b"\r\n") else line[:-1]
    return line


def lf_lines(text: bytes) -> list[bytes]:
    """The lines of `text` as ripgrep has them, terminators kept; nothing follows a final LF."""
    return io.BytesIO(text).readlines()


def lone_crs(text: bytes, start: int = 0, end: int | None = None) -> int:
    """How many CRs in the bytes [start, end) of `text` are not followed by an LF there."""
    return text.count(b"\r", start, end) - text.count(b"\r\n", start, end)


def lone_crs_before(chunks: Iterable[bytes], line_numbers: Iterable[int]) -> Iterator[int]:
    """For each of `line_numbers` (1-based LF lines, ascending) the lone CRs before that line's start.

    `chunks` are consecutive pieces of one text, cut anywhere; none is taken after the one that holds the last
    line asked for. A line past the end has all lone CRs of the text before it.
    """
    numbers = iter(line_numbers)
    wanted = next(numbers, None)
    if wanted is None:
        return
    line, lone = 1, 0
    for chunk in _with_whole_crlfs(chunks):
        line_feeds = chunk.count(b"\n")
        chunk_has_lone = b"\r" in chunk and lone_crs(chunk) > 0
        counted, counted_line = 0, line
        while wanted is not None and wanted <= line + line_feeds:
            if chunk_has_lone:
                start = _after_line_feeds(chunk, counted, wanted - counted_line)
                lone += lone_crs(chunk, counted, start)
                counted, counted_line = start, wanted
            yield lone
            wanted = next(numbers, None)
        if wanted is None:
            return
        line += line_feeds
        lone += lone_crs(chunk, counted)
    while wanted is not None:
        yield lone
        wanted = next(numbers, None)


def lf_line_of(text: bytes, lsp_line: int, *, lone_cr_ends_line: bool) -> int:
    """The 1-based LF line of `text` that holds the LSP line `lsp_line` (0-based).

    LSP ends lines at LF and CRLF, and at a lone CR when `lone_cr_ends_line`. Past the end clamps to the last
    line, and so does the empty line that LSP, unlike ripgrep, sees after a final LF.
    """
    last = max(1, text.count(b"\n") + (not text.endswith(b"\n")))
    if lsp_line == 0 or not lone_cr_ends_line or not lone_crs(text):
        return min(lsp_line + 1, last)
    end = next(islice(_EDITOR_LINE_END.finditer(text), lsp_line - 1, None), None)
    return last if end is None else min(text.count(b"\n", 0, end.end()) + 1, last)


def _with_whole_crlfs(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut so that no CRLF is divided."""
    held = b""
    for chunk in chunks:
        joined = held + chunk
        held = b"\r" if joined.endswith(b"\r") else b""
        yield joined[: len(joined) - len(held)]
    yield held


def _after_line_feeds(text: bytes, start: int, count: int) -> int:
    """The offset after the next `count` LFs from `start` on; they must be there."""
    for _ in range(count):
        start = text.index(b"\n", start) + 1
    return start
