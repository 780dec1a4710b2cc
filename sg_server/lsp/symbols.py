"""Whether and how a client is offered `workspace/symbol` and `textDocument/documentSymbol`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sg_server.lsp.registration import SwitchedRequest

if TYPE_CHECKING:
    from sg_server.lsp.symbol_answers import SymbolAnswers


class SymbolRequests:
    """Both requests of one client, made during `initialize`."""

    def __init__(
        self,
        server: LanguageServer,
        capabilities: types.ClientCapabilities,
        *,
        answers: "Callable[[], SymbolAnswers]",
        is_on: Callable[[], Awaitable[bool]],
        of_documents: bool,
    ) -> None:
        """`is_on` follows the client's settings. Without `of_documents` there is one request only."""
        self._server = server
        self._answers = answers
        self._is_on = is_on
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        text_document = capabilities.text_document or types.TextDocumentClientCapabilities()
        self._workspace = workspace.symbol or types.WorkspaceSymbolClientCapabilities()
        self._document = text_document.document_symbol or types.DocumentSymbolClientCapabilities()
        self._switched = [self._workspace_request()]
        if of_documents:
            self._switched.append(self._document_request())

    async def follow(self) -> None:
        """Tell the client of a change of the setting. The client has to be initialized."""
        for request in self._switched:
            await request.follow()

    async def _find(self, params: types.WorkspaceSymbolParams) -> Any:
        return await self._answers().find(params)

    async def _outline(self, params: types.DocumentSymbolParams) -> Any:
        return await self._answers().outline(params)

    def _workspace_request(self) -> SwitchedRequest:
        can_register = self._workspace.dynamic_registration is True
        kind = types.WorkspaceSymbolRegistrationOptions if can_register else types.WorkspaceSymbolOptions
        return SwitchedRequest(
            self._server,
            types.WORKSPACE_SYMBOL,
            self._find,
            self._is_on,
            options=kind(work_done_progress=True),
            can_register=can_register,
        )

    def _document_request(self) -> SwitchedRequest:
        can_register = self._document.dynamic_registration is True
        return SwitchedRequest(
            self._server,
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
            self._outline,
            self._is_on,
            # Without a selector a client asks for every document that it opens to this server.
            options=types.DocumentSymbolRegistrationOptions()
            if can_register
            else types.DocumentSymbolOptions(),
            can_register=can_register,
        )
