import asyncio
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.searching import let_time_pass
from tests.server.conftest import Start
from tests.server.gated import GatedRg
from tests.server.wire import command, until, write_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and shell scripts")

SEARCH = {"pattern": "needle", "mode": "matches", "limit": 100, "context": 1, "follow": True, "hidden": False}
LINKED = ("link.txt", "link/deep/c.txt", "link/d.txt")
"""They are hidden where they really are, so that only the links lead to them."""
FILES = ("a.txt", "b.txt", "pkg/deep/c.txt", "pkg/d.txt")
HIDDEN = (".a.txt", ".pkg/deep/c.txt", ".pkg/d.txt")


def contents(label: str) -> dict[str, str | bytes]:
    """Files that say of every line which tree it is from; all trees have the same sizes and matches."""
    return {name: f"{label} above\nneedle {label} {name}\n{label} below\n" for name in (*FILES, *HIDDEN)}


def plant(tree: Path, label: str) -> None:
    write_files(tree, contents(label))
    (tree / "link.txt").symlink_to(".a.txt")
    (tree / "link").symlink_to(".pkg")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree, and beside each of its files, folders and links what can take its place."""
    tree = tmp_path / "above/root"
    plant(tree, "old")
    plant(tmp_path / "above/spare-root", "new")
    plant(tmp_path / "spare-above/root", "new")
    new = contents("new")
    write_files(tree, {name.replace("pkg", "spare-pkg"): text for name, text in new.items() if "/" in name})
    write_files(tree, {"spare-a.txt": new["a.txt"], "pkg/spare-deep/c.txt": new["pkg/deep/c.txt"]})
    write_files(tree, {".spare-a.txt": new[".a.txt"]})
    (tree / "spare-link.txt").symlink_to(".spare-a.txt")
    (tree / "spare-link").symlink_to(".spare-pkg")
    let_time_pass(tmp_path)
    return tree


@pytest.fixture
def rg(tmp_path: Path) -> GatedRg:
    return GatedRg(tmp_path / "gated")


def swap(place: Path) -> None:
    """Let `place` and its spare change places."""
    aside, spare = place.with_name("aside"), place.with_name(f"spare-{place.name}")
    place.rename(aside)
    spare.rename(place)
    aside.rename(spare)


def swap_in(place: str, root: Path) -> None:
    swap(Path(os.path.normpath(root / place)))


def write_in_place(file: Path) -> None:
    status = file.stat()
    with file.open("r+") as opened:
        opened.write(file.read_text().replace("old", "NEW"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


def append(file: Path) -> None:
    with file.open("a") as opened:
        opened.write("needle new\n")


def delete(file: Path) -> None:
    file.unlink()


def create(file: Path) -> None:
    write_files(file.parent, {"created.txt": "needle new\n", "created/too.txt": "needle new\n"})


SWAPPED = ("a.txt", "pkg", "pkg/deep", "link.txt", "link", ".", "..")
CHANGES: dict[str, Callable[[Path], None]] = {
    "edited in place": lambda root: write_in_place(root / "a.txt"),
    "appended": lambda root: append(root / "a.txt"),
    "deleted": lambda root: delete(root / "a.txt"),
    "created beside": lambda root: create(root / "pkg/d.txt"),
    **{f"swapped {place}": partial(swap_in, place) for place in SWAPPED},
}


async def start_on(start: Start, root: Path, rg: GatedRg) -> LanguageClient:
    client = await start(folders=(root,), options={"rgPath": rg.path})
    # However long that took, the tree is not settled yet.
    for place in root.rglob("*"):
        os.utime(place, follow_symlinks=False)
    let_time_pass(root)
    return client


def rows(answer: Any, root: Path) -> dict[str, bool]:
    """Whether each file is verified, once it is sure that what is shown of those is in them now."""
    for match in answer["matches"]:
        shown = [*match.get("before", ()), match["text"], *match.get("after", ())]
        if match["verified"]:
            assert "contextUnavailable" not in match
            assert shown == (root / match["path"]).read_text().splitlines()[:3]
        else:
            assert (match["contextUnavailable"], len(shown)) == ("unverified", 1)
    return {match["path"]: match["verified"] for match in answer["matches"]}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moments", ["after-1", "before-2", "after-2"])
async def test_what_changes_during_a_search_is_proven_anew_or_refused(
    change: str, moments: str, start: Start, root: Path, rg: GatedRg
) -> None:
    client = await start_on(start, root, rg)
    rg.close(moments)
    follow = "link" in change
    searching = asyncio.create_task(command(client, "sg.search", {**SEARCH, "follow": follow}))
    async with rg.at(moments):
        CHANGES[change](root)
    answer = await searching
    verified = rows(answer, root)
    refused = {name for name in (*FILES, *(LINKED if follow else ())) if not verified[name]}
    assert refused == ({"a.txt"} if change in {"appended", "deleted"} else set())
    assert answer["unverifiedFiles"] == list(verified.values()).count(False)
    assert answer["status"] == "complete"
    assert answer["totals"]["retained"] == answer["totals"]["matches"] == len(verified)


@pytest.mark.parametrize("place", SWAPPED)
@pytest.mark.parametrize("run", [1, 2])
async def test_what_was_elsewhere_only_while_it_was_searched_is_not_shown(
    place: str, run: int, start: Start, root: Path, rg: GatedRg
) -> None:
    client = await start_on(start, root, rg)
    rg.close(f"before-{run}", f"after-{run}")
    searching = asyncio.create_task(command(client, "sg.search", SEARCH))
    for moment in ("before", "after"):
        async with rg.at(f"{moment}-{run}"):
            swap_in(place, root)
    verified = rows(await searching, root)
    assert all(verified[name] for name in (*FILES, *LINKED))
    assert {len(rg.runs)} <= {2, 3}


async def test_what_changes_during_every_search_is_refused(start: Start, root: Path, rg: GatedRg) -> None:
    client = await start_on(start, root, rg)
    rg.close("before-2", "after-2", "before-3", "after-3")
    searching = asyncio.create_task(command(client, "sg.search", SEARCH))
    for moment in ("before-2", "after-2", "before-3", "after-3"):
        async with rg.at(moment):
            swap(root / "pkg/deep")
    verified = rows(await searching, root)
    refused = {path for path, is_verified in verified.items() if not is_verified}
    assert refused == {"pkg/deep/c.txt", "pkg/spare-deep/c.txt"}
    assert len(rg.runs) == 3


def is_settled(folder: Path) -> bool:
    places = (folder.parent, folder, *folder.rglob("*"))
    return max(os.lstat(place).st_ctime_ns for place in places) + limits.SETTLED_AFTER_NS < time.time_ns()


@pytest.mark.parametrize("moments", [("after-2",), ("before-2", "after-2")])
async def test_only_what_changes_in_a_settled_tree_is_searched_again(
    moments: tuple[str, ...], start: Start, root: Path, rg: GatedRg
) -> None:
    client = await start_on(start, root, rg)
    await until(lambda: is_settled(root))
    plain = {**SEARCH, "follow": False}
    assert all(rows(await command(client, "sg.search", plain), root).values())
    assert len(rg.runs) == 1
    rg.close(*moments)
    searching = asyncio.create_task(command(client, "sg.search", plain))
    for moment in moments:
        async with rg.at(moment):
            swap(root / "pkg/deep")
    assert all(rows(await searching, root).values())
    searched: list[set[str]] = []
    for run in rg.runs[2:]:
        names = run.partition(" -- ")[2].split()
        searched.append({os.path.relpath(name, root) for name in names})
    # One that was moved in the tick of the clock in which it is first looked at is looked at once more.
    assert searched[0] == {"pkg/deep/c.txt", "pkg/spare-deep/c.txt"}
    assert all(again <= searched[0] for again in searched)


async def test_a_tree_that_is_not_settled_is_searched_once_more(
    start: Start, root: Path, rg: GatedRg
) -> None:
    client = await start_on(start, root, rg)
    assert all(rows(await command(client, "sg.search", SEARCH), root).values())
    assert len(rg.runs) == 2


async def test_many_names_take_several_runs(start: Start, tmp_path: Path, rg: GatedRg) -> None:
    root = tmp_path / "root"
    write_files(root, {f"{number:0200}": "needle" for number in range(3_000)})
    let_time_pass(tmp_path)
    client = await start_on(start, root, rg)
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert (answer["totals"]["files"], answer["unverifiedFiles"]) == (3_000, 0)
    lengths = [len(run) for run in rg.runs[1:]]
    assert sum(lengths) > limits.RESCAN_NAMES_BYTES
    assert len(lengths) == 2
    assert max(lengths) < limits.RESCAN_NAMES_BYTES + 1_000


@pytest.mark.parametrize("change", [name for name in CHANGES if "link" not in name])
async def test_what_changes_after_a_search_keeps_its_matches_and_loses_its_context(
    change: str, start: Start, root: Path, rg: GatedRg
) -> None:
    client = await start_on(start, root, rg)
    answer = await command(client, "sg.search", SEARCH)
    assert all(rows(answer, root).values())
    before = {name: (root / name).read_text() for name in FILES}
    CHANGES[change](root)
    page = await command(client, "sg.page", {"snapshot": answer["snapshot"], "context": 1, "limit": 100})
    assert page["totals"] == answer["totals"]
    assert [match["text"] for match in page["matches"]] == [match["text"] for match in answer["matches"]]
    shown = {match["path"]: match for match in page["matches"]}
    for name, text in before.items():
        is_same = (root / name).exists() and (root / name).read_text() == text
        if is_same:
            assert shown[name].get("contextUnavailable") is None
            assert shown[name]["after"] == text.splitlines()[2:]
        else:
            problem = "changed" if (root / name).exists() else "unreadable"
            assert shown[name]["contextUnavailable"] == problem
            assert "after" not in shown[name]
    assert len(rg.runs) == 2
