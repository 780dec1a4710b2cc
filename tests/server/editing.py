"""What an editor tells a server about its documents."""

from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.wire import command

At = tuple[int, int]
Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


class Buffer:
    """An open document of a client's. Its versions go up by one with every notification of changes."""

    def __init__(self, client: LanguageClient, where: Path | str, text: str, *, version: int = 1) -> None:
        self.uri = where.as_uri() if isinstance(where, Path) else where
        self.version = version
        self._client = client
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri, "plaintext", version, text))
        )

    def write(self, text: str) -> None:
        """Replace the whole text."""
        self.change(types.TextDocumentContentChangeWholeDocument(text))

    def edit(self, start: At, end: At, text: str) -> None:
        """Replace one range."""
        self.change(edit(start, end, text))

    def change(self, *changes: Change) -> None:
        """Send changes in one notification."""
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, list(changes)))

    def save(self) -> None:
        """Say that the text was written; the test writes it."""
        self._client.text_document_did_save(types.DidSaveTextDocumentParams(self._identifier))

    def close(self) -> None:
        self._client.text_document_did_close(types.DidCloseTextDocumentParams(self._identifier))

    @property
    def _identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)


def edit(start: At, end: At, text: str) -> types.TextDocumentContentChangePartial:
    """A change of one range."""
    return types.TextDocumentContentChangePartial(types.Range(_position(start), _position(end)), text)


def _position(at: At) -> types.Position:
    line, character = at
    return types.Position(line, character)


async def search(client: LanguageClient, pattern: str = "needle", **fields: Any) -> Any:
    """`sg.search` for matches."""
    return await command(client, "sg.search", {"pattern": pattern, "mode": "matches", **fields})


def shown(answer: Any) -> list[tuple[str, int, str]]:
    """Path, line and text of each match."""
    return [(match["path"], match["line"], match["text"]) for match in answer.get("matches") or ()]


def origins(answer: Any) -> dict[str, int | None]:
    """The files of an answer, each with the version of its document; None for those on disk."""
    return {
        match["path"]: match.get("documentVersion") if match["source"] == "document" else None
        for match in answer.get("matches") or ()
    }
