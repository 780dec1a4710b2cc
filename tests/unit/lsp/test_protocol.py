import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.lsp.protocol import encoded
from sg_server.lsp.server import ServerOptions, SignalGrepServer, build_server

TEXT_WITH_SURROGATES = st.text(
    alphabet=st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff")
)


class Recorder:
    """Takes what a server sends."""

    def __init__(self) -> None:
        self.messages: dict[int | None, dict[str, Any]] = {}

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self.messages[message.get("id")] = message

    def close(self) -> None:
        pass


class Conversation:
    """A server in this process, initialized in a folder."""

    def __init__(self, folder: Path) -> None:
        self.server: SignalGrepServer = build_server(ServerOptions())
        self.recorder = Recorder()
        self.server.protocol.set_writer(self.recorder)
        self.tell("initialize", {"capabilities": {}, "processId": None, "rootUri": folder.as_uri()}, 1)

    def tell(self, method: str, params: Any, msg_id: int) -> None:
        message = {"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params}
        self.server.protocol.receive(json.dumps(message).encode())

    async def answer(self, handler: Callable[[Any, Any], Awaitable[Any]]) -> dict[str, Any]:
        """Run `handler` as a command and give the answer."""
        self.server.command("test")(handler)
        self.tell("workspace/executeCommand", {"command": "test"}, 2)
        async with asyncio.timeout(5):
            while 2 not in self.recorder.messages:
                await asyncio.sleep(0)
        return self.recorder.messages[2]


@pytest.fixture
async def conversation(tmp_path: Path) -> Conversation:
    return Conversation(tmp_path)


async def test_a_handler_that_cancels_itself_is_answered(conversation: Conversation) -> None:
    async def handler(_: Any, __: Any) -> None:
        raise asyncio.CancelledError

    assert (await conversation.answer(handler))["error"]["code"] == -32800


async def test_a_bug_is_answered_without_its_traceback(conversation: Conversation) -> None:
    async def handler(_: Any, __: Any) -> None:
        raise ValueError("/secret/path")

    assert (await conversation.answer(handler))["error"] == {"code": -32603, "message": "internal error"}


async def test_an_answer_that_json_cannot_hold_is_a_bug_that_is_answered(conversation: Conversation) -> None:
    async def handler(_: Any, __: Any) -> object:
        return object()

    assert (await conversation.answer(handler))["error"]["code"] == -32603


async def test_null_is_an_answer(conversation: Conversation) -> None:
    async def handler(_: Any, __: Any) -> None:
        return None

    assert (await conversation.answer(handler))["result"] is None


async def test_what_is_not_json_is_answered_with_a_null_id(conversation: Conversation) -> None:
    conversation.server.protocol.receive(b"{")
    assert conversation.recorder.messages[None]["error"]["code"] == -32700
    conversation.server.protocol.receive(b"[]")
    assert conversation.recorder.messages[None]["error"]["code"] == -32600


async def test_a_long_session_keeps_nothing_of_its_notifications(conversation: Conversation) -> None:
    protocol = conversation.server.protocol
    for _ in range(3):
        message = {"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "off"}}
        protocol.receive(json.dumps(message).encode())
    assert not protocol._request_futures


@given(TEXT_WITH_SURROGATES)
def test_no_message_holds_half_of_a_surrogate_pair(text: str) -> None:
    received = json.loads(encoded({"result": {text: [text, (text,)]}}))
    assert json.dumps(received, ensure_ascii=False).encode("utf-8", "strict")


@given(st.text())
def test_proper_text_goes_out_unchanged(text: str) -> None:
    assert json.loads(encoded({"result": text}))["result"] == text


def test_the_halves_of_a_pair_are_joined_and_others_replaced() -> None:
    assert json.loads(encoded({"a": "\ud83d\ude00 \ud83d-\ude00"})) == {
        "a": "😀 \N{REPLACEMENT CHARACTER}-\N{REPLACEMENT CHARACTER}"
    }
