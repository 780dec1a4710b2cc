import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.searching import refused, write_numbered
from tests.server.conftest import Start
from tests.server.gated import GatedRg
from tests.server.wire import (
    children,
    command,
    exit_code,
    is_alive,
    server_process,
    until,
    write_files,
    write_program,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

SEARCH = {"pattern": "needle"}
STATS = '"stats":{"searches":1,"matched_lines":0,"matches":0}'
SUMMARY = '{"data":{"elapsed_total":{"secs":0},' + STATS + '},"type":"summary"}'


def running(client: LanguageClient) -> list[int]:
    return children(server_process(client).pid)


def begin_search(client: LanguageClient) -> "asyncio.Task[Any]":
    return asyncio.create_task(command(client, "sg.search", SEARCH))


@pytest.fixture
def rg(tmp_path: Path) -> GatedRg:
    return GatedRg(tmp_path / "gated")


async def close_input(client: LanguageClient) -> None:
    stdin = server_process(client).stdin
    assert stdin is not None
    stdin.close()


async def shut_down(client: LanguageClient) -> None:
    await client.shutdown_async(None)
    assert running(client) == []
    client.exit(None)


async def leave(client: LanguageClient) -> None:
    client.exit(None)


async def terminate(client: LanguageClient) -> None:
    server_process(client).terminate()


@pytest.mark.parametrize(("end", "expected"), [(shut_down, 0), (leave, 1), (close_input, 1), (terminate, 1)])
@pytest.mark.parametrize("program", ["exec sleep 600", "trap '' TERM; while :; do echo '{}'; done"])
async def test_nothing_is_left_of_a_search_when_the_server_ends(
    end: Callable[[LanguageClient], Any], expected: int, program: str, start: Start, tmp_path: Path
) -> None:
    client = await start("--rg", str(write_program(tmp_path / "rg", program)))
    task = begin_search(client)
    await until(lambda: running(client))
    left = running(client)
    await end(client)
    assert await exit_code(client) == expected
    await until(lambda: not any(map(is_alive, left)))
    task.cancel()


async def test_ripgrep_ends_by_itself_when_the_server_is_killed(start: Start, project: Path) -> None:
    write_numbered(project, files=400, lines=2_000)
    client = await start()
    task = begin_search(client)
    await until(lambda: running(client))
    left = running(client)
    server_process(client).kill()
    await exit_code(client)
    await until(lambda: not any(map(is_alive, left)))
    task.cancel()


@pytest.mark.parametrize("moment", ["before-1", "after-1", "before-2", "after-2"])
async def test_a_killed_ripgrep_is_an_error_and_no_empty_result(
    moment: str, start: Start, project: Path, rg: GatedRg
) -> None:
    client = await start("--rg", rg.path)
    write_numbered(project, files=1, lines=1)
    rg.close(moment)
    task = begin_search(client)
    async with rg.at(moment):
        for pid in running(client):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(JsonRpcException) as caught:
            await task
    data: Any = caught.value.data
    assert data["code"] == "rg-failed"
    assert "signal 9" in caught.value.message
    assert (await command(client, "sg.search", SEARCH))["totals"]["matches"] == 1


def not_executable(path: Path) -> None:
    path.touch()


def no_program(path: Path) -> None:
    path.write_bytes(b"\x7fELF")
    path.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("make", [None, Path.mkdir, not_executable, no_program])
async def test_an_rg_that_cannot_be_started_is_named(
    make: Callable[[Path], None] | None, start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "rg"
    if make is not None:
        make(path)
    client = await start("--rg", str(path))
    code, message = await refused(client, "sg.search", SEARCH)
    assert code == "rg-missing"
    assert str(path) in message


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo garbage", "without a result"),
        ("head -c 30000000 /dev/zero", "without a result"),
        ("exit 1", "it ended with code 1 and without a result"),
        ("""echo '{"type":"begin","data":{"path":{"text":"/a"}}}'""", "without a result"),
        ("""echo '{"type":"begin","data":7}'""", "not ripgrep's JSON"),
        (f"echo '{SUMMARY}'; echo 'rg: disk on fire' >&2; exit 2", "disk on fire"),
        ("head -c 100000 /dev/zero | tr '\\0' e >&2; exit 2", "eeee"),
    ],
)
async def test_an_rg_that_is_none_is_never_an_empty_result(
    script: str, said: str, start: Start, tmp_path: Path
) -> None:
    client = await start("--rg", str(write_program(tmp_path / "rg", script)))
    code, message = await refused(client, "sg.search", SEARCH)
    assert code == "rg-failed"
    assert said in message
    assert len(message) < 20_000


async def test_a_workspace_folder_that_is_gone_is_named(start: Start, project: Path) -> None:
    client = await start()
    project.rmdir()
    assert (await refused(client, "sg.search", SEARCH))[0] == "path-not-found"


async def test_a_folder_that_goes_during_a_search_is_no_fault_of_ripgreps(
    start: Start, project: Path, rg: GatedRg
) -> None:
    write_files(project, {"sub/a": "needle", "b": "needle"})
    client = await start("--rg", rg.path)
    rg.close("before-1")
    task = begin_search(client)
    async with rg.at("before-1"):
        project.rename(project.with_name("away"))
    with pytest.raises(JsonRpcException) as caught:
        await task
    data: Any = caught.value.data
    assert data["code"] == "path-not-found"


async def test_the_environment_of_the_user_decides_nothing(
    start: Start, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_files(tmp_path, {"rc": "--ignore-case\n--pre=false\n"})
    write_files(project, {"a": "needle NEEDLE\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    client = await start()
    answer = await command(client, "sg.search", {**SEARCH, "ignoreCase": False})
    assert answer["totals"]["occurrences"] == 1
