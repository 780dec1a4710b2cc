import asyncio
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import __version__
from sg_server.lsp.commands import COMMANDS
from tests.server.conftest import Start, capabilities
from tests.server.wire import (
    children,
    command,
    exit_code,
    frame,
    is_alive,
    send,
    send_bytes,
    server_process,
    until,
    write_program,
)

CANCELLED = -32800
INVALID_REQUEST = -32600
NOT_INITIALIZED = -32002

HEALTH = {"command": "sg.health", "arguments": [{}]}


@pytest.fixture
def slow_rg(tmp_path: Path) -> str:
    """A program that runs until it is ended."""
    return str(write_program(tmp_path / "slow-rg", "exec sleep 600"))


@pytest.fixture
def stubborn_rg(tmp_path: Path) -> str:
    """A program that does not end when it is asked to, and has started another."""
    return str(write_program(tmp_path / "stubborn-rg", "trap '' TERM\nsleep 600 & wait; wait"))


def running(client: LanguageClient) -> list[int]:
    return children(server_process(client).pid)


async def start_command(client: LanguageClient, msg_id: int = 100) -> "asyncio.Task[object]":
    """Ask for what a slow rg answers, and wait until it runs."""
    message = {"jsonrpc": "2.0", "id": msg_id, "method": "workspace/executeCommand", "params": HEALTH}
    task = asyncio.create_task(send(client, message))
    await until(lambda: running(client))
    return task


async def code_of(task: "asyncio.Task[object]") -> int:
    with pytest.raises(JsonRpcException) as caught:
        await task
    return caught.value.code


async def test_the_server_says_who_it_is_and_what_it_takes(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    result = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities(None), root_uri=project.as_uri())
    )
    assert result.server_info == types.ServerInfo("signal-grep", __version__)
    provider = result.capabilities.execute_command_provider
    assert provider is not None
    assert list(provider.commands) == [command.id for command in COMMANDS]
    assert provider.work_done_progress is True


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        (None, "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-8", "utf-16", "utf-32"], "utf-8"),
        (["utf-32", "utf-8", "utf-16"], "utf-32"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
    ],
)
async def test_the_clients_first_encoding_is_taken(
    start: Start, offered: Sequence[str] | None, agreed: str
) -> None:
    client = await start(encodings=offered)
    assert (await command(client, "sg.health"))["positionEncoding"] == agreed


@pytest.mark.parametrize("field", ["root_uri", "root_path"])
async def test_a_root_is_the_folder_of_an_older_client(start: Start, project: Path, field: str) -> None:
    client = await start(initialize=False)
    root = project.as_uri() if field == "root_uri" else str(project)
    await client.initialize_session(
        types.InitializeParams(capabilities=capabilities(None), **{field: root})  # type: ignore[arg-type]
    )
    assert [folder["uri"] for folder in (await command(client, "sg.health"))["folders"]] == [project.as_uri()]


async def test_folders_can_be_opened_and_closed(
    client: LanguageClient, project: Path, tmp_path: Path
) -> None:
    other = types.WorkspaceFolder(uri=tmp_path.as_uri(), name="other")
    event = types.WorkspaceFoldersChangeEvent(
        added=[other], removed=[types.WorkspaceFolder(uri=project.as_uri(), name="project")]
    )
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event=event))
    assert [folder["name"] for folder in (await command(client, "sg.health"))["folders"]] == ["other"]


async def test_options_that_are_not_understood_are_noticed_and_do_no_harm(start: Start) -> None:
    client = await start(options={"rgpath": "rg", "invalidUtf8": "ascii", "documentSymbols": False})
    await until(lambda: len(client.messages) == 2)
    unknown, wrong = (message.message.removeprefix("initializationOptions.") for message in client.messages)
    assert unknown.startswith("rgpath: unknown field; did you mean rgPath? accepted are ")
    assert wrong == ('invalidUtf8: given "ascii" (a string), accepted is "latin1" or "replace"')
    assert (await command(client, "sg.health"))["version"] == 1


@pytest.mark.parametrize("program", ["slow_rg", "stubborn_rg"])
async def test_a_cancelled_command_is_answered_when_its_processes_are_gone(
    start: Start, request: pytest.FixtureRequest, program: str
) -> None:
    client = await start("--rg", request.getfixturevalue(program))
    task = await start_command(client)
    client.cancel_request(types.CancelParams(id=100))
    assert await code_of(task) == CANCELLED
    assert running(client) == []


async def test_a_cancel_that_comes_too_late_or_for_nothing_does_no_harm(client: LanguageClient) -> None:
    message = {"jsonrpc": "2.0", "id": 7, "method": "workspace/executeCommand", "params": HEALTH}
    assert await send(client, message)
    client.cancel_request(types.CancelParams(id=7))
    client.cancel_request(types.CancelParams(id="never-used"))
    assert await send(client, message)


async def test_an_id_in_use_is_refused_and_its_first_request_goes_on(start: Start, slow_rg: str) -> None:
    client = await start("--rg", slow_rg)
    task = await start_command(client, msg_id=5)
    send_bytes(
        client, frame({"jsonrpc": "2.0", "id": 5, "method": "workspace/executeCommand", "params": HEALTH})
    )
    assert await code_of(task) == INVALID_REQUEST
    assert len(running(client)) == 1


async def test_requests_wait_for_initialize(start: Start) -> None:
    client = await start(initialize=False)
    send_bytes(client, frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}))
    with pytest.raises(JsonRpcException) as caught:
        await send(
            client, {"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": HEALTH}
        )
    assert caught.value.code == NOT_INITIALIZED


async def test_a_second_initialize_is_refused(client: LanguageClient) -> None:
    params = types.InitializeParams(capabilities=capabilities(None))
    with pytest.raises(JsonRpcException) as caught:
        await client.initialize_async(params)
    assert caught.value.code == INVALID_REQUEST


async def test_shutdown_ends_what_runs_before_it_answers(start: Start, stubborn_rg: str) -> None:
    client = await start("--rg", stubborn_rg)
    task = await start_command(client)
    await client.shutdown_async(None)
    assert running(client) == []
    assert await code_of(task) == CANCELLED
    with pytest.raises(JsonRpcException) as caught:
        await command(client, "sg.health")
    assert caught.value.code == INVALID_REQUEST
    client.exit(None)
    assert await exit_code(client) == 0


async def test_exit_without_shutdown_is_an_error(start: Start, slow_rg: str) -> None:
    client = await start("--rg", slow_rg)
    task = await start_command(client)
    (child,) = running(client)
    client.exit(None)
    assert await exit_code(client) == 1
    await until(lambda: not is_alive(child))
    task.cancel()


@pytest.mark.parametrize(("said", "expected"), [("nothing", 1), ("shutdown", 0)])
async def test_the_end_of_input_is_the_end(start: Start, slow_rg: str, said: str, expected: int) -> None:
    client = await start("--rg", slow_rg)
    task = await start_command(client)
    (child,) = running(client)
    if said == "shutdown":
        await client.shutdown_async(None)
    stdin = server_process(client).stdin
    assert stdin is not None
    stdin.close()
    assert await exit_code(client) == expected
    await until(lambda: not is_alive(child))
    task.cancel()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_leaves_nothing_running(start: Start, stubborn_rg: str, number: int) -> None:
    client = await start("--rg", stubborn_rg)
    task = await start_command(client)
    left = running(client)
    server_process(client).send_signal(number)
    assert await exit_code(client) == 1
    await until(lambda: not any(is_alive(child) for child in left))
    task.cancel()


async def test_the_server_ends_when_its_clients_process_does(start: Start, slow_rg: str) -> None:
    with subprocess.Popen(["sleep", "600"]) as editor:
        client = await start("--rg", slow_rg, process_id=editor.pid)
        task = await start_command(client)
        (child,) = running(client)
        editor.kill()
        assert await exit_code(client) == 1
    await until(lambda: not is_alive(child))
    task.cancel()


async def test_a_client_process_that_cannot_be_seen_is_no_reason_to_end(start: Start) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    client = await start(process_id=gone.pid)
    assert await command(client, "sg.health")
