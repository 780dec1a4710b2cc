import asyncio
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, make_test_lsp_client

from tests.server.conftest import capabilities
from tests.server.wire import children, command, frame, until, write_files, write_program

ROOT = Path(__file__).resolve().parents[2]


class TcpServer:
    """A server that listens, and the clients that are connected to it."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port

    async def connect(self, folder: Path) -> LanguageClient:
        client = make_test_lsp_client()
        await client.start_tcp("127.0.0.1", self.port)
        await client.initialize_session(
            types.InitializeParams(capabilities=capabilities(None), root_uri=folder.as_uri(), process_id=1)
        )
        return client


async def listen(*arguments: str) -> TcpServer:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "sg_server", "--tcp", *arguments, cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(10):
        line = (await process.stderr.readuntil(b"\n")).decode()
        while not (found := re.fullmatch(r"listening on [\d.]+:(\d+)\n", line)):
            line = (await process.stderr.readuntil(b"\n")).decode()
    return TcpServer(process, int(found[1]))


async def stop(server: TcpServer) -> int:
    if server.process.returncode is None:
        server.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(10):
        await server.process.communicate()
        return await server.process.wait()


@pytest_asyncio.fixture
async def server() -> AsyncIterator[TcpServer]:
    listening = await listen()
    yield listening
    assert await stop(listening) == 0


async def leave(client: LanguageClient) -> None:
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.gather(*client._async_tasks)


async def test_every_connection_has_a_server_of_its_own(server: TcpServer, tmp_path: Path) -> None:
    write_files(tmp_path, {"one/a.txt": "needle\n", "two/b.txt": "needle\n"})
    one, two = await server.connect(tmp_path / "one"), await server.connect(tmp_path / "two")
    found = await command(one, "sg.search", {"pattern": "needle"})
    assert [match["path"] for match in found["matches"]] == ["a.txt"]
    with pytest.raises(JsonRpcException) as caught:
        await command(two, "sg.page", {"snapshot": found["snapshot"]})
    assert caught.value.data == {"code": "cursor-unknown", "hint": ANY}
    assert (await command(two, "sg.clear"))["cleared"] == 0
    await leave(one)
    found = await command(two, "sg.search", {"pattern": "needle"})
    assert [match["path"] for match in found["matches"]] == ["b.txt"]
    await leave(two)


async def test_a_client_that_hangs_up_takes_its_search_along(tmp_path: Path) -> None:
    server = await listen("--rg", str(write_program(tmp_path / "rg", "exec sleep 600")))
    client = await server.connect(tmp_path)
    params = {"command": "sg.health"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": params}
    writer = client.protocol.writer
    assert isinstance(writer, asyncio.StreamWriter)
    writer.write(frame(request))
    await until(lambda: children(server.process.pid))
    writer.close()
    await until(lambda: not children(server.process.pid))
    await asyncio.gather(*client._async_tasks)
    assert await stop(server) == 0


async def test_a_signal_ends_every_conversation(tmp_path: Path) -> None:
    server = await listen()
    client = await server.connect(tmp_path)
    assert await stop(server) == 0
    await asyncio.gather(*client._async_tasks)


async def test_a_client_that_has_stopped_reading_holds_nobody_up(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "needle\n" * 1_000})
    server = await listen()
    search = {"pattern": "needle", "mode": "matches", "view": "items", "limit": 1_000}
    asked = {"command": "sg.search", "arguments": [search]}
    with socket.create_connection(("127.0.0.1", server.port)) as deaf:
        initialize: dict[str, Any] = {"processId": None, "capabilities": {}, "rootUri": tmp_path.as_uri()}
        deaf.sendall(frame({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize}))
        for number in range(1, 31):
            message = {"jsonrpc": "2.0", "id": number, "method": "workspace/executeCommand", "params": asked}
            deaf.sendall(frame(message))
        client = await server.connect(tmp_path)
        assert (await command(client, "sg.search", search))["totals"]["matches"] == 1_000
        assert await stop(server) == 0
        await asyncio.gather(*client._async_tasks)


async def test_an_address_in_use_is_an_error_that_names_it(server: TcpServer) -> None:
    second = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sg_server", "--tcp", "--port", str(server.port)),
        cwd=ROOT,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await second.communicate()
    assert second.returncode == 2
    assert f"127.0.0.1:{server.port}" in errors.decode()


async def test_an_address_that_others_reach_is_warned_about() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sg_server", "--tcp", "--host", "0.0.0.0"),  # noqa: S104
        cwd=ROOT,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(10):
        assert b"not a loopback address" in await process.stderr.readline()
        process.terminate()
        await process.communicate()
