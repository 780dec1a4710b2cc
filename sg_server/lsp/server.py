"""The server object and its wiring."""

import logging
from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sg_server import __version__
from sg_server.lsp.client_process import end_of_process
from sg_server.lsp.commands import COMMANDS, Command
from sg_server.lsp.configuration import Configuration
from sg_server.lsp.initialization import InitializationOptions, folders_of, read_options
from sg_server.lsp.progress import RequestProgress
from sg_server.lsp.protocol import SignalGrepProtocol
from sg_server.lsp.session import Session
from sg_server.lsp.symbols import SymbolRequests
from sg_server.text.positions import PositionEncoding, TextView

logger = logging.getLogger(__name__)


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line decides. The client's own options go first."""

    rg_path: str | None = None
    ctags_path: str | None = None
    watch_client: bool = True
    """End when the client's process does; only a client on this machine has one to watch."""


class SignalGrepServer(LanguageServer):
    """One client's server. What it works with is there from `initialize` on; before, commands are refused."""

    protocol: SignalGrepProtocol
    session: Session
    configuration: Configuration
    symbols: SymbolRequests

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls would show in a window: who asked has been answered."""
        logger.error("%s: %s", source.__name__, error)


def build_server(options: ServerOptions) -> SignalGrepServer:
    """Make a server for one client, with everything it needs."""
    server = SignalGrepServer(
        "signal-grep", __version__, protocol_cls=SignalGrepProtocol, converter_factory=default_converter
    )
    for command in COMMANDS:
        _register(server, command)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        wanted, notices = read_options(params.initialization_options)
        for notice in notices:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, notice))
        server.session = _open_session(server, options, wanted, params)
        server.configuration = Configuration(
            server, params.capabilities, wanted.settings, server.session.apply
        )
        server.symbols = SymbolRequests(
            server,
            server.session,
            params.capabilities,
            send_progress=server.protocol.send_progress,
            settled=server.configuration.settled,
            of_documents=wanted.document_symbols is not False,
        )
        if options.watch_client and params.process_id is not None:
            server.protocol.end_after(end_of_process(params.process_id))

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await server.configuration.follow()
        await server.symbols.follow()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def change_configuration(params: types.DidChangeConfigurationParams) -> None:
        await server.configuration.change(params.settings)
        await server.symbols.follow()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        added = [(folder.uri, folder.name) for folder in params.event.added]
        server.session.change_folders(added=added, removed=[folder.uri for folder in params.event.removed])

    _follow_documents(server)
    return server


def _follow_documents(server: SignalGrepServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.session.documents.open(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.session.documents.change(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.session.documents.save(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.session.documents.close(params)


def _register(server: SignalGrepServer, command: Command) -> None:
    @server.command(command.id)
    async def run(raw: dict[str, Any], work_done_token: int | str | None) -> msgspec.Struct:
        progress = RequestProgress(server.protocol.send_progress, work_done_token)
        with progress.work_done(command.title):
            await server.configuration.settled()
            return await command.run(server.session, raw, progress)


def _open_session(
    server: SignalGrepServer,
    options: ServerOptions,
    wanted: InitializationOptions,
    params: types.InitializeParams,
) -> Session:
    view = TextView(
        encoding=msgspec.convert(server.workspace.position_encoding, PositionEncoding),
        lone_cr_ends_line=wanted.lone_cr_ends_line is not False,
        invalid_utf8=wanted.invalid_utf8 or "replace",
    )
    return Session(
        rg_path=wanted.rg_path or options.rg_path,
        ctags_path=wanted.ctags_path or options.ctags_path,
        view=view,
        folders=folders_of(params),
    )
