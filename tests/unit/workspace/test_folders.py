import os
from pathlib import Path

import pytest

from sg_server.errors import InvalidParams, NoWorkspace, OutsideWorkspace, PathNotFound
from sg_server.workspace.folders import Workspace, folder_key

NOT_UTF8 = os.fsdecode(b"caf\xe9.txt")


def opened(*folders: Path) -> Workspace:
    return Workspace.of((folder.as_uri(), None) for folder in folders)


def made(folder: Path, *files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_a_relative_path_starts_at_the_only_folder(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "app", "src/a b.py"))
    place = workspace.place("./src/../src/a b.py", "path")
    assert place.path == str(tmp_path / "app/src/a b.py")
    assert place.display == "src/a b.py"
    assert place.uri == (tmp_path / "app").as_uri() + "/src/a%20b.py"
    assert place.folder == workspace.folders[0]


def test_the_folder_itself_is_a_dot(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "app"))
    for path in (".", "./", "src/..", str(tmp_path / "app"), f"{tmp_path}/app/"):
        place = workspace.place(path, "path")
        assert (place.display, place.path) == (".", str(tmp_path / "app"))


def test_with_several_folders_a_relative_path_starts_with_the_name_of_one(tmp_path: Path) -> None:
    workspace = opened(
        made(tmp_path / "one/app", "a.py"), made(tmp_path / "two/app", "a.py"), made(tmp_path / "lib")
    )
    assert [folder.name for folder in workspace.folders] == ["app", "app~2", "lib"]
    assert workspace.place("app/a.py", "path").path == str(tmp_path / "one/app/a.py")
    assert workspace.place("lib/../app~2/a.py", "path").path == str(tmp_path / "two/app/a.py")
    assert workspace.place("app~2/a.py", "path").display == "app~2/a.py"
    assert workspace.place("lib", "path").display == "lib"


@pytest.mark.parametrize("path", ["a.py", ".", "..", "../one", "app~3/a.py"])
def test_with_several_folders_another_first_component_lists_the_names(path: str, tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "one/app", "a.py"), made(tmp_path / "two/app"))
    with pytest.raises(InvalidParams, match=r"^path: .*app, app~2$"):
        workspace.place(path, "path")


def test_a_clients_name_is_taken_where_it_can_begin_a_path(tmp_path: Path) -> None:
    api, web, lib = (made(tmp_path / name) for name in ("api", "web", "lib"))
    workspace = Workspace.of([(api.as_uri(), "Backend"), (web.as_uri(), str(web)), (lib.as_uri(), "..")])
    assert [folder.name for folder in workspace.folders] == ["Backend", "web", "lib"]


def test_names_stay_unique_where_a_folder_is_called_like_a_made_up_one(tmp_path: Path) -> None:
    workspace = opened(*(made(tmp_path / name) for name in ("x/app", "x/app~2", "y/app", "z/app")))
    assert [folder.name for folder in workspace.folders] == ["app", "app~2", "app~3", "app~4"]


def test_folders_that_are_no_files_and_folders_named_twice_are_left_out(tmp_path: Path) -> None:
    app = made(tmp_path / "app")
    (tmp_path / "link").symlink_to(app)
    uris = [app.as_uri(), app.as_uri() + "/", (tmp_path / "link").as_uri(), "untitled:a", "file:///nul%00"]
    workspace = Workspace.of((uri, None) for uri in uris)
    assert [folder.uri for folder in workspace.folders] == [app.as_uri()]


def test_a_root_of_the_file_system_can_be_a_folder() -> None:
    workspace = Workspace.of([("file:///", None)])
    assert workspace.folders[0].name == "root"
    place = workspace.place("etc", "path")
    assert (place.path, place.display, place.uri) == ("/etc", "etc", "file:///etc")
    assert workspace.uri_of("/etc/hosts") == "file:///etc/hosts"


def test_a_folder_opened_through_a_symbolic_link_keeps_its_spelling(tmp_path: Path) -> None:
    made(tmp_path / "real", "a.py")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    workspace = opened(tmp_path / "link")
    for given in ("a.py", str(tmp_path / "link/a.py"), str(tmp_path / "real/a.py")):
        place = workspace.place(given, "path")
        assert (place.path, place.uri) == (str(tmp_path / "link/a.py"), (tmp_path / "link/a.py").as_uri())
    assert workspace.place_uri((tmp_path / "real/a.py").as_uri(), "uri").path == str(tmp_path / "link/a.py")


def test_the_real_spelling_of_a_folder_keeps_the_links_below_it(tmp_path: Path) -> None:
    real = made(tmp_path / "real", "src/a.py")
    (real / "link").symlink_to("src")
    (tmp_path / "opened").symlink_to(real)
    workspace = opened(tmp_path / "opened")
    assert workspace.place(str(real / "link/a.py"), "path").display == "link/a.py"
    with pytest.raises(PathNotFound):
        workspace.place(str(real / "missing"), "path")


def test_a_path_through_a_link_elsewhere_that_leads_inside_is_accepted(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "app", "src/a.py"))
    (tmp_path / "shortcut").symlink_to(tmp_path / "app/src")
    assert workspace.place(str(tmp_path / "shortcut/a.py"), "path").display == "src/a.py"


def test_the_deepest_of_nested_folders_holds_a_path(tmp_path: Path) -> None:
    outer, inner = made(tmp_path / "app", "a.py"), made(tmp_path / "app/pkg", "b.py")
    workspace = opened(outer, inner)
    assert workspace.place("app/pkg/b.py", "path").display == "pkg/b.py"
    assert workspace.display_of(str(inner / "b.py")) == "pkg/b.py"
    assert workspace.display_of(str(outer / "a.py")) == "app/a.py"


def test_a_folder_does_not_hold_what_only_begins_like_it(tmp_path: Path) -> None:
    made(tmp_path / "app-old", "a.py")
    workspace = opened(made(tmp_path / "app"))
    assert workspace.locate(str(tmp_path / "app-old/a.py")) is None
    with pytest.raises(OutsideWorkspace):
        workspace.place(str(tmp_path / "app-old/a.py"), "path")


def test_what_leads_nowhere_is_not_found(tmp_path: Path) -> None:
    app = made(tmp_path / "app", "file")
    (app / "dangling").symlink_to("nowhere")
    (app / "dangling-outside").symlink_to(tmp_path / "nowhere")
    (app / "loop").symlink_to("loop")
    workspace = opened(app)
    for path in (
        "missing",
        "file/below",
        "dangling",
        "dangling-outside",
        "loop",
        "n" * 5000,
        str(app / "no"),
    ):
        with pytest.raises(PathNotFound, match=r"^scope: "):
            workspace.place(path, "scope")


def test_what_leads_outside_is_refused(tmp_path: Path) -> None:
    app = made(tmp_path / "app")
    made(tmp_path / "secret", "key")
    (app / "way-out").symlink_to(tmp_path / "secret")
    (app / "key").symlink_to("../secret/key")
    workspace = opened(app)
    for path in ("way-out", "way-out/key", "key", "../secret", "..", "/", str(tmp_path / "secret/key")):
        with pytest.raises(OutsideWorkspace, match=r"^path: "):
            workspace.place(path, "path")


def test_whether_something_exists_outside_is_not_told(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "app"))
    with pytest.raises(OutsideWorkspace):
        workspace.place("../nothing-here", "path")


def test_a_link_from_one_folder_into_another_is_inside(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one"), made(tmp_path / "two", "a.py")
    (one / "link").symlink_to(two)
    assert opened(one, two).place("one/link/a.py", "path").display == "one/link/a.py"


def test_a_path_inside_git_is_refused(tmp_path: Path) -> None:
    app = made(tmp_path / "app", ".git/config", "sub/.git", ".gitignore", "a.git/x")
    (app / "link").symlink_to(".git")
    (app / "objects").symlink_to(".git/config")
    workspace = opened(app)
    for path in (
        ".git",
        ".git/config",
        ".GIT/missing",
        "sub/.git",
        "link/config",
        "objects",
        str(app / ".git"),
    ):
        with pytest.raises(InvalidParams, match=r"inside \.git, which is never searched"):
            workspace.place(path, "path")
    assert workspace.place(".git/../.gitignore", "path").display == ".gitignore"
    assert workspace.place("a.git/x", "path").display == "a.git/x"


def test_a_folder_that_itself_lies_inside_git_can_be_searched(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / ".git/hooks", "pre-commit"))
    assert workspace.place("pre-commit", "path").display == "pre-commit"


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800"])
def test_what_is_no_path_is_invalid(path: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=r"^path: not a path"):
        opened(made(tmp_path / "app")).place(path, "path")


@pytest.mark.parametrize(
    "uri", ["", "untitled:a", "file:///a%00b", "/plain/path", "file://other/a", "\ud800"]
)
def test_what_is_no_file_uri_is_invalid(uri: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=r"^uri: not the URI") as raised:
        opened(made(tmp_path / "app")).place_uri(uri, "uri")
    raised.value.message.encode()


def test_without_folders_every_path_fails_alike() -> None:
    workspace = Workspace.of([])
    with pytest.raises(NoWorkspace) as raised:
        workspace.place("", "path")
    assert raised.value.hint
    with pytest.raises(NoWorkspace):
        workspace.place_uri("file:///etc", "uri")


def test_a_name_that_is_not_utf_8_is_shown_without_surrogates_and_its_uri_keeps_the_bytes(
    tmp_path: Path,
) -> None:
    workspace = opened(made(tmp_path / "app", NOT_UTF8))
    place = workspace.place(NOT_UTF8, "path")
    assert place.display == "caf\ufffd.txt"
    assert place.uri.endswith("/app/caf%E9.txt")
    assert workspace.place_uri(place.uri, "uri") == place
    with pytest.raises(PathNotFound) as raised:
        workspace.place(NOT_UTF8 + "x", "path")
    raised.value.message.encode()


def test_paths_from_ripgrep_are_shown_as_places_are(tmp_path: Path) -> None:
    workspace = opened(made(tmp_path / "one", "src/é.py"), made(tmp_path / "two"))
    path = str(tmp_path / "one/src/é.py")
    place = workspace.place("one/src/é.py", "path")
    assert workspace.locate(path) == place
    assert workspace.display_of(path) == place.display
    assert workspace.uri_of(path) == place.uri
    assert workspace.display_of("/elsewhere/a b") == "/elsewhere/a b"
    assert workspace.uri_of("/elsewhere/a b") == "file:///elsewhere/a%20b"


@pytest.mark.parametrize(
    "uri", ["file:///a%20b/%c3%a4", "file:///a b/ä/", "file://localhost/x/../a%20b/%C3%A4", "FILE:/a%20b//ä"]
)
def test_a_folder_has_one_key_however_its_uri_is_encoded(uri: str) -> None:
    assert folder_key(uri) == folder_key("file:///a%20b/ä")


def test_a_link_to_a_folder_has_a_key_of_its_own(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(made(tmp_path / "app"))
    assert folder_key(link.as_uri()) != folder_key((tmp_path / "app").as_uri())


@pytest.mark.parametrize("uri", ["untitled:x", "", "file:", "file:///%00", "file://host/a"])
def test_what_is_no_folder_here_is_its_own_key(uri: str) -> None:
    assert folder_key(uri) == uri
