"""Searches in tests: the real service over real ripgrep without a wire, trees for it, and what is refused."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server.engines.binaries import find_rg
from sg_server.engines.process import ProcessOwner
from sg_server.engines.ripgrep import Ripgrep
from sg_server.search.params import ExplainParams, PageParams, SearchParams
from sg_server.search.results import ExplainResult, Match, SearchResult
from sg_server.search.service import SearchService
from sg_server.text.positions import TextView
from sg_server.workspace.documents import NoDocuments, OpenDocuments
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import read_stamp_clock
from tests.server.wire import command, write_files


class Searcher:
    """Searches folders as one client does."""

    def __init__(
        self, *folders: Path, view: TextView | None = None, documents: OpenDocuments | None = None
    ) -> None:
        self.workspace = Workspace.of((folder.as_uri(), folder.name) for folder in folders)
        self.service = SearchService(
            Ripgrep(ProcessOwner(), find_rg()), view or TextView(), documents or NoDocuments()
        )

    async def search(self, pattern: str, **fields: Any) -> SearchResult:
        """`sg.search`, its fields by the names they have on the wire."""
        params = msgspec.convert({"pattern": pattern, **fields}, SearchParams)
        return await self.service.search(params, self.workspace)

    async def page(self, **fields: Any) -> SearchResult:
        """`sg.page`."""
        return await self.service.page(msgspec.convert(fields, PageParams), self.workspace)

    async def explain(self, **fields: Any) -> ExplainResult:
        """`sg.explain`."""
        return await self.service.explain(msgspec.convert(fields, ExplainParams), self.workspace)

    async def pages(
        self, answer: SearchResult, style: Callable[[], dict[str, Any]] = dict
    ) -> list[SearchResult]:
        """`answer` and all pages after it, each in the style that is drawn for it."""
        answers = [answer]
        while cursor := answers[-1].cursor:
            answers.append(await self.page(cursor=cursor, **style()))
        return answers


def matches(answers: Sequence[SearchResult]) -> list[Match]:
    """The rows of several pages."""
    return [match for answer in answers for match in answer.matches or ()]


def paths(answer: SearchResult) -> list[str]:
    """The files of an answer, each once, sorted."""
    rows = answer.files if answer.mode == "summary" else answer.matches
    return sorted({row.path for row in rows or ()})


def let_time_pass(folder: Path) -> None:
    """Wait until a write to a file of `folder` would get another time stamp than those that were."""
    newest = max(os.lstat(path).st_ctime_ns for path in (folder, *folder.rglob("*")))
    while read_stamp_clock() <= newest:
        time.sleep(0)


def write_numbered(folder: Path, files: int, lines: int) -> None:
    """Write f000.txt and on, with so many lines each, all of which are `needle`; a search can prove them."""
    write_files(folder, {f"f{number:03}.txt": "needle\n" * lines for number in range(files)})
    let_time_pass(folder)


def utf8(text: str | None) -> int:
    """Bytes of a text in UTF-8."""
    return len((text or "").encode())


async def refused(client: LanguageClient, name: str, argument: dict[str, Any]) -> tuple[str, str]:
    """The code and the message with which a command is refused."""
    with pytest.raises(JsonRpcException) as caught:
        await command(client, name, argument)
    data: Any = caught.value.data
    return data["code"], caught.value.message
