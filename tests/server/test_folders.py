import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.wire import command, write_files

Folder = tuple[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that is not open at first."""
    path = tmp_path / "other"
    write_files(path, {"b.py": "needle\n"})
    return path


def of(path: Path) -> Folder:
    return path.as_uri(), path.name


def change(
    client: LanguageClient, *, added: tuple[Folder, ...] = (), removed: tuple[Folder, ...] = ()
) -> None:
    event = types.WorkspaceFoldersChangeEvent(
        added=[types.WorkspaceFolder(*folder) for folder in added],
        removed=[types.WorkspaceFolder(*folder) for folder in removed],
    )
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def names(client: LanguageClient) -> list[str]:
    return [folder["name"] for folder in (await command(client, "sg.health"))["folders"]]


async def search(client: LanguageClient, **request: Any) -> Any:
    return await command(client, "sg.search", {"pattern": "needle", "mode": "matches", **request})


async def found(client: LanguageClient, **request: Any) -> list[str]:
    return [match["path"] for match in (await search(client, **request)).get("matches", [])]


async def failure(client: LanguageClient, **request: Any) -> Any:
    with pytest.raises(JsonRpcException) as caught:
        await search(client, **request)
    return caught.value


async def test_every_folder_is_searched_and_paths_begin_with_its_name(
    start: Start, project: Path, folder: Path
) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await start(folders=[project, folder])
    assert await found(client) == ["other/b.py", "project/a.py"]
    assert await found(client, path="other") == ["other/b.py"]
    assert await found(client, path="project/a.py") == ["project/a.py"]


async def test_a_path_without_a_folders_name_is_refused_with_the_names(
    start: Start, project: Path, folder: Path
) -> None:
    client = await start(folders=[project, folder])
    error = await failure(client, path="a.py")
    assert error.message == "path: 'a.py' does not start with the name of a folder; they are project, other"


async def test_folders_come_and_go(client: LanguageClient, project: Path, folder: Path) -> None:
    write_files(project, {"a.py": "needle\n"})
    assert await found(client) == ["a.py"]
    change(client, added=(of(folder),))
    assert await found(client) == ["other/b.py", "project/a.py"]
    change(client, removed=(of(project),))
    assert await found(client) == ["b.py"]


async def test_folders_may_change_places(client: LanguageClient, project: Path, folder: Path) -> None:
    change(client, added=(of(folder),), removed=(of(project),))
    change(client, added=(of(project),), removed=(of(folder),))
    assert await names(client) == ["project"]


async def test_a_folder_is_closed_however_its_uri_is_encoded(start: Start, tmp_path: Path) -> None:
    odd = tmp_path / "a (b) & ü#%"
    odd.mkdir()
    client = await start(folders=[odd])
    fully = "file://" + "".join("/" if c == ord("/") else f"%{c:02x}" for c in str(odd).encode())
    change(client, added=((fully + "/", "again"),))
    assert await names(client) == ["again"]
    change(client, removed=((f"file://localhost{quote(str(odd))}", "x"),))
    assert await names(client) == []


async def test_a_folder_that_was_never_open_can_be_closed(client: LanguageClient, folder: Path) -> None:
    change(client, removed=(of(folder), ("untitled:x", "x"), ("", "")))
    assert await names(client) == ["project"]


async def test_a_folder_that_is_no_path_is_left_out(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.py": "needle\n"})
    change(client, added=(("vscode-vfs://github/a/b", "b"), ("file:///a%00b", "nul"), ("file:", "none")))
    assert await found(client) == ["a.py"]


async def test_equal_names_are_told_apart(start: Start, tmp_path: Path) -> None:
    folders = [tmp_path / parent / "src" for parent in ("one", "two", "three")]
    for path in folders:
        write_files(path, {"a.py": "needle\n"})
    client = await start(folders=folders)
    assert await found(client) == ["src/a.py", "src~2/a.py", "src~3/a.py"]
    (match,) = (await search(client, path="src~2/a.py"))["matches"]
    assert match["uri"] == (folders[1] / "a.py").as_uri()


async def test_a_file_in_nested_folders_is_shown_once_in_the_inner_one(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n", "inner/b.py": "needle\n"})
    client = await start(folders=[project, project / "inner"])
    answer = await search(client)
    assert [match["path"] for match in answer["matches"]] == ["inner/b.py", "project/a.py"]
    assert answer["totals"]["filesSearched"] == 2


@pytest.mark.parametrize("through_link", [False, True])
async def test_an_open_folder_is_searched_even_where_the_rules_of_an_outer_one_leave_it_out(
    start: Start, project: Path, tmp_path: Path, *, through_link: bool
) -> None:
    write_files(
        project,
        {
            ".gitignore": "vendor/\n",
            "a.py": "needle\n",
            "vendor/lib/b.py": "needle\n",
            "vendor/c.py": "needle\n",
        },
    )
    library = project / "vendor" / "lib"
    if through_link:
        library = tmp_path / "lib"
        library.symlink_to(project / "vendor" / "lib")
    client = await start(folders=[project, library])
    for request in ({}, {"glob": "*.py"}, {"glob": "**/*.py"}, {"hidden": False}):
        assert await found(client, **request) == ["lib/b.py", "project/a.py"]
    assert await found(client, ignored=True) == ["lib/b.py", "project/a.py", "project/vendor/c.py"]


async def test_a_folder_in_a_folder_in_a_folder_is_searched_once(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n", "b/b.py": "needle\n", "b/c/c.py": "needle\n"})
    client = await start(folders=[project / "b" / "c", project, project / "b"])
    assert await found(client) == ["b/b.py", "c/c.py", "project/a.py"]
    assert await found(client, path=["project", "c"]) == ["b/b.py", "c/c.py", "project/a.py"]


async def test_a_folder_and_a_link_to_it_are_one(start: Start, project: Path, tmp_path: Path) -> None:
    write_files(project, {"a.py": "needle\n"})
    link = tmp_path / "link"
    link.symlink_to(project)
    client = await start(folders=[project, link])
    assert await names(client) == ["project"]
    assert await found(client) == ["a.py"]
    change(client, removed=(of(project),))
    answer = await search(client)
    assert [match["uri"] for match in answer["matches"]] == [(link / "a.py").as_uri()]


async def test_a_link_into_an_open_folder_shows_its_files_once(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.py": "needle\n", "inner/b.py": "needle\n"})
    link = tmp_path / "link"
    link.symlink_to(project / "inner")
    client = await start(folders=[link, project])
    assert len(await found(client)) == 2


async def test_a_linked_folder_keeps_the_clients_spelling(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.py": "needle\n"})
    link = tmp_path / "link"
    link.symlink_to(project)
    client = await start(folders=[link])
    for request in ({}, {"path": "a.py"}, {"uri": (project / "a.py").as_uri()}):
        (match,) = (await search(client, **request))["matches"]
        assert (match["path"], match["uri"]) == ("a.py", (link / "a.py").as_uri())


async def test_without_a_folder_a_search_says_so(start: Start) -> None:
    client = await start(folders=[])
    error = await failure(client)
    assert (error.code, error.data["code"]) == (-32803, "no-workspace")
    assert error.message == "no folder is open"
    assert error.data["hint"]


async def test_the_last_folder_can_be_closed_and_another_opened(
    client: LanguageClient, project: Path, folder: Path
) -> None:
    change(client, removed=(of(project),))
    assert (await failure(client)).data["code"] == "no-workspace"
    change(client, added=(of(folder),))
    assert await found(client) == ["b.py"]


async def test_beside_a_folder_that_is_gone_from_the_disk_the_others_are_searched(
    start: Start, project: Path, folder: Path
) -> None:
    write_files(project, {"a.py": "needle\n"})
    client = await start(folders=[project, folder])
    shutil.rmtree(folder)
    answer = await search(client)
    assert [match["path"] for match in answer["matches"]] == ["project/a.py"]
    assert (answer["status"], answer["partialReasons"]) == ("partial", ["unreadable-path"])
    assert answer["unreadablePaths"] == ["other"]
    assert "PARTIAL (unreadable-path): 1 path could not be read: other." in answer["text"]
    empty = await search(client, pattern="absent")
    assert (empty["mode"], empty["status"]) == ("empty", "partial")
    assert (await search(client, path="project"))["status"] == "complete"
    error = await failure(client, path="other")
    assert error.data["code"] == "path-not-found"
    assert "other" in error.message
    shutil.rmtree(project)
    assert (await failure(client)).data["code"] == "path-not-found"
    write_files(project, {"a.py": "needle\n"})
    write_files(folder, {"b.py": "needle\n"})
    assert await found(client) == ["other/b.py", "project/a.py"]


async def test_a_folder_may_be_made_after_it_was_opened(client: LanguageClient, folder: Path) -> None:
    later = folder / "later"
    change(client, added=(of(later),))
    write_files(later, {"a.py": "needle\n"})
    assert await found(client) == ["later/a.py"]


async def test_a_file_can_be_no_folder_and_does_no_harm(client: LanguageClient, folder: Path) -> None:
    change(client, added=(of(folder / "b.py"),))
    assert await found(client) == ["b.py"]


async def test_a_snapshot_outlives_its_folder(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.py": "needle\n" * 3})
    cursor = (await search(client, limit=1))["cursor"]
    change(client, removed=(of(project),))
    page = await command(client, "sg.page", {"cursor": cursor, "limit": 2})
    assert [(match["index"], match["path"]) for match in page["matches"]] == [(2, "a.py"), (3, "a.py")]


async def test_a_folder_inside_an_open_one_can_be_closed_without_losing_its_files(
    start: Start, project: Path
) -> None:
    write_files(project, {"inner/b.py": "needle\n"})
    client = await start(folders=[project, project / "inner"])
    assert await found(client) == ["inner/b.py"]
    change(client, removed=(of(project / "inner"),))
    assert await found(client) == ["inner/b.py"]
    assert await found(client, path="inner") == ["inner/b.py"]
