import shutil
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from sg_server.engines.treesitter import TreeSitter
from sg_server.inspection.request import InspectParams, PlaceAsk, asks
from sg_server.inspection.results import Inspection
from sg_server.inspection.service import InspectionService
from sg_server.inspection.targets import target_at
from sg_server.text.positions import TextView
from sg_server.workspace.folders import Workspace

REAL = shutil.which("ctags")

pytestmark = pytest.mark.skipif(REAL is None, reason="Universal Ctags is not installed")


async def inspected(folder: Path, name: str, line: int, *, ctags: str | None = REAL) -> Inspection:
    """The one inspection of a line of a file in `folder`."""
    service = InspectionService(
        Ctags(ProcessOwner(), ctags), TreeSitter(limits.TREE_SITTER_SECONDS), TextView()
    )
    workspace = Workspace.of([(folder.as_uri(), None)])
    places = asks(InspectParams(path=name, line=line))
    result = await service.inspect(
        [target_at(ask, workspace, ()) for ask in places if isinstance(ask, PlaceAsk)]
    )
    return result.inspections[0]


def program(folder: Path, body: str) -> str:
    """A program that passes for ctags; `body` is what it does with a file, in shell."""
    path = folder / "stand-in-for-ctags"
    path.write_text(
        '#!/bin/sh\ncase "$*" in\n*--version*) echo "Universal Ctags 6.1.0 +json" ;;\n'
        f'*--list-fields*) echo "e end no NONE" ;;\n*) {body} ;;\nesac\n'
    )
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("name", "text", "line", "symbol"),
    [
        ("a.py", "class A:\n    def f(self):\n        pass\n", 3, ("f", "A", "ctags")),
        ("a.c", "static int\nf(void)\n{\n  return 1;\n}\n", 4, ("f", None, "ctags")),
        ("a.go", "package p\nfunc F() {\n\tg()\n}\n", 3, ("F", "p", "ctags")),
        ("A.java", "class A {\n  void m() {\n  }\n}\n", 3, ("m", "A", "ctags")),
        ("a.rb", "class A\n  def x\n    1\n  end\nend\n", 3, ("x", "A", "ctags")),
        ("a.js", "class A {\n  m() {\n    f();\n  }\n}\n", 3, ("m", "A", "tree-sitter")),
        ("a.ts", "const f = (): void => {\n  g();\n};\n", 2, ("f", None, "tree-sitter")),
        ("a.tsx", "function Page() {\n  return <b/>;\n}\n", 2, ("Page", None, "tree-sitter")),
        ("a.rs", "impl S {\n    fn f() {\n        g()\n    }\n}\n", 3, ("f", "S", "tree-sitter")),
        ("a.sh", "f() {\n  g\n}\n", 2, ("f", None, "tree-sitter")),
        ("a.lua", "function M.f()\n  g()\nend\n", 2, ("f", "M", "tree-sitter")),
    ],
)
async def test_ctags_goes_first_and_tree_sitter_where_ctags_gives_no_ends(
    tmp_path: Path, name: str, text: str, line: int, symbol: tuple[str, str | None, str]
) -> None:
    (tmp_path / name).write_text(text)
    found = (await inspected(tmp_path, name, line)).symbol
    assert found is not None
    assert (found.name, found.container) == symbol[:2]
    assert found.provider in {symbol[2], "ctags"}, "later versions of ctags know more ends"
    alone = (await inspected(tmp_path, name, line, ctags=None)).symbol
    assert alone is not None
    assert (alone.name, alone.provider) == (symbol[0], "tree-sitter")
    assert alone.range.end == found.range.end


@pytest.mark.parametrize(
    ("name", "text", "structure"),
    [
        ("a.ini", "[s]\nkey = 1\n", "unsupported-range"),
        ("a.unknown", "x\n", "unsupported-range"),
        ("a.py", "# nothing\n", "no-enclosing-symbol"),
    ],
)
async def test_what_neither_provider_can_say_is_named(
    tmp_path: Path, name: str, text: str, structure: str
) -> None:
    (tmp_path / name).write_text(text)
    inspection = await inspected(tmp_path, name, 1)
    assert (inspection.outcome, inspection.structure, inspection.symbol) == ("returned", structure, None)


@pytest.mark.parametrize("body", ["echo '{'", "exit 3", "kill -SEGV $$"])
async def test_a_ctags_that_fails_is_a_parse_error_and_the_source_is_shown(tmp_path: Path, body: str) -> None:
    (tmp_path / "a.py").write_text("def f():\n    pass\n")
    inspection = await inspected(tmp_path, "a.py", 1, ctags=program(tmp_path, body))
    assert (inspection.outcome, inspection.structure) == ("returned", "parse-error")
    assert (inspection.message or "").startswith("ctags ")


@pytest.mark.parametrize(
    "data",
    [
        b"class A:\n    def caf\xe9(self):\n        x\n",
        "class A:\n    def caf\xe9(self):\n        x\n".encode("utf-16"),
        "class A:\n    def caf\xe9(self):\n        x\n".encode("utf-8-sig"),
    ],
    ids=["not UTF-8", "UTF-16", "with a BOM"],
)
async def test_a_text_in_another_encoding_has_its_symbols(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.py").write_bytes(data)
    found = (await inspected(tmp_path, "a.py", 3)).symbol
    assert found is not None
    assert (found.name[:3], found.provider) == ("caf", "ctags")


@pytest.mark.parametrize("action", ["echo >> {0}", "rm {0}", "cp {0} {0}.new && mv {0}.new {0}"])
async def test_a_file_that_changes_while_ctags_runs_is_refused(tmp_path: Path, action: str) -> None:
    (tmp_path / "a.py").write_text("def f():\n    pass\n")
    ctags = program(tmp_path, action.format(tmp_path / "a.py"))
    inspection = await inspected(tmp_path, "a.py", 1, ctags=ctags)
    assert (inspection.outcome, inspection.structure) == ("error", "source-changed")
    assert inspection.message == "a.py changed while it was read; ask again"


async def test_a_file_that_several_targets_are_in_is_given_to_ctags_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    pass\n")
    log = tmp_path / "log"
    ctags = Ctags(ProcessOwner(), program(tmp_path, f"echo run >> {log}"))
    service = InspectionService(ctags, TreeSitter(limits.TREE_SITTER_SECONDS), TextView())
    workspace = Workspace.of([(tmp_path.as_uri(), None)])
    ask = asks(InspectParams(path="a.py", line=1))[0]
    assert isinstance(ask, PlaceAsk)
    await service.inspect([target_at(ask, workspace, ())] * 5)
    assert log.read_text() == "run\n"
