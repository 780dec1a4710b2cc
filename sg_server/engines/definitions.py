"""Every definition that Universal Ctags finds, with or without a proven end, in many files at once."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from sg_server import limits
from sg_server.engines.ctags import Ctags, how_it_failed, not_started, private_file
from sg_server.engines.records import CappedRecords, Oversized

_FILE_TAG: Final = b"inputFile"


class Definition(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A definition as its provider tells of it.

    `kind` and `language` are the provider's own words, `container` its own spelling of the enclosing scope.
    Lines are 1-based, end at LF only, and both are inclusive; `end_line` is None when it is not proven.
    `name` is made up when `is_anonymous`.
    """

    name: str
    kind: str
    container: str | None = None
    language: str
    line: int
    end_line: int | None = None
    is_anonymous: bool = False


class DefinitionsUnavailable(Exception):
    """ctags cannot be run, or failed; the message is one sentence for people."""


class DefinitionReader:
    """Reads definitions with one ctags binary."""

    def __init__(self, ctags: Ctags) -> None:
        self._ctags = ctags

    async def of_files(
        self,
        paths: Sequence[str],
        take: Callable[[str, Definition], None],
        *,
        holding: bytes = b"",
    ) -> frozenset[str]:
        """Give `take` the definitions in the files at `paths`, absolute and valid UTF-8, file by file.

        Only those whose tag has `holding` (lower-case ASCII) in it, in whatever case. Returns the paths whose
        language ctags knows. Raises DefinitionsUnavailable.
        """
        capabilities = await self._ctags.probe()
        if capabilities.problem is not None:
            raise DefinitionsUnavailable(capabilities.problem)
        tags = _Tags(take, holding)
        try:
            finished = await self._ctags.write_tags(paths, tags.feed)
            tags.finish()
        except OSError as error:
            raise DefinitionsUnavailable(not_started(error)) from error
        except msgspec.DecodeError as error:
            raise DefinitionsUnavailable(f"ctags wrote broken JSON: {error}") from error
        if finished.returncode != 0:
            raise DefinitionsUnavailable(how_it_failed(finished))
        return frozenset(tags.known)

    async def of_text(self, basename: str, text: bytes) -> tuple[Definition, ...] | None:
        """The definitions in `text`, whose language `basename` tells; None when ctags does not know it.

        Raises DefinitionsUnavailable, and OSError when the private file for ctags cannot be written.
        """
        found: list[Definition] = []
        with private_file(basename, text) as path:
            known = await self.of_files([path], lambda _path, definition: found.append(definition))
        return tuple(found) if known else None


class _Tag(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `--output-format=json`. A name that is not UTF-8 can be missing (seen with 5.9)."""

    record: str = msgspec.field(name="_type")
    name: str | None = None
    path: str | None = None
    line: int = 0
    end: int | None = None
    kind: str = ""
    scope: str | None = None
    language: str = ""
    extras: str = ""


class _Tags:
    """Turns the output of one run into definitions."""

    def __init__(self, take: Callable[[str, Definition], None], holding: bytes) -> None:
        self.known: set[str] = set()
        self._take = take
        self._holding = holding
        self._records = CappedRecords(b"\n", limits.RECORD_BYTES)
        self._decoder = msgspec.json.Decoder(_Tag)

    def feed(self, chunk: bytes) -> None:
        self._read(self._records.feed(self._without_idle_middle(chunk)))

    def finish(self) -> None:
        self._read(self._records.finish())

    def _without_idle_middle(self, chunk: bytes) -> bytes:
        """`chunk` without the records that lie in it whole, where none of them is wanted.

        A header of registers has a hundred thousand tags; cutting and looking at each takes as long as ctags.
        """
        first, last = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
        middle = chunk[first:last]
        return chunk if self._is_wanted(middle) else chunk[:first] + chunk[last:]

    def _is_wanted(self, record: bytes) -> bool:
        return _FILE_TAG in record or self._holding in record.lower()

    def _read(self, records: Sequence[bytes | Oversized]) -> None:
        for record in records:
            if isinstance(record, Oversized):
                continue  # a name of megabytes
            if not self._is_wanted(record):
                continue
            # ctags writes names as they stand in the file, in whatever encoding that is.
            tag = self._decoder.decode(record.decode("utf-8", "replace"))
            if tag.record == "tag" and tag.path is not None:
                self._add(tag.path, tag)

    def _add(self, path: str, tag: _Tag) -> None:
        self.known.add(path)
        extras = tag.extras.split(",")
        if "inputFile" in extras or not tag.name or tag.line < 1:
            return
        definition = Definition(
            name=tag.name,
            kind=tag.kind,
            container=tag.scope,
            language=tag.language,
            line=tag.line,
            end_line=tag.end if tag.end is not None and tag.end >= tag.line else None,
            is_anonymous="anonymous" in extras,
        )
        self._take(path, definition)
