"""The JSON-RPC side of the server: what pygls leaves open about messages, requests and their end.

Overridden are pygls' ways of taking messages apart (a bad one is answered, an inner object is never taken for
one), of running commands (one JSON object each, truly cancellable) and of telling failures.
"""

import asyncio
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeGuard

import msgspec
from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from sg_server.context.addresses import SCHEME as ENTRY_SCHEME
from sg_server.errors import InvalidParams
from sg_server.lsp.failures import told
from sg_server.lsp.framing import framed
from sg_server.messages import ENGLISH, Messages

logger = logging.getLogger(__name__)

_MessageId = int | str

_IDS = {
    "id": "id",
    "token": "token",
    "work_done_token": "workDoneToken",
    "partial_result_token": "partialResultToken",
}
"""What names a request or a progress, in the params of any message: as pygls and as the wire call it."""


class SignalGrepProtocol(LanguageServerProtocol):
    """One client's requests, from its first message to its last."""

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.messages: Callable[[], Messages] = lambda: ENGLISH
        """What people are told, in their language."""
        self.ended = asyncio.Event()
        """Set when there is nothing more to answer, for whatever reason."""
        self._notifications = itertools.count(1)
        self._work_done: dict[_MessageId, Future[Any]] = {}
        self._watching: list[asyncio.Task[None]] = []
        self._releases: list[Callable[[], Awaitable[None]]] = []

    @property
    def exit_code(self) -> int:
        """0 after `shutdown`, else 1 (LSP 3.17, Exit Notification)."""
        return 0 if self._shutdown else 1

    def receive(self, body: bytes) -> None:
        """Take one message. What cannot be understood is answered or dropped, never raised."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, JsonRpcParseError("The message is not valid JSON."))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            self._refuse(_id_in(message), JsonRpcInvalidRequest("Expected one JSON-RPC 2.0 message object."))
        elif "method" not in message:
            self._receive_response(message)
        elif "id" in message:
            self._receive_request(message)
        else:
            self._receive_notification(message)

    def _receive_request(self, message: dict[str, Any]) -> None:
        if (msg_id := _id_in(message)) is None:
            self._refuse(None, JsonRpcInvalidRequest("An id is an integer or a string."))
            return
        try:
            self._check_turn(msg_id, message["method"])
            request = self._structured(message)
        except JsonRpcException as error:
            self._refuse(msg_id, error)
        else:
            self.handle_message(request)
            self._remember_work_done(msg_id, getattr(request.params, "work_done_token", None))

    def _remember_work_done(self, msg_id: _MessageId, token: _MessageId | None) -> None:
        """Let `token` cancel the request for as long as it runs."""
        task = self._request_futures.get(msg_id)
        if token is not None and task is not None:
            self._work_done[token] = task
            task.add_done_callback(lambda _: self._work_done.pop(token, None))

    def _check_turn(self, msg_id: _MessageId, method: Any) -> None:
        """Raise JsonRpcException unless a request for `method` may come now."""
        if self._shutdown:
            raise JsonRpcInvalidRequest("The server is shutting down.")
        if self._workspace is None and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("The first request must be initialize.")
        if self._workspace is not None and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("The server is initialized already.")
        if msg_id in self._request_futures:
            raise JsonRpcInvalidRequest(f"The id {msg_id!r} belongs to a request that is still running.")
        if not self._handles(method):
            raise JsonRpcMethodNotFound(f"Method not found: {method}")

    def _receive_notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        expected = self._workspace is not None and not self._shutdown
        if method != types.EXIT and not (expected and self._handles(method)):
            logger.debug("notification %r was dropped", method)
            return
        try:
            notification = self._structured(message)
        except JsonRpcInvalidParams as error:
            logger.warning("notification %s was dropped: %s", method, error.message)
        else:
            self.handle_message(notification)

    def _receive_response(self, message: dict[str, Any]) -> None:
        # pygls keeps what the client has asked and what it is asked under one roof; only our questions wait
        # for an answer.
        msg_id = _id_in(message)
        if msg_id is None or isinstance(self._request_futures.get(msg_id), asyncio.Task):
            logger.warning("a response was dropped: nothing was asked under its id")
            return
        try:
            self.handle_message(self.structure_message(message))
        except JsonRpcException:
            logger.warning("a response was dropped: it is not what was asked for")

    def _handles(self, method: Any) -> bool:
        known = (self.fm.builtin_features, self.fm.features, (types.CANCEL_REQUEST,))
        return isinstance(method, str) and any(method in names for names in known)

    def _structured(self, message: dict[str, Any]) -> Any:
        kind = types.METHOD_TO_TYPES[message["method"]][0]
        try:
            structured: Any = self._converter.structure(message, kind)
        except Exception as error:  # whatever a value's own constructor raises
            reasons = "; ".join(transform_error(error, path=message["method"]))
            raise JsonRpcInvalidParams(reasons) from error
        _require_ids(structured.params)
        return structured

    def _handle_cancel_notification(self, msg_id: _MessageId) -> None:
        # An answer may cross the cancellation on its way, so an unknown id is nothing to speak of.
        if (future := self._request_futures.get(msg_id)) is not None:
            future.cancel()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Say as well what pygls has no option for: progress of commands, and documents that are entries."""
        result = yield from super().lsp_initialize(params)
        if (workspace := result.capabilities.workspace) is not None:
            workspace.text_document_content = types.TextDocumentContentOptions(schemes=[ENTRY_SCHEME])
        if (commands := result.capabilities.execute_command_provider) is not None:
            commands.work_done_progress = True
        return result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override] # pygls runs coroutines as well
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run one command. As a coroutine it is itself the task that a cancellation ends."""
        if (handler := self.fm.commands.get(params.command)) is None:
            known = ", ".join(self.fm.commands)
            raise InvalidParams("command", f"there is no {params.command!r}; there are {known}")
        return await handler(_only_object(params.arguments), params.work_done_token)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Cancel the request that was given the token, as `$/cancelRequest` would."""
        if (task := self._work_done.get(params.token)) is not None:
            task.cancel()

    def send_progress(self, token: _MessageId, value: Any) -> None:
        """Send `$/progress`; `value` is what JSON can hold, or a struct of ours."""
        params = {"token": token, "value": value}
        self._send_data({"jsonrpc": self.VERSION, "method": types.PROGRESS, "params": params})

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a document; pygls' own record of documents is left empty."""
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take the changes of a document."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Let a document go."""
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)

    @lsp_method(types.INITIALIZED)
    async def lsp_initialized(self, params: types.InitializedParams) -> None:
        """Do what waits for the client to be ready. As a coroutine it ends with the conversation."""
        if (handler := self.fm.features.get(types.INITIALIZED)) is not None:
            await handler(params)

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override] # as above
        """Refuse further requests, and answer once nothing runs any more."""
        self._shutdown = True
        await self._end_requests()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override] # and plain functions
        """End the conversation; who holds the streams ends the process."""
        self.ended.set()

    def end_after(self, event: Coroutine[Any, Any, None]) -> None:
        """End the conversation when `event` is over."""

        async def watch() -> None:
            await event
            self.ended.set()

        self._watching.append(asyncio.ensure_future(watch()))

    def release_with(self, release: Callable[[], Awaitable[None]]) -> None:
        """Have `release` let go of what requests use, once there are no more."""
        self._releases.append(release)

    async def close(self) -> None:
        """Leave nothing of this conversation running, and nothing open."""
        await self._end_requests()
        await _cancelled(self._watching)
        for release in self._releases:
            await release()

    async def _end_requests(self) -> None:
        """Cancel every request but the one that asks for this, and wait until they have cleaned up."""
        # pygls' annotations know nothing of the tasks that it keeps here, beside plain futures.
        requests: Iterable[Any] = self._request_futures.values()
        tasks = [request for request in requests if isinstance(request, asyncio.Task)]
        await _cancelled([task for task in tasks if task is not asyncio.current_task()])

    def _send_handler_result(self, future: Future[Any], *, msg_id: _MessageId) -> None:
        self._request_futures.pop(msg_id, None)
        try:
            self._send_response(msg_id, result=future.result())
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 the edge: all become answers
            self._refuse(msg_id, told(error, f"request {msg_id!r}", self.messages()))

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if method_name == types.CANCEL_REQUEST:
            self._handle_cancel_notification(params.id)
            return
        # pygls keeps the future of every notification, and a long session has one for each keystroke.
        key = f"notification {next(self._notifications)}"
        handler = self._get_handler(method_name)
        callback = partial(self._forget_notification, key=key, method=method_name)
        self._execute_handler(key, handler, callback, args=(params,))

    def _forget_notification(self, future: Future[Any], *, key: str, method: str) -> None:
        self._request_futures.pop(key, None)
        try:
            future.result()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 as above; only the log is told
            told(error, f"notification {method}")

    def _refuse(self, msg_id: _MessageId | None, error: JsonRpcException) -> None:
        self._send_response(msg_id, error=error.to_response_error())

    def _send_response(self, msg_id: _MessageId | None, result: Any = None, error: Any = None) -> None:
        # An id that could not be read is null (JSON-RPC 2.0, section 5), which the converter would leave out.
        outcome = {"result": self._builtin(result)} if error is None else {"error": self._builtin(error)}
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, **outcome})

    def _builtin(self, value: Any) -> Any:
        """LSP's objects as JSON values. Ours are encoded as they are: walking them takes pygls its time."""
        return value if isinstance(value, msgspec.Struct) else self._converter.unstructure(value)

    def _send_data(self, data: Any) -> None:
        message = data if isinstance(data, dict) else self._converter.unstructure(data)
        body = encoded(message)
        logger.debug("sending %s", body)
        if self.writer is not None:
            self.writer.write(framed(body))


async def _cancelled(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel all `tasks` and wait until they have cleaned up."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def encoded(message: dict[str, Any]) -> bytes:
    """A message as UTF-8 JSON. Lone surrogates, which no client can read, become U+FFFD.

    Raises TypeError for values that JSON cannot hold.
    """
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(message)))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def _only_object(arguments: Any) -> dict[str, Any]:
    """The one JSON object that a command takes; nothing and null are an empty one."""
    if not arguments or tuple(arguments) == (None,):
        return {}
    if len(arguments) != 1 or not isinstance(arguments[0], dict):
        raise InvalidParams("arguments", "a command takes one JSON object, or nothing")
    return arguments[0]


def _id_in(message: Any) -> _MessageId | None:
    msg_id = message.get("id") if isinstance(message, dict) else None
    return msg_id if _is_id(msg_id) else None


def _is_id(value: Any) -> TypeGuard[_MessageId]:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _require_ids(params: Any) -> None:
    """Raise JsonRpcInvalidParams for an id or a token of a wrong type, which the converter lets by."""
    for name, field in _IDS.items():
        value = getattr(params, name, None)
        if value is not None and not _is_id(value):
            raise JsonRpcInvalidParams(f"{field}: an integer or a string is accepted")
