"""Search a folder, read one file's matches and inspect the first of them, from a program.

Run it as: python -m examples.search_page_inspect FOLDER PATTERN
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

Ask = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def opened(*folders: Path) -> AsyncIterator[Ask]:
    """A server with `folders` open. `await ask("sg.search", pattern="x")` runs one command on it."""
    client = LanguageClient("signal-grep-example", "1")
    await client.start_io(sys.executable, "-m", "sg_server")
    workspace = [types.WorkspaceFolder(folder.resolve().as_uri(), folder.name) for folder in folders]
    capabilities = types.ClientCapabilities()
    await client.initialize_async(types.InitializeParams(capabilities, workspace_folders=workspace))
    client.initialized(types.InitializedParams())

    async def ask(command: str, **argument: Any) -> Any:
        params = types.ExecuteCommandParams(command, [argument])
        return await client.workspace_execute_command_async(params)

    try:
        yield ask
    finally:
        if not client.stopped:
            await client.shutdown_async(None)
            client.exit(None)
        await client.stop()


async def main(folder: Path, pattern: str) -> None:
    """Print the three answers."""
    async with opened(folder) as ask:
        found = await ask("sg.search", pattern=pattern, mode="summary")
        print(found["text"])
        if found["mode"] == "empty":
            return
        page = await ask("sg.page", snapshot=found["snapshot"], path=found["files"][0]["path"], limit=5)
        print(page["text"])
        first = page["matches"][0]
        print((await ask("sg.inspect", snapshot=found["snapshot"], matchIndex=first["index"]))["text"])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
