import os
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from sg_server.engines.binaries import find_rg
from sg_server.errors import InvalidParams
from tests.searching import Searcher
from tests.server.conftest import Start
from tests.server.wire import command, write_files, write_program

TREE: dict[str, str | bytes] = {
    ".gitignore": "ignored.txt\nbuild/\n",
    "plain.txt": "needle\n",
    "ignored.txt": "needle\n",
    "build/out.txt": "needle\n",
    ".hidden.txt": "needle\n",
    ".config/deep.txt": "needle\n",
    "early.bin": b"needle\0needle\n",
    "late.bin": b"needle\n" * 20_000 + b"\0\n",
    "utf16.txt": "\ufeffneedle\n".encode("utf-16-le"),
    "large.txt": "needle\n" * 100,
    "src/a.py": "needle\n",
    ".git/config": "needle\n",
}


@pytest.mark.parametrize(
    ("path", "scope", "rules"),
    [
        ("plain.txt", {}, []),
        ("utf16.txt", {}, []),
        ("src/a.py", {"glob": ["src/*.py", "*.c"], "fileType": "py", "hidden": False}, []),
        ("ignored.txt", {}, ["ignore-file"]),
        ("build/out.txt", {}, ["ignore-file"]),
        ("ignored.txt", {"ignored": True}, []),
        (".hidden.txt", {}, []),
        (".hidden.txt", {"hidden": False}, ["hidden"]),
        (".config/deep.txt", {"hidden": False}, ["hidden"]),
        ("plain.txt", {"glob": "*.py"}, ["glob"]),
        ("plain.txt", {"glob": "src/*"}, ["glob"]),
        ("plain.txt", {"exclude": ["*.py", "*.txt", "/plain.*"]}, ["exclude", "exclude"]),
        ("plain.txt", {"fileType": ["py", "c"]}, ["file-type"]),
        ("plain.txt", {"fileType": "py", "glob": "*.txt"}, ["file-type"]),
        ("early.bin", {}, ["binary"]),
        ("late.bin", {}, ["binary"]),
        ("early.bin", {"binary": True}, []),
        ("large.txt", {"maxFileSize": 699}, ["size"]),
        ("large.txt", {"maxFileSize": 700}, []),
        ("link.txt", {}, ["symlink"]),
        ("link.txt", {"follow": True}, []),
        ("folder/a.py", {}, ["symlink"]),
        ("out.txt", {"follow": True}, ["outside-workspace"]),
        ("../outside.txt", {}, ["outside-workspace"]),
        (".git/config", {}, ["git-internal"]),
        ("git/config", {"follow": True}, ["git-internal"]),
        ("absent.txt", {}, ["missing"]),
        ("pipe", {}, ["unreadable"]),
        ("build/out.txt", {"exclude": "build", "fileType": "py"}, ["ignore-file", "exclude", "file-type"]),
    ],
)
async def test_each_rule_that_keeps_a_file_out_is_named(
    project: Path, tmp_path: Path, path: str, scope: dict[str, Any], rules: list[str]
) -> None:
    write_files(project, TREE)
    write_files(tmp_path, {"outside.txt": "needle\n"})
    os.mkfifo(project / "pipe")
    links = (("link.txt", "plain.txt"), ("folder", "src"), ("out.txt", "../outside.txt"), ("git", ".git"))
    for name, target in links:
        (project / name).symlink_to(target)
    searcher = Searcher(project)
    answer = await searcher.explain(path=path, **scope)
    assert [reason.rule for reason in answer.reasons] == rules
    assert answer.searched == (not rules)
    assert all(f"- {reason.rule}: {reason.detail}" in answer.text for reason in answer.reasons)
    found = await searcher.search("needle", mode="summary", **scope)
    # What links lead to is listed under its own name.
    listed_as = os.path.realpath if scope.get("follow") else os.path.abspath
    listed = {listed_as(project / row.path) for row in found.files or ()}
    is_cut = path in (found.binary_files or ())
    searched_to_its_end = listed_as(project / path) in listed and not is_cut
    assert answer.searched == searched_to_its_end


async def test_exactly_one_file_is_explained(project: Path) -> None:
    write_files(project, TREE)
    searcher = Searcher(project)
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {"path": []},
        {"path": ["plain.txt", "ignored.txt"]},
        {"path": "plain.txt", "uri": (project / "plain.txt").as_uri()},
        {"path": "src"},
        {"path": ""},
        {"uri": "untitled:one"},
    )
    for named in wrong:
        with pytest.raises(InvalidParams):
            await searcher.explain(**named)


async def test_a_file_may_be_explained_by_its_uri(client: LanguageClient, project: Path) -> None:
    write_files(project, TREE)
    uri = (project / "ignored.txt").as_uri()
    answer = await command(client, "sg.explain", {"uri": uri})
    assert (answer["path"], answer["uri"], answer["searched"]) == ("ignored.txt", uri, False)
    outside = await command(client, "sg.explain", {"uri": "file:///nowhere/a.txt"})
    assert (outside["uri"], outside["reasons"][0]["rule"]) == ("file:///nowhere/a.txt", "outside-workspace")


async def test_the_uri_of_what_is_not_there_is_where_it_would_be(tmp_path: Path) -> None:
    write_files(tmp_path, {"one/a.txt": "", "two/a.txt": ""})
    answer = await Searcher(tmp_path / "one", tmp_path / "two").explain(path="two/gone.txt")
    assert answer.uri == (tmp_path / "two/gone.txt").as_uri()
    assert [reason.rule for reason in answer.reasons] == ["missing"]


async def test_a_name_that_holds_git_is_not_inside_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"one/a.txt": "", "two/a.txt": ""})
    searcher = Searcher(tmp_path / "one", tmp_path / "two")
    with pytest.raises(InvalidParams):
        await searcher.explain(path="my.git/a.txt")


# What an empty search kept out.


@pytest.mark.parametrize(
    ("scope", "matching"),
    [
        ({}, [".config/secret.txt", ".secret.txt", "build/secret.txt", "nul.txt", "src/ignored.py"]),
        ({"glob": "src/*.py"}, ["src/ignored.py"]),
        ({"glob": "*.py"}, ["src/ignored.py"]),
        ({"path": "src"}, ["src/ignored.py"]),
        ({"exclude": "build"}, [".config/secret.txt", ".secret.txt", "nul.txt", "src/ignored.py"]),
        (
            {"ignored": True, "exclude": ["build", "ignored.py"]},
            [".config/secret.txt", ".secret.txt", "nul.txt"],
        ),
        ({"fileType": "py"}, ["src/ignored.py"]),
        ({"maxFileSize": 3}, []),
    ],
)
async def test_an_empty_search_names_the_files_that_hold_the_pattern_and_were_kept_out(
    project: Path, scope: dict[str, Any], matching: list[str]
) -> None:
    write_files(
        project,
        {
            ".gitignore": "build/\nignored.py\n",
            "build/secret.txt": "needle\n",
            "build/other.txt": "other\n",
            "src/ignored.py": "needle\n",
            "src/a.py": "other\n",
            ".secret.txt": "needle\n",
            ".config/secret.txt": "needle\n",
            "nul.txt": b"\0 needle\n",
            ".git/config": "needle\n",
        },
    )
    answer = await Searcher(project).search("needle", hidden=False, **scope)
    assert (answer.mode, answer.status) == ("empty", "complete")
    assert answer.kept_out is not None
    assert [file.path for file in answer.kept_out.matching] == matching
    assert answer.kept_out.files >= len(matching)
    assert answer.kept_out.complete
    for path in matching[:5]:
        assert path in (answer.text or "")


async def test_an_empty_search_says_what_was_searched_and_by_which_rules(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "x\n", "b.c": "x\n"})
    answer = await Searcher(tmp_path).search("needle", glob="*.py", exclude="z" * 30_000, ignoreCase=True)
    assert answer.text is not None
    assert answer.text.startswith("0 matches; 1 file searched.")
    assert "insensitive case; hidden files searched; ignore files respected" in answer.text
    assert "globs: *.py; excludes: zzz" in answer.text
    assert len(answer.text.encode()) <= limits.RESPONSE_BYTES
    assert (answer.files, answer.matches, answer.locations, answer.cursor, answer.snapshot) == (None,) * 5


async def test_nobody_looks_for_what_was_kept_out_when_told_not_to(project: Path) -> None:
    write_files(project, {".gitignore": "a.txt\n", "a.txt": "needle\n"})
    searcher = Searcher(project)
    assert (await searcher.search("needle", explainEmpty=False)).kept_out is None
    assert (await searcher.search("needle", view="items")).kept_out is None
    assert (await searcher.search("needle", view="items", explainEmpty=True)).kept_out is not None


async def test_links_out_of_the_folders_are_not_told_of(project: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"outside/secret.txt": "needle\n", "project/.ignore": "out\n"})
    (project / "out").symlink_to(tmp_path / "outside")
    answer = await Searcher(project).search("needle", follow=True)
    assert answer.kept_out is not None
    assert answer.kept_out.matching == ()


async def test_a_look_that_takes_too_long_says_so(start: Start, project: Path, tmp_path: Path) -> None:
    write_files(project, {".gitignore": "a.txt\n", "a.txt": "needle\n"})
    rg = find_rg()
    assert rg is not None
    script = f'case "$*" in *--files*) exec sleep 60;; *) exec {rg.path} "$@";; esac'
    slow = write_program(tmp_path / "rg", script)
    client = await start(options={"rgPath": str(slow)})
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert answer["keptOut"] == {"files": 0, "matching": [], "complete": False}
    assert answer["status"] == "complete"
    assert "no time to look at all" in answer["text"]
    assert answer["elapsedMs"] < 5_000
