import shutil
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import __version__
from tests.server.conftest import Start
from tests.server.wire import command, require_tool, write_program


async def test_health_tells_versions_and_folders(client: LanguageClient, project: Path) -> None:
    health = await command(client, "sg.health")
    assert health["version"] == 1
    assert health["server"] == __version__
    assert health["rg"]["version"].startswith("ripgrep ")
    assert health["positionEncoding"] == "utf-16"
    assert health["folders"] == [{"name": "project", "uri": project.as_uri(), "path": str(project)}]
    assert (health["snapshots"], health["snapshotsBytes"], health["processes"]) == ([], 0, [])


async def test_health_finds_ctags(client: LanguageClient) -> None:
    require_tool("ctags")
    health = await command(client, "sg.health")
    assert health["ctags"]["found"] == "path"
    assert health["ctags"]["version"]
    assert health["problems"] == []


async def test_a_missing_rg_is_a_problem_with_a_remedy(start: Start, tmp_path: Path) -> None:
    client = await start("--rg", str(tmp_path / "nowhere"))
    health = await command(client, "sg.health")
    assert health["rg"] == {"path": str(tmp_path / "nowhere"), "found": "option"}
    (problem,) = (problem for problem in health["problems"] if problem["code"] == "rg-missing")
    assert "nowhere" in problem["message"]
    assert "install ripgrep" in problem["hint"]


async def test_a_program_that_is_no_rg_is_a_problem(start: Start, tmp_path: Path) -> None:
    client = await start(options={"rgPath": str(write_program(tmp_path / "rg", "exit 3"))})
    health = await command(client, "sg.health")
    assert "version" not in health["rg"]
    assert [problem["code"] for problem in health["problems"]] == ["rg-failed"]


async def test_a_ctags_of_another_kind_is_a_problem(start: Start, tmp_path: Path) -> None:
    client = await start("--ctags", str(write_program(tmp_path / "ctags", "echo Exuberant Ctags 5.8")))
    health = await command(client, "sg.health")
    assert "version" not in health["ctags"]
    assert [problem["code"] for problem in health["problems"]] == ["ctags-unusable"]


async def test_the_clients_option_goes_before_the_command_line(start: Start, tmp_path: Path) -> None:
    named = str(tmp_path / "by-the-client")
    client = await start("--rg", str(tmp_path / "by-the-command-line"), options={"rgPath": named})
    assert (await command(client, "sg.health"))["rg"]["path"] == named


async def test_health_takes_no_fields(client: LanguageClient) -> None:
    with pytest.raises(JsonRpcException, match=r"^verbose: unknown field") as caught:
        await command(client, "sg.health", {"verbose": True})
    assert caught.value.code == -32602


async def test_a_folder_that_is_gone_is_a_problem(client: LanguageClient, project: Path) -> None:
    shutil.rmtree(project)
    health = await command(client, "sg.health")
    (problem,) = (problem for problem in health["problems"] if problem["code"] == "path-not-found")
    assert str(project) in problem["message"]
    with pytest.raises(JsonRpcException, match="no open folder is there any more"):
        await command(client, "sg.search", {"pattern": "needle"})
