import os
import sys
import sysconfig
from pathlib import Path

import pytest

from sg_server.engines.binaries import Binary, find_ctags, find_rg
from tests.server.wire import write_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are shell scripts here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with programs in it."""
    place = tmp_path / "bin"
    place.mkdir()
    for name in ("rg", "ctags", "universal-ctags", "ctags-universal"):
        write_program(place / name, "exit 0")
    return place


@pytest.fixture
def _no_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As if no rg came with the package."""
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nothing"))


def path_of(*folders: Path | str) -> dict[str, str]:
    return {"PATH": os.pathsep.join(map(str, folders))}


def test_what_the_option_names_is_taken_as_it_is() -> None:
    assert find_rg("/nowhere/rg", environment={"SG_RG": "/other/rg"}) == Binary(
        path="/nowhere/rg", found="option"
    )
    assert find_ctags("/nowhere/ctags", environment={"SG_CTAGS": "/other"}) == Binary(
        path="/nowhere/ctags", found="option"
    )


def test_then_what_the_environment_names() -> None:
    assert find_rg(environment={"SG_RG": "/other/rg"}) == Binary(path="/other/rg", found="environment")
    assert find_ctags(environment={"SG_CTAGS": "/x"}) == Binary(path="/x", found="environment")


def test_what_is_named_may_be_relative_to_where_the_server_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_rg("bin/rg", environment={}) == Binary(path=str(tmp_path / "bin/rg"), found="option")


def test_then_ripgrep_is_the_one_beside_the_interpreter(folder: Path) -> None:
    found = find_rg(environment=path_of(folder))
    assert found is not None
    assert (found.found, os.path.dirname(found.path)) == ("package", sysconfig.get_path("scripts"))


@pytest.mark.usefixtures("_no_package")
def test_then_the_first_on_the_path(folder: Path, tmp_path: Path) -> None:
    environment = path_of(tmp_path / "missing", folder, "/usr/bin")
    assert find_rg(environment=environment) == Binary(path=str(folder / "rg"), found="path")


@pytest.mark.usefixtures("_no_package")
@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_relative_entries_of_the_path_are_passed_over(
    entry: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent if entry == "bin" else folder)
    assert find_rg(environment=path_of(entry)) is None


@pytest.mark.usefixtures("_no_package")
def test_nothing_is_run_from_inside_a_workspace(folder: Path, tmp_path: Path) -> None:
    linked_folder, programs = tmp_path / "linked", tmp_path / "programs"
    linked_folder.symlink_to(folder)
    programs.mkdir()
    (programs / "rg").symlink_to(folder / "rg")
    environment = path_of(folder, linked_folder, programs)
    assert find_rg(outside=[str(tmp_path)], environment=environment) is None
    assert find_rg(outside=[str(folder)], environment=environment) is None
    assert find_ctags(outside=[str(folder)], environment=environment) is None
    beside = find_rg(outside=[str(tmp_path / "bi")], environment=environment)
    assert beside == Binary(path=str(folder / "rg"), found="path")


def test_a_workspace_may_be_the_whole_file_system(folder: Path) -> None:
    assert find_ctags(outside=["/"], environment=path_of(folder)) is None


@pytest.mark.usefixtures("_no_package")
def test_what_cannot_be_run_is_passed_over(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "rg").mkdir(parents=True)
    (folder / "rg").chmod(0o644)
    assert find_rg(environment=path_of(folder, other)) is None
    assert find_rg(environment={}) is None


def test_ctags_goes_by_three_names(folder: Path) -> None:
    for name in ("ctags-universal", "universal-ctags", "ctags"):
        found = find_ctags(environment=path_of(folder))
        assert found == Binary(path=str(folder / name), found="path")
        (folder / name).unlink()
    assert find_ctags(environment=path_of(folder)) is None
