from pathlib import Path

import pytest

from sg_server import limits
from sg_server.symbols.candidates import Candidates, readable
from sg_server.workspace.folders import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "in").mkdir()
    return Workspace.of([((tmp_path / "in").as_uri(), None)])


def found(*paths: Path, likely: tuple[Path, ...] = ()) -> Candidates:
    return Candidates(paths=tuple(map(str, paths)), total=len(paths), likely=frozenset(map(str, likely)))


def sized(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_only_regular_files_inside_a_folder_are_read(tmp_path: Path, workspace: Workspace) -> None:
    folder = tmp_path / "in"
    inside, outside = sized(folder / "a", 1), sized(tmp_path / "b", 1)
    (folder / "link").symlink_to(outside)
    (folder / "folder").mkdir()
    paths, too_large = readable(
        found(inside, outside, folder / "link", folder / "folder", folder / "gone"), workspace
    )
    assert (paths, too_large) == ([str(inside)], 0)


def test_large_files_give_way_to_likely_and_to_small_ones(tmp_path: Path, workspace: Workspace) -> None:
    folder = tmp_path / "in"
    most = limits.SOURCE_BYTES
    large = [sized(folder / f"large{number}", most) for number in range(limits.SYMBOL_BYTES // most + 1)]
    oversized, small = sized(folder / "oversized", most + 1), sized(folder / "small", 1)
    paths, too_large = readable(found(*large, oversized, small, likely=(large[-1],)), workspace)
    assert str(small) in paths
    assert str(large[-1]) in paths
    assert str(oversized) not in paths
    assert len(paths) + too_large == len(large) + 2
    assert sum(Path(path).stat().st_size for path in paths) <= limits.SYMBOL_BYTES
