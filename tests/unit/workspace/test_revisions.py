import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.workspace.mounts import Mounts
from sg_server.workspace.revisions import (
    Bracket,
    Clocks,
    Look,
    ScanWindow,
    look,
    read_clocks,
    read_stamp_clock,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is settled")

FILES = ("pkg/deep/a.py", "pkg/b.py", "other/deep/a.py", "top.py")
SECOND = 1_000_000_000
SHARED_MEMORY = "/dev/shm"  # noqa: S108  a mount that most machines have


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a spare one of the same shape beside it."""
    for tree in ("root", "spare"):
        for name in FILES:
            file = tmp_path / "above" / tree / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(tree)
    return tmp_path / "above/root"


def scan(
    *roots: Path | str, kind: str = "ext4", clocks: Callable[[Clocks], Clocks] = lambda began: began
) -> ScanWindow:
    """Begin a scan for which all that is there by now is just old enough, and every later change is not.

    It is the beginning that is chosen, since nobody can set a ctime back. `clocks` says what they show at the
    end, from what they showed at the beginning.
    """
    began = Clocks(after_a_tick_ns(roots[0]) + limits.SETTLED_AFTER_NS, 0)
    readings = iter((began, clocks(began)))
    return ScanWindow.open(
        [str(root) for root in roots], clocks=lambda: next(readings), mounts=mounts_of(*roots, kind=kind)
    )


def mounts_of(*roots: Path | str, kind: str = "ext4") -> Mounts:
    devices = {os.stat(root).st_dev for root in roots}
    table = [f"1 0 {os.major(device)}:{os.minor(device)} / / rw - {kind} none rw" for device in devices]
    return Mounts.parse("\n".join(table).encode())


def after_a_tick_ns(place: Path | str) -> int:
    """Wait until every clock that may stamp files has moved on, and tell what a new stamp shows."""
    with tempfile.TemporaryFile(dir=place if os.path.isdir(place) else os.path.dirname(place)) as probe:
        made = os.fstat(probe.fileno()).st_ctime_ns
        # Linux stamps in ticks and, since 6.13, finer where it is asked for the time in between.
        while (now := os.fstat(probe.fileno()).st_ctime_ns) == made or read_stamp_clock() <= made:
            os.utime(probe.fileno())
    return now


def settled(window: ScanWindow, *paths: Path | str) -> list[bool]:
    return [found.settled for found in window.look([str(path) for path in paths])]


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def test_a_tree_that_nobody_touches_is_settled(root: Path) -> None:
    window = scan(root)
    found = window.look([str(root / name) for name in FILES])
    assert [each.revision for each in found] == [look(str(root / name)) for name in FILES]
    assert all(each.settled for each in found)


def test_a_revision_is_what_the_file_system_says(root: Path) -> None:
    status = (root / "top.py").stat()
    revision = look(str(root / "top.py"))
    assert revision is not None
    assert (revision.device, revision.inode, revision.size) == (status.st_dev, status.st_ino, 4)
    assert (revision.mtime_ns, revision.ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)


def test_a_file_written_just_before_the_scan_is_not_settled(root: Path) -> None:
    window = ScanWindow.open([str(root)])
    assert settled(window, root / "top.py") == [False]


def test_a_file_written_meanwhile_is_not_settled_and_its_neighbours_are(root: Path) -> None:
    window = scan(root)
    (root / "pkg/b.py").write_text("new")
    assert settled(window, *(root / name for name in FILES)) == [True, False, True, True]


def test_setting_the_mtime_back_hides_no_write(root: Path) -> None:
    file = root / "top.py"
    before = file.stat()
    window = scan(root)
    file.write_text("nett")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert settled(window, file) == [False]


def test_a_file_with_an_mtime_in_the_future_is_not_settled(root: Path) -> None:
    status = (root / "top.py").stat()
    os.utime(root / "top.py", ns=(status.st_atime_ns, status.st_mtime_ns + 3600 * SECOND))
    assert settled(scan(root), root / "top.py") == [False]


def test_a_write_through_another_hard_link_is_seen(root: Path) -> None:
    (root.parent / "outside").hardlink_to(root / "top.py")
    window = scan(root)
    (root.parent / "outside").write_text("new")
    assert settled(window, root / "top.py") == [False]


def test_an_old_file_moved_into_the_place_of_another_is_not_settled(root: Path) -> None:
    window = scan(root)
    (root.parent / "spare/top.py").replace(root / "top.py")
    assert settled(window, root / "top.py") == [False]


def test_an_old_file_linked_into_the_place_of_another_is_not_settled(root: Path) -> None:
    window = scan(root)
    (root / "top.py").unlink()
    (root / "top.py").hardlink_to(root.parent / "spare/top.py")
    assert settled(window, root / "top.py") == [False]


def test_an_old_folder_put_in_the_place_of_another_is_not_settled(root: Path) -> None:
    window = scan(root)
    swap(root / "pkg", root.parent / "spare/pkg")
    assert (root / "pkg/b.py").read_text() == "spare"
    assert settled(window, *(root / name for name in FILES)) == [False, False, True, True]


def test_a_folder_that_was_away_for_a_while_is_not_settled(root: Path) -> None:
    window = scan(root)
    swap(root / "pkg/deep", root / "other/deep")
    swap(root / "pkg/deep", root / "other/deep")
    assert settled(window, *(root / name for name in FILES)) == [False, True, False, True]


def test_setting_a_parents_mtime_back_hides_no_move(root: Path) -> None:
    before = (root / "pkg").stat()
    window = scan(root)
    swap(root / "pkg/deep", root.parent / "spare/pkg/deep")
    os.utime(root / "pkg", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert settled(window, root / "pkg/deep/a.py") == [False]


def test_new_entries_of_one_folder_leave_old_files_settled(root: Path) -> None:
    window = scan(root)
    (root / "pkg/new.py").touch()
    assert settled(window, root / "pkg/new.py", *(root / name for name in FILES)) == [False, *[True] * 4]


def test_new_entries_of_the_root_leave_old_files_settled(root: Path) -> None:
    window = scan(root)
    (root / "new.py").touch()
    assert settled(window, *(root / name for name in FILES)) == [True] * 4


def test_another_root_in_its_place_settles_nothing(root: Path) -> None:
    window = scan(root)
    swap(root, root.parent / "spare")
    assert settled(window, root / "top.py") == [False]


@pytest.mark.parametrize("levels_up", [0, 1])
def test_a_root_that_was_away_for_a_while_settles_nothing(levels_up: int, root: Path) -> None:
    window = scan(root)
    moved = (root, root.parent)[levels_up]
    moved.rename(moved.with_name("away"))
    moved.with_name("away").rename(moved)
    assert settled(window, root / "top.py") == [False]


def test_a_root_that_is_gone_settles_nothing(root: Path) -> None:
    window = scan(root)
    root.rename(root.with_name("away"))
    assert window.look([str(root / "top.py")]) == [Look(None, settled=False)]


def test_files_below_a_linked_root_are_settled_in_its_spelling(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert settled(scan(link), link / "top.py", link / "pkg/deep/a.py", root / "top.py") == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("swaps", [1, 2])
def test_a_linked_root_that_led_elsewhere_for_a_while_settles_nothing(swaps: int, root: Path) -> None:
    link, new = root.parent / "link", root.parent / "new-link"
    link.symlink_to(root)
    new.symlink_to(root.parent / "spare")
    window = scan(link)
    for _ in range(swaps):
        swap(link, new)
    assert settled(window, link / "top.py") == [False]


def test_a_root_behind_two_links_settles_nothing_when_the_second_led_elsewhere(root: Path) -> None:
    link, second, new = (root.parent.parent / name for name in ("link", "second", "new"))
    link.symlink_to(second)
    second.symlink_to(root)
    new.symlink_to(root.parent / "spare")
    window = scan(link)
    swap(second, new)
    assert settled(window, link / "top.py") == [False]


def test_what_a_link_below_the_root_leads_to_has_a_revision_and_is_not_settled(root: Path) -> None:
    (root / "link.py").symlink_to("top.py")
    (root / "link").symlink_to("pkg")
    file, in_folder = scan(root).look([str(root / "link.py"), str(root / "link/b.py")])
    assert file == Look(look(str(root / "top.py")), settled=False)
    assert in_folder == Look(look(str(root / "pkg/b.py")), settled=False)


def test_a_folder_that_moves_after_its_files_were_seen_settles_none_of_them(root: Path) -> None:
    window = scan(root)
    paths = [str(root / "top.py"), str(root / "pkg/b.py")]
    seen = window.see(paths)
    (root / "elsewhere").mkdir()
    swap(root / "pkg", root / "elsewhere")
    swap(root / "pkg", root / "elsewhere")
    assert [found.settled for found in seen] == [True, True]
    assert [found.settled for found in window.settle(paths, seen)] == [True, False]


def test_a_file_written_after_it_was_seen_keeps_the_revision_that_was_searched(root: Path) -> None:
    window = scan(root)
    paths = [str(root / "top.py")]
    before = look(paths[0])
    seen = window.see(paths)
    (root / "top.py").write_text("new")
    assert window.settle(paths, seen) == [Look(before, settled=True)]
    assert look(paths[0]) != before


def test_what_is_no_file_has_no_revision(root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "dangling").symlink_to("nowhere")
    window = scan(root)
    for name in ("missing", "pkg", "pipe", "dangling", "top.py/below", ""):
        assert window.look([str(root / name)]) == [Look(None, settled=False)]
        window = scan(root)


@pytest.mark.parametrize("set_by_ns", [-60 * SECOND, -SECOND, SECOND])
def test_a_wall_clock_set_meanwhile_settles_nothing(set_by_ns: int, root: Path) -> None:
    window = scan(root, clocks=lambda began: Clocks(began.wall_ns + 5 * SECOND + set_by_ns, 5 * SECOND))
    assert settled(window, root / "top.py") == [False]


def test_clocks_may_drift_a_little(root: Path) -> None:
    window = scan(root, clocks=lambda began: Clocks(began.wall_ns + 5 * SECOND + 1_000_000, 5 * SECOND))
    assert settled(window, root / "top.py") == [True]


def test_the_clocks_of_this_machine_agree_with_themselves() -> None:
    first, second = read_clocks(), read_clocks()
    assert abs((second.wall_ns - first.wall_ns) - (second.monotonic_ns - first.monotonic_ns)) < SECOND


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "9p", "vfat"])
def test_nothing_on_a_file_system_that_is_not_known_to_be_local_is_settled(kind: str, root: Path) -> None:
    assert scan(root, kind=kind).look([str(root / "top.py")]) == [
        Look(look(str(root / "top.py")), settled=False)
    ]


def test_what_is_mounted_below_the_root_is_not_settled() -> None:
    shared = Path(SHARED_MEMORY)
    if not shared.is_mount() or not os.access(shared, os.W_OK):
        pytest.skip("nothing to write to is mounted there")
    with tempfile.NamedTemporaryFile(dir=shared) as file:
        assert settled(scan(shared), file.name) == [True]
        began = after_a_tick_ns(shared) + limits.SETTLED_AFTER_NS
        window = ScanWindow.open(["/"], clocks=lambda: Clocks(began, 0), mounts=mounts_of("/", shared))
        assert settled(window, file.name) == [False]


def test_the_root_of_the_file_system_can_be_the_root(root: Path) -> None:
    if os.stat("/").st_dev != root.stat().st_dev:
        pytest.skip("temporary files are on a file system of their own")
    began = after_a_tick_ns(root) + limits.SETTLED_AFTER_NS
    window = ScanWindow.open(["/"], clocks=lambda: Clocks(began, 0), mounts=mounts_of("/"))
    assert settled(window, root / "top.py") == [True]
    (root / "top.py").touch()
    assert settled(window, root / "top.py") == [False]


def test_a_root_may_end_with_a_separator(root: Path) -> None:
    assert settled(scan(f"{root}/"), root / "top.py") == [True]


def test_a_file_is_a_root_of_its_own(root: Path) -> None:
    file = root / "top.py"
    window = scan(file)
    (root / "new.py").touch()
    assert settled(window, file) == [True]
    assert settled(scan(file), root / "pkg/b.py") == [False]


def test_a_root_that_is_a_file_and_was_replaced_is_not_settled(root: Path) -> None:
    window = scan(root / "top.py")
    (root.parent / "spare/top.py").replace(root / "top.py")
    assert settled(window, root / "top.py") == [False]


def test_a_root_that_is_a_link_to_a_file_is_settled_until_it_leads_elsewhere(root: Path) -> None:
    link, new = root / "link.py", root / "new.py"
    link.symlink_to("top.py")
    new.symlink_to("pkg/b.py")
    window = scan(link)
    assert window.look([str(link)]) == [Look(look(str(root / "top.py")), settled=True)]
    window = scan(link)
    new.replace(link)
    assert window.look([str(link)]) == [Look(look(str(root / "pkg/b.py")), settled=False)]


def test_each_of_several_roots_is_judged_alone(root: Path) -> None:
    window = scan(root / "pkg", root / "other", root / "top.py")
    swap(root / "other", root.parent / "spare/other")
    assert settled(window, *(root / name for name in FILES)) == [True, True, False, True]


def test_a_root_that_does_not_exist_settles_nothing_and_hinders_no_other(root: Path) -> None:
    began = after_a_tick_ns(root) + limits.SETTLED_AFTER_NS
    window = ScanWindow.open([str(root / "missing"), str(root)], clocks=lambda: Clocks(began, 0))
    assert window.look([str(root / "missing/a.py")]) == [Look(None, settled=False)]


def test_a_file_that_stays_the_same_around_a_search_is_proven(root: Path) -> None:
    paths = [str(root / name) for name in FILES]
    bracket = Bracket.open([*paths, str(root), str(root / "missing")], stamp_clock=time.time_ns)
    assert bracket.close() == {path: look(path) for path in paths}


def test_a_file_that_changes_or_goes_during_a_search_is_not_proven(root: Path) -> None:
    bracket = Bracket.open([str(root / name) for name in FILES], stamp_clock=time.time_ns)
    (root / "top.py").write_text("longer")
    (root / "pkg/b.py").unlink()
    swap(root / "pkg/deep", root / "other/deep")
    assert bracket.close() == {}


def bracket(*paths: Path) -> Bracket:
    """Begin a second search of files that nobody touches, nor their folders, in this tick of the clocks."""
    after_a_tick_ns(paths[0])
    return Bracket.open([str(path) for path in paths])


@pytest.fixture
def others(root: Path) -> None:
    """Beside each folder above the deepest file one that can stand in its place."""
    for place in (root / "pkg", root, root.parent):
        (place.with_name("other") / "deep").mkdir(parents=True, exist_ok=True)
    (root / "pkg/other").mkdir()


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("moved", ["pkg/deep", "pkg", ".", ".."])
def test_a_file_whose_folder_was_away_during_a_search_is_not_proven(moved: str, root: Path) -> None:
    opened = bracket(root / "pkg/deep/a.py")
    place = Path(os.path.normpath(root / moved))
    for _ in range(2):
        swap(place, place.with_name("other"))
    assert opened.close() == {}


@pytest.mark.parametrize("folder", ["pkg/deep", "pkg", ".", ".."])
def test_new_entries_of_one_folder_leave_a_second_search_proven(folder: str, root: Path) -> None:
    file = root / "pkg/deep/a.py"
    opened = bracket(file)
    (root / folder / "new").touch()
    assert opened.close() == {str(file): look(str(file))}


def test_new_entries_of_a_folder_and_of_its_parent_might_hide_a_move(root: Path) -> None:
    opened = bracket(root / "pkg/deep/a.py", root / "pkg/b.py")
    (root / "pkg/new").touch()
    (root / "pkg/deep/new").touch()
    assert list(opened.close()) == [str(root / "pkg/b.py")]


@pytest.mark.parametrize("target", ["top.py", "{root}/top.py", "second", "pkg/deep/../../top.py"])
def test_a_file_behind_links_is_proven_while_they_lead_there(target: str, root: Path) -> None:
    link = root / "link.py"
    (root / "second").symlink_to("top.py")
    link.symlink_to(target.format(root=root))
    opened = bracket(link)
    (root / "new").touch()
    assert opened.close() == {str(link): look(str(root / "top.py"))}


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("moved", ["link", "second", "pkg"])
@pytest.mark.parametrize("swaps", [1, 2])
def test_a_file_behind_links_is_not_proven_when_one_led_elsewhere(moved: str, swaps: int, root: Path) -> None:
    (root / "link").symlink_to("second")
    (root / "second").symlink_to("pkg")
    (root / "new").symlink_to("other")
    opened = bracket(root / "link/deep/a.py")
    for _ in range(swaps):
        swap(root / moved, root / "new")
    assert opened.close() == {}


def test_links_that_lead_in_a_circle_lead_to_no_file(root: Path) -> None:
    (root / "link").symlink_to("second")
    (root / "second").symlink_to("link")
    assert bracket(root / "link", root / "link/a.py").close() == {}


def test_a_folder_that_changed_in_the_same_tick_as_the_first_look_proves_nothing(root: Path) -> None:
    file = root / "pkg/deep/a.py"
    after_a_tick_ns(file)
    (root / "pkg/deep/new").touch()
    (root / "pkg/new").touch()
    folder_ns = (root / "pkg/deep").stat().st_ctime_ns
    assert Bracket.open([str(file)], stamp_clock=lambda: folder_ns).close() == {}


def test_a_file_written_in_the_same_tick_as_the_first_look_is_not_proven(root: Path) -> None:
    file = root / "top.py"
    same_tick_ns = file.stat().st_ctime_ns
    assert Bracket.open([str(file)], stamp_clock=lambda: same_tick_ns).close() == {}
    assert Bracket.open([str(file)], stamp_clock=lambda: same_tick_ns + 1).close() == {
        str(file): look(str(file))
    }


def test_no_stamp_is_behind_the_clock_of_stamps(root: Path) -> None:
    before = read_stamp_clock()
    (root / "top.py").touch()
    assert before <= (root / "top.py").stat().st_ctime_ns
