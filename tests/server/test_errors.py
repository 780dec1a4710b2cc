import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.wire import command, frame, send, send_bytes, until, write_files

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602


NOT_MESSAGES = (
    b"not JSON",
    b"\xff\xfe\xfd",
    b"[" * 100_000,
    b"[]",
    b'"text"',
    b"7",
    b"null",
    b"{}",
    b'{"jsonrpc": "1.0", "id": 1, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": [], "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": true, "method": "shutdown"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": ["shutdown"]}',
    b'{"jsonrpc": "2.0", "id": "unknown", "result": null}',
    b'{"jsonrpc": "2.0", "id": "unknown", "error": {"code": 1, "message": "no"}}',
    b'{"jsonrpc": "2.0", "id": "unknown", "error": "no"}',
    b'{"jsonrpc": "2.0", "id": {}, "result": null}',
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no"}}',
    b'{"jsonrpc": "2.0"}',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]',
    b"",
)
BROKEN_HEADERS = (
    b"\r\n\r\n",
    b"Hello\r\n\r\n",
    b"Content-Length: many\r\n\r\n",
    b"Content-Length: -5\r\n\r\n",
    b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    b"Content-Type: text\r\n\r\n{}",
    b"X" * 1_000_000 + b"\r\n",
    b"content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
)
SENSELESS_NOTIFICATIONS: tuple[tuple[str, Any], ...] = (
    ("textDocument/didOpen", {}),
    ("textDocument/didChange", {"textDocument": 1}),
    (
        "textDocument/didChange",
        {
            "textDocument": {"uri": "file:///never-opened", "version": 1},
            "contentChanges": [{"text": "x"}],
        },
    ),
    ("textDocument/didClose", {"textDocument": {"uri": "file:///never-opened"}}),
    ("$/setTrace", {"value": "loud"}),
    ("$/cancelRequest", {}),
    ("$/cancelRequest", {"id": {}}),
    ("$/cancelRequest", {"id": [1]}),
    ("window/workDoneProgress/cancel", {"token": {}}),
    ("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": 1}], "removed": []}}),
)


def request(method: str, params: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}


async def refusal(client: LanguageClient, message: dict[str, Any]) -> JsonRpcException:
    with pytest.raises(JsonRpcException) as caught:
        await send(client, message)
    return caught.value


async def is_well(client: LanguageClient) -> bool:
    """Nothing was shown to the person, and the server still answers."""
    return bool(await command(client, "sg.health")) and client.messages == []


async def test_an_unknown_command_is_refused_with_the_known_ones(client: LanguageClient) -> None:
    error = await refusal(client, request("workspace/executeCommand", {"command": "sg.nope"}))
    assert (error.code, error.data) == (INVALID_PARAMS, {"code": "invalid-params"})
    assert error.message.startswith("command: there is no 'sg.nope'; there are sg.")
    assert await is_well(client)


@pytest.mark.parametrize("arguments", [["x"], [[]], [1], [{}, {}], "text"])
async def test_a_command_takes_one_object(client: LanguageClient, arguments: Any) -> None:
    params = {"command": "sg.health", "arguments": arguments}
    error = await refusal(client, request("workspace/executeCommand", params))
    assert error.code == INVALID_PARAMS
    assert "arguments" in error.message
    assert await is_well(client)


@pytest.mark.parametrize("given", [{}, {"arguments": []}, {"arguments": [None]}])
async def test_no_arguments_are_an_empty_object(client: LanguageClient, given: dict[str, Any]) -> None:
    assert await send(client, request("workspace/executeCommand", {"command": "sg.health", **given}))


async def test_an_argument_may_look_like_a_message(client: LanguageClient) -> None:
    argument = {"jsonrpc": "2.0", "id": 9, "method": "exit"}
    error = await refusal(
        client, request("workspace/executeCommand", {"command": "sg.health", "arguments": [argument]})
    )
    assert error.message.startswith("jsonrpc: unknown field")


async def test_an_unknown_method_is_refused(client: LanguageClient) -> None:
    error = await refusal(client, {"jsonrpc": "2.0", "id": 1, "method": "textDocument/nope"})
    assert error.code == METHOD_NOT_FOUND
    send_bytes(client, frame({"jsonrpc": "2.0", "method": "$/nope", "params": [1]}))
    assert await is_well(client)


@pytest.mark.parametrize("params", [None, {}, {"command": 3}, {"command": "sg.health", "arguments": 7}, []])
async def test_parameters_of_a_wrong_shape_are_answered(client: LanguageClient, params: Any) -> None:
    error = await refusal(client, request("workspace/executeCommand", params))
    assert error.code == INVALID_PARAMS
    assert "Traceback" not in json.dumps([error.message, error.data])
    assert await is_well(client)


@pytest.mark.parametrize("token", [{}, [1], 1.5, True])
async def test_a_token_is_an_integer_or_a_string(client: LanguageClient, token: Any) -> None:
    for method, field in (
        ("workspace/executeCommand", "workDoneToken"),
        ("workspace/symbol", "partialResultToken"),
    ):
        error = await refusal(client, request(method, {"command": "sg.health", "query": "x", field: token}))
        assert (error.code, error.message) == (INVALID_PARAMS, f"{field}: an integer or a string is accepted")
        assert await is_well(client)


async def test_a_response_to_what_the_client_itself_asks_is_dropped(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "needle\n"})
    search = {"command": "sg.search", "arguments": [{"pattern": "needle"}]}
    answered = asyncio.ensure_future(send(client, request("workspace/executeCommand", search)))
    await asyncio.sleep(0)  # the request is on its way
    send_bytes(client, frame({"jsonrpc": "2.0", "id": 1, "result": None}))
    assert (await answered)["totals"]["matches"] == 1
    assert await is_well(client)


async def test_a_notification_that_makes_no_sense_is_dropped(client: LanguageClient) -> None:
    for method, params in SENSELESS_NOTIFICATIONS:
        send_bytes(client, frame({"jsonrpc": "2.0", "method": method, "params": params}))
        assert await is_well(client), method


async def test_what_is_no_message_is_survived(client: LanguageClient) -> None:
    for body in NOT_MESSAGES:
        send_bytes(client, frame(body))
        assert await is_well(client), body


async def test_a_broken_header_costs_no_more_than_its_own_message(client: LanguageClient) -> None:
    for header in BROKEN_HEADERS:
        send_bytes(client, header)
        assert await is_well(client), header[:40]


async def test_half_of_a_surrogate_pair_never_comes_back(start: Start) -> None:
    client = await start(options={"rgPath": "\ud800"})
    await until(lambda: client.messages)
    assert client.messages[0].message == (
        'initializationOptions.rgPath: given "\N{REPLACEMENT CHARACTER}" (a string), '
        "which holds half of a surrogate pair"
    )
    error = await refusal(client, request("workspace/executeCommand", {"command": "\udfff"}))
    assert error.message.startswith("command: there is no")


async def test_the_person_sees_no_errors_that_the_client_was_told(client: LanguageClient) -> None:
    await refusal(client, request("workspace/executeCommand", {"command": "sg.nope"}))
    await refusal(client, request("nope", {}))
    assert client.messages == []
    assert client.log_messages == []
