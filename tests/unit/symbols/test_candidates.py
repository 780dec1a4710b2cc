from pathlib import Path

import pytest

from sg_server import limits
from sg_server.engines.binaries import find_rg
from sg_server.engines.process import ProcessOwner
from sg_server.engines.ripgrep import Filters, Ripgrep
from sg_server.symbols.candidates import Candidates, FileScope, candidates
from sg_server.symbols.query import parse_query
from sg_server.workspace.folders import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


async def found_in(folder: Path, *, follow: bool = False) -> Candidates:
    """The files that are read for `target`."""
    query = parse_query("target")
    assert query is not None
    scope = FileScope(roots=(str(folder),), filters=Filters(follow=follow), cwd=str(folder))
    workspace = Workspace.of([(folder.as_uri(), None)])
    return await candidates(Ripgrep(ProcessOwner(), find_rg()), query, scope, workspace, without=())


def write(path: Path, text: str = "target", size: int = 0) -> Path:
    """A file that begins with `text` and goes on to `size` bytes."""
    path.write_text(text + "\n" * (size - len(text)))
    return path


async def test_only_regular_files_inside_a_folder_are_read(folder: Path) -> None:
    inside, outside = write(folder / "a"), write(folder.parent / "b")
    (folder / "link").symlink_to(outside)
    assert await found_in(folder, follow=True) == Candidates(paths=(str(inside),), total=1, too_large=0)


async def test_large_files_give_way_to_likely_and_to_small_ones(folder: Path) -> None:
    most = limits.SOURCE_BYTES
    uses = [write(folder / f"b{number}", size=most) for number in range(limits.SYMBOL_BYTES // most)]
    definition = write(folder / "c.py", "def target(): ...", size=most)
    oversized, small = write(folder / "a", size=most + 1), write(folder / "d")
    found = await found_in(folder)
    assert found.paths == (*map(str, uses[:-1]), str(definition), str(small))
    assert (found.total, found.too_large) == (len(uses) + 3, 1)
    assert str(oversized) not in found.paths


async def test_of_too_many_files_the_likely_and_then_the_small_ones_are_read(folder: Path) -> None:
    uses = [write(folder / f"{number:04}", size=10 + number) for number in range(limits.SYMBOL_FILES + 5)]
    definition = write(folder / "z.py", "def a_target_too(): ...", size=100_000)
    found = await found_in(folder)
    assert found.paths == (*map(str, uses[: limits.SYMBOL_FILES - 1]), str(definition))
    assert (found.total, found.too_large) == (len(uses) + 1, 0)
