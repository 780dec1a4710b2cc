import asyncio
import importlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.engines.ctags import Ctags
from sg_server.engines.grammars import GRAMMARS
from sg_server.engines.process import ProcessOwner
from sg_server.engines.structure import StructureReader
from sg_server.engines.symbols import Structure, Symbol, smallest_enclosing
from sg_server.engines.treesitter import TreeSitter

CTAGS = shutil.which("ctags")
SECONDS = 20.0


@pytest.fixture(scope="module")
def tree_sitter() -> TreeSitter:
    return TreeSitter(SECONDS)


def shown(structure: Structure) -> list[str]:
    """One line a symbol: `first-last kind container.name`."""
    return [
        f"{symbol.start_line}-{symbol.end_line} {symbol.kind} "
        + ".".join(filter(None, (symbol.container, symbol.name)))
        for symbol in structure.symbols
    ]


SAMPLES = {
    "a.py": r"""
LIMIT = {
}
class A:
    @cached
    def f(self):
        def g():
            pass

    async def h(self): ...

def last():
    pass
===
1-2 variable LIMIT
3-9 class A
5-7 method A.f
6-7 function A.f.g
9-9 method A.h
11-12 function last
""",
    "a.c": r"""
#define M(x) \
  (x)
struct s { int a; };
typedef struct {
  int b;
} t;
int proto(int);
static int
f(int x)
{
  return x;
}
char **g(void) { return 0; }
===
1-2 macro M
3-3 struct s
4-6 typedef t
8-12 function f
13-13 function g
""",
    "a.hpp": r"""
namespace n {
template <class T> class V {
  V() {}
  T* get() const { return p; }
  template <class U> U as() { return U(); }
};
}
int* n::V::out()
{
  return 0;
}
===
1-7 namespace n
2-6 class n.V
3-3 method n.V.V
4-4 method n.V.get
5-5 method n.V.as
8-11 function n::V::out
""",
    "a.cs": r"""
namespace N {
  class A {
    public int P { get; set; }
    A() { }
    void M() {
    }
  }
  interface I { }
}
===
1-9 namespace N
2-7 class N.A
3-3 property N.A.P
4-4 constructor N.A.A
5-6 method N.A.M
8-8 interface N.I
""",
    "a.go": r"""
package p

type T struct {
	A int
}

func (t *T) M() {
}

func F() {
}
===
3-5 struct T
7-8 method T.M
10-11 function F
""",
    "A.java": r"""
class A {
  int f = 1;
  A() { }
  @Override
  void m() {
  }
  static class In {
    void k() { }
  }
  enum E { P }
  record R(int a) { }
}
===
1-12 class A
2-2 field A.f
3-3 constructor A.A
4-6 method A.m
7-9 class A.In
8-8 method A.In.k
10-10 enum A.E
11-11 record A.R
""",
    "a.js": r"""
class A {
  go = async () => {
  };
  m() { return () => 1 }
}
export const f = (a) => {
};
exports.run = function () {
};
const api = {
  get: function () { },
  short() { },
};
export default function main() {
}
===
1-5 class A
2-3 method A.go
4-4 method A.m
6-7 function f
8-9 function exports.run
10-13 variable api
11-11 method api.get
12-12 method api.short
14-15 function main
""",
    "a.jsx": r"""
export const Card = ({ a }) => {
  return <div>{a}</div>;
};
===
1-3 function Card
""",
    "a.ts": r"""
interface P {
  a: string;
}
enum E { A }
type U = string;
abstract class S<T> {
  private h = (): void => { };
  n<K>(k: K): K { return k; }
}
const f = <T>(a: T): T => {
  return a;
};
namespace N { export function k() { } }
===
1-3 interface P
4-4 enum E
5-5 type U
6-9 class S
7-7 method S.h
8-8 method S.n
10-12 function f
13-13 namespace N
13-13 function N.k
""",
    "a.tsx": r"""
export const Card = ({ a }: P) => {
  return <div>{a}</div>;
};
export function Page() {
  return <Card a='x' />;
}
===
1-3 function Card
4-6 function Page
""",
    "a.rs": r"""
mod m {
    pub fn helper() {}
}
struct S<T> { a: T }
impl<T: Clone> Clone for S<T> {
    fn clone(&self) -> Self {
        fn inner() {}
    }
}
trait Tr {
    fn req(&self);
}
enum En { A }
fn main() {
}
===
1-3 module m
2-2 function m.helper
4-4 struct S
5-9 implementation S<T>
6-8 method S<T>.clone
7-7 function S<T>.clone.inner
10-12 trait Tr
11-11 method Tr.req
13-13 enum En
14-15 function main
""",
    "a.sh": r"""
f() {
  if x; then
    y
  fi
}
function g {
  :
}
===
1-5 function f
6-8 function g
""",
    "a.lua": r"""
local M = {}
function M.a(x)
  return x
end
function M:b()
end
local function c()
end
M.d = function()
end
local e = function()
end
===
2-4 function M.a
5-6 method M.b
7-8 function c
9-10 function M.d
11-12 function e
""",
    "a.php": r"""
<?php
namespace App;
class A extends B {
  public $p = 1;
  public function m() {
  }
}
trait T { }
function f() {
}
===
3-7 class A
4-4 property A.p
5-6 method A.m
8-8 trait T
9-10 function f
""",
    "a.rb": r"""
module M
  class A < B
    def x(a)
      1 if a
    end
    def self.y; end
  end
end
===
1-8 module M
2-7 class M.A
3-5 method M.A.x
6-6 method M.A.y
""",
}


def sample(basename: str) -> tuple[bytes, list[str]]:
    """A text and the lines that `shown` gives for it."""
    text, expected = SAMPLES[basename].removeprefix("\n").split("===\n")
    return text.encode(), expected.splitlines()


@pytest.mark.parametrize("basename", SAMPLES)
def test_definitions_come_with_lines_kind_and_container(tree_sitter: TreeSitter, basename: str) -> None:
    text, expected = sample(basename)
    structure = tree_sitter.structure_of(basename, text)
    assert shown(structure) == expected
    assert (structure.status, structure.detail) == ("available", None)


def test_every_grammar_has_a_sample() -> None:
    extensions = {basename.rpartition(".")[2] for basename in SAMPLES}
    assert all(grammar.extensions & extensions for grammar in GRAMMARS)


@pytest.mark.skipif(CTAGS is None, reason="Universal Ctags is not installed")
@pytest.mark.parametrize("basename", ["a.py", "a.c", "a.go", "A.java", "a.rb"])
async def test_both_providers_agree_on_where_functions_end(tree_sitter: TreeSitter, basename: str) -> None:
    text, _ = sample(basename)
    theirs = await Ctags(ProcessOwner(), CTAGS).structure_of_text(basename, text)
    ends = {symbol.name: symbol.end_line for symbol in theirs.symbols}
    functions = [
        symbol
        for symbol in tree_sitter.structure_of(basename, text).symbols
        if symbol.kind in {"function", "method", "constructor"}
    ]
    assert {symbol.name: symbol.end_line for symbol in functions} == {
        symbol.name: ends[symbol.name] for symbol in functions
    }


def test_a_symbol_names_language_and_provider(tree_sitter: TreeSitter) -> None:
    (symbol,) = tree_sitter.structure_of("a.go", b"package p\nfunc F() {\n}\n").symbols
    assert symbol == Symbol(
        name="F", kind="function", language="Go", start_line=2, end_line=3, provider="tree-sitter"
    )


@pytest.mark.parametrize(
    ("basename", "text", "expected"),
    [
        ("a.js", "function f() {\n  a = = 1;\n}\nfunction g() {\n}\n", ["1-3 function f", "4-5 function g"]),
        ("a.js", "function f() {\n  if (x) {\n}\nfunction g() {\n}\n", ["4-5 function g"]),
        ("a.js", "class A {\n  m() {\n  }\n", ["2-3 method m"]),
        ("a.rs", "fn f() {\n    let x = ;\n}\nfn g() {\n", ["1-3 function f"]),
        ("a.py", "def f():\n    pass\n\nclass A:\n    def g(:\n        pass\n", ["1-2 function f"]),
        ("a.py", "def f():\n    return 1\n) + 2\nx = 1\ndef g(): pass\n", ["5-5 function g"]),
        ("a.rb", "def f\n  1\nend\ndef g\n  if x\nend\n", ["1-3 method f"]),
        ("a.go", "package p\nfunc F() {\n", []),
    ],
)
def test_an_error_leaves_out_what_is_not_proven_and_keeps_the_rest(
    tree_sitter: TreeSitter, basename: str, text: str, expected: list[str]
) -> None:
    structure = tree_sitter.structure_of(basename, text.encode())
    assert [line for line in shown(structure) if " variable " not in line] == expected
    assert structure.status == "parse-error"
    assert "errors of syntax, the first on line" in (structure.detail or "")


def test_lines_end_at_line_feeds_only(tree_sitter: TreeSitter) -> None:
    text = b"// a\rb\x0b\x0c\xe2\x80\xa8\nfunction f() {\r\n}\r\n"
    assert shown(tree_sitter.structure_of("a.js", text)) == ["2-3 function f"]


def test_invalid_utf8_inside_a_string_does_not_hide_what_follows(tree_sitter: TreeSitter) -> None:
    structure = tree_sitter.structure_of("a.c", b'char *s = "\xff\xfe";\nint f(void) {\n}\n')
    assert "2-3 function f" in shown(structure)


@pytest.mark.parametrize(
    ("basename", "text", "language"),
    [
        ("run", b"#!/bin/sh\nf() {\n:\n}\n", "Bash"),
        ("run", b"#! /usr/bin/env bash\nf() {\n:\n}\n", "Bash"),
        ("run", b"#!/usr/bin/python3.11 -u\ndef f(): pass\n", "Python"),
        ("run", b"#!/usr/bin/env -S A=1 node --x\nfunction f() {}\n", "JavaScript"),
        ("run", b"#!/usr/bin/env ruby\ndef f; end\n", "Ruby"),
        ("run", b"#!/usr/bin/lua5.4\nfunction f() end\n", "Lua"),
        ("Rakefile", b"def f; end\n", "Ruby"),
        (".bashrc", b"f() { :; }\n", "Bash"),
        ("A.PY", b"def f(): pass\n", "Python"),
    ],
)
def test_a_name_or_a_first_line_tells_the_language(
    tree_sitter: TreeSitter, basename: str, text: bytes, language: str
) -> None:
    assert [symbol.language for symbol in tree_sitter.structure_of(basename, text).symbols] == [language]


@pytest.mark.parametrize(
    ("basename", "text"),
    [("a.txt", b"#!/bin/sh\n"), ("run", b"#!/bin/awk\n"), ("run", b"x"), ("", b""), (".", b"")],
)
def test_a_file_of_no_known_language_is_unsupported(
    tree_sitter: TreeSitter, basename: str, text: bytes
) -> None:
    assert tree_sitter.structure_of(basename, text).status == "unsupported-range"


def test_a_text_over_the_bound_is_not_parsed(tree_sitter: TreeSitter) -> None:
    assert tree_sitter.structure_of("a.py", b" " * (limits.TREE_SITTER_BYTES + 1)).status == "oversized"


def test_a_parse_that_takes_too_long_is_given_up() -> None:
    structure = TreeSitter(0.0).structure_of("a.c", b"int f(void) { return 1; }\n" * 10_000)
    assert (structure.status, structure.detail) == ("oversized", "parsing took longer than 0 seconds")


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.language)
def test_nul_bytes_are_refused_in_no_time(tree_sitter: TreeSitter, grammar: object) -> None:
    (extension, *_) = sorted(getattr(grammar, "extensions"))  # noqa: B009
    assert tree_sitter.structure_of(f"a.{extension}", b"\0" * 100_000).status == "parse-error"


def test_a_deep_text_takes_no_more_time_than_a_long_one(tree_sitter: TreeSitter) -> None:
    structure = tree_sitter.structure_of("a.js", b"function a(){" * 40_000 + b"}" * 40_000)
    assert len(structure.symbols) > 1_000
    assert max(len(symbol.container or "") for symbol in structure.symbols) <= limits.LINE_CHARACTERS


@pytest.mark.parametrize("text", [b"`${" * 100_000, b"}" * 100_000, b"((" * 100_000])
def test_a_text_of_nothing_but_errors_is_given_up_early(tree_sitter: TreeSitter, text: bytes) -> None:
    assert tree_sitter.structure_of("a.js", text).status == "parse-error"


def test_other_threads_run_while_a_text_is_parsed(tree_sitter: TreeSitter) -> None:
    text = b"x = [1, 2, 3]\n" * 20_000
    parsing = threading.Thread(target=tree_sitter.structure_of, args=("a.py", text))
    parsing.start()
    turns = 0
    while parsing.is_alive():
        parsing.join(0.001)
        turns += 1
    assert turns > 5


def test_a_missing_grammar_is_unavailable_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    structure = TreeSitter(SECONDS).structure_of("a.go", b"package p\n")
    assert structure.status == "provider-unavailable"
    assert "tree_sitter_go" in (structure.detail or "")


def test_a_grammar_that_does_not_fit_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", importlib.import_module("tree_sitter_lua"))
    assert TreeSitter(SECONDS).structure_of("a.go", b"package p\n").status == "provider-unavailable"


def test_capabilities_name_the_version_and_the_languages(tree_sitter: TreeSitter) -> None:
    capabilities = tree_sitter.capabilities()
    assert capabilities.version is not None
    assert {"Python", "C++", "C#", "TSX", "Bash"} <= set(capabilities.languages)
    assert capabilities.missing == ()


def test_importing_the_module_loads_no_parser() -> None:
    code = (
        "import sys; from sg_server.engines.treesitter import TreeSitter; TreeSitter(1.0).capabilities();"
        "assert not [name for name in sys.modules if name.startswith('tree_sitter')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_the_enclosing_symbol_of_a_line_is_the_innermost(tree_sitter: TreeSitter) -> None:
    text, _ = sample("a.rs")
    found = smallest_enclosing(tree_sitter.structure_of("a.rs", text).symbols, 7)
    assert found is not None
    assert found.name == "inner"


async def test_texts_are_parsed_one_after_the_other_so_that_each_has_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once = [0]
    most: list[int] = []
    parse = TreeSitter.structure_of

    def structure_of(self: TreeSitter, basename: str, text: bytes) -> Structure:
        at_once[0] += 1
        most.append(at_once[0])
        try:
            return parse(self, basename, text)
        finally:
            at_once[0] -= 1

    monkeypatch.setattr(TreeSitter, "structure_of", structure_of)
    reader = StructureReader(Ctags(ProcessOwner(), None), TreeSitter(limits.TREE_SITTER_SECONDS))
    text = b"function f() {\n  g()\n}\n" * 500
    found = await asyncio.gather(*(reader.structure_of(f"{name}.js", text, path=None) for name in range(5)))
    assert [(one.status, len(one.symbols)) for one in found] == [("available", 500)] * 5
    assert most == [1] * 5
