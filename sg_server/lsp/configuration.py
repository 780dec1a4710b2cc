"""The client's settings: asked for or taken as they are sent, checked as a whole, and applied."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sg_server import limits
from sg_server.context.options import Provider
from sg_server.errors import InvalidParams
from sg_server.lsp.params import decode, unknown_field
from sg_server.messages import ENGLISH, Messages
from sg_server.search.scope import strings
from sg_server.settings import SECTION, Settings

logger = logging.getLogger(__name__)

_CHOSEN_OUTSIDE = (
    "rgPath",
    "ctagsPath",
    "context.store",
    *(f"context.summaries.{field.encode_name}" for field in msgspec.structs.fields(Provider)),
)
"""What decides which programs are run, which files written and whom text is sent to."""


class Configuration:
    """Follows one client's settings.

    A client that can be asked is asked, whenever it says that something has changed, and what it sends along
    is passed over; another one's settings are those it sends. Where either has none for this server, those of
    `initializationOptions.settings` hold, which are `offered`.
    """

    def __init__(
        self,
        server: LanguageServer,
        capabilities: types.ClientCapabilities,
        offered: Any,
        apply: Callable[[Settings], None],
        messages: Callable[[], Messages],
    ) -> None:
        self._server = server
        self._apply = apply
        self._messages = messages
        self._offered = offered
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        changes = workspace.did_change_configuration
        self._can_ask = workspace.configuration is True
        self._can_register = changes is not None and changes.dynamic_registration is True
        self._questions = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._noticed: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Let the settings hold that were offered, until others are known."""
        self._take(self._offered)

    async def follow(self) -> None:
        """Ask for the settings, and to be told when they change. The client has to be initialized."""
        if self._can_ask:
            await self._ask()
        if self._can_register:
            await self._register()

    async def change(self, sent: Any) -> None:
        """Take note of a change; `sent` is what the client says of its settings, by section."""
        if self._can_ask:
            await self._ask()
        elif isinstance(sent, dict) and SECTION in sent:
            self._take(sent[SECTION])

    async def settled(self) -> None:
        """Wait for the client's answer where it has been asked; never longer than it takes to give up."""
        try:
            async with asyncio.timeout(limits.CONFIGURATION_SECONDS):
                await self._settled.wait()
        except TimeoutError:
            logger.warning("the client has not answered what its settings are; going on without")
            self._settled.set()

    async def _ask(self) -> None:
        self._questions += 1
        question = self._questions
        self._settled.clear()
        item = types.ConfigurationItem(section=SECTION)
        try:
            answer = await self._server.workspace_configuration_async(types.ConfigurationParams([item]))
        except JsonRpcException as error:
            logger.warning("the client did not say what its settings are: %s", error.message)
            answer = None
        if question == self._questions:  # else the answer to a later question goes before this one
            if answer:
                self._take(answer[0])
            self._settled.set()

    async def _register(self) -> None:
        registration = types.Registration(
            id=SECTION,
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
        )
        try:
            await self._server.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException as error:
            logger.warning("the client will not tell of changed settings: %s", error.message)

    def _take(self, raw: Any) -> None:
        try:
            settings, notices = read_settings(self._offered if raw is None else raw, self._messages())
        except InvalidParams as error:
            refused = self._messages().settings_refused.format(detail=error.message)
            self._show(types.MessageType.Warning, refused)
            return
        for notice in notices:
            if notice not in self._noticed:
                self._show(types.MessageType.Info, notice)
        self._noticed = frozenset(notices)
        self._apply(settings)

    def _show(self, kind: types.MessageType, message: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, message))


class _Sections(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A client's configuration, as far as it is ours."""

    signal_grep: Settings = Settings()


def read_settings(raw: Any, messages: Messages = ENGLISH) -> tuple[Settings, tuple[str, ...]]:
    """The settings that the value of the section stands for, and a notice for each name that was left out.

    Null, for the section or in it, is the same as leaving out.
    Raises InvalidParams for a value that is not accepted: then none of them is.
    """
    notices: list[str] = []
    settings = decode(_Sections, _known({SECTION: raw}, _Sections, "", notices, messages)).signal_grep
    strings(settings.exclude, f"{SECTION}.exclude")
    return settings, tuple(notices)


def _known(raw: Any, kind: type[msgspec.Struct], path: str, notices: list[str], messages: Messages) -> Any:
    """`raw` without nulls and without the names that `kind` does not have, which go to `notices`."""
    if raw == []:
        return {}  # an empty table of Lua, which Neovim's settings are made of
    if not isinstance(raw, dict):
        return raw
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    known = {}
    for name, value in raw.items():
        at = f"{path}.{name}" if path else name
        inner = at.removeprefix(f"{SECTION}.")
        if inner in _CHOSEN_OUTSIDE:
            notices.append(messages.setting_is_option.format(setting=at, option=inner))
        elif name not in fields:
            notices.append(messages.passed_over.format(detail=unknown_field(path, name, fields).message))
        elif value is not None:
            section = fields[name]
            is_section = isinstance(section, type) and issubclass(section, msgspec.Struct)
            known[name] = _known(value, section, at, notices, messages) if is_section else value
    return known
