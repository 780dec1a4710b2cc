"""From the words of ctags and tree-sitter to LSP's kinds of symbols."""

from collections.abc import Collection
from enum import IntEnum
from typing import Final


class SymbolKind(IntEnum):
    """LSP 3.17, SymbolKind."""

    FILE = 1
    MODULE = 2
    NAMESPACE = 3
    PACKAGE = 4
    CLASS = 5
    METHOD = 6
    PROPERTY = 7
    FIELD = 8
    CONSTRUCTOR = 9
    ENUM = 10
    INTERFACE = 11
    FUNCTION = 12
    VARIABLE = 13
    CONSTANT = 14
    STRING = 15
    NUMBER = 16
    BOOLEAN = 17
    ARRAY = 18
    OBJECT = 19
    KEY = 20
    NULL = 21
    ENUM_MEMBER = 22
    STRUCT = 23
    EVENT = 24
    OPERATOR = 25
    TYPE_PARAMETER = 26


CALLABLE: Final = frozenset({SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.FUNCTION})
FIRST_KINDS: Final = frozenset(kind for kind in SymbolKind if kind <= SymbolKind.ARRAY)
"""What a client understands that does not say which kinds it does (LSP 3.17, symbolKind.valueSet)."""

_WORDS: Final = {
    SymbolKind.FILE: "file document makefile",
    SymbolKind.MODULE: "module program unit library submodule modulepar script",
    SymbolKind.NAMESPACE: "namespace",
    SymbolKind.PACKAGE: "package packspec packagename pkg project",
    SymbolKind.CLASS: (
        "class type typedef typealias typespec talias subtype implementation component entity"
        " architecture annotation delegate error exception checker covergroup template"
    ),
    SymbolKind.METHOD: "method singletonmethod submethod methodspec destructor slot",
    SymbolKind.PROPERTY: "property accessor getter setter attribute",
    SymbolKind.FIELD: "field member anonmember recordfield column port",
    SymbolKind.CONSTRUCTOR: "constructor",
    SymbolKind.ENUM: "enum oneof",
    SymbolKind.INTERFACE: "interface trait protocol mixin signature concept service modport",
    SymbolKind.FUNCTION: (
        "function func fun procedure subroutine subprogram subprogspec subroutinedeclaration prototype task"
        " generator functor rpc command def handler callback activebindingfunc target rule entry"
        " test testcase alias inline feature derivedmode minormode"
    ),
    SymbolKind.VARIABLE: (
        "variable var val local global externvar globalvar localvariable toplevelvariable signal"
    ),
    SymbolKind.CONSTANT: "constant const define macro definition",
    SymbolKind.STRING: (
        "string chapter section subsection subsubsection l4subsection l5subsection paragraph subparagraph"
        " part heading1 heading2 heading3 title frametitle framesubtitle book article"
    ),
    SymbolKind.NUMBER: "number integer",
    SymbolKind.BOOLEAN: "boolean",
    SymbolKind.ARRAY: "array list vector",
    SymbolKind.OBJECT: "object map instance table view",
    SymbolKind.KEY: "key id label anchor selector element option config citation",
    SymbolKind.NULL: "null",
    SymbolKind.ENUM_MEMBER: "enumerator enumconstant literal",
    SymbolKind.STRUCT: "struct structure record union dataframe",
    SymbolKind.EVENT: "event trigger",
    SymbolKind.OPERATOR: "operator",
    SymbolKind.TYPE_PARAMETER: "tparam generic typeparameter",
}
_KINDS: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_OF_LANGUAGE: Final = {
    ("python", "member"): SymbolKind.METHOD,
    ("rust", "macro"): SymbolKind.FUNCTION,
    ("elixir", "macro"): SymbolKind.FUNCTION,
    ("emacslisp", "macro"): SymbolKind.FUNCTION,
    ("lisp", "macro"): SymbolKind.FUNCTION,
    ("julia", "macro"): SymbolKind.FUNCTION,
    ("make", "macro"): SymbolKind.VARIABLE,
    ("typescript", "alias"): SymbolKind.CLASS,
    ("c++", "alias"): SymbolKind.CLASS,
    ("d", "alias"): SymbolKind.CLASS,
    ("elm", "alias"): SymbolKind.CLASS,
    ("php", "alias"): SymbolKind.CLASS,
}
"""Where a word means something else than in most languages."""

_FIRST_LIKE: Final = {
    SymbolKind.OBJECT: SymbolKind.CLASS,
    SymbolKind.KEY: SymbolKind.STRING,
    SymbolKind.NULL: SymbolKind.VARIABLE,
    SymbolKind.ENUM_MEMBER: SymbolKind.CONSTANT,
    SymbolKind.STRUCT: SymbolKind.CLASS,
    SymbolKind.EVENT: SymbolKind.VARIABLE,
    SymbolKind.OPERATOR: SymbolKind.FUNCTION,
    SymbolKind.TYPE_PARAMETER: SymbolKind.CLASS,
}


def kind_of(word: str, language: str) -> SymbolKind:
    """The kind that a provider calls `word` in `language`; VARIABLE for a word that is not known."""
    word = word.lower()
    return _OF_LANGUAGE.get((language.lower(), word)) or _KINDS.get(word, SymbolKind.VARIABLE)


def understood(kind: SymbolKind, known: Collection[int]) -> SymbolKind:
    """`kind`, or the likest of LSP's first kinds when it is not among those that the client knows."""
    return kind if kind in known else _FIRST_LIKE.get(kind, kind)
