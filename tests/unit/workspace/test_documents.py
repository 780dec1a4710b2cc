import os
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.workspace.documents import Document, DocumentRevision, unsaved
from sg_server.workspace.folders import Workspace


def document(where: Path | str, text: str = "", *, is_touched: bool = False) -> Document:
    uri = where.as_uri() if isinstance(where, Path) else where
    revision = DocumentRevision(uri=uri, version=1, opened=1)
    return Document(revision=revision, text=text, is_touched=is_touched)


def is_unsaved(one: Document) -> bool:
    return unsaved([one]) == [one]


@pytest.mark.parametrize(
    ("on_disk", "text", "expected"),
    [
        (b"a\nb", "a\nb", False),
        (b"a\r\nb", "a\nb", False),
        (b"a\nb", "a\r\nb", False),
        (b"\xef\xbb\xbfa", "a", False),
        (b"a", "\ufeffa", False),
        ("\ufeffé\n".encode("utf-16-le"), "é\n", False),
        (b"", "", False),
        (b"a\nb", "a\nb\n", True),
        (b"a\rb", "a\nb", True),  # for ripgrep that is one line
        (b"\xe9", "é", True),  # decoded by the editor
        (b"\xff", "\ufffd", True),
        (b"a", "A", True),
    ],
)
def test_text_is_unsaved_where_it_is_not_what_ripgrep_finds_on_disk(
    tmp_path: Path,
    on_disk: bytes,
    text: str,
    expected: bool,  # noqa: FBT001
) -> None:
    (tmp_path / "a.txt").write_bytes(on_disk)
    assert is_unsaved(document(tmp_path / "a.txt", text)) is expected
    assert is_unsaved(document(tmp_path / "a.txt", text, is_touched=True))


def test_what_is_not_on_disk_is_unsaved(tmp_path: Path) -> None:
    for where in (tmp_path / "absent.txt", tmp_path, "untitled:Untitled-1", "file://", "file:///a%00b"):
        assert is_unsaved(document(where)), where


def test_a_file_too_large_to_compare_counts_as_unsaved(tmp_path: Path) -> None:
    text = "a" * (limits.SOURCE_BYTES + 1)
    (tmp_path / "a.txt").write_text(text)
    assert is_unsaved(document(tmp_path / "a.txt", text))


def test_a_document_keeps_the_spelling_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "in/a.txt").touch()
    (tmp_path / "link").symlink_to(root)
    workspace = Workspace.of([((tmp_path / "link").as_uri(), None)])
    for name in ("in/a.txt", "in/new.txt", "new/deep/b.txt", "new/../in/b.txt"):
        expected = os.path.normpath(tmp_path / "link" / name)
        assert document(f"{root.as_uri()}/{name}").path_in(workspace) == expected
        assert document(f"{(tmp_path / 'link').as_uri()}/{name}").path_in(workspace) == expected


def test_a_document_outside_or_in_a_repository_has_no_path_in_the_workspace(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / ".git/HEAD").touch()
    (tmp_path / "outside.txt").touch()
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "up").symlink_to(tmp_path)
    workspace = Workspace.of([(root.as_uri(), None)])
    for name in (
        ".git/HEAD",
        ".git/new",
        "new/.git/x",
        "../outside.txt",
        "../new.txt",
        "link.txt",
        "up/new.txt",
    ):
        assert document(f"{root.as_uri()}/{name}").path_in(workspace) is None, name
    for uri in ("untitled:Untitled-1", "file://", "file://host/a.txt", f"{root.as_uri()}/a%00.txt"):
        assert document(uri).path_in(workspace) is None, uri
    assert document(root / "a.txt").path_in(Workspace.of([])) is None
