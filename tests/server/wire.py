"""Speaking to a real server: files for it to search, requests, and what it runs."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

DEADLINE_SECONDS = 10.0


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, by their paths below `folder`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_program(path: Path, script: str) -> Path:
    """Write a shell script that can be run in the place of another program."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def require_tool(name: str, path: str | None = None) -> str:
    """The path of a program, looked for as `PATH` says or `path` does.

    Without the program the test is skipped, or fails where `SG_REQUIRE_TOOLS` is 1.
    """
    found = shutil.which(name, path=path)
    if found is None:
        (pytest.fail if os.environ.get("SG_REQUIRE_TOOLS") == "1" else pytest.skip)(
            f"{name} is not installed"
        )
    return found


async def command(client: LanguageClient, name: str, argument: Mapping[str, Any] | None = None) -> Any:
    """Run one of the server's commands and give its answer. Raises JsonRpcException."""
    arguments = None if argument is None else [dict(argument)]
    params = types.ExecuteCommandParams(command=name, arguments=arguments)
    async with asyncio.timeout(DEADLINE_SECONDS):
        return plain(await client.workspace_execute_command_async(params))


def plain(value: Any) -> Any:
    """An answer as JSON values: pygls gives objects that it has no type for as named tuples."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def send_bytes(client: LanguageClient, data: bytes) -> None:
    """Send `data` as it is."""
    writer: Any = client.protocol.writer
    writer.write(data)


def frame(message: Any) -> bytes:
    """A message as it goes over the wire; bytes are a body as it is."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def send(client: LanguageClient, message: Mapping[str, Any]) -> Any:
    """Send a message with an id and give the answer with that id. Raises JsonRpcException."""
    future: Future[Any] = Future()
    client.protocol._request_futures[message["id"]] = future
    send_bytes(client, frame(message))
    async with asyncio.timeout(DEADLINE_SECONDS):
        return plain(await asyncio.wrap_future(future))


def server_process(client: LanguageClient) -> asyncio.subprocess.Process:
    """The process that a client started."""
    assert client._server is not None
    return client._server


async def exit_code(client: LanguageClient) -> int:
    """Wait for the server to end."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        return await server_process(client).wait()


def children(pid: int) -> list[int]:
    """The ids of the running processes that a process has started, and those have started."""
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended since
            for child in map(int, listed.read_text().split()):
                found += [child, *children(child)]
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that has ended may still be listed until its parent takes note."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "XZ"


async def until(condition: Callable[[], Any]) -> None:
    """Wait until `condition` holds."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not condition():
            await asyncio.sleep(0.005)
