"""Searches open documents with unsaved text, through ripgrep's standard input."""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import msgspec

from sg_server import limits
from sg_server.engines.records import Oversized
from sg_server.engines.ripgrep import EndEvent, Filters, Matching, Ripgrep
from sg_server.search.evidence import FileEvidence, FileFacts, Row, line_numbers, rows_of, size_of
from sg_server.search.scope import Scope
from sg_server.text import lines
from sg_server.text.positions import TextView
from sg_server.workspace.documents import Document
from sg_server.workspace.folders import Workspace

_LONG_LINE_BYTES = 64 * limits.KIB
"""A document with a longer line is searched alone: its records may be oversized and then name no line."""
_AS_TEXT = Filters(text=True)
_KNOWS_TEXT_ENDS = re.compile(r"\\[AzZG]")


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An unsaved document that may be in the scope of a search."""

    document: Document
    path: str
    """In its folder's spelling; the URI of a document that is no file."""
    is_new: bool
    """There is no file yet, so that ripgrep cannot say whether it would search it."""
    is_decided: bool
    """It is in scope, whatever ripgrep would say."""


class UnsavedMatches(msgspec.Struct, frozen=True, kw_only=True):
    """What documents hold, whether in scope or not."""

    files: tuple[FileEvidence, ...]
    undecided: tuple[FileEvidence, ...]
    """Those of `files` that are only in scope if ripgrep would search the file."""
    rows: int
    bytes: int
    is_cut: bool


def candidates(documents: Iterable[Document], scope: Scope, workspace: Workspace) -> tuple[Candidate, ...]:
    """The documents that `scope` does not leave out by its roots; blocks to look up their files."""
    found = (_candidate(document, scope, workspace) for document in documents)
    return tuple(candidate for candidate in found if candidate is not None)


def _candidate(document: Document, scope: Scope, workspace: Workspace) -> Candidate | None:
    path = document.path_in(workspace)
    if path is None:
        # Rules are about paths in folders, and this has none.
        path = None if document.is_file and workspace.folders else document.uri
        is_in_scope = scope.is_everything
        is_new = True
    elif path in scope.files:
        return Candidate(document=document, path=path, is_new=False, is_decided=True)
    else:
        is_new = not os.path.lexists(path)
        is_in_scope = any(path.startswith(os.path.join(folder, "")) for folder in scope.folders)
        is_in_scope = is_in_scope and not (is_new and scope.has_path_rules)
    if path is None or not is_in_scope:
        return None
    return Candidate(document=document, path=path, is_new=is_new, is_decided=is_new)


async def search_documents(
    ripgrep: Ripgrep,
    matching: Matching,
    documents: Sequence[Candidate],
    view: TextView,
    *,
    cwd: str,
    most_rows: int,
) -> UnsavedMatches:
    """Search `documents`, keeping at most `most_rows` rows. Raises as `Ripgrep.search`."""
    files: list[FileEvidence] = []
    # The text is UTF-8 and all of it: a byte order mark in it is a character that the client shows.
    matching = msgspec.structs.replace(matching, encoding="none")
    rows = 0
    for batch in _batches(matching, [candidate for candidate in documents if candidate.document.text]):
        sink = _DocumentSink(batch, view, multiline=matching.multiline, most_rows=most_rows - rows)
        await ripgrep.search(matching, _AS_TEXT, ["-"], sink, cwd=cwd, stdin=sink.text)
        files += sink.matched()
        rows = sum(file.retained for file in files)
    decided = {candidate.path for candidate in documents if candidate.is_decided}
    return UnsavedMatches(
        files=tuple(files),
        undecided=tuple(file for file in files if file.path not in decided),
        rows=rows,
        bytes=sum(size_of(kept) for file in files for kept in file.records if isinstance(kept, tuple)),
        is_cut=any(file.retained < file.matches and not file.oversized for file in files),
    )


def _batches(matching: Matching, found: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    """Cut `found` into runs of ripgrep: one for all where their texts can stand one after the other."""
    knows_ends = (
        matching.multiline or matching.engine != "default" or _KNOWS_TEXT_ENDS.search(matching.pattern)
    )
    together: list[Candidate] = []
    for candidate in found:
        text = candidate.document.searched
        if knows_ends or text.endswith(b"\r") or max(map(len, text.split(b"\n"))) > _LONG_LINE_BYTES:
            yield [candidate]
        else:
            together.append(candidate)
    if together:
        yield together


class _DocumentSink:
    """Takes the events of one run over documents whose texts stand one after the other."""

    wants_matches = True

    def __init__(
        self, batch: Sequence[Candidate], view: TextView, *, multiline: bool, most_rows: int
    ) -> None:
        texts = [candidate.document.searched for candidate in batch]
        if len(texts) > 1:
            texts = [text if text.endswith(b"\n") else text + b"\n" for text in texts]
        self.text = b"".join(texts)
        self._texts = texts
        self._view = view
        self._multiline = multiline
        self._room = most_rows
        self._files = [
            FileEvidence(path=candidate.path, records=[], revision=candidate.document.revision)
            for candidate in batch
        ]
        line_feeds = (text.count(b"\n") for text in texts)
        self._lines_before = list(accumulate(line_feeds, initial=0))
        self._bytes_before = list(accumulate(map(len, texts), initial=0))

    def begin(self, path: str) -> None:
        """Wait for the matches: there is one text, and it has begun."""

    def match(self, record: bytes | Oversized) -> None:
        """Put the rows of one record under their document."""
        if isinstance(record, Oversized):
            # Only a document that is searched alone has lines so long.
            self._files[0].oversized = True
            return
        rows = tuple(rows_of(record, self._view, multiline=self._multiline, latin1=False))
        at = min(bisect_right(self._lines_before, rows[0].line - 1), len(self._files)) - 1
        file = self._files[at]
        file.matches += len(rows)
        file.occurrences += sum(len(row.spans) for row in rows)
        if kept := tuple(self._moved(row, at) for row in rows[: self._room]):
            file.records.append(kept)
            file.retained += len(kept)
            self._room -= len(kept)

    def end(self, path: str, event: EndEvent) -> None:
        """Take ripgrep's own counts where a record was too long to count in."""
        del path
        if self._files[0].oversized:
            stats = event.stats
            self._files[0].occurrences = stats.matches
            self._files[0].matches = stats.matches if self._multiline else stats.matched_lines

    def matched(self) -> list[FileEvidence]:
        """The documents that matched, with the facts of the texts that were searched."""
        for file, text in zip(self._files, self._texts, strict=True):
            file.facts = self._facts(file, text)
        return [file for file in self._files if file.matches]

    def _facts(self, file: FileEvidence, text: bytes) -> FileFacts:
        if not self._view.lone_cr_ends_line:
            return FileFacts(lone_crs_before={}, latin1=False)
        numbers = line_numbers(file, multiline=self._multiline)
        counts = zip(numbers, lines.lone_crs_before([text], numbers), strict=True)
        return FileFacts(lone_crs_before={line: lone for line, lone in counts if lone}, latin1=False)

    def _moved(self, row: Row, at: int) -> Row:
        """`row` with its line and offset counted in its own document."""
        return msgspec.structs.replace(
            row, line=row.line - self._lines_before[at], byte_start=row.byte_start - self._bytes_before[at]
        )
