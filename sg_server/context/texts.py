"""The one text that a request names: an entry's, an open document's, or a file's."""

import asyncio
import os
from collections.abc import Iterable

import msgspec

from sg_server.context.addresses import id_in, is_entry_uri
from sg_server.context.entries import EntryHead
from sg_server.context.store.interface import Store
from sg_server.errors import InvalidParams, NoWorkspace, PathNotFound
from sg_server.text.positions import TextView, shown
from sg_server.workspace import uris
from sg_server.workspace.documents import Document
from sg_server.workspace.folders import Workspace
from sg_server.workspace.source import SourceError, read_source


class NamedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text and what it is called: an entry by its whole id, a document by the URI it was named by."""

    text: str
    id: str | None = None
    uri: str | None = None
    entry: EntryHead | None = None
    basename: str | None = None
    """Of a document: the last component of its name, which tells its language."""


async def entry_text(given: str, store: Store) -> NamedText:
    """An entry's text, by its id or a prefix. Raises as `Store.get`."""
    entry = await store.get(given)
    return NamedText(text=entry.text, id=entry.id, entry=entry)


def entry_named(id_: str | None, uri: str | None) -> str | None:
    """The id of an entry that a request names, in either way; None for a document. Raises InvalidParams."""
    if (id_ is None) == (uri is None):
        raise InvalidParams("id", "name one text: an entry by id, or a document by uri")
    if uri is not None:
        return id_in(uri) if is_entry_uri(uri) else None
    return id_


async def document_text(
    uri: str, workspace: Workspace, documents: Iterable[Document], view: TextView
) -> NamedText:
    """A document as it is in the editor, else its file. Raises PathNotFound, and as `Workspace.place_uri`."""
    return await asyncio.to_thread(_document_text, uri, workspace, tuple(documents), view)


def _document_text(
    uri: str, workspace: Workspace, documents: Iterable[Document], view: TextView
) -> NamedText:
    named = next((document for document in documents if document.uri == uri), None)
    if named is not None and named.path is None:
        return _as_open(named, uri)
    try:
        place = workspace.place_uri(uri, "uri")
    except (NoWorkspace, PathNotFound):
        # A document can be open without a folder, or before its file is there.
        if named is not None:
            return _as_open(named, uri)
        raise
    for document in documents:
        if document.path_in(workspace) == place.path:
            return _as_open(document, uri)
    basename = os.path.basename(uris.display(place.path))
    return NamedText(text=_file_text(place.path, view), uri=uri, basename=basename)


def _as_open(document: Document, uri: str) -> NamedText:
    return NamedText(text=document.text, uri=uri, basename=document.basename)


def _file_text(path: str, view: TextView) -> str:
    try:
        source = read_source(path)
    except SourceError as error:
        raise PathNotFound(str(error), "Open the document, or check its file.") from error
    if b"\0" in source.text:
        raise InvalidParams("uri", f"{uris.display(path)} has a NUL byte, so it is no text")
    return shown(source.text, latin1=view.invalid_utf8 == "latin1" and not source.valid_utf8)
