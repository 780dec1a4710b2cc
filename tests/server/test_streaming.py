import asyncio
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.searching import write_numbered
from tests.server.conftest import Start, capabilities
from tests.server.editing import Buffer, search
from tests.server.gated import GatedRg
from tests.server.wire import DEADLINE_SECONDS, plain, until, write_files

Heard = defaultdict[Any, list[Any]]
WORK, ROWS = "work", 7
BATCH_SECONDS = 0.05

needs_gates = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and shell scripts")


@pytest.fixture
def rg(tmp_path: Path) -> GatedRg:
    return GatedRg(tmp_path / "gated")


def listen(client: LanguageClient) -> Heard:
    """What is told by `$/progress` from now on, by token. pytest-lsp listens to work-done progress only."""
    heard: Heard = defaultdict(list)

    def take(params: types.ProgressParams) -> None:
        heard[params.token].append(plain(params.value))

    client.protocol.fm.features[types.PROGRESS] = take
    return heard


async def ask(client: LanguageClient, command: str, token: int | str | None = None, **argument: Any) -> Any:
    """Run a command with a token for work-done progress."""
    params = types.ExecuteCommandParams(command, [argument], work_done_token=token)
    async with asyncio.timeout(DEADLINE_SECONDS):
        return plain(await client.workspace_execute_command_async(params))


def rows(heard: Heard) -> list[Any]:
    return [row for batch in heard[ROWS] for row in batch["matches"]]


def kinds(heard: Heard, token: int | str = WORK) -> list[str]:
    return [value["kind"] for value in heard[token]]


@needs_gates
async def test_the_first_batch_comes_while_ripgrep_is_still_at_work(
    start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=3)
    heard = listen(client)
    rg.close("after-1")
    answer = asyncio.ensure_future(search(client, partialResultToken=ROWS))
    async with rg.at("after-1"):
        await until(lambda: heard[ROWS])
        assert not answer.done()
    result = await answer
    (batch,) = heard[ROWS]
    assert batch["totals"] == {"matches": 3, "files": 1}
    fields = ("uri", "path", "line", "location", "ranges", "text", "clipped")
    assert batch["matches"] == [{name: match[name] for name in fields} for match in result["matches"]]


@needs_gates
async def test_unsaved_text_is_told_first_and_its_file_never(
    start: Start, project: Path, rg: GatedRg
) -> None:
    write_files(project, {"a.txt": "needle on disk\n", "b.txt": "needle on disk\n", "c.log": "needle\n"})
    write_files(project, {".gitignore": "*.log\n"})
    client = await start("--rg", rg.path)
    heard = listen(client)
    Buffer(client, project / "a.txt", "one\rneedle\n")
    Buffer(client, project / "c.log", "needle unsaved\n")
    Buffer(client, "untitled:Untitled-1", "needle unsaved\n")
    rg.close("before-2", "after-2")
    answer = asyncio.ensure_future(search(client, partialResultToken=ROWS))
    async with rg.at("before-2"):
        await until(lambda: heard[ROWS])
        assert [row["path"] for row in rows(heard)] == ["untitled:Untitled-1"]
    async with rg.at("after-2"):
        await until(lambda: len(rows(heard)) == 3)
    result = await answer
    told = sorted(rows(heard), key=lambda row: row["path"])
    assert [row["location"] for row in told] == result["locations"]
    assert result["matches"][0]["source"] == "document"
    assert heard[ROWS][-1]["totals"] == {"matches": 3, "files": 3}


@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_no_more_rows_are_told_than_a_page_has(
    client: LanguageClient, project: Path, limit: int
) -> None:
    write_numbered(project, files=30, lines=4)
    heard = listen(client)
    answer = await search(client, limit=limit, partialResultToken=ROWS)
    assert len(rows(heard)) <= limit
    assert len(answer["matches"]) == limit
    assert heard[ROWS]
    assert all(batch["matches"] for batch in heard[ROWS])


async def test_batches_keep_their_distance(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=3_000, lines=1)
    heard = listen(client)
    loop = asyncio.get_running_loop()
    began = loop.time()
    await search(client, limit=1000, view="items", partialResultToken=ROWS)
    assert 1 <= len(heard[ROWS]) <= 1 + (loop.time() - began) / BATCH_SECONDS


async def test_nothing_is_told_to_a_client_that_gives_no_token(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=3, lines=1)
    heard = listen(client)
    await search(client)
    await search(client, "absent", partialResultToken=ROWS)
    assert not heard


async def test_a_link_out_of_the_folder_is_not_told(
    client: LanguageClient, project: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, {"outside/a.txt": "needle\n", "project/b.txt": "needle\n"})
    (project / "link").symlink_to(tmp_path / "outside")
    heard = listen(client)
    await search(client, follow=True, partialResultToken=ROWS)
    assert [row["path"] for row in rows(heard)] == ["b.txt"]
    assert {(batch["totals"]["matches"], batch["totals"]["files"]) for batch in heard[ROWS]} == {(1, 1)}


async def test_progress_is_told_in_the_language_of_the_person(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=1, lines=3)
    await ask(client, "sg.locale", action="zh-CN")
    heard = listen(client)
    await ask(client, "sg.search", WORK, pattern="needle")
    assert heard[WORK][0]["title"] == "正在搜索"
    assert heard[WORK][1]["message"].startswith("在 1 个文件中找到 3 处匹配")


@pytest.mark.parametrize("token", ["word", 9])
async def test_progress_begins_reports_and_ends_before_the_answer(
    client: LanguageClient, project: Path, token: int | str
) -> None:
    write_numbered(project, files=2, lines=3)
    heard = listen(client)
    await ask(client, "sg.search", token, pattern="needle", partialResultToken=ROWS)
    assert kinds(heard, token) == ["begin", *["report"] * (len(heard[token]) - 2), "end"]
    assert heard[token][0] == {"kind": "begin", "title": "Searching", "cancellable": True}
    assert heard[token][1]["message"].startswith(("3 matches in 1 file", "6 matches in 2 files"))
    assert rows(heard)


async def test_every_command_begins_and_ends(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=1, lines=1)
    heard = listen(client)
    found = await ask(client, "sg.search", 1, pattern="needle")
    place = {"path": "f000.txt"}
    arguments: dict[str, dict[str, Any]] = {
        "sg.page": {"snapshot": found["snapshot"]},
        "sg.inspect": {"snapshot": found["snapshot"], "matchIndex": 1},
        "sg.explain": place,
        "sg.clear": {},
        "sg.health": {},
    }
    for token, (command, argument) in enumerate(arguments.items(), 2):
        await ask(client, command, token, **argument)
        assert kinds(heard, token) == ["begin", "end"], command


@pytest.mark.parametrize("wrong", [{"pattern": "("}, {"pattern": ""}, {"pattern": "x", "path": "absent"}, {}])
async def test_progress_ends_with_an_error_too(client: LanguageClient, wrong: dict[str, Any]) -> None:
    heard = listen(client)
    with pytest.raises(JsonRpcException):
        await ask(client, "sg.search", WORK, **wrong)
    assert kinds(heard) == ["begin", "end"]


@needs_gates
async def test_progress_ends_when_it_is_cancelled(start: Start, project: Path, rg: GatedRg) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    heard = listen(client)
    rg.close("before-1")
    answer = asyncio.ensure_future(ask(client, "sg.search", WORK, pattern="needle"))
    async with rg.at("before-1"):
        assert kinds(heard) == ["begin"]
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(WORK))
        with pytest.raises(JsonRpcException):
            await answer
    assert kinds(heard) == ["begin", "end"]


async def test_progress_begins_while_the_client_is_still_asked_for_its_settings(
    start: Start, project: Path
) -> None:
    write_numbered(project, files=1, lines=1)
    client = await start(initialize=False)
    may_answer = asyncio.Event()

    async def configuration(_: types.ConfigurationParams) -> list[Any]:
        await may_answer.wait()
        return [None]

    client.protocol.fm.features[types.WORKSPACE_CONFIGURATION] = configuration
    await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities(None),
            workspace_folders=[types.WorkspaceFolder(uri=project.as_uri(), name="project")],
        )
    )
    heard = listen(client)
    answer = asyncio.ensure_future(ask(client, "sg.search", WORK, pattern="needle"))
    await until(lambda: heard[WORK])
    assert (kinds(heard), answer.done()) == (["begin"], False)
    may_answer.set()
    assert (await answer)["totals"]["matches"] == 1
