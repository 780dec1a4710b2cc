"""What is measured of a server with an editor: typing ahead, first rows, unsaved documents."""

import asyncio
import itertools
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from sg_server import limits
from sg_server.engines.binaries import find_ctags, find_rg
from tests.bench.cases import CTAGS, MANY, RG, program
from tests.bench.measure import Line, latency, pairs, ratio, seconds

KEYSTROKES, KEYSTROKE_SECONDS = 20, 0.03
TYPED, TYPED_GOAL = "container_of", 1.3
FIRST_BATCHES, FIRST_BATCH_GOAL = 10, 100.0
DOCUMENTS, DOCUMENTS_GOAL = 20, 1.15
SYMBOL, SYMBOL_GOAL = "schedule_timeout", 1.5


class Editor:
    """A client that cancels, listens and has documents open."""

    def __init__(self, client: LanguageClient) -> None:
        self._client = client
        self._ids = itertools.count(1)
        self._told = asyncio.Event()

        client.protocol.fm.features[types.PROGRESS] = self._hear

    async def search(self, pattern: str, **more: Any) -> Any:
        """Search for what a list shows; ignore rules are off, since source packages ignore themselves."""
        return await self._request(pattern, next(self._ids), **more)

    async def typed(self, pattern: str) -> float:
        """Let each keystroke cancel the search before it; seconds from the last one to its answer."""
        dropped = []
        for length in itertools.islice(itertools.cycle(range(1, len(pattern))), KEYSTROKES - 1):
            number = next(self._ids)
            dropped.append(self._request(pattern[:length], number))
            await asyncio.sleep(KEYSTROKE_SECONDS)
            self._client.cancel_request(types.CancelParams(number))
        taken = await seconds(partial(self.search, pattern))
        await asyncio.gather(*dropped, return_exceptions=True)
        return taken

    async def first_batch(self, pattern: str) -> float:
        """Seconds from a request to its first rows."""
        self._told.clear()
        started = time.perf_counter()
        request = self._request(pattern, next(self._ids), partialResultToken="rows")
        await self._told.wait()
        taken = time.perf_counter() - started
        await request
        return taken

    async def symbols(self, query: str) -> Any:
        """What `workspace/symbol` finds."""
        return await self._client.workspace_symbol_async(types.WorkspaceSymbolParams(query=query))

    def change(self, path: Path) -> None:
        """Open a file and add a line that nobody saves."""
        uri, text = path.as_uri(), path.read_bytes().decode("utf-8", "replace")
        item = types.TextDocumentItem(uri=uri, language_id="c", version=1, text=text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        identifier = types.VersionedTextDocumentIdentifier(version=2, uri=uri)
        changes = [types.TextDocumentContentChangeWholeDocument(f"{text}\n")]
        self._client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    def _hear(self, _: types.ProgressParams) -> None:
        self._told.set()

    def _request(self, pattern: str, number: int, **more: Any) -> asyncio.Future[Any]:
        argument = {"pattern": pattern, "ignored": True, "view": "items", "keep": False, **more}
        params = types.ExecuteCommandParams("sg.search", [argument])
        request = self._client.protocol.send_request(types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=number)
        return asyncio.wrap_future(request)


@asynccontextmanager
async def opened(*paths: Path) -> AsyncIterator[Editor]:
    """An editor with the folders at `paths` open."""
    client = LanguageClient("signal-grep-bench", "1")
    await client.start_io(sys.executable, "-m", "sg_server")
    folders = [types.WorkspaceFolder(path.as_uri(), path.name) for path in paths]
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), workspace_folders=folders)
    )
    client.initialized(types.InitializedParams())
    try:
        yield Editor(client)
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


async def typing(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """Searches that are dropped at every keystroke must not be in the way of the last one."""
    async with opened(corpus) as editor:
        await editor.search(TYPED)
        taken = [
            (await editor.typed(TYPED), await seconds(partial(editor.search, TYPED)))
            for _ in range(repetitions)
        ]
        detail = f"after {KEYSTROKES} keystrokes, against one search alone"
        yield ratio("last answer while typing", taken, TYPED_GOAL, detail)
        if (await editor.search(MANY))["mode"] != "empty":
            first = [await editor.first_batch(MANY) for _ in range(FIRST_BATCHES)]
            yield latency("first rows of a search", first, FIRST_BATCH_GOAL, "many matches")


async def unsaved(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """The same search with and without the text of documents."""
    async with opened(corpus) as editor:
        files = sorted(path for path in corpus.rglob("*.c") if path.is_file() and not path.is_symlink())
        chosen = random.Random(0).sample(files, min(DOCUMENTS, len(files)))  # noqa: S311
        for path in chosen:
            editor.change(path)
        with_text = partial(editor.search, TYPED)
        taken = await pairs(with_text, partial(with_text, includeUnsaved=False), repetitions)
        detail = f"{len(chosen)} documents, against includeUnsaved false"
        yield ratio("search: unsaved documents", taken, DOCUMENTS_GOAL, detail)


async def symbols(corpus: Path, repetitions: int) -> AsyncIterator[Line]:
    """Symbols without an index. The folders in the corpus are opened: its own rules may leave all out."""
    folders = sorted(path for path in corpus.iterdir() if path.is_dir() and path.name != ".git")
    if not folders or find_ctags() is None:
        return
    async with opened(*folders) as editor:
        if found := await editor.symbols(SYMBOL):
            ours, theirs = partial(editor.symbols, SYMBOL), partial(list_and_tag, SYMBOL, folders)
            taken = await pairs(ours, theirs, repetitions)
            detail = f"{len(found)} symbols, against rg listing files and ctags on as many as are read"
            yield ratio(f"workspace/symbol {SYMBOL}", taken, SYMBOL_GOAL, detail)


async def list_and_tag(query: str, folders: list[Path]) -> None:
    """What `workspace/symbol` cannot do without: ripgrep's list of files, and ctags on them."""
    rg, ctags = find_rg(), find_ctags()
    assert rg is not None
    assert ctags is not None
    process = await asyncio.create_subprocess_exec(
        *(rg.path, *RG, "--hidden", "--files-with-matches", "--ignore-case", "-e", query, *map(str, folders)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    listed, _ = await process.communicate()
    await program(ctags.path, *CTAGS, *listed.decode().splitlines()[: limits.SYMBOL_FILES])
