"""The symbols of the whole workspace that a query finds, without an index.

ripgrep lists the files that hold a fitting name, ctags reads those for their definitions, and tree-sitter
reads what ctags does not know. Unsaved documents count as they are.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from sg_server import limits
from sg_server.engines.definitions import Definition, DefinitionsUnavailable
from sg_server.engines.ripgrep import Ripgrep
from sg_server.errors import SignalGrepError
from sg_server.symbols.candidates import Candidates, FileScope, candidates, in_scope
from sg_server.symbols.definitions import Providers, of_symbol
from sg_server.symbols.hits import Best, Hit, UnsavedTexts, located
from sg_server.symbols.query import SymbolQuery, parse_query
from sg_server.symbols.results import SymbolInformation
from sg_server.text.positions import TextView, shown
from sg_server.workspace.folders import Workspace
from sg_server.workspace.source import SourceError, read_source

Report = Callable[[Sequence[SymbolInformation]], None]


class WorkspaceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The best symbols: the better the name fits the earlier, then by path and line.

    `notes` say, a sentence each, what is missing; without any this is every symbol there is.
    """

    symbols: tuple[SymbolInformation, ...] = ()
    notes: tuple[str, ...] = ()


class WorkspaceSymbols:
    """Finds symbols for one client, one query after the other."""

    def __init__(self, ripgrep: Ripgrep, providers: Providers, view: TextView) -> None:
        self._ripgrep = ripgrep
        self._providers = providers
        self._view = view
        self._turn = asyncio.Lock()

    async def find(
        self,
        text: str,
        workspace: Workspace,
        *,
        scope: FileScope | None,
        documents: UnsavedTexts,
        report: Report | None = None,
    ) -> WorkspaceAnswer:
        """The symbols that the query `text` finds in the files of `scope` and in `documents`.

        With `report` they are given to it as they are found, each batch in order, and the answer has none.
        `scope` is None where no folder is open. Raises RgMissing and RgFailed.
        """
        query = parse_query(text)
        if query is None:
            return WorkspaceAnswer()
        run = _Run(
            query,
            providers=self._providers,
            workspace=workspace,
            documents=documents,
            view=self._view,
            report=report,
        )
        async with self._turn:
            await run.read_documents(await self._matching(documents, query, scope))
            if scope is not None:
                found = await candidates(self._ripgrep, query, scope, workspace, without=documents.keys())
                await run.read_files(found)
            return await run.answer()

    async def _matching(
        self, documents: UnsavedTexts, query: SymbolQuery, scope: FileScope | None
    ) -> Collection[str]:
        """The documents that hold a fitting name, but for those whose files the rules leave out."""
        matching = {path for path, text in documents.items() if query.compiled.search(shown(text))}
        if scope is None:
            return matching
        files = _existing(matching)
        return (matching - files) | await in_scope(self._ripgrep, scope, files)


class _Run:
    """One query: reads what it is told to, and keeps or reports what it finds."""

    def __init__(
        self,
        query: SymbolQuery,
        *,
        providers: Providers,
        workspace: Workspace,
        documents: UnsavedTexts,
        view: TextView,
        report: Report | None,
    ) -> None:
        self._query = query
        self._providers = providers
        self._workspace = workspace
        self._documents = documents
        self._view = view
        self._report = report
        self._best = Best(limits.SYMBOLS)
        self._reported = 0
        self._notes: dict[str, None] = {}

    async def read_documents(self, paths: Collection[str]) -> None:
        """Look for definitions in unsaved documents."""
        for path in sorted(paths):
            read = await self._providers.definitions(os.path.basename(path), self._documents[path])
            await self._take(self._hits(path, read.found))

    async def read_files(self, found: Candidates) -> None:
        """Look for definitions in files, in a few runs of ctags at once."""
        if found.total > len(found.paths):
            self._note(f"{len(found.paths):,} of the {found.total:,} files that hold such a name were read")
        if found.too_large:
            self._note(f"{found.too_large:,} files were not read, for they are too large")
        paths = found.paths
        size = limits.SYMBOL_BATCH_FILES
        batches = deque(paths[start : start + size] for start in range(0, len(paths), size))

        async def read() -> None:
            while batches and self._reported < limits.SYMBOLS:
                await self._read_batch(batches.popleft())

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(limits.SYMBOL_PROCESSES):
                    group.create_task(read())
        except* SignalGrepError as failures:
            raise failures.exceptions[0] from failures
        if batches:
            self._note(f"{sum(map(len, batches)):,} files were not read any more")

    async def answer(self) -> WorkspaceAnswer:
        """What was found and has not been reported."""
        if self._best.total > limits.SYMBOLS:
            self._note(f"{limits.SYMBOLS:,} of {self._best.total:,} symbols are listed")
        symbols = await self._located(self._best.in_order()) if self._report is None else ()
        return WorkspaceAnswer(symbols=tuple(symbols), notes=tuple(self._notes))

    async def _read_batch(self, paths: Sequence[str]) -> None:
        found: list[Hit] = []
        known: frozenset[str] = frozenset()
        try:
            known = await self._providers.ctags.of_files(
                # ctags tells no path that is not UTF-8, and then nobody knows whose definitions they are.
                [path for path in paths if _is_utf8(path)],
                lambda path, definition: found.extend(self._hits(path, (definition,))),
                holding=self._query.needle,
            )
        except DefinitionsUnavailable as error:
            found.clear()
            self._note(f"tree-sitter alone read some files: {error}")
        for path in paths:
            if path not in known:
                found += self._hits(path, await asyncio.to_thread(self._parsed, path))
        await self._take(found)

    def _parsed(self, path: str) -> list[Definition]:
        """What tree-sitter finds in a file; blocks."""
        try:
            text = read_source(path).text
        except SourceError:
            return []
        structure = self._providers.tree_sitter.structure_of(os.path.basename(path), text)
        return [of_symbol(symbol) for symbol in structure.symbols]

    def _hits(self, path: str, definitions: Iterable[Definition]) -> Iterator[Hit]:
        for definition in definitions:
            rank = None if definition.is_anonymous else self._query.rank(definition.name)
            if rank is not None:
                yield Hit(rank=rank, path=path, definition=definition)

    async def _take(self, hits: Iterable[Hit]) -> None:
        """Keep `hits` or, where there is someone to report to, report them."""
        if self._report is None:
            self._best.add(hits)
            return
        batch = Best(limits.SYMBOLS)
        batch.add(hits)
        symbols = await self._located(batch.in_order())
        # Another batch may have been reported meanwhile.
        symbols = symbols[: limits.SYMBOLS - self._reported]
        self._best.total += batch.total
        self._reported += len(symbols)
        if symbols:
            self._report(symbols)

    async def _located(self, hits: Sequence[Hit]) -> list[SymbolInformation]:
        return await asyncio.to_thread(located, hits, self._documents, self._workspace, self._view)

    def _note(self, note: str) -> None:
        self._notes[note] = None


def _existing(paths: Iterable[str]) -> set[str]:
    return {path for path in paths if os.path.lexists(path)}


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
