import asyncio
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.wire import (
    children,
    command,
    exit_code,
    frame,
    send,
    send_bytes,
    server_process,
    until,
    write_files,
    write_program,
)

METHOD_NOT_FOUND = -32601
CANCELLED = -32800

ODD_NAMES = (
    "a b",
    "a#b",
    "a%20b",
    "a%",
    "a?b",
    "a&b=c;d",
    "[a]{b}",
    "a\\b",
    "~a",
    unicodedata.normalize("NFC", "é"),
    unicodedata.normalize("NFD", "é"),
    "日本語",
    "\N{GRINNING FACE}",
)
SCHEMES = (
    "untitled:Untitled-1",
    "git:/p/a.py?%7B%22ref%22%3A%22HEAD%22%7D",
    "output:extension-output-1",
    "vscode-notebook-cell:/p/a.ipynb#W0sZmlsZQ%3D%3D",
    "vscode-vfs://github/a/b.py",
    "zipfile:///p/a.zip::a.py",
    "file:///c%3A/a.py",
    "FILE:///p/a.py",
    "file://host/p/a.py",
    "file://[",
    "http://[::1",
    "a.py",
    "",
    "%",
    "\ud800",
)


async def started(start: Start, *arguments: str, **params: Any) -> LanguageClient:
    """A session of a client that says at `initialize` just what is given."""
    client = await start(*arguments, initialize=False)
    message = {"processId": None, "capabilities": {}, **params}
    client.capabilities = types.ClientCapabilities()  # what pytest-lsp checks answers by
    await send(client, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": message})
    notify(client, "initialized", {})
    return client


def notify(client: LanguageClient, method: str, params: Any) -> None:
    send_bytes(client, frame({"jsonrpc": "2.0", "method": method, "params": params}))


def open_document(client: LanguageClient, uri: str, text: str = "", version: int = 1) -> None:
    document = {"uri": uri, "languageId": "plaintext", "version": version, "text": text}
    notify(client, "textDocument/didOpen", {"textDocument": document})


def change_document(client: LanguageClient, uri: str, version: int, *changes: dict[str, Any]) -> None:
    params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
    notify(client, "textDocument/didChange", params)


def replacing(start: int, end: int, text: str) -> dict[str, Any]:
    """A change of the columns [start, end) of the first line."""
    return {
        "range": {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}},
        "text": text,
    }


def about(client: LanguageClient, method: str, uri: str, **more: Any) -> None:
    notify(client, f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})


async def search(client: LanguageClient, **request: Any) -> Any:
    return await command(client, "sg.search", {"pattern": "needle", "mode": "matches", **request})


async def found(client: LanguageClient, **request: Any) -> list[str]:
    return [match["path"] for match in (await search(client, **request)).get("matches", [])]


async def folders(client: LanguageClient) -> list[str]:
    return [folder["path"] for folder in (await command(client, "sg.health"))["folders"]]


async def is_well(client: LanguageClient) -> bool:
    """Nothing was shown to the person, and the server still answers."""
    return bool(await command(client, "sg.health")) and client.messages == []


@pytest.mark.parametrize(
    ("general", "columns"),
    [
        (None, (2, 8)),
        ({}, (2, 8)),
        ({"positionEncodings": None}, (2, 8)),
        ({"positionEncodings": []}, (2, 8)),
        ({"positionEncodings": ["utf-8"]}, (4, 10)),
        ({"positionEncodings": ["utf-16"]}, (2, 8)),
        ({"positionEncodings": ["utf-32"]}, (1, 7)),
        ({"positionEncodings": ["utf-64"]}, (2, 8)),
    ],
)
async def test_columns_count_as_the_client_does(
    start: Start, project: Path, general: Any, columns: tuple[int, int]
) -> None:
    write_files(project, {"a.py": "\N{GRINNING FACE}needle\n"})
    client = await started(start, rootUri=project.as_uri(), capabilities={"general": general})
    (match,) = (await search(client))["matches"]
    ends = match["location"]["range"]
    assert (ends["start"]["character"], ends["end"]["character"]) == columns


@pytest.mark.parametrize("capabilities", [{}, {"window": {"workDoneProgress": False}}, {"workspace": {}}])
async def test_a_client_that_can_do_little_is_asked_for_nothing(
    start: Start, project: Path, tmp_path: Path, capabilities: Any
) -> None:
    write_files(project, {"a.py": "needle\n"})
    log = tmp_path / "log"
    client = await started(
        start,
        "--log-file",
        str(log),
        "--log-level",
        "debug",
        rootUri=project.as_uri(),
        capabilities=capabilities,
    )
    assert await found(client) == ["a.py"]
    assert "Sending request" not in log.read_text()


def roots(project: Path) -> dict[str, dict[str, Any]]:
    uri, path = project.as_uri(), str(project)
    return {
        "rootUri": {"rootUri": uri},
        "rootUri with a slash at its end": {"rootUri": f"{uri}/"},
        "rootPath": {"rootPath": path},
        "rootPath with a slash at its end": {"rootPath": f"{path}/"},
        "rootUri before rootPath": {"rootUri": uri, "rootPath": "/nowhere"},
        "no workspaceFolders": {"rootUri": uri, "workspaceFolders": None},
        "workspaceFolders first": {"rootUri": "file:///", "workspaceFolders": [{"uri": uri, "name": "x"}]},
    }


@pytest.mark.parametrize("kind", roots(Path("/")))
async def test_a_client_names_its_folder_in_many_ways(start: Start, project: Path, kind: str) -> None:
    client = await started(start, **roots(project)[kind])
    assert await folders(client) == [str(project)]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"rootUri": None, "rootPath": None, "workspaceFolders": None},
        {"workspaceFolders": []},
        {"rootUri": ""},
        {"rootPath": ""},
        {"rootUri": "untitled:x"},
        {"rootUri": "file:///%00"},
        {"workspaceFolders": [{"uri": "vscode-vfs://github/a/b", "name": "b"}]},
    ],
)
async def test_a_client_may_have_no_folder(start: Start, params: Any) -> None:
    client = await started(start, **params)
    assert await folders(client) == []
    with pytest.raises(JsonRpcException) as caught:
        await search(client)
    assert caught.value.message == "no folder is open"


@pytest.mark.parametrize("uri", ["file:///c%3A/Users", "file:///C:/Users", "file:///c%3a/"])
async def test_a_drive_of_another_system_is_a_folder_that_is_not_there(start: Start, uri: str) -> None:
    client = await started(start, rootUri=uri)
    with pytest.raises(JsonRpcException) as caught:
        await search(client)
    assert caught.value.message.startswith("no open folder is there any more")
    assert await is_well(client)


async def test_odd_names_of_folders_and_files_come_back_as_they_went(start: Start, project: Path) -> None:
    files = [project / name / f"{name}.py" for name in ODD_NAMES]
    for file in files:
        write_files(file.parent, {file.name: "needle\n"})
    folders = [{"uri": file.parent.as_uri(), "name": file.parent.name} for file in files]
    client = await started(start, workspaceFolders=folders)
    everything = (await search(client))["matches"]
    assert sorted(match["uri"] for match in everything) == sorted(file.as_uri() for file in files)
    for match in everything:
        assert await found(client, path=match["path"]) == [match["path"]]
        assert await found(client, uri=match["uri"]) == [match["path"]]


async def test_names_that_only_look_equal_are_two(start: Start, project: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "é.py") for form in ("NFC", "NFD"))
    write_files(project, {composed: "needle\n", decomposed: "needle\n"})
    client = await started(start, rootUri=project.as_uri())
    assert sorted(await found(client)) == sorted([composed, decomposed])
    assert await found(client, uri=(project / decomposed).as_uri()) == [decomposed]


@pytest.mark.parametrize("spell", [str.lower, str.upper])
async def test_a_uri_may_spell_its_escapes_in_either_case(start: Start, project: Path, spell: Any) -> None:
    write_files(project, {"ä b.py": "needle\n"})
    client = await started(start, rootUri=project.as_uri())
    uri = f"{project.as_uri()}/{spell('%c3%a4%20')}b.py"
    assert await found(client, uri=uri) == ["ä b.py"]
    assert await found(client, uri=f"{project.as_uri()}/ä b.py") == ["ä b.py"]


async def test_documents_of_any_scheme_are_followed_without_harm(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await started(start, rootUri=project.as_uri())
    beginning = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    for uri in SCHEMES:
        open_document(client, uri, "one\ntwo\n")
        change_document(client, uri, 2, {"text": "three\n"})
        change_document(client, uri, 3, {"range": beginning, "text": "x"})
        about(client, "didSave", uri)
        assert await found(client) == ["a.py"], uri
        about(client, "didClose", uri)
        assert await is_well(client), uri


@pytest.mark.parametrize("text", [{}, {"text": None}, {"text": "needle\n"}])
async def test_a_document_is_saved_with_its_text_or_without(
    start: Start, project: Path, text: dict[str, Any]
) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await started(start, rootUri=project.as_uri())
    uri = (project / "a.py").as_uri()
    open_document(client, uri, "needle\n")
    about(client, "didSave", uri, **text)
    assert await found(client) == ["a.py"]
    assert await is_well(client)


async def test_notifications_about_documents_that_are_not_open_cost_no_more_than_a_line_in_the_log(
    start: Start, project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    client = await started(start, "--log-file", str(log), rootUri=project.as_uri())
    uri = (project / "never-opened.py").as_uri()
    change_document(client, uri, 2, {"text": "x"})
    nowhere = {"start": {"line": 7, "character": 7}, "end": {"line": 7, "character": 9}}
    change_document(client, uri, 3, {"range": nowhere, "text": "x"})
    about(client, "didSave", uri)
    about(client, "didClose", uri)
    assert await is_well(client)
    lines = log.read_text().splitlines()
    assert len(lines) == 2
    assert all("WARNING" in line and "not open" in line for line in lines)


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", (4, 7, 11)), ("utf-16", (2, 5, 7)), ("utf-32", (1, 4, 5))]
)
async def test_edits_beside_astral_characters_are_counted_as_the_client_counts(
    start: Start, project: Path, encoding: str, columns: tuple[int, int, int]
) -> None:
    face = "\N{GRINNING FACE}"
    write_files(project, {"a.py": f"{face}hay{face}\n"})
    capabilities = {"general": {"positionEncodings": [encoding]}}
    client = await started(start, rootUri=project.as_uri(), capabilities=capabilities)
    uri = (project / "a.py").as_uri()
    open_document(client, uri, f"{face}hay{face}\n")
    before, after, end = columns
    # From the end to the beginning, so that each place is that of the text as it was opened.
    change_document(client, uri, 2, replacing(end, end, "!"), replacing(before, after, "needle"))
    (match,) = (await search(client, pattern=f"{face}needle{face}!"))["matches"]
    assert (match["source"], match["documentVersion"]) == ("document", 2)
    assert match["text"] == f"{face}needle{face}!"
    assert match["location"]["range"]["end"]["character"] == end + 4


async def test_an_edit_inside_of_an_astral_character_leaves_the_server_well(
    start: Start, project: Path
) -> None:
    write_files(project, {"a.py": "\N{GRINNING FACE}\n"})
    client = await started(start, rootUri=project.as_uri())
    uri = (project / "a.py").as_uri()
    open_document(client, uri, "\N{GRINNING FACE}\n")
    change_document(client, uri, 2, replacing(1, 1, "needle"))
    (match,) = (await search(client))["matches"]
    assert match["text"].isprintable()
    assert await is_well(client)


async def test_a_document_may_be_opened_twice_and_closed_twice(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await started(start, rootUri=project.as_uri())
    uri = (project / "a.py").as_uri()
    open_document(client, uri, "first\n", version=5)
    open_document(client, uri, "needle\n", version=1)
    assert await found(client) == ["a.py"]
    about(client, "didClose", uri)
    about(client, "didClose", uri)
    assert await found(client) == ["a.py"]
    assert await is_well(client)


async def test_shutdown_in_the_middle_of_a_search_ends_it(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.py": "needle\n"})
    rg = write_program(tmp_path / "slow-rg", "exec sleep 600")
    client = await started(start, "--rg", str(rg), rootUri=project.as_uri())
    searching = asyncio.create_task(search(client))
    await until(lambda: children(server_process(client).pid))
    await client.shutdown_async(None)
    assert children(server_process(client).pid) == []
    with pytest.raises(JsonRpcException) as caught:
        await searching
    assert caught.value.code == CANCELLED
    client.exit(None)
    assert await exit_code(client) == 0


@pytest.mark.parametrize("value", ["off", "messages", "verbose"])
async def test_a_trace_can_be_asked_for_and_changes_no_answer(
    start: Start, project: Path, value: str
) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await started(start, rootUri=project.as_uri(), trace=value)
    notify(client, "$/setTrace", {"value": value})
    assert await found(client) == ["a.py"]
    assert await is_well(client)


UNKNOWN: Sequence[tuple[str, Any]] = (
    ("textDocument/hover", {"textDocument": {"uri": "untitled:x"}, "position": {"line": 0, "character": 0}}),
    ("$/unknown", None),
    ("signalGrep/unknown", {"x": 1}),
    ("", {}),
)


@pytest.mark.parametrize(("method", "params"), UNKNOWN)
async def test_a_method_that_is_not_there_is_refused_or_passed_over(
    start: Start, project: Path, method: str, params: Any
) -> None:
    client = await started(start, rootUri=project.as_uri())
    with pytest.raises(JsonRpcException) as caught:
        await send(client, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert caught.value.code == METHOD_NOT_FOUND
    notify(client, method, params)
    assert await is_well(client)
