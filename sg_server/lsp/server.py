"""The server object and its wiring."""

import gc
import logging
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sg_server import __version__
from sg_server.context.options import ContextOptions
from sg_server.lsp.client_process import end_of_process
from sg_server.lsp.commands import COMMANDS, Command
from sg_server.lsp.initialization import InitializationOptions, read_options
from sg_server.lsp.protocol import SignalGrepProtocol
from sg_server.lsp.symbols import SymbolRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from sg_server.lsp.work import Work

logger = logging.getLogger(__name__)


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line decides. The client's own options go first."""

    rg_path: str | None = None
    ctags_path: str | None = None
    store: str | None = None
    watch_client: bool = True
    """End when the client's process does; only a client on this machine has one to watch."""

    def beside(self, wanted: InitializationOptions) -> InitializationOptions:
        """What the client wants, and what the command line names where it names nothing."""
        context = wanted.context or ContextOptions()
        return msgspec.structs.replace(
            wanted,
            rg_path=wanted.rg_path or self.rg_path,
            ctags_path=wanted.ctags_path or self.ctags_path,
            context=msgspec.structs.replace(context, store=context.store or self.store),
        )


class SignalGrepServer(LanguageServer):
    """One client's server. What it answers with is made when it is first needed, after `initialize`."""

    protocol: SignalGrepProtocol
    open_work: "Callable[[], Work]"
    symbols: SymbolRequests

    @cached_property
    def work(self) -> "Work":
        """The objects behind the requests."""
        return self.open_work()

    async def release(self) -> None:
        """Let go of what the requests have opened, if there were any."""
        if "work" in vars(self):
            await self.work.session.close()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls would show in a window: who asked has been answered."""
        logger.error("%s: %s", source.__name__, error)


def build_server(options: ServerOptions) -> SignalGrepServer:
    """Make a server for one client, with everything it needs."""
    server = SignalGrepServer(
        "signal-grep", __version__, protocol_cls=SignalGrepProtocol, converter_factory=default_converter
    )
    server.protocol.release_with(server.release)
    for command in COMMANDS:
        _register(server, command)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        wanted, notices = read_options(params.initialization_options)
        server.open_work = partial(_open_work, server, options.beside(wanted), notices, params)
        server.symbols = SymbolRequests(
            server,
            params.capabilities,
            answers=lambda: server.work.symbols,
            is_on=lambda: server.work.has_symbols(),  # noqa: PLW0108 - the work is not there yet
            of_documents=wanted.document_symbols is not False,
        )
        if options.watch_client and params.process_id is not None:
            server.protocol.end_after(end_of_process(params.process_id))

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await server.work.begin()
        await server.work.configuration.follow()
        await server.symbols.follow()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def change_configuration(params: types.DidChangeConfigurationParams) -> None:
        await server.work.begin()
        await server.work.configuration.change(params.settings)
        await server.symbols.follow()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        added = [(folder.uri, folder.name) for folder in params.event.added]
        removed = [folder.uri for folder in params.event.removed]
        server.work.session.change_folders(added=added, removed=removed)

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def document_content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(await server.work.session.context.document(params.uri))

    _follow_documents(server)
    return server


def _follow_documents(server: SignalGrepServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.work.session.documents.open(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.work.session.documents.change(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.work.session.documents.save(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.work.session.documents.close(params)


def _register(server: SignalGrepServer, command: Command) -> None:
    @server.command(command.id)
    async def run(raw: dict[str, Any], work_done_token: int | str | None) -> msgspec.Struct:
        return await server.work.run(command, raw, work_done_token)


def _open_work(
    server: SignalGrepServer,
    wanted: InitializationOptions,
    notices: tuple[str, ...],
    params: types.InitializeParams,
) -> "Work":
    work = _work()(server, wanted, notices, params, server.protocol.send_progress)
    server.protocol.messages = work.messages
    return work


@cache
def _work() -> "type[Work]":
    gc.disable()
    from sg_server.lsp.work import Work  # noqa: PLC0415 - after `initialize` has been answered

    # As for what is imported at the start: it stays for good, and need not be looked through for garbage.
    gc.freeze()
    gc.enable()
    return Work
