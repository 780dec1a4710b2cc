import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.searching import write_numbered
from tests.server.conftest import Start
from tests.server.gated import GatedRg
from tests.server.wire import children, command, is_alive, send, server_process, until, write_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

CANCELLED = -32800
FLOOD = """while :; do echo '{"type":"future"}'; done"""


@pytest.fixture
def rg(tmp_path: Path) -> GatedRg:
    return GatedRg(tmp_path / "gated")


def running(client: LanguageClient) -> list[int]:
    return children(server_process(client).pid)


def ask(client: LanguageClient, msg_id: int, name: str, argument: dict[str, Any]) -> "asyncio.Task[Any]":
    """Begin a command under an id by which it can be cancelled."""
    params = {"command": name, "arguments": [argument]}
    message = {"jsonrpc": "2.0", "id": msg_id, "method": "workspace/executeCommand", "params": params}
    return asyncio.create_task(send(client, message))


def search(client: LanguageClient, msg_id: int = 1, **fields: Any) -> "asyncio.Task[Any]":
    return ask(client, msg_id, "sg.search", {"pattern": "needle", **fields})


def cancel(client: LanguageClient, msg_id: int = 1) -> None:
    client.cancel_request(types.CancelParams(id=msg_id))


async def code_of(task: "asyncio.Task[Any]") -> int:
    with pytest.raises(JsonRpcException) as caught:
        await task
    return caught.value.code


async def assert_fit(client: LanguageClient) -> None:
    """Nothing is left running, and the server goes on."""
    assert running(client) == []
    assert (await command(client, "sg.health"))["processes"] == []


@pytest.mark.parametrize("moment", ["before-1", "after-1", "before-2", "after-2"])
async def test_a_search_can_be_cancelled_at_any_of_its_runs(
    moment: str, start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=3, lines=1)
    rg.close(moment)
    task = search(client)
    async with rg.at(moment):
        cancel(client)
        assert await code_of(task) == CANCELLED
        assert running(client) == []
    await assert_fit(client)
    assert (await command(client, "sg.search", {"pattern": "needle"}))["totals"]["matches"] == 3


@pytest.mark.parametrize("trap", ["", "trap '' TERM PIPE; "])
async def test_a_cancel_stops_a_flood_of_output(trap: str, start: Start, tmp_path: Path) -> None:
    client = await start("--rg", str(write_program(tmp_path / "rg", trap + FLOOD)))
    task = search(client)
    await until(lambda: running(client))
    (pid,) = running(client)
    began = time.monotonic()
    cancel(client)
    assert await code_of(task) == CANCELLED
    assert time.monotonic() - began < 1
    assert not is_alive(pid)


async def test_health_is_answered_during_a_flood_of_output(start: Start, tmp_path: Path) -> None:
    script = f'case "$*" in *--version*) echo ripgrep 15;; *) {FLOOD};; esac'
    client = await start("--rg", str(write_program(tmp_path / "rg", script)))
    task = search(client)
    await until(lambda: running(client))
    began = time.monotonic()
    health = await command(client, "sg.health")
    assert time.monotonic() - began < 1
    assert [process["name"] for process in health["processes"]] == ["rg"]
    cancel(client)
    assert await code_of(task) == CANCELLED


async def test_a_search_that_waits_for_its_turn_never_starts_when_it_is_cancelled(
    start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    moments = [f"before-{run + 1}" for run in range(limits.SEARCHES)]
    rg.close(*moments)
    tasks = [search(client, number) for number in range(limits.SEARCHES + 2)]
    async with rg.at(moments[0]), rg.at(moments[1]):
        *_, cancelled, waiting = range(limits.SEARCHES + 2)
        cancel(client, cancelled)
        assert await code_of(tasks[cancelled]) == CANCELLED
        assert len(rg.runs) == limits.SEARCHES
        assert not tasks[waiting].done()
    answers = [await task for number, task in enumerate(tasks) if number != cancelled]
    assert [answer["totals"]["matches"] for answer in answers] == [1, 1, 1]
    await assert_fit(client)


async def test_a_cancelled_search_gives_its_turn_to_the_next(
    start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    rg.close("before-1", "before-2")
    tasks = [search(client, number) for number in range(3)]
    async with rg.at("before-1"), rg.at("before-2"):
        cancel(client, 0)
        assert (await tasks[2])["totals"]["matches"] == 1
    assert await code_of(tasks[0]) == CANCELLED
    assert (await tasks[1])["totals"]["matches"] == 1


async def test_reading_a_big_page_can_be_cancelled(start: Start, project: Path) -> None:
    for number in range(60):
        lines = [b"x" * 90] * 50_000
        lines[40_000] = b"needle"
        (project / f"f{number}").write_bytes(b"\n".join(lines))
    client = await start()
    answer = await command(client, "sg.search", {"pattern": "needle", "mode": "summary"})
    task = ask(client, 1, "sg.page", {"snapshot": answer["snapshot"], "context": 20, "limit": 100})
    await asyncio.sleep(0)
    cancel(client)
    assert await code_of(task) == CANCELLED
    page = await command(client, "sg.page", {"snapshot": answer["snapshot"], "limit": 1})
    assert page["matches"][0]["line"] == 40_001


@pytest.mark.parametrize("run", [1, 2])
async def test_an_explanation_can_be_cancelled(run: int, start: Start, project: Path, rg: GatedRg) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    moment = f"before-{run}"
    rg.close(moment)
    task = ask(client, 1, "sg.explain", {"path": "f000.txt"})
    async with rg.at(moment):
        cancel(client)
        assert await code_of(task) == CANCELLED
    await assert_fit(client)


async def test_the_look_at_what_was_kept_out_can_be_cancelled(
    start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    rg.close("before-2", "before-3")
    task = ask(client, 1, "sg.search", {"pattern": "missing", "explainEmpty": True})
    async with rg.at("before-2"), rg.at("before-3"):
        cancel(client)
        assert await code_of(task) == CANCELLED
    await assert_fit(client)


async def test_many_searches_cancelled_at_once_leave_nothing(start: Start, project: Path) -> None:
    client = await start()
    write_numbered(project, files=200, lines=200)
    tasks = [search(client, number, multiline=bool(number % 2)) for number in range(20)]
    await asyncio.sleep(0)
    for number in range(20):
        cancel(client, number)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    codes = {outcome.code for outcome in outcomes if isinstance(outcome, JsonRpcException)}
    assert codes == {CANCELLED}
    await assert_fit(client)


async def test_a_token_cancels_as_the_id_does(start: Start, project: Path, rg: GatedRg) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    rg.close("before-1")
    params = {"command": "sg.search", "arguments": [{"pattern": "needle"}], "workDoneToken": "token"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": params}
    task = asyncio.create_task(send(client, message))
    async with rg.at("before-1"):
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token="token"))  # noqa: S106
        assert await code_of(task) == CANCELLED
    await assert_fit(client)
