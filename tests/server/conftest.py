"""Real servers for the tests: one process for each, over stdio."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

Start = Callable[..., Awaitable[LanguageClient]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty folder to search."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    """Where the servers of a test find what their person chose; nothing at first."""
    return tmp_path / "config" / "signal-grep.json"


@pytest_asyncio.fixture
async def start(project: Path, user_file: Path) -> AsyncIterator[Start]:
    """Starts servers and, unless told otherwise, a session with `project` open in it."""
    clients: list[LanguageClient] = []

    async def start_one(
        *arguments: str,
        initialize: bool = True,
        folders: Sequence[Path] = (project,),
        encodings: Sequence[str] | None = None,
        options: Any = None,
        process_id: int | None = None,
    ) -> LanguageClient:
        config = ClientServerConfig(
            [sys.executable, "-m", "sg_server", *arguments],
            server_env={**os.environ, "SG_CONFIG": str(user_file)},
        )
        client = await config.start()
        assert isinstance(client, LanguageClient)
        clients.append(client)
        if initialize:
            await client.initialize_session(
                types.InitializeParams(
                    capabilities=capabilities(encodings),
                    workspace_folders=[
                        types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name) for folder in folders
                    ],
                    initialization_options=options,
                    process_id=process_id,
                )
            )
        return client

    yield start_one
    for client in clients:
        await end(client)


@pytest_asyncio.fixture
async def client(start: Start) -> LanguageClient:
    """A server with `project` open, for a client that counts in UTF-16 as most do."""
    return await start()


def capabilities(encodings: Sequence[str] | None) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        general=None
        if encodings is None
        else types.GeneralClientCapabilities(position_encodings=[*encodings]),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(configuration=True, workspace_folders=True),
    )


async def end(client: LanguageClient) -> None:
    server = client._server
    assert server is not None
    if server.returncode is None and client.capabilities is not None and not client.protocol._shutdown:
        async with asyncio.timeout(10):
            await client.shutdown_session()
    if server.returncode is None:
        server.kill()
    stop: Any = client.stop  # its annotations are incomplete
    await stop()
