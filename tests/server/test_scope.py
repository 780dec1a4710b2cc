import asyncio
import json
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from sg_server.engines.binaries import find_rg
from sg_server.errors import InvalidParams, OutsideWorkspace, PathNotFound, SignalGrepError
from sg_server.search.defaults import Retention, SearchDefaults
from tests.searching import Searcher, paths
from tests.server.conftest import Start
from tests.server.wire import command, write_files

TREE: dict[str, str | bytes] = {
    ".gitignore": "ignored.py\nbuild/\n",
    "top.py": "needle\n",
    "ignored.py": "needle\n",
    ".hidden.py": "needle\n",
    "a:b.txt": "needle\n",
    "src/one.py": "needle\n",
    "src/two.pyi": "needle\n",
    "src/deep/three.c": "needle\n",
    "src/ignored.py": "needle\n",
    ".config/four.py": "needle\n",
    "build/five.py": "needle\n",
    "binary.py": b"needle\n\0\n",
    ".git/config": "needle\n",
    "src/.git/config": "needle\n",
}
SEARCHED = [
    ".config/four.py",
    ".hidden.py",
    "a:b.txt",
    "src/deep/three.c",
    "src/one.py",
    "src/two.pyi",
    "top.py",
]


async def searched(folder: Path, **scope: Any) -> list[str]:
    return paths(await Searcher(folder).search("needle", mode="matches", limit=100, **scope))


async def test_what_is_searched_when_nothing_is_said(project: Path) -> None:
    write_files(project, TREE)
    assert await searched(project) == SEARCHED


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        ({"path": "src"}, ["src/deep/three.c", "src/one.py", "src/two.pyi"]),
        ({"path": ["src/deep", "top.py"]}, ["src/deep/three.c", "top.py"]),
        ({"path": ["src", "src/deep", "src/one.py"]}, ["src/deep/three.c", "src/one.py", "src/two.pyi"]),
        ({"path": "src/../top.py"}, ["top.py"]),
        ({"path": "."}, SEARCHED),
        ({"glob": "*.py"}, [".config/four.py", ".hidden.py", "src/one.py", "top.py"]),
        ({"glob": ["*.c", "top.*"]}, ["src/deep/three.c", "top.py"]),
        ({"glob": "*.{c,pyi}"}, ["src/deep/three.c", "src/two.pyi"]),
        ({"glob": "[ot]*.py"}, ["src/one.py", "top.py"]),
        ({"glob": "src/*.py"}, ["src/one.py"]),
        ({"glob": "./src/*.py"}, ["src/one.py"]),
        ({"glob": "/*.py"}, [".hidden.py", "top.py"]),
        ({"glob": "src/**"}, ["src/deep/three.c", "src/one.py", "src/two.pyi"]),
        ({"glob": "**/deep/*"}, ["src/deep/three.c"]),
        ({"glob": "{src,build}/*.py"}, ["src/one.py"]),
        ({"glob": ["src/*.py", "*.c"]}, ["src/deep/three.c", "src/one.py"]),
        ({"glob": "a:*"}, ["a:b.txt"]),
        ({"glob": "build/*"}, []),
        ({"glob": "*.py", "path": "src"}, ["src/one.py"]),
        ({"glob": "*.c", "fileType": "py"}, []),
        ({"glob": "o*", "fileType": "py"}, ["src/one.py"]),
        ({"fileType": "c"}, ["src/deep/three.c"]),
        ({"fileType": ["c", "py"], "path": "src"}, ["src/deep/three.c", "src/one.py", "src/two.pyi"]),
        ({"exclude": ["*.py", "a:*"]}, ["src/deep/three.c", "src/two.pyi"]),
        ({"exclude": "!src"}, [".config/four.py", ".hidden.py", "a:b.txt", "top.py"]),
        ({"exclude": "src/*.py", "fileType": "py", "path": "src"}, ["src/two.pyi"]),
        ({"exclude": "*.c", "glob": "src/**"}, ["src/one.py", "src/two.pyi"]),
        ({"hidden": False, "fileType": "py"}, ["src/one.py", "src/two.pyi", "top.py"]),
        ({"hidden": False, "glob": "*.py"}, ["src/one.py", "top.py"]),
        ({"hidden": False, "glob": "/*.py"}, ["top.py"]),
        ({"hidden": False, "ignored": True, "glob": "src/*.py"}, ["src/ignored.py", "src/one.py"]),
        ({"ignored": True, "glob": "i*.py"}, ["ignored.py", "src/ignored.py"]),
        ({"ignored": True, "glob": "build/*"}, ["build/five.py"]),
        ({"binary": True, "glob": "b*.py"}, ["binary.py"]),
        ({"path": "ignored.py"}, ["ignored.py"]),
        ({"path": "build/five.py"}, ["build/five.py"]),
        ({"path": ".hidden.py", "hidden": False}, [".hidden.py"]),
        ({"path": "binary.py"}, ["binary.py"]),
        ({"path": ["src", "src/ignored.py"], "glob": "*.c"}, ["src/deep/three.c", "src/ignored.py"]),
        ({"path": "a:b.txt"}, ["a:b.txt"]),
    ],
    ids=json.dumps,
)
async def test_each_rule_narrows_or_widens_what_is_searched(
    project: Path, scope: dict[str, Any], found: list[str]
) -> None:
    write_files(project, TREE)
    assert await searched(project, **scope) == found


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        ({"glob": "#a#"}, ["#a#"]),
        ({"glob": "#a#", "fileType": "all"}, []),
        ({"glob": "/#a#"}, ["#a#"]),
        ({"exclude": "#*"}, ["a", "a ", "a \t", "c.py"]),
        ({"glob": "a "}, ["a "]),
        ({"glob": "/a "}, ["a "]),
        ({"glob": "/a\\ "}, ["a "]),
        ({"glob": "/a \t"}, ["a \t"]),
        ({"exclude": "a "}, ["#a#", "a", "a \t", "c.py"]),
        ({"exclude": " "}, ["#a#", "a", "a ", "a \t", "c.py"]),
        ({"path": [".", "a "]}, ["#a#", "a", "a ", "a \t", "c.py"]),
    ],
    ids=json.dumps,
)
async def test_a_glob_means_all_its_characters(
    project: Path, scope: dict[str, Any], found: list[str]
) -> None:
    write_files(project, dict.fromkeys(("#a#", "a", "a ", "a \t", "c.py"), "needle\n"))
    assert await searched(project, **scope) == found


async def test_globs_hold_below_names_that_are_not_utf8(project: Path) -> None:
    folder = project / os.fsdecode(b"o\xff")
    write_files(folder, {"src/a.py": "needle\n", "src/a.c": "needle\n", os.fsdecode(b"n\xff.py"): "needle\n"})
    assert await searched(folder, glob="src/*.py") == ["src/a.py"]
    assert await searched(folder, exclude="src/*.py") == ["n\N{REPLACEMENT CHARACTER}.py", "src/a.c"]
    both = [folder.as_uri(), f"{folder.as_uri()}/n%FF.py"]
    assert await searched(folder, uri=both) == ["n\N{REPLACEMENT CHARACTER}.py", "src/a.c", "src/a.py"]


async def test_an_overlapping_file_and_folder_give_each_match_once(project: Path) -> None:
    write_files(project, {"src/[x]{y}*!.py": "needle\n", "src/b.py": "needle\n"})
    answer = await Searcher(project).search("needle", path=["src/[x]{y}*!.py", "src", "src/b.py"])
    assert answer.totals.matches == 2
    assert answer.totals.files_searched == 2


async def test_a_file_in_a_folder_named_through_a_link_gives_each_match_once(project: Path) -> None:
    write_files(project, {"src/a.py": "needle\n"})
    (project / "link").symlink_to("src")
    answer = await Searcher(project).search("needle", path=["link", "src/a.py"])
    assert (answer.totals.matches, answer.totals.files_searched) == (1, 1)


async def test_a_file_larger_than_asked_for_is_left_out(project: Path) -> None:
    write_files(project, {"small.txt": "needle", "large.txt": "needle" * 2})
    assert await searched(project, maxFileSize=6) == ["small.txt"]
    assert await searched(project, maxFileSize=0) == []
    assert await searched(project, path="large.txt", maxFileSize=6) == ["large.txt"]


async def test_git_is_never_searched(project: Path) -> None:
    write_files(project, {**TREE, "other/.GIT/config": "needle\n"})
    (project / "link").symlink_to(".git")
    for scope in ({"ignored": True}, {"glob": "**/.git/*"}, {"glob": "config", "follow": True}):
        assert not [path for path in await searched(project, **scope) if "config" in path.split("/")]
    for path in (
        ".git",
        ".git/config",
        "src/.git/config",
        ".GIT/config",
        "link",
        "link/config",
        "src/../.git",
    ):
        with pytest.raises((InvalidParams, PathNotFound)):
            await searched(project, path=path)


async def test_what_links_lead_out_to_takes_no_room(project: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"outside/many.txt": "needle\n" * 60_000, "project/z.txt": "needle\n"})
    (project / "a").symlink_to(tmp_path / "outside")
    answer = await Searcher(project).search("needle", follow=True)
    assert (answer.status, answer.totals.matches, answer.totals.retained) == ("complete", 1, 1)


async def test_what_several_links_lead_to_takes_room_once(project: Path) -> None:
    write_files(project, {"big.txt": "needle\n" * 30_000, "z.txt": "needle\n"})
    for name in ("alink.txt", "blink.txt"):
        (project / name).symlink_to("big.txt")
    answer = await Searcher(project).search("needle", follow=True)
    assert [(row.path, row.retained) for row in answer.files or ()] == [("big.txt", 30_000), ("z.txt", 1)]
    assert (answer.status, answer.totals.matches, answer.totals.retained) == ("complete", 30_001, 30_001)


async def test_a_file_is_shown_rather_than_a_link_to_it_also_in_a_folder_behind_a_link(
    project: Path, tmp_path: Path
) -> None:
    write_files(project, {"in/real.txt": "needle\n"})
    (project / "in/alink.txt").symlink_to("real.txt")
    (project / "in/loop").symlink_to("..")
    (project / "lin").symlink_to("in")
    (tmp_path / "opened").symlink_to(project / "in")
    assert await searched(tmp_path / "opened", follow=True) == ["real.txt"]
    assert await searched(project, path="lin", follow=True) == ["lin/real.txt"]


async def test_what_no_rule_can_keep_out_of_a_walk_takes_room_once(project: Path) -> None:
    inner = os.fsencode(project) + b"/bad\xff"
    os.mkdir(inner)
    with open(inner + b"/x.txt", "wb") as file:
        file.write(b"needle\n" * 30_000)
    write_files(project, {"ok.txt": "needle\n"})
    answer = await Searcher(project, Path(os.fsdecode(inner))).search("needle")
    assert (answer.status, answer.totals.matches, answer.totals.retained) == ("complete", 30_001, 30_001)


async def test_links_are_followed_when_asked_for_and_never_out_of_the_folders(
    project: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, {"outside/secret.txt": "needle\n", "project/real/a.txt": "needle\n"})
    (project / "link").symlink_to("real")
    (project / "out").symlink_to(tmp_path / "outside")
    (project / "out.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    assert await searched(project) == ["real/a.txt"]
    assert await searched(project, follow=True) == ["real/a.txt"]
    assert await searched(project, path=["link", "real"]) == ["link/a.txt"]
    assert await searched(project, path="link/a.txt") == ["link/a.txt"]
    for path in (
        "out",
        "out/secret.txt",
        "out.txt",
        "..",
        "../outside",
        str(tmp_path / "outside"),
        "out/none",
    ):
        with pytest.raises((OutsideWorkspace, PathNotFound)):
            await searched(project, path=path)


async def test_a_path_may_be_relative_absolute_or_a_uri(project: Path) -> None:
    write_files(project, {"ä b/%20.txt": "needle\n"})
    file = project / "ä b" / "%20.txt"
    for scope in (
        {"path": "ä b/%20.txt"},
        {"path": "./ä b//%20.txt"},
        {"path": str(file)},
        {"uri": file.as_uri()},
        {"uri": file.parent.as_uri() + "/"},
    ):
        assert await searched(project, **scope) == ["ä b/%20.txt"]
    with pytest.raises(PathNotFound):
        await searched(project, path="ä b/other.txt")


async def test_a_pipe_is_refused_before_anything_waits_for_it(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with pytest.raises(PathNotFound, match="neither a folder nor a regular file"):
        await searched(project, path="pipe")
    assert await searched(project) == []


async def test_globs_hold_where_the_folder_was_opened_through_a_link(project: Path, tmp_path: Path) -> None:
    write_files(project, TREE)
    opened = tmp_path / "opened"
    opened.symlink_to(project)
    assert await searched(opened, glob="src/*.py") == ["src/one.py"]
    assert await searched(opened, exclude="src/*.py", fileType="py") == [
        ".config/four.py",
        ".hidden.py",
        "src/two.pyi",
        "top.py",
    ]


async def test_several_folders_have_their_names_before_paths_and_globs_in_each(tmp_path: Path) -> None:
    for name in ("one/app", "two/app", "two"):
        write_files(tmp_path / name, {"src/a.py": "needle\n", "a.py": "needle\n"})
    searcher = Searcher(tmp_path / "one" / "app", tmp_path / "two" / "app")

    async def found(**scope: Any) -> list[str]:
        return paths(await searcher.search("needle", mode="matches", **scope))

    assert await found() == ["app/a.py", "app/src/a.py", "app~2/a.py", "app~2/src/a.py"]
    assert await found(glob="src/*.py") == ["app/src/a.py", "app~2/src/a.py"]
    assert await found(glob="/*.py") == ["app/a.py", "app~2/a.py"]
    assert await found(exclude="src/a.py") == ["app/a.py", "app~2/a.py"]
    assert await found(path="app~2/src") == ["app~2/src/a.py"]
    assert await found(path=["app~2", "app/a.py"]) == ["app/a.py", "app~2/a.py", "app~2/src/a.py"]
    with pytest.raises(InvalidParams, match="app, app~2"):
        await found(path="src")
    nested = Searcher(tmp_path / "two", tmp_path / "two" / "app")
    answer = await nested.search("needle", mode="matches")
    assert paths(answer) == ["app/a.py", "app/src/a.py", "two/a.py", "two/src/a.py"]
    assert answer.totals.matches == 4


async def test_a_file_reached_through_two_folders_is_found_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"all/inner/a.txt": "needle\n"})
    (tmp_path / "link").symlink_to(tmp_path / "all" / "inner")
    answer = await Searcher(tmp_path / "all", tmp_path / "link").search("needle")
    assert (answer.totals.matches, answer.totals.files_searched) == (1, 1)


async def test_nobodys_ripgreprc_is_obeyed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    write_files(tmp_path, {"rc": "--glob=!*\n--pre=false\n"})
    write_files(project, {".ripgreprc": "--glob=!*\n", "a.txt": "needle\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    client = await start()
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert [match["path"] for match in answer["matches"]] == ["a.txt"]


async def test_without_a_folder_there_is_nothing_to_search() -> None:
    with pytest.raises(SignalGrepError) as caught:
        await Searcher().search("needle")
    assert caught.value.code == "no-workspace"


# Counts, against ripgrep's own.


@pytest.fixture(scope="module")
def large_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real tree of 10,000 files or more: this Python's, filled up where it has fewer."""
    stdlib = Path(sysconfig.get_path("stdlib")).resolve()
    if sum(len(files) for _, _, files in os.walk(stdlib)) >= 10_000:
        return stdlib
    folder = tmp_path_factory.mktemp("large")
    sources = [path.read_bytes() for path in sorted(stdlib.glob("*.py"))]
    for number in range(10_000):
        target = folder / f"{number % 100:02}" / f"{number}.py"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(sources[number % len(sources)][:2_000])
    return folder


@pytest.mark.parametrize("pattern", ["ENOTRECOVERABLE", r"\bimport re\b", "self"])
async def test_counts_are_those_of_ripgrep(large_tree: Path, pattern: str) -> None:
    searcher = Searcher(large_tree)
    answer = await searcher.search(pattern, mode="summary", ignored=True)
    rows = [row for page in await searcher.pages(answer) for row in page.files or ()]
    lines, occurrences = await asyncio.gather(
        *(asyncio.to_thread(rg_counts, large_tree, flag, pattern) for flag in ("--count", "--count-matches"))
    )
    assert {row.path: row.matches for row in rows} == lines
    assert {row.path: row.occurrences for row in rows} == occurrences
    assert answer.totals.matches == sum(lines.values())
    assert answer.totals.occurrences == sum(occurrences.values())
    assert answer.totals.files == len(lines)
    assert [row.matches for row in rows] == sorted(lines.values(), reverse=True)


ODD_LINES = {
    "crlf.txt": b"foo bar\r\nfoo\r\n\r\nbar foo\r\n",
    "lone.txt": b"foo\r\r\nbar\n\r\nfoo\rbar\r\n",
    "open.txt": b"foo\r\n\r\nfoo",
    "empty.txt": b"\n\r\n\n",
}


OF_LINE_ENDS = [(pattern, "default") for pattern in (r"\r", r"\r|foo", r"o\r", r"[\r]", r"\r+", r"\r?\n")]
AT_LINE_ENDS = [
    *((pattern, "default") for pattern in ("(?m)^", "(?m)$")),
    *((pattern, "pcre2") for pattern in ("^", "$", "(?m)$", r"\r", "(?=o)")),
]


@pytest.mark.parametrize(
    ("pattern", "engine", "multiline"),
    [
        *((*asked, True) for asked in (*OF_LINE_ENDS, *AT_LINE_ENDS)),
        *((*asked, False) for asked in AT_LINE_ENDS),
    ],
)
async def test_occurrences_in_and_at_line_ends_are_those_of_ripgrep(
    project: Path, pattern: str, engine: str, *, multiline: bool
) -> None:
    write_files(project, ODD_LINES)
    flags = [f"--engine={engine}", *(["--multiline"] if multiline else [])]
    expected = rg_counts(project, "--count-matches", pattern, *flags)
    answer = await Searcher(project).search(pattern, multiline=multiline, engine=engine, mode="summary")
    assert {row.path: row.occurrences for row in answer.files or ()} == expected
    if multiline:
        assert answer.totals.matches == answer.totals.occurrences == answer.totals.retained


async def test_what_ripgrep_does_not_count_is_counted_after_the_bound_too(project: Path) -> None:
    write_files(project, {"a.txt": b"a\r\nb\r\n" * 3_000, "b.txt": b"a\r\nb\r\n" * 3_000})
    searcher = Searcher(project)
    searcher.service.configure(SearchDefaults(), Retention(rows=10))
    answer = await searcher.search(r"a|\r", multiline=True, mode="summary")
    counted = rg_counts(project, "--count-matches", r"a|\r", "--multiline")
    assert counted == {"a.txt": 6_000, "b.txt": 6_000}
    assert {row.path: row.occurrences for row in answer.files or ()} == counted
    assert (answer.totals.retained, answer.unverified_files) == (10, 0)


def rg_counts(folder: Path, flag: str, pattern: str, *more: str) -> dict[str, int]:
    rg = find_rg()
    assert rg is not None
    rules = (
        "--no-config",
        "--hidden",
        "--no-ignore",
        "--crlf",
        "--no-mmap",
        "--smart-case",
        "--glob=!**/.git",
    )
    arguments = [rg.path, *rules, "--glob=!**/.git", flag, *more, "--null", "-e", pattern, "./"]
    output = subprocess.run(arguments, cwd=folder, capture_output=True, check=True).stdout
    counts = (line.rpartition(b"\0") for line in output.splitlines())
    return {os.fsdecode(path.removeprefix(b"./")): int(count) for path, _, count in counts}
