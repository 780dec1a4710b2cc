"""The client's open documents, kept in step by its notifications.

pygls keeps documents too, but ends their lines at form feeds and at U+2028, so that edits miss their place.
"""

import logging
from itertools import count

from lsprotocol import types

from sg_server.text.edits import EditedText
from sg_server.text.encodings import without_lone_surrogates
from sg_server.text.positions import Position, Range, TextView
from sg_server.workspace.documents import Document, DocumentRevision

logger = logging.getLogger(__name__)

_SEARCHED_SCHEMES = ("file:", "untitled:")
"""Other schemes are views of something else: diffs, output, notebooks' cells."""


class _Open:
    """One open document. Its version is the client's; edits between two versions do not exist."""

    def __init__(self, item: types.TextDocumentItem, opened: int, view: TextView) -> None:
        self.opened = opened
        self.version = item.version
        self.language_id = item.language_id
        self.edited = EditedText(without_lone_surrogates(item.text), view)
        self.is_touched = False


class Documents:
    """All open documents of one client."""

    def __init__(self, view: TextView) -> None:
        self._view = view
        self._open: dict[str, _Open] = {}
        self._opened = count(1)

    def open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a document as the client has it. Opened twice, the later text stands."""
        item = params.text_document
        self._open[item.uri] = _Open(item, next(self._opened), self._view)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply the changes in their order, each to the text that the one before it made."""
        identifier = params.text_document
        document = self._open.get(identifier.uri)
        if document is None:
            logger.warning("a change of a document that is not open was dropped")
            return
        for change in params.content_changes:
            new = without_lone_surrogates(change.text)
            if isinstance(change, types.TextDocumentContentChangePartial):
                document.edited.replace(_range(change.range), new)
            else:
                document.edited = EditedText(new, self._view)
        document.version = identifier.version
        document.is_touched = True

    def save(self, params: types.DidSaveTextDocumentParams) -> None:
        """From here on the file has the text of the document, until either changes."""
        if (document := self._open.get(params.text_document.uri)) is not None:
            document.is_touched = False

    def close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document; the file on disk is what there is."""
        self._open.pop(params.text_document.uri, None)

    def all(self) -> tuple[Document, ...]:
        """What is open now and can be searched, as values."""
        return tuple(
            self._value(uri, document)
            for uri, document in self._open.items()
            if uri.startswith(_SEARCHED_SCHEMES)
        )

    def get(self, uri: str) -> Document | None:
        """One open document as it is now."""
        document = self._open.get(uri)
        return None if document is None else self._value(uri, document)

    def _value(self, uri: str, document: _Open) -> Document:
        revision = DocumentRevision(uri=uri, version=document.version, opened=document.opened)
        return Document(
            revision=revision,
            text=document.edited.text,
            is_touched=document.is_touched,
            language_id=document.language_id,
        )


def _range(range_: types.Range) -> Range:
    return Range(
        start=Position(line=range_.start.line, character=range_.start.character),
        end=Position(line=range_.end.line, character=range_.end.character),
    )
