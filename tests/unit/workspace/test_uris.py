import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.workspace import uris

POSIX_NAMES = st.binary(min_size=1, max_size=12).filter(lambda name: not {0, ord("/")} & set(name))
WINDOWS_NAMES = st.text(st.characters(exclude_characters='\0/\\:*?"<>|'), min_size=1, max_size=12)


@given(st.lists(POSIX_NAMES, min_size=1, max_size=4))
def test_a_path_of_any_bytes_survives_the_way_through_its_uri(names: list[bytes]) -> None:
    path = os.fsdecode(b"/" + b"/".join(names))
    uri = uris.uri_of(path, windows=False)
    assert uri.isascii()
    assert uris.path_of(uri, windows=False) == path


@given(
    st.lists(WINDOWS_NAMES, min_size=1, max_size=4), st.sampled_from(["C:\\", "z:\\", "\\\\host\\share\\"])
)
def test_a_windows_path_survives_the_way_through_its_uri(names: list[str], root: str) -> None:
    path = root + "\\".join(names)
    uri = uris.uri_of(path, windows=True)
    assert uri.isascii()
    assert uris.path_of(uri, windows=True) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:///", "/"),
        ("file:/a", "/a"),
        ("FILE:///a", "/a"),
        ("file://localhost/a", "/a"),
        ("file://LOCALHOST/a", "/a"),
        ("file://elsewhere/a", None),
        ("file:///a%20b%23c%25d%3Fe", "/a b#c%d?e"),
        ("file:///a b", "/a b"),
        ("file:///a?query#fragment", "/a"),
        ("file:///%C3%A9/é", "/é/é"),
        ("file:///%ff%FE", os.fsdecode(b"/\xff\xfe")),
        ("file:///a%2Fb", "/a/b"),
        ("file:///100%", "/100%"),
        ("file:///line%0Abreak", "/line\nbreak"),
        ("untitled:Untitled-1", None),
        ("vscode-remote://ssh/a", None),
        ("git:/a/b.py?{}", None),
        ("file:relative", None),
        ("file://", None),
        ("/a/b", None),
        ("", None),
    ],
)
def test_a_file_uri_names_a_posix_path(uri: str, path: str | None) -> None:
    assert uris.path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/a.py", "c:\\Users\\a.py"),
        ("file:///C:/a%20b", "C:\\a b"),
        ("file:///c:", "c:\\"),
        ("file://server/share/a", "\\\\server\\share\\a"),
        ("file://localhost/c:/a", "c:\\a"),
        ("file:////server/share/a", "\\\\server\\share\\a"),
        ("file:///no/drive", None),
        ("file:///c:/%ff", None),
    ],
)
def test_a_file_uri_names_a_windows_path(uri: str, path: str | None) -> None:
    assert uris.path_of(uri, windows=True) == path


def test_a_uri_with_a_lone_surrogate_does_not_fail() -> None:
    assert uris.path_of("file:///\ud800", windows=False) == os.fsdecode(b"/\xed\xa0\x80")


def test_everything_but_plain_characters_is_percent_encoded() -> None:
    assert uris.uri_of("/a b/c#d/%/?/é-_.~", windows=False) == "file:///a%20b/c%23d/%25/%3F/%C3%A9-_.~"
    assert uris.uri_of("C:\\a b\\c:d", windows=True) == "file:///C:/a%20b/c%3Ad"


def test_a_uri_below_a_folder_keeps_the_folders_spelling() -> None:
    folder = "file:///c%3A/My%20Work"
    assert uris.child_uri(folder, "src\\a b.py", windows=True) == f"{folder}/src/a%20b.py"
    assert uris.child_uri("file:///%7Euser/", "a", windows=False) == "file:///%7Euser/a"
    assert uris.child_uri("file:///", "etc", windows=False) == "file:///etc"
    assert uris.child_uri(folder, "", windows=True) == folder


def test_text_for_people_has_slashes_and_no_lone_surrogates() -> None:
    assert uris.display("a\\é.py", windows=True) == "a/é.py"
    assert uris.display("a\\b", windows=False) == "a\\b"
    assert uris.display(os.fsdecode(b"a\xff\xe9"), windows=False) == "a\ufffd\ufffd"
    assert uris.display("\ud800\udc80", windows=True) == "\ufffd\ufffd"
