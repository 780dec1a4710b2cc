"""tree-sitter, the second provider of symbols: one parse, and the definitions a query finds in it."""

import importlib
import importlib.util
import re
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata, resources
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from sg_server import limits
from sg_server.engines.grammars import GRAMMARS, Grammar, grammar_for
from sg_server.engines.symbols import Structure, Symbol

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

_READ_BYTES: Final = 64 * limits.KIB
_DEEPEST: Final = 8_000
"""Levels of a tree that are searched: past 65,535 of them a query takes minutes."""
_BLANKS_AND_COMMENTS: Final = re.compile(rb"(?:\s|(?:#|--|//)[^\n]*)*+")
_MOST_LEFTOVERS: Final = 2_000
"""Tokens in one error that a query passes in good time: it looks ahead from each to the last."""


class TreeSitterCapabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What is installed: tree-sitter's version (None: not installed) and the languages with a grammar."""

    version: str | None
    languages: tuple[str, ...]
    missing: tuple[str, ...]


class TreeSitter:
    """Parses texts within `seconds` each. Grammars are loaded when first asked for, and kept."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loaded: dict[str, _Loaded] = {}

    def capabilities(self) -> TreeSitterCapabilities:
        """What is installed; nothing is loaded."""
        try:
            version = metadata.version("tree-sitter")
        except metadata.PackageNotFoundError:
            return TreeSitterCapabilities(
                version=None, languages=(), missing=tuple(grammar.language for grammar in GRAMMARS)
            )
        found = {
            grammar.language: importlib.util.find_spec(grammar.module) is not None for grammar in GRAMMARS
        }
        return TreeSitterCapabilities(
            version=version,
            languages=tuple(language for language, is_there in found.items() if is_there),
            missing=tuple(language for language, is_there in found.items() if not is_there),
        )

    def structure_of(self, basename: str, text: bytes) -> Structure:
        """The proven symbols of `text` (UTF-8), whose language is told by `basename` or a `#!` line.

        Takes up to `seconds` of one core and gives way to other threads meanwhile.
        """
        grammar = grammar_for(basename, text)
        if grammar is None:
            return Structure(status="unsupported-range", detail="there is no grammar for this kind of file")
        if refusal := _refusal(text):
            return refusal
        try:
            loaded = self._load(grammar)
        except (ImportError, ValueError) as error:
            return Structure(status="provider-unavailable", detail=f"no usable {grammar.module}: {error}")
        try:
            tree = _parsed(loaded.language, text, time.monotonic() + self._seconds)
        except TimeoutError:
            return Structure(status="oversized", detail=f"parsing took longer than {self._seconds:g} seconds")
        return _structure(grammar, loaded.query, tree, text)

    def _load(self, grammar: Grammar) -> "_Loaded":
        """Raises ImportError without the wheels, ValueError for wheels that do not fit each other."""
        if grammar.language not in self._loaded:
            from tree_sitter import Language, Query  # noqa: PLC0415

            module = importlib.import_module(grammar.module)
            language = Language(getattr(module, grammar.factory)())
            folder = resources.files("sg_server.engines") / "queries"
            sources = [(folder / f"{name}.scm").read_text("utf-8") for name in grammar.queries]
            query = Query(language, "\n".join(sources))
            self._loaded[grammar.language] = _Loaded(language, query)
        return self._loaded[grammar.language]


class _Loaded(NamedTuple):
    language: "Language"
    query: "Query"


class _Definition(NamedTuple):
    """A node that a query marked. `scope` encloses it by name only, as the type of a Go method does."""

    node: "Node"
    kind: str
    name: str
    scope: str | None


class _Scope(NamedTuple):
    """A definition that others may lie in, and what their `container` says then."""

    end_byte: int
    container: str


def _refusal(text: bytes) -> Structure | None:
    """Why `text` is not parsed, or None when it is."""
    if len(text) > limits.TREE_SITTER_BYTES:
        detail = f"tree-sitter is given {limits.TREE_SITTER_BYTES} bytes at most"
        return Structure(status="oversized", detail=detail)
    if b"\0" in text:
        # The scanner of Bash takes time without end over them, and no grammar has a place for one.
        return Structure(status="parse-error", detail="the text holds NUL bytes")
    return None


def _structure(grammar: Grammar, query: "Query", tree: "Tree", text: bytes) -> Structure:
    broken = _broken_nodes(tree.root_node)
    if any(node.child_count > _MOST_LEFTOVERS for node in broken):
        return Structure(status="parse-error", detail=f"the text does not read as {grammar.language}")
    proof = _Proof(text, broken, grammar.closers)
    proven = (each for each in _definitions(query, tree, text) if proof.holds(each.node))
    symbols = tuple(_symbols(proven, grammar.language))
    if not broken:
        return Structure(status="available", symbols=symbols)
    line = 1 + min(node.start_point.row for node in broken)
    detail = f"the text has errors of syntax, the first on line {line}"
    return Structure(status="parse-error", symbols=symbols, detail=detail)


def _parsed(language: "Language", text: bytes, deadline: float) -> "Tree":
    """The tree of `text`. Raises TimeoutError past `deadline` (monotonic, seconds).

    The text is handed over in pieces because only then does tree-sitter ask on its way whether to go on;
    without that it keeps other threads waiting until the whole text is parsed.
    """
    from tree_sitter import Parser  # noqa: PLC0415

    try:
        return Parser(language).parse(
            lambda offset, _point: text[offset : offset + _READ_BYTES],
            progress_callback=lambda _offset, _has_error: time.monotonic() > deadline,
        )
    except ValueError as error:  # what an interrupted parse ends in
        raise TimeoutError from error


def _broken_nodes(root: "Node") -> list["Node"]:
    """What the parser could not read, and the tokens it made up to go on."""
    broken = []
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            broken.append(node)
        pending += (child for child in node.children if child.has_error)
    return broken


def _definitions(query: "Query", tree: "Tree", text: bytes) -> list[_Definition]:
    """One definition for each marked node, in order, an enclosing one before what it encloses."""
    from tree_sitter import QueryCursor  # noqa: PLC0415

    cursor = QueryCursor(query)
    cursor.set_max_start_depth(_DEEPEST)
    first: dict[int, tuple[int, _Definition]] = {}
    for pattern, captures in cursor.matches(tree.root_node):
        (kind,) = captures.keys() - {"name", "scope"}
        node = captures[kind][0]
        if node.id not in first or pattern < first[node.id][0]:
            scope = captures.get("scope")
            first[node.id] = (
                pattern,
                _Definition(
                    node=node,
                    kind=kind,
                    name=_text_of(captures["name"][0], text),
                    scope=_text_of(scope[0], text) if scope else None,
                ),
            )
    definitions = [definition for _, definition in first.values()]
    return sorted(definitions, key=lambda definition: (definition.node.start_byte, -definition.node.end_byte))


def _text_of(node: "Node", text: bytes) -> str:
    """The source of `node` on one line."""
    return _clipped(" ".join(text[node.start_byte : node.end_byte].decode("utf-8", "replace").split()))


def _inside(container: str | None, name: str) -> str:
    return name if container is None else _clipped(f"{container}.{name}")


def _clipped(name: str) -> str:
    """The end of a name too long to show; without a bound, deep nesting would cost its depth squared."""
    return name if len(name) <= limits.LINE_CHARACTERS else "…" + name[1 - limits.LINE_CHARACTERS :]


def _symbols(definitions: Iterable[_Definition], language: str) -> Iterator[Symbol]:
    enclosing: list[_Scope] = []
    for node, kind, name, scope in definitions:
        while enclosing and enclosing[-1].end_byte <= node.start_byte:
            enclosing.pop()
        container = enclosing[-1].container if enclosing else None
        if scope is not None:
            container = _inside(container, scope)
        enclosing.append(_Scope(node.end_byte, _inside(container, name)))
        start, end = node.start_point, node.end_point
        # Some nodes take the line break behind them along.
        ends_before_its_row = end.column == 0 and end.row > start.row
        yield Symbol(
            name=name,
            kind=kind,
            container=container,
            language=language,
            start_line=start.row + 1,
            end_line=end.row if ends_before_its_row else end.row + 1,
            provider="tree-sitter",
        )


class _Proof:
    """Tells which ends of definitions stand in spite of errors of syntax.

    Behind a closing token nothing moves the end, and inside only what may have taken that token for its own:
    any error, or just an unbalanced brace where the token is one. Without a closing token, as in Python, an
    error right behind may also be the rest of the definition.
    """

    def __init__(self, text: bytes, broken: Sequence["Node"], closers: tuple[bytes, ...]) -> None:
        self._text = text
        self._closers = closers
        self._broken = sorted(node.start_byte for node in broken)
        self._made_up = {node.start_byte for node in broken if node.is_missing}
        self._moving = self._broken
        if b"}" in closers:
            self._moving = sorted(node.start_byte for node in broken if self._unbalances_braces(node))

    def holds(self, node: "Node") -> bool:
        """Whether the end of `node` is proven."""
        if not self._broken:
            return True
        if self._text.endswith(self._closers, node.start_byte, node.end_byte):
            return node.end_byte <= _next_from(self._moving, node.start_byte) and not self._is_cut_off(node)
        return self._code_after(node) < _next_from(self._broken, node.start_byte)

    def _unbalances_braces(self, broken: "Node") -> bool:
        if broken.is_missing:
            return broken.type in {"{", "}"}
        opening, closing = (self._text.count(brace, *broken.byte_range) for brace in (b"{", b"}"))
        return opening != closing

    def _code_after(self, node: "Node") -> int:
        """Where the next code begins behind `node`."""
        between = _BLANKS_AND_COMMENTS.match(self._text, node.end_byte)
        return node.end_byte if between is None else between.end()

    def _is_cut_off(self, node: "Node") -> bool:
        """Whether the last token of `node` is one that the parser had to make up."""
        if node.end_byte not in self._made_up:
            return False
        while node.child_count:
            node = node.child(node.child_count - 1)
        return node.is_missing


def _next_from(offsets: Sequence[int], start: int) -> float:
    """The first of the ascending `offsets` that is not before `start`."""
    index = bisect_left(offsets, start)
    return offsets[index] if index < len(offsets) else inf
