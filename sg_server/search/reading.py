"""What the source adds to the rows of a page: editor line numbers and context lines.

Everything here blocks and runs in a worker thread. A file that is not at its proven revision gives nothing.
"""

from collections.abc import Mapping, Sequence

import msgspec

from sg_server import limits
from sg_server.search.evidence import (
    UNKNOWN_FACTS,
    FileEvidence,
    FileFacts,
    Row,
    hash_line,
    line_numbers,
    rows_between,
)
from sg_server.search.request import PageStyle
from sg_server.search.results import ContextProblem
from sg_server.search.snapshots import Slice, Snapshot
from sg_server.text import lines
from sg_server.text.positions import TextView, shown
from sg_server.workspace.documents import Document
from sg_server.workspace.revisions import Revision, look
from sg_server.workspace.source import SourceChanged, SourceError, read_facts, read_source


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Lines around a row, without terminators, or why there are none."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    after_line: int = 0
    """The 1-based line number of the first of `after`."""
    problem: ContextProblem | None = None


class ShownRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row with all that a page says about it."""

    index: int
    """1-based, in the snapshot."""
    position: int
    """Of the file in the snapshot."""
    row: Row
    lone_crs_before: int
    context: Context | None
    """None when none was asked for."""
    next_line: int | None
    """Where the file's next retained row is; text shows no context from there on."""


def read_rows(
    snapshot: Snapshot,
    slices: Sequence[Slice],
    style: PageStyle,
    view: TextView,
    documents: Mapping[str, Document],
) -> list[ShownRow]:
    """The rows of `slices`, in order, with their context. `documents` are those open now, by URI."""
    return [row for part in slices for row in _read_slice(snapshot, part, style, view, documents)]


def _read_slice(
    snapshot: Snapshot, part: Slice, style: PageStyle, view: TextView, documents: Mapping[str, Document]
) -> list[ShownRow]:
    file = snapshot.files[part.position]
    multiline = snapshot.matching.multiline
    facts = file_facts(snapshot, file, view)
    # One row more than is shown, for where the next one begins.
    rows = list(rows_between(file, part.start, part.stop + 1, view, multiline=multiline, latin1=facts.latin1))
    shown_rows = rows[: part.stop - part.start]
    wants_context = style.before > 0 or style.after > 0
    contexts = None
    if wants_context:
        text = _current_text(snapshot, file, documents)
        contexts = _contexts(text, shown_rows, style, latin1=facts.latin1 is True)
    first = snapshot.first_rows[part.position] + part.start
    return [
        ShownRow(
            index=first + number + 1,
            position=part.position,
            row=row,
            lone_crs_before=facts.lone_crs_before.get(row.line, 0),
            context=contexts[number] if contexts else None,
            next_line=rows[number + 1].line if number + 1 < len(rows) else None,
        )
        for number, row in enumerate(shown_rows)
    ]


def file_facts(snapshot: Snapshot, file: FileEvidence, view: TextView) -> FileFacts:
    """The facts about `file`, read once; unknown where it is no longer the file that was searched."""
    if file.facts is not None:
        return file.facts
    # Without a proof what the file says now is the best there is, and nothing to keep.
    revision = look(file.path) if file.revision is None else file.revision
    whole = view.invalid_utf8 == "latin1"
    wanted = line_numbers(file, multiline=snapshot.matching.multiline) if view.lone_cr_ends_line else []
    if not isinstance(revision, Revision) or not (wanted or whole):
        return UNKNOWN_FACTS
    read = read_facts(file.path, revision, wanted, encoding=snapshot.matching.encoding, whole=whole)
    if read is None:
        return UNKNOWN_FACTS
    counts = zip(wanted, read.lone_crs_before, strict=True)
    facts = FileFacts(
        lone_crs_before={line: count for line, count in counts if count},
        latin1=None if read.valid_utf8 is None else not read.valid_utf8,
    )
    if file.revision is not None:
        file.facts = facts
    return facts


def _contexts(text: bytes | Context, rows: Sequence[Row], style: PageStyle, *, latin1: bool) -> list[Context]:
    if isinstance(text, Context):
        return [text] * len(rows)
    all_lines = lines.lf_lines(text)
    return [_context(text, all_lines, row, style, latin1=latin1) for row in rows]


def _current_text(
    snapshot: Snapshot, file: FileEvidence, documents: Mapping[str, Document]
) -> bytes | Context:
    """The text of `file` where it is still the one that was searched, else why it is not to be had."""
    if file.revision is None:
        return Context(problem="unverified")
    if file.document is not None:
        document = documents.get(file.document.uri)
        if document is None or document.revision != file.document:
            return Context(problem="changed")
        return document.searched
    try:
        source = read_source(file.path, encoding=snapshot.matching.encoding)
    except SourceChanged:
        return Context(problem="changed")
    except SourceError:
        return Context(problem="unreadable")
    return source.text if source.revision == file.revision else Context(problem="changed")


def _context(text: bytes, all_lines: Sequence[bytes], row: Row, style: PageStyle, *, latin1: bool) -> Context:
    at = row.line - 1
    if at >= len(all_lines) or hash_line(lines.content(all_lines[at])) != row.line_hash:
        return Context(problem="changed")
    start, end = row.spans[0]
    # A multiline occurrence may end on a later line: what follows begins after that.
    last = at + text.count(b"\n", row.byte_start, row.byte_start + max(start, end - 1))

    def lines_shown(first: int, stop: int) -> tuple[str, ...]:
        return tuple(
            shown(lines.content(line), latin1=latin1)[: limits.LINE_CHARACTERS]
            for line in all_lines[max(0, first) : max(0, stop)]
        )

    return Context(
        before=lines_shown(at - style.before, at),
        after=lines_shown(last + 1, last + 1 + style.after),
        after_line=last + 2,
    )
