"""The answers to `workspace/symbol` and `textDocument/documentSymbol`: the editor's own symbol lists."""

import asyncio
import logging
import os
from collections.abc import Collection, Sequence

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sg_server.context.addresses import is_entry_uri
from sg_server.errors import PathNotFound
from sg_server.lsp.progress import RequestProgress, SendProgress
from sg_server.lsp.session import Session
from sg_server.search.params import ScopeParams
from sg_server.search.scope import normalise_scope
from sg_server.symbols.candidates import FileScope
from sg_server.symbols.document import DocumentText, document_outline
from sg_server.symbols.hits import UnsavedTexts
from sg_server.symbols.kinds import FIRST_KINDS, understood
from sg_server.symbols.placing import flat, nest
from sg_server.symbols.results import DocumentSymbol, SymbolInformation
from sg_server.text.positions import TextView, shown
from sg_server.workspace import uris
from sg_server.workspace.documents import unsaved
from sg_server.workspace.folders import Workspace
from sg_server.workspace.source import SourceError, read_source

logger = logging.getLogger(__name__)


class SymbolAnswers:
    """Answers one client, in the form and with the kinds that it understands."""

    def __init__(
        self,
        server: LanguageServer,
        session: Session,
        capabilities: types.ClientCapabilities,
        send_progress: SendProgress,
    ) -> None:
        self._server = server
        self._session = session
        self._send_progress = send_progress
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        text_document = capabilities.text_document or types.TextDocumentClientCapabilities()
        self._workspace = workspace.symbol or types.WorkspaceSymbolClientCapabilities()
        self._document = text_document.document_symbol or types.DocumentSymbolClientCapabilities()

    async def find(self, params: types.WorkspaceSymbolParams) -> Sequence[SymbolInformation]:
        """`workspace/symbol`.

        The answer is empty where everything was sent as partial results (LSP 3.17, Partial Results).
        """
        session, token = self._session, params.partial_result_token
        known = _known(self._workspace.symbol_kind)

        def report(symbols: Sequence[SymbolInformation]) -> None:
            if token is not None:
                self._send_progress(token, [_understood(symbol, known) for symbol in symbols])

        progress = RequestProgress(self._send_progress, params.work_done_token, session.preferences.messages)
        with progress.work_done(types.WORKSPACE_SYMBOL):
            answer = await session.symbols.find(
                params.query,
                session.workspace,
                scope=_scope(session),
                documents=await asyncio.to_thread(_unsaved_texts, session),
                report=None if token is None else report,
            )
        for note in answer.notes:
            self._log(f"workspace/symbol {params.query!r}: {note}")
        return [_understood(symbol, known) for symbol in answer.symbols]

    async def outline(
        self, params: types.DocumentSymbolParams
    ) -> Sequence[DocumentSymbol] | Sequence[SymbolInformation]:
        """`textDocument/documentSymbol`, as a tree where the client takes one. Raises as `_on_disk`."""
        uri, view = params.text_document.uri, self._session.view
        document = await self._document_of(uri)
        outline = await document_outline(self._session.providers, document, view)
        if outline.problem is not None:
            self._log(f"textDocument/documentSymbol {document.basename}: {outline.problem}")
        known = _known(self._document.symbol_kind)
        symbols = [
            msgspec.structs.replace(symbol, kind=understood(symbol.kind, known)) for symbol in outline.symbols
        ]
        if self._document.hierarchical_document_symbol_support is True:
            return list(nest(symbols))
        return list(flat(symbols, uri))

    async def _document_of(self, uri: str) -> DocumentText:
        """The document as it is in the editor, else its entry or file. Raises as `_on_disk` does."""
        document = self._session.documents.get(uri)
        if document is not None:
            return DocumentText.of(document.basename, document.text)
        if is_entry_uri(uri):
            text = await self._session.context.document(uri)
            return DocumentText(basename=_basename(uri), text=text, is_markdown=True)
        return await asyncio.to_thread(_on_disk, uri, self._session.workspace, self._session.view)

    def _log(self, message: str) -> None:
        logger.info("%s", message)
        self._server.window_log_message(types.LogMessageParams(types.MessageType.Info, message))


def _scope(session: Session) -> FileScope | None:
    """What a search without a scope of its own looks at."""
    if not session.workspace.folders:
        return None
    scope = normalise_scope(session.defaults.fill(ScopeParams()), session.workspace)
    return FileScope(roots=scope.roots, filters=scope.filters, cwd=scope.cwd)


def _unsaved_texts(session: Session) -> UnsavedTexts:
    """Blocks: whether a document is saved may take a look at its file."""
    texts = {}
    for document in unsaved(session.documents.all()):
        if (path := document.path_in(session.workspace)) is not None:
            texts[path] = document.searched
    return texts


def _on_disk(uri: str, workspace: Workspace, view: TextView) -> DocumentText:
    """A document that is not open. Blocks. Raises PathNotFound, and as `Workspace.place_uri`."""
    place = workspace.place_uri(uri, "textDocument.uri")
    try:
        source = read_source(place.path)
    except SourceError as error:
        raise PathNotFound(str(error), "Open the document, or check its file.") from error
    text = shown(source.text, latin1=view.invalid_utf8 == "latin1" and not source.valid_utf8)
    return DocumentText.of(_basename(uri), text)


def _basename(uri: str) -> str:
    return os.path.basename(uris.path_of(uri) or uri)


def _known(
    kinds: types.ClientSymbolKindOptions | None,
) -> Collection[int]:
    return FIRST_KINDS if kinds is None or kinds.value_set is None else frozenset(kinds.value_set)


def _understood(symbol: SymbolInformation, known: Collection[int]) -> SymbolInformation:
    return msgspec.structs.replace(symbol, kind=understood(symbol.kind, known))
