import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sg_server.engines.binaries import find_rg
from sg_server.engines.ctags import Ctags
from sg_server.engines.definitions import Definition, DefinitionReader, DefinitionsUnavailable
from sg_server.engines.process import ProcessOwner
from sg_server.symbols.kinds import SymbolKind, kind_of
from sg_server.symbols.query import parse_query
from tests.server.wire import require_tool, write_files, write_program

COMMON = "C C++ C# Go Java JavaScript Kotlin Lua PHP Perl Python Ruby Rust Sh TypeScript"


def reader_of(ctags: str | None) -> DefinitionReader:
    owner = ProcessOwner()
    return DefinitionReader(Ctags(owner, ctags))


@pytest.fixture
def reader() -> DefinitionReader:
    return reader_of(require_tool("ctags"))


async def read(
    reader: DefinitionReader, *paths: Path, holding: bytes = b""
) -> tuple[list[tuple[str, str]], set[str]]:
    found: list[tuple[str, str]] = []

    def take(path: str, definition: Definition) -> None:
        found.append((os.path.basename(path), definition.name))

    known = await reader.of_files([str(path) for path in paths], take, holding=holding)
    return found, {os.path.basename(path) for path in known}


async def test_one_run_reads_many_files_and_tells_which_it_knows(
    reader: DefinitionReader, tmp_path: Path
) -> None:
    write_files(tmp_path, {"a.py": "def f(): ...\n", "b.c": "int g;\n", "c.h": "", "d.unknown": "int h;\n"})
    found, known = await read(reader, *sorted(tmp_path.iterdir()))
    assert found == [("a.py", "f"), ("b.c", "g")]
    assert known == {"a.py", "b.c", "c.h"}


async def test_only_the_definitions_asked_for_are_given(reader: DefinitionReader, tmp_path: Path) -> None:
    others = "".join(f"x{number} = 1\n" for number in range(5_000))
    write_files(tmp_path, {"a.py": f"{others}def TWO(): ...\n{others}", "b.py": "x = 1\n"})
    found, known = await read(reader, *sorted(tmp_path.iterdir()), holding=b"two")
    assert found == [("a.py", "TWO")]
    assert known == {"a.py", "b.py"}


async def test_a_definition_without_an_end_is_given_all_the_same(reader: DefinitionReader) -> None:
    found = await reader.of_text("a.js", b"function f() {\n}\n")
    assert found is not None
    assert [(one.name, one.line, one.end_line) for one in found] == [("f", 1, None)]


async def test_what_has_no_name_is_told_from_what_has(reader: DefinitionReader) -> None:
    found = await reader.of_text("a.c", b"typedef struct {\n  int x;\n} point;\n")
    assert found is not None
    assert {one.kind: one.is_anonymous for one in found} == {
        "struct": True,
        "member": False,
        "typedef": False,
    }


async def test_a_language_that_is_not_known_is_told_from_one_without_definitions(
    reader: DefinitionReader,
) -> None:
    assert await reader.of_text("a.unknown", b"x") is None
    assert await reader.of_text("a.py", b"") == ()


async def test_a_name_that_is_no_utf_8_is_replaced_or_left_out(reader: DefinitionReader) -> None:
    found = await reader.of_text("a.c", b"int caf\xe9;\nint tea;\n")
    assert found is not None
    assert "tea" in {one.name for one in found}


async def test_options_in_the_folder_of_a_file_are_not_read(reader: DefinitionReader, tmp_path: Path) -> None:
    write_files(tmp_path, {".ctags.d/x.ctags": "--langmap=C:.py\n", "a.py": "def f(): ...\n"})
    assert (await read(reader, tmp_path / "a.py"))[0] == [("a.py", "f")]


@pytest.mark.parametrize(
    "script",
    [
        "exit 3",
        "echo '{'",
        "echo '{\"_type\": 3}'",
    ],
)
async def test_a_ctags_that_fails_is_an_error(tmp_path: Path, script: str) -> None:
    real = require_tool("ctags")
    probing = f'case "$*" in *--version*|*--list-fields*) exec {real} "$@";; esac\n'
    broken = reader_of(str(write_program(tmp_path / "ctags", probing + script)))
    with pytest.raises(DefinitionsUnavailable):
        await broken.of_text("a.py", b"def f(): ...\n")


async def test_without_ctags_there_are_no_definitions() -> None:
    with pytest.raises(DefinitionsUnavailable, match="no ctags"):
        await reader_of(None).of_text("a.py", b"def f(): ...\n")


@pytest.mark.parametrize("language", COMMON.split())
def test_every_word_of_common_languages_has_a_kind(language: str) -> None:
    ctags = require_tool("ctags")
    listed = subprocess.run(
        [ctags, "--options=NONE", f"--list-kinds-full={language}"],
        capture_output=True,
        check=True,
        text=True,
    )
    rows = [line.split() for line in listed.stdout.splitlines()[1:]]
    words = {
        word for _, word, is_default, refers_only, *_ in rows if (is_default, refers_only) == ("yes", "no")
    }
    variables = {word for word in words if kind_of(word, language) is SymbolKind.VARIABLE}
    assert variables <= {"variable", "externvar", "format", "heredoc", "receiver", "unknown", "var"}


@settings(max_examples=15)
@given(
    st.lists(st.text(alphabet="abAB_-. 1+é", min_size=1, max_size=8), min_size=1, max_size=6),
    st.lists(st.text(alphabet="abAB_-1é$ ", max_size=12), max_size=8),
)
def test_ripgrep_reads_the_pattern_of_a_query_as_python_does(texts: list[str], names: list[str]) -> None:
    rg = find_rg(None, outside=())
    assert rg is not None
    for query in filter(None, map(parse_query, texts)):
        case = "--case-sensitive" if query.is_case_sensitive else "--ignore-case"
        run = subprocess.run(
            [rg.path, "--no-config", "--color=never", "--line-number", case, "-e", query.pattern, "-"],
            input="".join(f"{name}\n" for name in names).encode(),
            capture_output=True,
            check=False,
        )
        found = [int(line.partition(b":")[0]) for line in run.stdout.splitlines()]
        expected = [number for number, name in enumerate(names, 1) if query.compiled.search(name)]
        assert (run.stderr, found) == (b"", expected)


@pytest.mark.parametrize("text", ["pack_row", "fooBar", "++", "é b"])
def test_ripgrep_takes_the_pattern_for_definitions(text: str) -> None:
    rg, query = find_rg(None, outside=()), parse_query(text)
    assert rg is not None
    assert query is not None
    run = subprocess.run(
        [rg.path, "--no-config", "-e", query.definition_pattern, "-"],
        input=f"class {text}:\n".encode(),
        capture_output=True,
        check=False,
    )
    assert run.stderr == b""
    assert run.stdout
