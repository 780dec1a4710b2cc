"""Which tree-sitter grammar reads a file, told by its name or its first line."""

import re
from typing import Final

import msgspec


class Grammar(msgspec.Struct, frozen=True, kw_only=True):
    """A grammar of one wheel, with the queries that find its definitions.

    `queries` are file names in `queries/` without their suffix; patterns that come first win. The queries of
    the wheels do not serve: they mark calls as well, and often a declarator where a definition is wanted.

    `closers` are the tokens that end a definition. A brace among them can be told apart from the rest of a
    broken text; without any, a definition ends where the next code begins.
    """

    language: str
    module: str
    factory: str = "language"
    queries: tuple[str, ...]
    extensions: frozenset[str]
    names: frozenset[str] = frozenset()
    interpreters: frozenset[str] = frozenset()
    closers: tuple[bytes, ...] = (b"}", b";")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GRAMMARS: Final = (
    Grammar(
        language="Bash",
        module="tree_sitter_bash",
        queries=("bash",),
        extensions=_words("sh bash ksh bats ebuild"),
        names=_words(".bashrc .bash_profile .bash_aliases .bash_logout .profile PKGBUILD APKBUILD"),
        interpreters=_words("sh bash dash ksh"),
        closers=(b"}", b")"),
    ),
    Grammar(
        language="C",
        module="tree_sitter_c",
        queries=("c",),
        extensions=_words("c"),
    ),
    Grammar(
        language="C++",
        module="tree_sitter_cpp",
        queries=("cpp", "c"),
        # A header may be of either; the grammar of C++ reads both.
        extensions=_words("h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp"),
    ),
    Grammar(
        language="C#",
        module="tree_sitter_c_sharp",
        queries=("csharp",),
        extensions=_words("cs csx"),
    ),
    Grammar(
        language="Go",
        module="tree_sitter_go",
        queries=("go",),
        extensions=_words("go"),
    ),
    Grammar(
        language="Java",
        module="tree_sitter_java",
        queries=("java",),
        extensions=_words("java"),
    ),
    Grammar(
        language="JavaScript",
        module="tree_sitter_javascript",
        queries=("javascript", "javascript-fields"),
        extensions=_words("js jsx mjs cjs"),
        names=_words("Jakefile"),
        interpreters=_words("node nodejs deno bun"),
    ),
    Grammar(
        language="Lua",
        module="tree_sitter_lua",
        queries=("lua",),
        extensions=_words("lua rockspec"),
        interpreters=_words("lua luajit"),
        closers=(b"end",),
    ),
    Grammar(
        language="PHP",
        module="tree_sitter_php",
        factory="language_php",
        queries=("php",),
        extensions=_words("php phtml inc"),
        interpreters=_words("php"),
    ),
    Grammar(
        language="Python",
        module="tree_sitter_python",
        queries=("python",),
        extensions=_words("py pyi pyw"),
        names=_words("SConstruct SConscript wscript"),
        interpreters=_words("python pypy"),
        closers=(),
    ),
    Grammar(
        language="Ruby",
        module="tree_sitter_ruby",
        queries=("ruby",),
        extensions=_words("rb rake gemspec ru podspec"),
        names=_words("Rakefile Gemfile Guardfile Vagrantfile Podfile Brewfile"),
        interpreters=_words("ruby jruby"),
        closers=(b"end",),
    ),
    Grammar(
        language="Rust",
        module="tree_sitter_rust",
        queries=("rust",),
        extensions=_words("rs"),
    ),
    Grammar(
        language="TSX",
        module="tree_sitter_typescript",
        factory="language_tsx",
        queries=("javascript", "typescript"),
        extensions=_words("tsx"),
    ),
    Grammar(
        language="TypeScript",
        module="tree_sitter_typescript",
        factory="language_typescript",
        queries=("javascript", "typescript"),
        extensions=_words("ts mts cts"),
        interpreters=_words("ts-node tsx"),
    ),
)

_INTERPRETER: Final = re.compile(rb"#![ \t]*(?:\S*/env(?:[ \t]+(?:-\S*|\w+=\S*))*[ \t]+)?(?:\S*/)?([\w-]+)")
_VERSION_DIGITS: Final = "0123456789.-"


def grammar_for(basename: str, text: bytes) -> Grammar | None:
    """The grammar for a file of this name; for a name without a suffix, the one its `#!` line asks for."""
    _, dot, extension = basename.rpartition(".")
    for grammar in GRAMMARS:
        if basename in grammar.names or (dot and extension.lower() in grammar.extensions):
            return grammar
    if not dot and (shebang := _INTERPRETER.match(text)):
        interpreter = shebang[1].decode("ascii", "replace").rstrip(_VERSION_DIGITS)
        return next((grammar for grammar in GRAMMARS if interpreter in grammar.interpreters), None)
    return None
