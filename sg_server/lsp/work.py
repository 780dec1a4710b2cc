"""All that answering takes, made after `initialize`: a client does not wait for its imports."""

from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sg_server.lsp import handlers
from sg_server.lsp.commands import Command
from sg_server.lsp.configuration import Configuration
from sg_server.lsp.initialization import InitializationOptions, folders_of
from sg_server.lsp.progress import RequestProgress, SendProgress
from sg_server.lsp.session import Session
from sg_server.lsp.symbol_answers import SymbolAnswers
from sg_server.text.positions import PositionEncoding, TextView


class Work:
    """The objects behind one client's requests."""

    def __init__(
        self,
        server: LanguageServer,
        wanted: InitializationOptions,
        params: types.InitializeParams,
        send_progress: SendProgress,
    ) -> None:
        """`wanted` has the programs' paths of the command line where the client names none."""
        self._send_progress = send_progress
        self.session = Session(
            rg_path=wanted.rg_path,
            ctags_path=wanted.ctags_path,
            view=TextView(
                encoding=msgspec.convert(server.workspace.position_encoding, PositionEncoding),
                lone_cr_ends_line=wanted.lone_cr_ends_line is not False,
                invalid_utf8=wanted.invalid_utf8 or "replace",
            ),
            folders=folders_of(params),
        )
        self.configuration = Configuration(server, params.capabilities, wanted.settings, self.session.apply)
        self.symbols = SymbolAnswers(server, self.session, params.capabilities, send_progress)

    async def run(self, command: Command, raw: Any, work_done_token: int | str | None) -> msgspec.Struct:
        """Answer a command. Raises SignalGrepError."""
        progress = RequestProgress(self._send_progress, work_done_token)
        with progress.work_done(command.title):
            await self.configuration.settled()
            return await handlers.run(self.session, command, raw, progress)

    async def has_symbols(self) -> bool:
        """Whether the client's settings let the server answer for symbols."""
        await self.configuration.settled()
        return self.session.settings.symbols.enabled
