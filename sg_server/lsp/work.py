"""All that answering takes, made after `initialize`: a client does not wait for its imports."""

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sg_server.context.options import ContextOptions
from sg_server.lsp import handlers
from sg_server.lsp.commands import Command
from sg_server.lsp.configuration import Configuration
from sg_server.lsp.initialization import InitializationOptions, folders_of
from sg_server.lsp.preferences import Preferences
from sg_server.lsp.progress import RequestProgress, SendProgress
from sg_server.lsp.session import Session
from sg_server.lsp.symbol_answers import SymbolAnswers
from sg_server.messages import Messages
from sg_server.modes import Detection
from sg_server.text.positions import PositionEncoding, TextView
from sg_server.userfile import UserFile, file_path


class Work:
    """The objects behind one client's requests."""

    def __init__(
        self,
        server: LanguageServer,
        wanted: InitializationOptions,
        notices: Sequence[str],
        params: types.InitializeParams,
        send_progress: SendProgress,
    ) -> None:
        """`wanted` has what the command line names where the client names nothing.

        `notices` are about options that were passed over.
        """
        self._send_progress = send_progress
        self._show = _show_in(server)
        self._notices = notices
        self._beginning = asyncio.Lock()
        self._has_begun = False
        self.session = Session(
            rg_path=wanted.rg_path,
            ctags_path=wanted.ctags_path,
            view=TextView(
                encoding=msgspec.convert(server.workspace.position_encoding, PositionEncoding),
                lone_cr_ends_line=wanted.lone_cr_ends_line is not False,
                invalid_utf8=wanted.invalid_utf8 or "replace",
            ),
            folders=folders_of(params),
            preferences=Preferences(
                UserFile(file_path(os.environ)),
                Detection(plugins=wanted.plugins or (), failure=wanted.plugins_failure),
                show=self._show,
            ),
            context=wanted.context or ContextOptions(),
        )
        self.configuration = Configuration(
            server, params.capabilities, wanted.settings, self.session.apply, self.messages
        )
        self.symbols = SymbolAnswers(server, self.session, params.capabilities, send_progress)

    async def run(self, command: Command, raw: Any, work_done_token: int | str | None) -> msgspec.Struct:
        """Answer a command. Raises SignalGrepError."""
        await self.begin()
        progress = RequestProgress(self._send_progress, work_done_token, self.messages())
        with progress.work_done(command.id):
            await self.configuration.settled()
            return await handlers.run(self.session, command, raw, progress)

    def messages(self) -> Messages:
        """What people read, in their language."""
        return self.session.preferences.messages

    async def begin(self) -> None:
        """Let the person's choices and the client's settings hold, and tell of what does not; once."""
        async with self._beginning:
            if self._has_begun:
                return
            self._has_begun = True
            await self.session.preferences.load(start_metrics=self.session.search.start_metrics)
            for notice in self._notices:
                self._show(types.MessageType.Warning, self.messages().passed_over.format(detail=notice))
            self.configuration.begin()

    async def has_symbols(self) -> bool:
        """Whether the client's settings let the server answer for symbols."""
        await self.begin()
        await self.configuration.settled()
        return self.session.settings.symbols.enabled


def _show_in(server: LanguageServer) -> Callable[[types.MessageType, str], None]:
    return lambda kind, message: server.window_show_message(types.ShowMessageParams(kind, message))
