"""Targets: which line of which text is to be shown, and what a search has kept of it."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from sg_server.errors import NoWorkspace, PathNotFound
from sg_server.inspection.request import PlaceAsk, RetryParams
from sg_server.text.positions import Position, Range, Span
from sg_server.workspace import uris
from sg_server.workspace.documents import Document, DocumentRevision, unsaved
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import Revision


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A text: a file, or the open document that stands for it or has no file yet."""

    path: str | None
    """Absolute; None for a document that has no path."""
    display: str
    uri: str
    document: Document | None = None

    @property
    def basename(self) -> str:
        """The last component of its name, which tells the language."""
        if self.document is not None:
            return self.document.basename
        return uris.display(self.path or self.uri).rpartition("/")[2]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a search has kept of a matching line, to know it again."""

    revision: Revision | DocumentRevision | None
    """Of the text that was searched; None when that is not proven."""
    is_line: Callable[[bytes], bool]
    """Whether the content of a line, its terminator left out, is that of the matching line."""
    occurrence: Range
    """The first one; line 0 is the LSP line on which the matching LF line starts."""
    columns: Span
    """The same in code points of the LF line."""
    encoding: str
    """The label under which the file was searched."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to inspect.

    `line` (1-based, LF only) says where, or else `position`; beside `line` that tells what to keep in view.
    """

    subject: Subject
    request: RetryParams
    """The request for this target alone."""
    line: int | None = None
    position: Position | None = None
    match_index: int | None = None
    expected: Evidence | None = None
    """None when the place was named directly: then what is there now is shown."""

    @property
    def encoding(self) -> str:
        """The label under which its file is read."""
        return "auto" if self.expected is None else self.expected.encoding


def target_at(ask: PlaceAsk, workspace: Workspace, documents: Iterable[Document]) -> Target:
    """The target of a place named directly; may block to compare a document with its file.

    An open document with unsaved text stands for its file. Raises the errors of Workspace.place.
    """
    subject = _subject(ask, workspace, [subject_of(document, workspace) for document in documents])
    return Target(subject=subject, request=ask.request, line=ask.line, position=ask.position)


def subject_of(document: Document, workspace: Workspace) -> Subject:
    """An open document as the text to inspect."""
    path = document.path_in(workspace)
    return Subject(
        path=path,
        display=workspace.display_of(document.uri if path is None else path),
        uri=document.uri,
        document=document,
    )


def _subject(ask: PlaceAsk, workspace: Workspace, open_subjects: Sequence[Subject]) -> Subject:
    named = [each for each in open_subjects if ask.name == (each.uri if ask.kind == "uri" else each.display)]
    if named and uris.path_of(named[0].uri) is None:
        return named[0]
    try:
        place = (workspace.place_uri if ask.kind == "uri" else workspace.place)(ask.name, ask.field)
    except (NoWorkspace, PathNotFound):
        # A document can be open without a folder, or before its file is there.
        if named:
            return named[0]
        raise
    for each in open_subjects:
        if each.path == place.path and each.document is not None and unsaved([each.document]):
            return each
    return Subject(path=place.path, display=place.display, uri=place.uri)
