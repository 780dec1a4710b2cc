"""Bounded reads of files that are still the ones that were looked at.

Symbolic links are followed: whether a path may be read is decided before, on real paths.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import chain
from typing import Final

import msgspec
import webencodings  # type: ignore[import-untyped]

from sg_server import limits
from sg_server.text.encodings import searched_text
from sg_server.text.lines import lone_crs_before
from sg_server.workspace.revisions import Revision, look
from sg_server.workspace.uris import display

_CHUNK_BYTES: Final = limits.MIB
_UTF16_BOMS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UTF16_LABELS: Final = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}


class SourceError(Exception):
    """A file could not be read as evidence; the message is one sentence for people."""


class SourceUnavailable(SourceError):
    """It is missing, unreadable or no regular file."""


class SourceOversized(SourceError):
    """It is larger than the read may be."""


class SourceChanged(SourceError):
    """It is not the file it was when the read began."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file.

    `text` is what ripgrep searches: UTF-8 without its BOM, other encodings transcoded, invalid parts left in.
    `valid_utf8` is about that text.
    """

    revision: Revision
    text: bytes
    valid_utf8: bool


class FileFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says about the lines asked for.

    `lone_crs_before` has, in their order, how many CRs without an LF come before the start of each line.
    `valid_utf8` is about the whole text as ripgrep searches it; None when that was not asked for.
    """

    lone_crs_before: tuple[int, ...]
    valid_utf8: bool | None


def read_source(path: str, *, encoding: str = "auto", limit: int = limits.SOURCE_BYTES) -> Source:
    """Read a file of at most `limit` bytes. `encoding` is ripgrep's label for files without a BOM.

    Raises SourceUnavailable, SourceOversized, or SourceChanged when it changed or was replaced meanwhile, and
    LookupError for a label that is not known.
    """
    revision = look(path)
    if revision is None:
        raise SourceUnavailable(f"{display(path)} is missing, unreadable or no regular file")
    if revision.size > limit:
        raise SourceOversized(f"{display(path)} has {revision.size} bytes; at most {limit} are read")
    try:
        with _open(path) as file:
            is_same = Revision.of(os.fstat(file.fileno())) == revision
            # One byte more tells a file that has grown, and one whose size means nothing, as in /proc.
            data = file.read(revision.size + 1) if is_same else None
    except OSError as error:
        raise SourceUnavailable(f"{display(path)} cannot be read: {error.strerror}") from error
    if data is None or len(data) != revision.size or look(path) != revision:
        raise SourceChanged(f"{display(path)} changed while it was read")
    text = searched_text(data, encoding)
    return Source(revision=revision, text=text, valid_utf8=_is_valid_utf8(text))


def read_facts(
    path: str, revision: Revision, line_numbers: Sequence[int], *, encoding: str = "auto", whole: bool
) -> FileFacts | None:
    """Read a file of any size in chunks, up to the last of `line_numbers` (1-based, LF only, ascending).

    `whole` reads on until it is known whether the text is valid UTF-8. None when the file is not at
    `revision`, before or after, or cannot be read.
    """
    try:
        with _open(path) as file:
            if Revision.of(os.fstat(file.fileno())) != revision:
                return None
            facts = _facts(file, line_numbers, encoding, whole=whole)
    except OSError:
        return None
    return facts if look(path) == revision else None


def _facts(file: BufferedReader, line_numbers: Sequence[int], label: str, *, whole: bool) -> FileFacts:
    codec = _utf16_codec(file.peek(2)[:2], label)
    start = file.read(_CHUNK_BYTES)
    is_transcoded = codec is not None or label not in ("auto", "none")
    if len(start) < _CHUNK_BYTES and b"\r" not in start:
        # The whole file, as most are: there is nothing to count. In UTF-16 a CR has that byte too.
        valid = True if is_transcoded else _is_valid_utf8(start) if whole else None
        return FileFacts(lone_crs_before=(0,) * len(line_numbers), valid_utf8=valid)
    chunks = chain((start,), iter(lambda: file.read(_CHUNK_BYTES), b""))
    if codec is not None:
        text = (part.encode() for part in codecs.iterdecode(chunks, codec, "replace"))
        return FileFacts(lone_crs_before=tuple(lone_crs_before(text, line_numbers)), valid_utf8=True)
    # In all other encodings of ripgrep's the bytes of CR and LF stand for nothing else.
    if is_transcoded or not whole:
        counts = tuple(lone_crs_before(chunks, line_numbers))
        return FileFacts(lone_crs_before=counts, valid_utf8=True if is_transcoded else None)
    check = _Utf8Check()
    checked = check.watch(chunks)
    counts = tuple(lone_crs_before(checked, line_numbers))
    while check.is_valid and next(checked, None) is not None:
        pass
    return FileFacts(lone_crs_before=counts, valid_utf8=check.is_valid)


class _Utf8Check:
    """Watches chunks go by and tells whether they are valid UTF-8 so far, at the end as a whole."""

    def __init__(self) -> None:
        self.is_valid = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def watch(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._feed(chunk)
            yield chunk
        self._feed(b"", final=True)

    def _feed(self, chunk: bytes, *, final: bool = False) -> None:
        if self.is_valid:
            try:
                self._decoder.decode(chunk, final)
            except UnicodeDecodeError:
                self.is_valid = False


def _utf16_codec(start: bytes, label: str) -> str | None:
    """Return Python's codec for a file that ripgrep reads as UTF-16, because of its BOM or of `label`."""
    if label == "none":
        return None
    if start in _UTF16_BOMS:
        return _UTF16_BOMS[start]
    encoding = webencodings.lookup(label)
    return _UTF16_LABELS.get(encoding.name) if encoding is not None else None


def _is_valid_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _open(path: str) -> BufferedReader:
    """Open a file without waiting for one, should a pipe have taken its place."""
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))
