"""Requests that are answered only while a feature is on."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

logger = logging.getLogger(__name__)


class SwitchedRequest:
    """One method that can be switched on and off.

    A client with dynamic registration for it is told of every switch, the first time once it is initialized.
    To another one the method is advertised at `initialize`, once and for all: it is on from there, and
    answers null while it is off.
    """

    def __init__(
        self,
        server: LanguageServer,
        method: str,
        handle: Callable[[Any], Awaitable[Any]],
        *,
        options: Any,
        can_register: bool,
    ) -> None:
        """`options` are those of a registration when `can_register`, else of the server's capabilities."""
        self._server = server
        self._method = method
        self._options = options
        self._can_register = can_register
        self._is_on = not can_register

        async def run(params: Any) -> Any:
            return await handle(params) if self._is_on else None

        self._run = run
        if not can_register:
            server.feature(method, options)(run)

    async def switch(self, *, on: bool) -> None:
        """Answer from now on, or no longer."""
        if on == self._is_on:
            return
        self._is_on = on
        if self._can_register:
            await (self._register() if on else self._unregister())

    async def _register(self) -> None:
        if self._method not in self._server.protocol.fm.features:
            self._server.feature(self._method)(self._run)
        registration = types.Registration(
            id=self._method, method=self._method, register_options=self._options
        )
        await self._tell(
            self._server.client_register_capability_async(types.RegistrationParams([registration]))
        )

    async def _unregister(self) -> None:
        gone = types.Unregistration(id=self._method, method=self._method)
        await self._tell(self._server.client_unregister_capability_async(types.UnregistrationParams([gone])))

    async def _tell(self, request: Awaitable[None]) -> None:
        try:
            await request
        except JsonRpcException as error:
            logger.warning("the client did not take the registration of %s: %s", self._method, error.message)
