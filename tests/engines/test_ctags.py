import asyncio
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from sg_server.engines.symbols import Structure, Symbol

REAL = shutil.which("ctags")

pytestmark = pytest.mark.skipif(REAL is None, reason="Universal Ctags is not installed")


@pytest.fixture
def ctags() -> Ctags:
    return Ctags(ProcessOwner(), REAL)


def script(folder: Path, body: str) -> str:
    """A program that passes for ctags; `body` is what it does with a file, in shell."""
    path = folder / "fake-ctags"
    path.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        '*--version*) echo "Universal Ctags 6.1.0, features: +json" ;;\n'
        '*--list-fields*) echo "e end no NONE" ;;\n'
        f"*) {body} ;;\n"
        "esac\n"
    )
    path.chmod(0o755)
    return str(path)


def lines_of(structure: Structure) -> dict[str, tuple[int, int]]:
    return {symbol.name: (symbol.start_line, symbol.end_line) for symbol in structure.symbols}


async def test_the_probe_names_version_and_path(ctags: Ctags) -> None:
    capabilities = await ctags.probe()
    assert capabilities.problem is None
    assert capabilities.path == REAL
    assert capabilities.version is not None
    assert capabilities.version[0].isdigit()
    assert capabilities.json
    assert capabilities.end


async def test_without_a_binary_the_provider_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\n")
    structure = await Ctags(ProcessOwner(), None).structure(str(tmp_path / "a.py"))
    assert (structure.status, structure.detail) == ("provider-unavailable", "no ctags was found")


async def test_a_binary_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    capabilities = await Ctags(ProcessOwner(), str(tmp_path / "gone")).probe()
    assert capabilities.problem == "ctags cannot be started: No such file or directory"


@pytest.mark.parametrize(
    ("banner", "problem"),
    [
        ("Exuberant Ctags 5.9~svn20110310", "not Universal Ctags"),
        ("ctags (GNU Emacs 29.1)", "not Universal Ctags"),
        ("usage: ctags [-BFTaduwvx] [-f tagsfile] file ...", "not Universal Ctags"),
        ("Universal Ctags 5.9.0, features: +wildcards", "without JSON"),
        ("Universal Ctags 0.0.0, features: +json", "where definitions end"),
    ],
)
async def test_another_ctags_is_unusable_and_says_why(tmp_path: Path, banner: str, problem: str) -> None:
    binary = tmp_path / "ctags"
    binary.write_text(f"#!/bin/sh\necho '{banner}'\n")
    binary.chmod(0o755)
    ctags = Ctags(ProcessOwner(), str(binary))
    assert problem in ((await ctags.probe()).problem or "")
    assert (await ctags.structure_of_text("a.py", b"x = 1\n")).status == "provider-unavailable"


async def test_callers_at_the_same_time_share_one_probe(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ctags = Ctags(ProcessOwner(), script(tmp_path, "true"))
    binary = tmp_path / "fake-ctags"
    binary.write_text(binary.read_text().replace("#!/bin/sh\n", f'#!/bin/sh\necho "$*" >> {log}\n'))
    first, second = await asyncio.gather(ctags.probe(), ctags.probe())
    assert first is second
    assert log.read_text().count("--version") == 1


async def test_a_cancelled_probe_is_not_remembered(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    binary = Path(script(tmp_path, "true"))
    fast = binary.read_text()
    binary.write_text(f"#!/bin/sh\necho > {started}\nexec sleep 60\n")
    ctags = Ctags(ProcessOwner(), str(binary))
    probing = asyncio.ensure_future(ctags.probe())
    await asyncio.to_thread(started.read_text)
    probing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probing
    binary.write_text(fast)
    assert (await ctags.probe()).version == "6.1.0"


PYTHON = (
    b"import os\nX = 1\nclass A:\n    def f(self):\n        def g():\n            pass\n        return g\n"
)
C = b"static int\nf(int x)\n{\n  return x;\n}\nstruct s {\n  int a;\n};\n"
GO = b"package p\n\ntype T struct {\n\tA int\n}\n\nfunc (t *T) M() {\n}\n"
JAVA = b"class A {\n  void m() {\n  }\n  static class In {\n    void k() {\n    }\n  }\n}\n"
RUBY = b"module M\n  class A\n    def x\n      1\n    end\n  end\nend\n"


@pytest.mark.parametrize(
    ("basename", "text", "expected"),
    [
        ("a.py", PYTHON, {"A": (3, 7), "f": (4, 7), "g": (5, 6)}),
        ("a.c", C, {"f": (2, 5), "s": (6, 8), "a": (7, 7)}),
        ("a.go", GO, {"T": (3, 5), "M": (7, 8)}),
        ("A.java", JAVA, {"A": (1, 8), "m": (2, 3), "In": (4, 7), "k": (5, 6)}),
        ("a.rb", RUBY, {"M": (1, 7), "A": (2, 6), "x": (3, 5)}),
    ],
)
async def test_definitions_come_with_their_first_and_last_line(
    ctags: Ctags, tmp_path: Path, basename: str, text: bytes, expected: dict[str, tuple[int, int]]
) -> None:
    (tmp_path / basename).write_bytes(text)
    structure = await ctags.structure(str(tmp_path / basename))
    assert structure.status == "available"
    assert lines_of(structure) == expected
    assert await ctags.structure_of_text(basename, text) == structure


async def test_a_symbol_carries_the_words_of_ctags(ctags: Ctags) -> None:
    structure = await ctags.structure_of_text("a.py", PYTHON)
    assert structure.symbols[2] == Symbol(
        name="g",
        kind="function",
        container="A.f",
        language="Python",
        start_line=5,
        end_line=6,
        provider="ctags",
    )


async def test_a_known_language_without_definitions_is_available_and_empty(ctags: Ctags) -> None:
    assert await ctags.structure_of_text("a.py", b"# nothing\n") == Structure(status="available")
    assert await ctags.structure_of_text("a.c", b"") == Structure(status="available")


@pytest.mark.parametrize(
    ("basename", "text", "detail"),
    [
        ("a.ini", b"[s]\nkey = 1\n", "ctags gives no end lines for this Iniconf file"),
        ("a.unheard-of", b"x\n", "ctags does not know the language of this file"),
    ],
)
async def test_no_end_lines_and_no_language_are_unsupported(
    ctags: Ctags, basename: str, text: bytes, detail: str
) -> None:
    assert await ctags.structure_of_text(basename, text) == Structure(
        status="unsupported-range", detail=detail, knows_language=basename == "a.ini"
    )


async def test_a_file_over_the_bound_is_not_given_to_ctags(ctags: Ctags, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.touch()
    os.truncate(path, limits.SOURCE_BYTES + 1)
    assert (await ctags.structure(str(path))).status == "oversized"


async def test_a_missing_file_raises(ctags: Ctags, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await ctags.structure(str(tmp_path / "gone.py"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse some of these names")
@pytest.mark.parametrize("name", [b"-x.py", b"a b.py", b"a\nb.py", b"a\"'b.py", b"\xff\xfe.py", b"--.py"])
async def test_any_file_name_works(ctags: Ctags, tmp_path: Path, name: bytes) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    Path(os.fsdecode(path)).write_bytes(PYTHON)
    assert "g" in lines_of(await ctags.structure(os.fsdecode(path)))


@pytest.mark.parametrize("name", ["-x.py", "a b.py", "a\nb.py", "\udcff.py", "../../a.py", "x" * 300 + ".py"])
async def test_any_document_name_works(ctags: Ctags, name: str) -> None:
    assert "g" in lines_of(await ctags.structure_of_text(name, PYTHON))


async def test_a_language_told_by_a_whole_name_is_known_for_text(ctags: Ctags) -> None:
    structure = await ctags.structure_of_text("Makefile", b"all:\n\ttrue\n")
    assert structure.detail != "ctags does not know the language of this file"
    assert (await ctags.structure_of_text("..", b"x")).status == "unsupported-range"


async def test_the_language_of_a_script_is_told_by_its_first_line(ctags: Ctags) -> None:
    structure = await ctags.structure_of_text("run", b"#!/usr/bin/env python3\ndef f():\n    pass\n")
    assert lines_of(structure) == {"f": (2, 3)}


async def test_options_of_a_workspace_are_never_read(
    ctags: Ctags, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ctags.d").mkdir()
    (tmp_path / ".ctags.d/x.ctags").write_text("--langmap=Python:.zzz\n")
    (tmp_path / ".ctags").write_text("--langmap=Python:.zzz\n")
    (tmp_path / "a.zzz").write_bytes(PYTHON)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTAGS", "--langmap=Python:.zzz")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (await ctags.structure(str(tmp_path / "a.zzz"))).status == "unsupported-range"


async def test_names_that_are_not_utf8_do_not_break_the_others(ctags: Ctags) -> None:
    structure = await ctags.structure_of_text("a.py", b"def caf\xe9():\n    pass\ndef g():\n    pass\n")
    assert structure.status == "available"
    assert lines_of(structure)["g"] == (3, 4)


TAG = r'{"_type": "tag", "name": "f", "line": 1, "end": 2, "kind": "function", "language": "C++"}'
FILE = r'{"_type": "tag", "name": "x", "language": "C++", "kind": "file", "extras": "inputFile"}'


def says(*records: str) -> str:
    return "".join(f"printf '%s\\n' '{record}';" for record in records)


@pytest.mark.parametrize(
    "records",
    [
        ['{"_type": "ptag", "name": "JSON_OUTPUT_VERSION", "path": "0.0"}', TAG, FILE],
        [TAG, TAG.replace('"f"', '"g"').replace('"end": 2', '"end": 0'), FILE],
        [TAG, TAG.replace('"name": "f", ', ""), FILE],
        [TAG.replace("{", '{"more": [null, {}], '), FILE],
    ],
    ids=["a pseudo tag", "an end before the start", "a tag without a name", "fields of a later version"],
)
async def test_only_proven_symbols_come_out(tmp_path: Path, records: Sequence[str]) -> None:
    structure = await Ctags(ProcessOwner(), script(tmp_path, says(*records))).structure_of_text("a.cc", b"")
    assert structure.status == "available"
    assert lines_of(structure) == {"f": (1, 2)}


async def test_raw_bytes_quotes_and_backslashes_in_names_survive(tmp_path: Path) -> None:
    record = r"""printf '{"_type":"tag","name":"\\"\\\\\351","line":1,"end":1,"language":"Ruby"}\n';"""
    ctags = Ctags(ProcessOwner(), script(tmp_path, record + says(FILE)))
    (symbol,) = (await ctags.structure_of_text("a.rb", b"")).symbols
    assert symbol.name == '"\\\N{REPLACEMENT CHARACTER}'


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (says(TAG, "{"), "ctags wrote broken JSON"),
        (says('{"_type": "tag", "line": "1"}'), "ctags wrote broken JSON"),
        ("printf x", "ctags wrote broken JSON"),
        (
            says(TAG, FILE) + "echo 'ctags: out of memory' >&2; exit 3",
            "ctags ended with code 3: out of memory",
        ),
        ("exit 1", "ctags ended with code 1"),
        (says(TAG, FILE) + "kill -SEGV $$", f"ctags was ended by signal {int(signal.SIGSEGV)}"),
    ],
)
async def test_a_run_that_fails_is_a_parse_error_and_gives_no_symbols(
    tmp_path: Path, body: str, detail: str
) -> None:
    structure = await Ctags(ProcessOwner(), script(tmp_path, body)).structure_of_text("a.cc", b"")
    assert (structure.status, structure.symbols) == ("parse-error", ())
    assert detail in (structure.detail or "")


async def test_the_copy_of_a_text_is_private_and_gone_even_after_a_cancel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    seen = tmp_path / "seen"
    os.mkfifo(seen)
    owner = ProcessOwner()
    ctags = Ctags(owner, script(tmp_path, f'for last; do :; done; echo "$last" > {seen}; exec sleep 60'))
    running = asyncio.ensure_future(ctags.structure_of_text("a.py", b"text"))
    copy = Path((await asyncio.to_thread(seen.read_text)).removesuffix("\n"))
    assert copy.read_bytes() == b"text"
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert list((tmp_path / "temporary").iterdir()) == []
    assert owner.running == ()
