"""Universal Ctags, the first provider of symbols: what a binary can do, and one run over one file."""

import asyncio
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import msgspec

from sg_server import limits
from sg_server.engines.process import Finished, ProcessOwner
from sg_server.engines.records import CappedRecords, Oversized
from sg_server.engines.symbols import Structure, Symbol

_QUIETLY: Final = (
    "--options=NONE",  # option files of a workspace can change languages and run programs
    "--quiet=yes",
)
_AS_TAGS: Final = (
    "--output-format=json",
    "--fields={name}{input}{line}{end}{kind}{scope}{language}{extras}",
    # A tag for the file itself tells a language without tags from a language that ctags does not know.
    "--extras=+{inputFile}-{pseudo}",
    "--sort=no",
    "-f",
    "-",
)
_NEUTRAL_FOLDER: Final = os.path.abspath(os.sep)
"""Never the workspace, whatever ctags would look for there."""

_VERSION: Final = re.compile(r"Universal Ctags ([^\s,]+)")
_END_FIELD: Final = re.compile(r"^\S+\s+end\s", re.MULTILINE)
_UNSAFE_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._+-]")
_NAME_CHARACTERS: Final = 100


class CtagsCapabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What one probe found: a binary without a `problem` can be used, and gives `json` with `end`."""

    path: str | None
    version: str | None = None
    json: bool = False
    end: bool = False
    problem: str | None = None


class Ctags:
    """Runs one ctags binary, or says why there is none to run."""

    def __init__(self, owner: ProcessOwner, binary: str | None) -> None:
        self._owner = owner
        self._binary = binary
        self._probing = asyncio.Lock()
        self._capabilities: CtagsCapabilities | None = None

    async def probe(self) -> CtagsCapabilities:
        """What the binary can do; it is asked once, and again only if the asking was cancelled."""
        async with self._probing:
            if self._capabilities is None:
                self._capabilities = await self._ask()
            return self._capabilities

    async def structure(self, path: str) -> Structure:
        """The proven symbols of the file at `path`, which is absolute.

        Raises OSError when the file cannot be looked at.
        """
        return await self._refusal(os.stat(path).st_size) or await self._structure_of_file(path)

    async def structure_of_text(self, basename: str, text: bytes) -> Structure:
        """The proven symbols of `text`, whose language `basename` tells.

        ctags reads files only, so the text goes to a private file that is gone when this ends, however it
        ends. Raises OSError when that file cannot be written.
        """
        if refusal := await self._refusal(len(text)):
            return refusal
        with private_file(basename, text) as path:
            return await self._structure_of_file(path)

    async def write_tags(self, paths: Sequence[str], consume: Callable[[bytes], None]) -> Finished:
        """Give `consume` the tags of the files at `paths`, which are absolute, as JSON lines.

        The binary has to be one that `probe` finds no problem with. Raises OSError when it cannot be started.
        """
        return await self._run((*_QUIETLY, *_AS_TAGS, *paths), consume)

    async def _refusal(self, size: int) -> Structure | None:
        """Why ctags is not run on `size` bytes, or None when it is."""
        capabilities = await self.probe()
        if capabilities.problem is not None:
            return Structure(status="provider-unavailable", detail=capabilities.problem)
        if size > limits.SOURCE_BYTES:
            return Structure(status="oversized", detail=f"ctags is given {limits.SOURCE_BYTES} bytes at most")
        return None

    async def _structure_of_file(self, path: str) -> Structure:
        tags = _Tags()
        try:
            finished = await self.write_tags((path,), tags.feed)
            tags.finish()
        except OSError as error:
            return Structure(status="provider-unavailable", detail=not_started(error))
        except _BrokenOutputError as error:
            return Structure(status="parse-error", detail=str(error))
        if finished.returncode != 0:
            return Structure(status="parse-error", detail=how_it_failed(finished))
        return tags.structure()

    async def _ask(self) -> CtagsCapabilities:
        if self._binary is None:
            return CtagsCapabilities(path=None, problem="no ctags was found")
        banner, fields = bytearray(), bytearray()
        try:
            await self._run(("--version",), banner.extend)
            await self._run((*_QUIETLY, "--list-fields"), fields.extend)
        except OSError as error:
            return CtagsCapabilities(path=self._binary, problem=not_started(error))
        version = _VERSION.search(banner.decode("utf-8", "replace"))
        has_json = b"+json" in banner
        has_end = _END_FIELD.search(fields.decode("utf-8", "replace")) is not None
        problem = None
        if version is None:
            problem = "this ctags is not Universal Ctags"
        elif not has_json:
            problem = "this Universal Ctags was built without JSON"
        elif not has_end:
            problem = "this Universal Ctags does not tell where definitions end"
        return CtagsCapabilities(
            path=self._binary,
            version=version[1] if version else None,
            json=has_json,
            end=has_end,
            problem=problem,
        )

    async def _run(self, arguments: tuple[str, ...], consume: Callable[[bytes], None]) -> Finished:
        # A probe without a binary has a problem, and then nothing is run.
        binary = cast("str", self._binary)
        return await self._owner.run(
            (binary, *arguments),
            consume,
            cwd=_NEUTRAL_FOLDER,
            env={name: value for name, value in os.environ.items() if name not in {"CTAGS", "ETAGS"}},
        )


class _BrokenOutputError(Exception):
    """ctags wrote something that is no tag."""


class _Tag(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `--output-format=json`. A name that is not UTF-8 can be missing (seen with 5.9)."""

    record: str = msgspec.field(name="_type")
    name: str | None = None
    line: int = 0
    end: int | None = None
    kind: str = ""
    scope: str | None = None
    language: str = ""
    extras: str | None = None


class _Tags:
    """Gathers what one run says of one file."""

    def __init__(self) -> None:
        self._records = CappedRecords(b"\n", limits.RECORD_BYTES)
        self._decoder = msgspec.json.Decoder(_Tag)
        self._symbols: list[Symbol] = []
        self._language: str | None = None
        self._has_tags = False

    def feed(self, chunk: bytes) -> None:
        """Take output. Raises _BrokenOutputError when a line of it is no tag."""
        self._take(self._records.feed(chunk))

    def finish(self) -> None:
        """Take what is left without a line end. Raises as `feed`."""
        self._take(self._records.finish())

    def structure(self) -> Structure:
        """What the whole output amounts to."""
        if self._language is None:
            return Structure(
                status="unsupported-range",
                detail="ctags does not know the language of this file",
                knows_language=False,
            )
        if self._has_tags and not self._symbols:
            detail = f"ctags gives no end lines for this {self._language} file"
            return Structure(status="unsupported-range", detail=detail)
        return Structure(status="available", symbols=tuple(self._symbols))

    def _take(self, records: list[bytes | Oversized]) -> None:
        for record in records:
            if isinstance(record, Oversized):
                raise _BrokenOutputError(f"ctags wrote a tag of over {limits.RECORD_BYTES} bytes")
            try:
                # ctags writes names as they stand in the file, in whatever encoding that is.
                tag = self._decoder.decode(record.decode("utf-8", "replace"))
            except msgspec.DecodeError as error:
                raise _BrokenOutputError(f"ctags wrote broken JSON: {error}") from error
            if tag.record == "tag":
                self._add(tag)

    def _add(self, tag: _Tag) -> None:
        # Also from a definition: the tag of a file whose name is not UTF-8 is left out by 5.9.
        self._language = tag.language
        if "inputFile" in (tag.extras or "").split(","):
            return
        self._has_tags = True
        if tag.name and tag.end is not None and 1 <= tag.line <= tag.end:
            self._symbols.append(
                Symbol(
                    name=tag.name,
                    kind=tag.kind,
                    container=tag.scope,
                    language=tag.language,
                    start_line=tag.line,
                    end_line=tag.end,
                    provider="ctags",
                )
            )


def not_started(error: OSError) -> str:
    """In one sentence why ctags could not be started."""
    return f"ctags cannot be started: {error.strerror or error}"


def how_it_failed(finished: Finished) -> str:
    """In one sentence how a run that failed has ended."""
    if finished.returncode < 0:
        return f"ctags was ended by signal {-finished.returncode}"
    *_, last_words = ("", *finished.stderr.splitlines())
    return f"ctags ended with code {finished.returncode}: {last_words.removeprefix('ctags: ')}"


@contextmanager
def private_file(basename: str, text: bytes) -> Iterator[str]:
    """A file with `text` in a directory of its own (0700), its name as telling as `basename`."""
    # The end of a name tells the language, so that is what a cut keeps.
    name = _UNSAFE_IN_NAMES.sub("_", basename)[-_NAME_CHARACTERS:]
    with tempfile.TemporaryDirectory(prefix="signal-grep-") as directory:
        path = Path(directory, name if name.strip(".") else "_")
        path.write_bytes(text)
        # ctags looks at a first line with `#!` only where the file is a program.
        path.chmod(stat.S_IRWXU)
        yield str(path)
