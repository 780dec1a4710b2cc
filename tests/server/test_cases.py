"""Cases from public reports about other tools; `cases.yaml` says what its fields mean."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from tests.searching import write_numbered
from tests.server.conftest import Start
from tests.server.wire import (
    children,
    command,
    is_alive,
    require_tool,
    send,
    server_process,
    until,
    write_files,
    write_program,
)

CASES = yaml.safe_load((Path(__file__).parent.parent / "cases.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_a_case_from_a_public_report_is_right(
    client: LanguageClient, project: Path, case: dict[str, Any]
) -> None:
    if case.get("git"):
        subprocess.run([require_tool("git"), "init", "-q"], cwd=project, check=True)
    write_files(project, case.get("files", {}))
    write_files(project, {name: bytes.fromhex(data) for name, data in case.get("bytes", {}).items()})
    for search in case["searches"]:
        ask, says = search.pop("ask"), search.pop("says", [])
        answer = await command(client, "sg.search", ask)
        facts = {**facts_of(answer, project), "more": await rows_of_next_page(client, answer)}
        assert {name: facts[name] for name in search} == search, ask
        assert [words for words in says if words not in answer["text"]] == [], ask


def facts_of(answer: dict[str, Any], project: Path) -> dict[str, Any]:
    """An answer in the form of the cases."""
    rows = answer.get("matches", [])
    return {
        "mode": answer["mode"],
        "status": answer["status"],
        "binary": answer["rules"]["binary"],
        "locations": [located(location, project) for location in answer.get("locations", [])],
        "ranges": [
            [range_["start"]["character"], range_["end"]["character"]]
            for row in rows[:1]
            for range_ in row["ranges"]
        ],
        "texts": [row["text"] for row in rows],
        "byte_ranges": [range_ for row in rows for range_ in row["byteRanges"]],
        "lossy": [row["path"] for row in rows if row.get("lossy")],
        "kept_out": [file["path"] for file in answer.get("keptOut", {}).get("matching", [])],
    }


def located(location: dict[str, Any], project: Path) -> list[Any]:
    start, end = location["range"]["start"], location["range"]["end"]
    name = location["uri"].removeprefix(f"{project.as_uri()}/")
    return [name, start["line"], start["character"], end["line"], end["character"]]


async def rows_of_next_page(client: LanguageClient, answer: dict[str, Any]) -> int:
    if "cursor" not in answer:
        return 0
    return len((await command(client, "sg.page", {"cursor": answer["cursor"]}))["matches"])


async def test_paging_over_many_files_gives_every_match_once_and_always_in_one_order(
    client: LanguageClient, project: Path
) -> None:
    # https://github.com/agentscope-ai/agentscope/issues/2709
    write_numbered(project, files=400, lines=3)

    async def locations() -> list[str]:
        answer = await command(client, "sg.search", {"pattern": "needle", "limit": 50})
        found = answer["locations"]
        while "cursor" in answer:
            answer = await command(client, "sg.page", {"cursor": answer["cursor"], "limit": 50})
            found += answer["locations"]
        return [json.dumps(location) for location in found]

    first, second = await locations(), await locations()
    assert len(set(first)) == len(first) == 1_200
    assert first == second


async def test_a_cancel_ends_a_process_that_ignores_being_asked(
    start: Start, project: Path, tmp_path: Path
) -> None:
    # https://github.com/microsoft/vscode/issues/54837, https://github.com/microsoft/vscode/issues/60639,
    # https://github.com/openai/codex/issues/37770
    write_files(project, {"a.txt": "needle\n"})
    begin = '{"type":"begin","data":{"path":{"text":"a"}}}'
    match = (
        '{"type":"match","data":{"path":{"text":"a"},"lines":{"text":"needle\\\\n"},"line_number":1,'
        '"absolute_offset":0,"submatches":[{"match":{"text":"needle"},"start":0,"end":6}]}}'
    )
    pid_file = tmp_path / "pid"
    script = f"trap '' TERM; echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}\n"
    script += f"printf '%s\\n' '{begin}'; while :; do printf '%s\\n' '{match}'; done"
    client = await start(options={"rgPath": str(write_program(tmp_path / "rg", script))})
    params = {"command": "sg.search", "arguments": [{"pattern": "needle"}]}
    message = {"jsonrpc": "2.0", "id": 9, "method": "workspace/executeCommand", "params": params}
    search = asyncio.create_task(send(client, message))
    await until(pid_file.exists)
    client.cancel_request(types.CancelParams(id=9))
    with pytest.raises(JsonRpcException) as caught:
        await search
    assert caught.value.code == types.LSPErrorCodes.RequestCancelled
    assert not is_alive(int(pid_file.read_text()))
    assert children(server_process(client).pid) == []


async def test_options_in_a_workspace_are_not_obeyed_by_ctags(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # https://github.com/universal-ctags/ctags/issues/1349
    write_files(
        project,
        {
            ".ctags.d/a.ctags": "--langdef=Evil\n--map-Evil=+.c\n--regex-Evil=/int ([a-z]+)/BAD_\\1/x,xx/\n",
            ".ctags.d/b.ctags": "-o ./PWNED\n--map-C=-.c\n",
            "x.c": "int f(void){return 1;}\n",
        },
    )
    monkeypatch.chdir(project)
    ctags = Ctags(ProcessOwner(), require_tool("ctags"))
    structure = await ctags.structure(str(project / "x.c"))
    assert [(symbol.name, symbol.start_line, symbol.end_line) for symbol in structure.symbols] == [
        ("f", 1, 1)
    ]
    assert sorted(path.name for path in project.iterdir()) == [".ctags.d", "x.c"]
