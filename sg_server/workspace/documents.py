"""The client's open documents, as values: what a search or an inspection sees of them."""

import os
from collections.abc import Iterable
from typing import Final, Protocol

import msgspec

from sg_server.errors import PathNotFound, SignalGrepError
from sg_server.text.encodings import searched_text
from sg_server.workspace import uris
from sg_server.workspace.folders import Workspace
from sg_server.workspace.source import SourceError, read_source

_SUFFIXES: Final = {
    "bash": ".sh",
    "c": ".c",
    "cpp": ".cpp",
    "cs": ".cs",
    "csharp": ".cs",
    "css": ".css",
    "go": ".go",
    "html": ".html",
    "java": ".java",
    "javascript": ".js",
    "javascriptreact": ".jsx",
    "kotlin": ".kt",
    "lua": ".lua",
    "markdown": ".md",
    "perl": ".pl",
    "php": ".php",
    "python": ".py",
    "ruby": ".rb",
    "rust": ".rs",
    "sh": ".sh",
    "shellscript": ".sh",
    "sql": ".sql",
    "typescript": ".ts",
    "typescriptreact": ".tsx",
}
"""By the language identifiers of LSP 3.17 (Text Document Language), and those that Neovim sends instead."""


class DocumentRevision(msgspec.Struct, frozen=True, kw_only=True):
    """What tells one state of a document from another in this session."""

    uri: str
    version: int
    opened: int
    """How often documents had been opened in this session when this one was."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An open document at one moment."""

    revision: DocumentRevision
    text: str
    is_touched: bool
    """Changed, and not saved since."""
    language_id: str = ""
    """What the client takes its language for."""

    @property
    def uri(self) -> str:
        """The client's spelling."""
        return self.revision.uri

    @property
    def path(self) -> str | None:
        """The path, as spelled; None for a document that is no file, such as an untitled one."""
        path = uris.path_of(self.uri)
        return None if path is None or "\0" in path else path

    @property
    def basename(self) -> str:
        """The last component of the path or URI, with the suffix of its language where it has none.

        Programs tell languages by names, which those of untitled documents do not say.
        """
        name = uris.display(self.path or self.uri).rpartition("/")[2]
        return name if "." in name else name + _SUFFIXES.get(self.language_id, "")

    @property
    def searched(self) -> bytes:
        """The text as ripgrep searches it."""
        return self.text.encode()

    def display_in(self, workspace: Workspace) -> str:
        """The `path` field of answers: that of its file, there or not, else its URI."""
        return workspace.display_of(self.path_in(workspace) or self.uri)

    def path_in(self, workspace: Workspace) -> str | None:
        """The path in the spelling of its folder; None for one that is in no folder, in `.git`, or no file.

        The file need not exist: then the nearest folder above it that does decides.
        """
        path = self.path
        if path is None:
            return None
        try:
            return workspace.place_uri(self.uri, "uri").path
        except PathNotFound:
            return _path_of_new(os.path.normpath(path), workspace)
        except SignalGrepError:
            return None


def named_document(name: str, workspace: Workspace, documents: Iterable[Document]) -> Document | None:
    """The one of `documents` that a client means by `name`: its URI, or its path, whole or as shown."""
    path = os.path.normpath(name)
    return next(
        (
            document
            for document in documents
            if name in (document.uri, document.display_in(workspace))
            or path in (document.path_in(workspace), document.display_in(workspace))
        ),
        None,
    )


class OpenDocuments(Protocol):
    """Where the open documents are to be had, as they are now."""

    def all(self) -> tuple[Document, ...]:
        """Every open document that can be searched."""


class NoDocuments:
    """There is no editor."""

    def all(self) -> tuple[Document, ...]:
        """None."""
        return ()


def unsaved(documents: Iterable[Document]) -> list[Document]:
    """Those whose text is not, or may not be, what is on disk; blocks to read the files of the others."""
    return [document for document in documents if document.is_touched or _differs_from_disk(document)]


def _differs_from_disk(document: Document) -> bool:
    if document.path is None:
        return True
    try:
        text = read_source(document.path).text
    except SourceError:
        return True
    return _comparable(text) != _comparable(searched_text(document.searched))


def _comparable(text: bytes) -> bytes:
    """`text` with its CRLFs made LF: editors keep line ends apart from the text.

    A lone CR stays: an editor that makes a line end of it shows another text than ripgrep finds on disk.
    """
    return text.replace(b"\r\n", b"\n")


def _path_of_new(path: str, workspace: Workspace) -> str | None:
    folder, name = os.path.split(path)
    while True:
        try:
            return os.path.join(workspace.place(folder, "uri").path, name)
        except PathNotFound:
            parent, last = os.path.split(folder)
            if not last:
                return None
            folder, name = parent, os.path.join(last, name)
        except SignalGrepError:
            return None
