import codecs
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.text.encodings import searched_text
from sg_server.text.lines import lone_crs
from sg_server.workspace import source
from sg_server.workspace.revisions import Revision, look
from sg_server.workspace.source import (
    FileFacts,
    SourceChanged,
    SourceOversized,
    SourceUnavailable,
    read_facts,
    read_source,
)

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def revision_of(path: str) -> Revision:
    revision = look(path)
    assert revision is not None
    return revision


def facts(path: str, *line_numbers: int, encoding: str = "auto", whole: bool = True) -> FileFacts:
    found = read_facts(path, revision_of(path), line_numbers, encoding=encoding, whole=whole)
    assert found is not None
    return found


def test_a_source_is_the_text_that_ripgrep_searches(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", codecs.BOM_UTF8 + b"one\r\ntwo")
    found = read_source(path)
    assert (found.text, found.valid_utf8, found.revision) == (b"one\r\ntwo", True, look(path))
    assert read_source(written(tmp_path / "b.txt", "é\n".encode("utf-16"))).text == "é\n".encode()


def test_an_empty_file_is_a_source(tmp_path: Path) -> None:
    assert read_source(written(tmp_path / "empty", b"")).text == b""


def test_invalid_parts_stay_in_the_text(tmp_path: Path) -> None:
    path = written(tmp_path / "latin1.txt", b"caf\xe9\n")
    found, labelled = read_source(path), read_source(path, encoding="latin1")
    assert (found.text, found.valid_utf8) == (b"caf\xe9\n", False)
    assert (labelled.text, labelled.valid_utf8) == ("café\n".encode(), True)


def test_a_source_may_be_as_large_as_the_limit_and_no_larger(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", b"12345")
    assert read_source(path, limit=5).text == b"12345"
    with pytest.raises(SourceOversized, match="5 bytes; at most 4"):
        read_source(path, limit=4)


@posix_only
def test_what_is_no_readable_file_is_unavailable(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "pipe", tmp_path / "dangling", Path("/dev/zero")):
        with pytest.raises(SourceUnavailable):
            read_source(str(path))


@posix_only
def test_a_failure_is_told_without_lone_surrogates(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable) as raised:
        read_source(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    str(raised.value).encode()


@posix_only
def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", b"text")
    (tmp_path / "link").symlink_to("a.txt")
    assert read_source(str(tmp_path / "link")).revision == look(path)


def meddle_at_look(monkeypatch: pytest.MonkeyPatch, number: int, meddle: Callable[[], object]) -> None:
    """Change the disk just before the look of this number, 1-based, that a read takes at its file."""
    numbers = count(1)

    def looked(path: str) -> Revision | None:
        if next(numbers) == number:
            meddle()
        return look(path)

    monkeypatch.setattr(source, "look", looked)


def test_a_file_that_is_written_while_it_is_read_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.txt", b"before")
    meddle_at_look(monkeypatch, 2, lambda: written(tmp_path / "a.txt", b"a longer text"))
    with pytest.raises(SourceChanged):
        read_source(path)


def test_a_file_that_is_replaced_while_it_is_read_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = written(tmp_path / "a.txt", b"before"), written(tmp_path / "b.txt", b"before")
    meddle_at_look(monkeypatch, 2, lambda: os.replace(other, path))
    with pytest.raises(SourceChanged):
        read_source(path)


@posix_only
@pytest.mark.parametrize(
    ("put", "error"),
    [
        (lambda path: written(path, b"another"), SourceChanged),
        (lambda path: path.symlink_to("other"), SourceChanged),
        (os.mkfifo, SourceChanged),
        (os.mkdir, SourceUnavailable),
        (lambda _path: None, SourceUnavailable),
    ],
    ids=["file", "link", "pipe", "folder", "nothing"],
)
def test_what_takes_the_place_of_a_file_before_it_is_opened_is_not_read(
    put: Callable[[Path], object], error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, away = tmp_path / "a.txt", tmp_path / "away"
    written(file, b"before")
    written(tmp_path / "other", b"another")

    def looked(path: str) -> Revision | None:
        if away.exists():
            away.replace(file)
            return look(path)
        found = look(path)
        file.rename(away)
        put(file)
        return found

    monkeypatch.setattr(source, "look", looked)
    with pytest.raises(error):
        read_source(str(file))


@posix_only
def test_a_folder_that_led_elsewhere_only_while_its_file_was_open_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "a.txt", folder.encode())
    link = tmp_path / "link"
    path = str(link / "a.txt")

    def lead_to(folder: str) -> None:
        link.unlink(missing_ok=True)
        link.symlink_to(folder)

    def looked(path: str) -> Revision | None:
        lead_to("one")
        found = look(path)
        lead_to("two")
        return found

    monkeypatch.setattr(source, "look", looked)
    one = looked(path)
    assert one is not None
    with pytest.raises(SourceChanged):
        read_source(path)
    assert read_facts(path, one, [1], whole=False) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the file is Linux's")
def test_a_file_whose_size_means_nothing_is_not_read() -> None:
    with pytest.raises(SourceChanged):
        read_source("/proc/version")


def test_lone_crs_are_counted_before_each_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", b"a\rb\r\nc\n\rd\r\re\nend")
    assert facts(path, 1, 2, 3, 4, 9).lone_crs_before == (0, 1, 1, 4, 4)


def test_lines_of_a_utf_16_file_are_those_of_its_text(tmp_path: Path) -> None:
    # U+0A0D and U+0D0A hold the bytes of CR and LF.
    path = written(tmp_path / "a.txt", "\u0a0d\u0d0a\ra\r\nb".encode("utf-16"))
    assert facts(path, 1, 2) == FileFacts(lone_crs_before=(0, 1), valid_utf8=True)
    bare = written(tmp_path / "b.txt", "\u0a0d\ra\nb".encode("utf-16-be"))
    assert facts(bare, 2, encoding="utf-16be").lone_crs_before == (1,)


def test_validity_is_that_of_the_whole_text(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", b"fine\n" * 3 + b"caf\xe9")
    assert facts(path, 1).valid_utf8 is False
    assert facts(path, 1, whole=False).valid_utf8 is None
    assert facts(path, 1, encoding="latin1").valid_utf8 is True
    assert facts(written(tmp_path / "b.txt", "naïve\n".encode()), 1).valid_utf8 is True
    assert facts(written(tmp_path / "c.txt", "cut é".encode()[:-1]), 1).valid_utf8 is False
    assert facts(written(tmp_path / "d.txt", b""), 1) == FileFacts(lone_crs_before=(0,), valid_utf8=True)


def test_a_file_larger_than_a_source_may_be_has_facts(tmp_path: Path) -> None:
    line = b"\r" + b"x" * (limits.MIB - 2) + b"\n"
    path = written(tmp_path / "large.txt", line * 6 + b"\xff")
    assert facts(path, 2, 6) == FileFacts(lone_crs_before=(1, 5), valid_utf8=False)


def test_there_are_no_facts_of_another_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.txt", b"before")
    before = revision_of(path)
    meddle_at_look(monkeypatch, 1, lambda: written(tmp_path / "a.txt", b"a longer text"))
    assert read_facts(path, before, [1], whole=False) is None
    assert read_facts(path, before, [1], whole=False) is None
    os.unlink(path)
    assert read_facts(path, before, [1], whole=False) is None


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("facts") / "file"


@given(
    data=st.lists(
        st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"\0", "é".encode(), b"\xff\xfe", b"\x81", b"\xe3"])
    ).map(b"".join),
    label=st.sampled_from(
        ["auto", "none", "latin1", "utf-8", "utf-16le", "shift_jis", "gbk", "big5", "euc-kr"]
    ),
    line_numbers=st.lists(st.integers(1, 8)).map(sorted),
    chunk_bytes=st.integers(1, 5),
)
def test_facts_are_those_of_the_searched_text_wherever_its_chunks_end(
    scratch: Path, data: bytes, label: str, line_numbers: list[int], chunk_bytes: int
) -> None:
    path = written(scratch, data)
    text = searched_text(data, label)
    lines = text.split(b"\n")
    starts = [sum(len(line) + 1 for line in lines[: number - 1]) for number in line_numbers]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(source, "_CHUNK_BYTES", chunk_bytes)
        found = facts(path, *line_numbers, encoding=label)
    assert found.lone_crs_before == tuple(lone_crs(text[:start]) for start in starts)
    assert found.valid_utf8 == read_source(path, encoding=label).valid_utf8
