import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.errors import InvalidParams, NoWorkspace
from sg_server.search.params import ScopeParams
from sg_server.search.scope import Scope, normalise_scope, strings
from sg_server.workspace.folders import Workspace


def workspace_of(*folders: Path) -> Workspace:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return Workspace.of((folder.as_uri(), None) for folder in folders)


def scope_of(workspace: Workspace, **fields: Any) -> Scope:
    return normalise_scope(msgspec.convert(fields, ScopeParams), workspace)


def test_without_a_word_all_folders_are_searched_by_the_rules_of_ripgrep(tmp_path: Path) -> None:
    scope = scope_of(workspace_of(tmp_path / "a", tmp_path / "b"))
    assert (scope.folders, scope.files) == ((str(tmp_path / "a"), str(tmp_path / "b")), ())
    assert scope.membership is None
    assert scope.filters.arguments() == ["--hidden", "--iglob=!**/.git"]


def test_the_exclusion_of_git_comes_last(tmp_path: Path) -> None:
    scope = scope_of(workspace_of(tmp_path), glob=["**/.git/**", "a/b"], exclude=["x", "!y"], hidden=False)
    arguments = scope.filters.arguments()
    assert arguments[-1] == "--iglob=!**/.git"
    assert arguments.index("--glob=**/.git/**") < arguments.index("--glob=!x")


@pytest.mark.parametrize("globs", ["*.py", ["*.{c,h}", "a?b"]])
def test_globs_without_a_slash_are_a_type_which_brings_nothing_back(
    tmp_path: Path, globs: str | list[str]
) -> None:
    scope = scope_of(workspace_of(tmp_path), glob=globs)
    assert scope.membership is None
    assert not scope.filters.globs
    assert "--type=sg" in scope.filters.arguments()


@pytest.mark.parametrize("fields", [{"glob": "a/*"}, {"glob": "a:b"}, {"glob": "*.py", "fileType": "c"}])
def test_other_globs_need_a_list_of_what_the_rest_lets_through(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    scope = scope_of(workspace_of(tmp_path), ignored=True, **fields)
    assert scope.filters.globs
    assert not scope.filters.file_types
    assert scope.membership is not None
    assert not scope.membership.globs
    assert scope.membership.file_types == tuple([fields["fileType"]] if "fileType" in fields else [])
    assert scope.membership.ignored


def test_globs_with_a_slash_are_anchored_in_every_folder(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path / "a[1]", tmp_path / "b")
    scope = scope_of(workspace, glob=["src/*.py", "**/x/y", "name/"], exclude="/z")
    here = str(tmp_path)
    assert scope.filters.globs == (
        f"{here}/a[[]1]/src/*.py",
        f"{here}/b/src/*.py",
        "**/x/y",
        "name/",
    )
    assert scope.filters.excludes == (f"{here}/a[[]1]/z", f"{here}/b/z")


def test_the_walk_of_a_folder_does_not_enter_another_root(tmp_path: Path) -> None:
    inner, outer, beside = tmp_path / "a" / "b", tmp_path / "a", tmp_path / "ab"
    scope = scope_of(workspace_of(inner, outer, beside))
    assert scope.folders == (str(inner), str(outer), str(beside))
    assert scope.filters.excludes == (str(inner),)
    (tmp_path / "link").symlink_to(inner)
    linked = scope_of(workspace_of(tmp_path / "link", outer))
    assert linked.folders == (str(tmp_path / "link"), str(outer))
    assert linked.filters.excludes == (str(inner),)


def test_a_named_file_is_not_searched_again_with_its_folder(tmp_path: Path) -> None:
    workspace = workspace_of(tmp_path)
    (tmp_path / "a*.txt").touch()
    (tmp_path / "link").symlink_to("a*.txt")
    scope = scope_of(workspace, path=["a*.txt", ".", "./a*.txt", "link"])
    assert (scope.folders, scope.files) == ((str(tmp_path),), (str(tmp_path / "a*.txt"),))
    assert scope.filters.excludes == (f"{tmp_path}/a[*].txt",)
    assert scope_of(workspace, path="a*.txt").filters.excludes == ()


def test_no_folder_is_nothing_to_search() -> None:
    with pytest.raises(NoWorkspace):
        scope_of(Workspace.of([]))


@given(st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1), max_size=5))
def test_one_or_several_strings_are_a_tuple(values: list[str]) -> None:
    assert strings(tuple(values), "glob") == tuple(values)
    for value in values:
        assert strings(value, "glob") == (value,)
    assert strings(None, "glob") == ()


@pytest.mark.parametrize("wrong", ["", "a\0b", "\ud800", ("a", ""), ("x",) * (limits.SCOPE_ENTRIES + 1)])
def test_strings_that_no_program_takes_are_refused_by_field(wrong: str | tuple[str, ...]) -> None:
    with pytest.raises(InvalidParams) as caught:
        strings(wrong, "exclude")
    assert caught.value.field == "exclude"


def test_the_working_folder_is_where_no_link_leads(tmp_path: Path) -> None:
    assert scope_of(workspace_of(tmp_path)).cwd == os.path.splitdrive(tmp_path)[0] + os.sep
