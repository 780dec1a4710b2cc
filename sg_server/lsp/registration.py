"""Requests that are answered only while a setting says so."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

logger = logging.getLogger(__name__)


class SwitchedRequest:
    """One method that is answered while `is_on`, and with null while it is not.

    A client with dynamic registration for it is told of every switch, the first time once it is initialized.
    To another one the method is advertised at `initialize`, once and for all.
    """

    def __init__(
        self,
        server: LanguageServer,
        method: str,
        handle: Callable[[Any], Awaitable[Any]],
        is_on: Callable[[], Awaitable[bool]],
        *,
        options: Any,
        can_register: bool,
    ) -> None:
        """`options` are those of a registration when `can_register`, else of the server's capabilities."""
        self._server = server
        self._method = method
        self._options = options
        self._can_register = can_register
        self._is_on = is_on
        self._is_registered = False

        async def run(params: Any) -> Any:
            return await handle(params) if await is_on() else None

        self._run = run
        if not can_register:
            server.feature(method, options)(run)

    async def follow(self) -> None:
        """Tell the client where the switch now stands otherwise than it was told before."""
        if not self._can_register or await self._is_on() == self._is_registered:
            return
        self._is_registered = not self._is_registered
        try:
            await (self._register() if self._is_registered else self._unregister())
        except JsonRpcException as error:
            logger.warning("the client did not take the registration of %s: %s", self._method, error.message)

    async def _register(self) -> None:
        if self._method not in self._server.protocol.fm.features:
            self._server.feature(self._method)(self._run)
        registration = types.Registration(
            id=self._method, method=self._method, register_options=self._options
        )
        await self._server.client_register_capability_async(types.RegistrationParams([registration]))

    async def _unregister(self) -> None:
        gone = types.Unregistration(id=self._method, method=self._method)
        await self._server.client_unregister_capability_async(types.UnregistrationParams([gone]))
