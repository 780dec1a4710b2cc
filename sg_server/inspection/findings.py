"""What there is to show for each target: its text, proven where a search has seen it, and its symbol."""

import asyncio
from collections.abc import Hashable, Sequence
from typing import Final, TypeVar

import msgspec

from sg_server import limits
from sg_server.engines.structure import StructureReader
from sg_server.engines.symbols import Structure, Symbol, smallest_enclosing
from sg_server.inspection.lines import SourceLines
from sg_server.inspection.results import StructureOutcome
from sg_server.inspection.targets import Target
from sg_server.text.positions import TextView
from sg_server.workspace.documents import DocumentRevision
from sg_server.workspace.revisions import Revision, look
from sg_server.workspace.source import (
    SourceChanged,
    SourceError,
    SourceOversized,
    SourceUnavailable,
    read_source,
)

_Kept = TypeVar("_Kept")

_OUTCOMES: Final[dict[type[SourceError], StructureOutcome]] = {
    SourceChanged: "source-changed",
    SourceOversized: "oversized",
    SourceUnavailable: "source-unavailable",
}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One target, looked into."""

    target: Target
    line: int
    """1-based, LF only; where no text was read, the line that was asked for."""
    lines: SourceLines | None
    """The text; None when it is refused. Targets in one state of a text share one object."""
    structure: StructureOutcome
    symbol: Symbol | None = None
    message: str | None = None
    """Why there is no text, or no symbol."""


class _Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A text at one revision."""

    revision: Revision | DocumentRevision
    text: bytes
    lines: SourceLines


class Examiner:
    """Looks into targets; each text is read once a request, and parsed once if any target needs it."""

    def __init__(self, structures: StructureReader, view: TextView) -> None:
        self._structures = structures
        self._view = view

    async def examine(self, targets: Sequence[Target]) -> list[Finding]:
        """One finding for each target, in order. Their texts are looked into at the same time."""
        in_text: dict[Hashable, list[Target]] = {}
        for target in targets:
            in_text.setdefault(_key(target), []).append(target)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {key: group.create_task(self._of_text(found)) for key, found in in_text.items()}
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        findings = {key: iter(task.result()) for key, task in tasks.items()}
        return [next(findings[_key(target)]) for target in targets]

    async def _of_text(self, targets: Sequence[Target]) -> list[Finding]:
        """One finding for each of `targets`, which are in one text."""
        text = _Text(targets[0], self._structures, self._view)
        return [await _examined(target, text) for target in targets]


class _Text:
    """The text of some targets. An error is kept like a text: it stands for all of them."""

    def __init__(self, target: Target, structures: StructureReader, view: TextView) -> None:
        """Any of the targets will do as `target`."""
        self._target = target
        self._structures = structures
        self._view = view
        self._loaded: _Loaded | SourceError | None = None
        self._structure: Structure | SourceError | None = None

    async def loaded(self) -> _Loaded:
        """The text itself. Raises SourceError."""
        if self._loaded is None:
            try:
                self._loaded = await asyncio.to_thread(_load, self._target, self._view)
            except SourceError as error:
                self._loaded = error
        return _or_raise(self._loaded)

    async def structure(self, loaded: _Loaded) -> Structure:
        """The structure of the text. Raises SourceChanged when its file has changed meanwhile."""
        if self._structure is None:
            structure = await self._structures.structure_of(
                self._target.subject.basename, loaded.text, path=_plain_file(self._target, loaded)
            )
            self._structure = _changed(self._target) if _is_stale(self._target, loaded) else structure
        return _or_raise(self._structure)


async def _examined(target: Target, text: _Text) -> Finding:
    try:
        _require_provable(target)
        loaded = await text.loaded()
        line = _proven_line(target, loaded)
        structure = await text.structure(loaded)
    except SourceError as error:
        asked = target.line or (target.position.line + 1 if target.position else 1)
        return Finding(
            target=target, line=asked, lines=None, structure=_OUTCOMES[type(error)], message=str(error)
        )
    symbol = smallest_enclosing(structure.symbols, line)
    return Finding(
        target=target,
        line=line,
        lines=loaded.lines,
        structure=_outcome(structure, symbol),
        symbol=symbol,
        message=None if symbol else structure.detail,
    )


def _outcome(structure: Structure, symbol: Symbol | None) -> StructureOutcome:
    if symbol is not None:
        return "available"
    return "no-enclosing-symbol" if structure.status == "available" else structure.status


def _key(target: Target) -> Hashable:
    document = target.subject.document
    return (target.subject.uri, document and document.revision, target.encoding)


def _load(target: Target, view: TextView) -> _Loaded:
    """Read the text of a target; blocks. Raises SourceError."""
    subject = target.subject
    if subject.document is not None:
        text = subject.document.searched
        if len(text) > limits.SOURCE_BYTES:
            message = f"{subject.display} has {len(text)} bytes; at most {limits.SOURCE_BYTES} are read"
            raise SourceOversized(message)
        lines = SourceLines(text, view, latin1=False)
        return _Loaded(revision=subject.document.revision, text=text, lines=lines)
    if subject.path is None:
        raise _changed(target)
    source = read_source(subject.path, encoding=target.encoding)
    latin1 = view.invalid_utf8 == "latin1" and not source.valid_utf8
    return _Loaded(
        revision=source.revision,
        text=source.text,
        lines=SourceLines(source.text, view, latin1=latin1),
    )


def _require_provable(target: Target) -> None:
    """Raises SourceChanged where what is there now cannot be the text that was searched."""
    expected, document = target.expected, target.subject.document
    if expected is None:
        return
    if expected.revision is None:
        message = f"{target.subject.display} could not be proven unchanged since the search; search again"
        raise SourceChanged(message)
    is_of_document = isinstance(expected.revision, DocumentRevision)
    if is_of_document and (document is None or document.revision != expected.revision):
        raise _changed(target)


def _proven_line(target: Target, loaded: _Loaded) -> int:
    """The line of a target. Raises SourceError when it is not there, or not the line that was searched."""
    lines, expected = loaded.lines, target.expected
    line = target.line or (lines.line_at(target.position) if target.position else 1)
    if expected is not None:
        is_same = expected.revision == loaded.revision and line <= lines.count
        if not is_same or not expected.is_line(lines.content(line)):
            raise _changed(target)
    elif line > lines.count:
        raise SourceUnavailable(f"{target.subject.display} has no line {line}; its last is {lines.count}")
    return line


def _plain_file(target: Target, loaded: _Loaded) -> str | None:
    """The file of a target if its bytes are the text; what is not ASCII may have been transcoded."""
    is_file = isinstance(loaded.revision, Revision) and loaded.revision.size == len(loaded.text)
    return target.subject.path if is_file and loaded.text.isascii() else None


def _is_stale(target: Target, loaded: _Loaded) -> bool:
    path = target.subject.path
    return isinstance(loaded.revision, Revision) and path is not None and look(path) != loaded.revision


def _changed(target: Target) -> SourceChanged:
    if target.expected is None:
        return SourceChanged(f"{target.subject.display} changed while it was read; ask again")
    return SourceChanged(f"{target.subject.display} changed since the search; search again")


def _or_raise(kept: _Kept | SourceError) -> _Kept:
    if isinstance(kept, SourceError):
        raise kept
    return kept
