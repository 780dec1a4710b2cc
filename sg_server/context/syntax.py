"""The common part of `regex`'s syntax as a tree: what a pattern needs, and what a line end is to it.

Whatever this module does not know for certain makes `parse` answer None: fuzzy matching, verbose mode,
version 1, set operations, conditionals, calls of groups, verbs, comments, flags that change inside a pattern.
"""

import math
import re
import sys
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

_LEADING_FLAGS: Final = re.compile(r"\(\?([imsuar]+)\)")
_COUNT: Final = re.compile(r"\{(?:(\d+)|(\d*),(\d*))\}")
_GROUP: Final = re.compile(r"\((?:\?(?:[ims]*:|P?<(?!\d)\w+>|>|=|!|<=|<!)|(?![?*]))")
_BACK_REFERENCE: Final = re.compile(r"\\[1-9](?!\d)|\(\?P=(?!\d)\w+\)")
_HEXADECIMAL: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(00[01][0-9a-fA-F]{5}))")
_PROPERTY: Final = re.compile(r"\\[pP]\{\^?[\w &.:=-]+\}")
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CLASSES: Final = {"d": r"\d", "w": r"\w", "S": r"\S", "s": r"[^\S\n]", "D": r"[^\d\n]", "W": r"[^\w\n]"}
"""Escapes that mean many characters, and how each is said without LF."""
_PLACES: Final = {"b": r"\b", "B": r"\B", "m": r"\m", "M": r"\M", "A": "^", "Z": "$", "z": "$"}
"""Escapes that take no character, and how each is said of a line among others; `^` and `$` are of lines."""
_QUANTIFIERS: Final = {"*": 0, "?": 0, "+": 1}
_UNDERSTOOD_ESCAPES: Final = frozenset(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CHOICES: Final = 8
"""A set of more characters is any character to those who look for literals."""


class Atom(msgspec.Struct, frozen=True, kw_only=True):
    """Takes one character: one of `choices`, or one that is not known when there are none."""

    source: str
    choices: tuple[str, ...] = ()
    may_take_line_end: bool = False


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Takes nothing: an anchor or a word's edge. `source` is right for a line among others."""

    source: str


class BackReference(msgspec.Struct, frozen=True, kw_only=True):
    """Takes what a group has taken."""

    source: str


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """`opening` is all before the branches, such as `(?P<name>`."""

    opening: str
    branches: "tuple[tuple[Node, ...], ...]"

    @property
    def looks_around(self) -> bool:
        """Whether it takes nothing."""
        return self.opening in ("(?=", "(?!", "(?<=", "(?<!")


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is the quantifier."""

    item: "Atom | BackReference | Group"
    least: int
    source: str


Node = Atom | Place | BackReference | Group | Repeat


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern: its leading flags as they are written, and its branches."""

    flags: str
    branches: tuple[tuple[Node, ...], ...]


def size(branches: Iterable[Iterable[Node]]) -> int:
    """How many parts `regex` makes of `branches`: a part with a count is copied so many times."""
    return sum(_node_size(node) for branch in branches for node in branch)


def _node_size(node: Node) -> int:
    match node:
        case Group():
            return 1 + size(node.branches)
        case Repeat():
            return max(node.least, 1) * _node_size(node.item)
    return 1


class _NotUnderstood(Exception):
    """The pattern has something that this module does not know for certain."""


class _Taken(NamedTuple):
    node: Node
    end: int


def most_size(pattern: str) -> int:
    """No less than the size of `pattern`, understood or not."""
    counts = (int(count[1] or count[2] or 1) for count in _COUNT.finditer(pattern))
    return len(pattern) * math.prod(max(count, 1) for count in counts)


def parse(pattern: str) -> Tree | None:
    """The tree of `pattern`, which is for MULTILINE; None when not all is understood.

    Only what `regex` accepts has a tree that means something.
    """
    flags = _LEADING_FLAGS.match(pattern)
    start = flags.end() if flags else 0
    try:
        branches, end = _branches(pattern, start, depth=0)
    except (_NotUnderstood, RecursionError):
        return None
    if end < len(pattern):
        return None
    return Tree(flags=flags[0] if flags else "", branches=branches)


def _branches(pattern: str, start: int, *, depth: int) -> tuple[tuple[tuple[Node, ...], ...], int]:
    """The alternatives from `start` to the parenthesis that ends them, or to the end, and where that is."""
    branches: list[tuple[Node, ...]] = []
    nodes: list[Node] = []
    offset = start
    while offset < len(pattern):
        character = pattern[offset]
        if character == ")" and depth:
            break
        if character == "|":
            branches.append(tuple(nodes))
            nodes = []
            offset += 1
            continue
        taken = _quantified(pattern, _item(pattern, offset, depth=depth))
        nodes.append(taken.node)
        offset = taken.end
    return (*branches, tuple(nodes)), offset


def _quantified(pattern: str, taken: _Taken) -> _Taken:
    """`taken`, with the quantifier that follows it if there is one."""
    node, start = taken
    least, end = _quantifier(pattern, start)
    if end == start:
        return taken
    # A repeated place, or look around, means what `regex` makes of it.
    if isinstance(node, Place | Repeat) or (isinstance(node, Group) and node.looks_around):
        raise _NotUnderstood
    if pattern[end : end + 1] in ("?", "+"):
        end += 1
    if pattern[end : end + 1] in ("*", "+", "?", "{"):
        raise _NotUnderstood
    return _Taken(Repeat(item=node, least=least, source=pattern[start:end]), end)


def _quantifier(pattern: str, start: int) -> tuple[int, int]:
    """The least count of the quantifier at `start` and where it ends: at `start` when there is none."""
    character = pattern[start : start + 1]
    if character in _QUANTIFIERS:
        return _QUANTIFIERS[character], start + 1
    if character != "{":
        return 0, start
    count = _COUNT.match(pattern, start)
    if count is None:
        raise _NotUnderstood  # a fuzzy match, or a brace that stands for itself
    return int(count[1] or count[2] or 0), count.end()


def _item(pattern: str, offset: int, *, depth: int) -> _Taken:
    character = pattern[offset]
    if character == "(":
        return _group(pattern, offset, depth=depth)
    if character == "[":
        return _Taken(*_set(pattern, offset))
    if character == "\\":
        return _escape(pattern, offset)
    if character in "^$":
        return _Taken(Place(source=character), offset + 1)
    if character == ".":
        # With DOTALL it takes all of a line, and without it takes all of a line too.
        return _Taken(Atom(source=r"[^\n]"), offset + 1)
    if character in "*+?{)":
        raise _NotUnderstood
    return _Taken(_literal(character, character), offset + 1)


def _group(pattern: str, start: int, *, depth: int) -> _Taken:
    if reference := _BACK_REFERENCE.match(pattern, start):
        return _Taken(BackReference(source=reference[0]), reference.end())
    opening = _GROUP.match(pattern, start)
    if opening is None:
        raise _NotUnderstood
    branches, end = _branches(pattern, opening.end(), depth=depth + 1)
    if end == len(pattern):
        raise _NotUnderstood
    return _Taken(Group(opening=opening[0], branches=branches), end + 1)


def _escape(pattern: str, start: int) -> _Taken:
    if reference := _BACK_REFERENCE.match(pattern, start):
        return _Taken(BackReference(source=reference[0]), reference.end())
    letter = pattern[start + 1 : start + 2]
    if letter in _PLACES:
        return _Taken(Place(source=_PLACES[letter]), start + 2)
    if letter in _CLASSES:
        return _Taken(Atom(source=_CLASSES[letter]), start + 2)
    return _Taken(*_escaped_atom(pattern, start))


def _escaped_atom(pattern: str, start: int) -> tuple[Atom, int]:
    """The escape at `start` that takes one character, in a set or outside, and where it ends."""
    if found := _PROPERTY.match(pattern, start):
        return Atom(source=found[0], may_take_line_end=True), found.end()
    if found := _HEXADECIMAL.match(pattern, start):
        code = int(found[1] or found[2] or found[3], 16)
        if code > sys.maxunicode:
            raise _NotUnderstood
        return _literal(found[0], chr(code)), found.end()
    letter = pattern[start + 1 : start + 2]
    source, end = pattern[start : start + 2], start + 2
    if letter in _CLASSES:
        return Atom(source=source, may_take_line_end=_CLASSES[letter] != source), end
    if letter in _CONTROLS:
        return _literal(source, _CONTROLS[letter]), end
    if letter in _UNDERSTOOD_ESCAPES:
        return _literal(source, letter), end
    raise _NotUnderstood


def _literal(source: str, character: str) -> Atom:
    return Atom(source=source, choices=(character,), may_take_line_end=character == "\n")


def _set(pattern: str, start: int) -> tuple[Atom, int]:
    negated = pattern.startswith("[^", start)
    offset = first = start + 1 + negated
    choices: list[str] = []
    is_known = not negated
    may_take_line_end = negated
    while offset == first or not pattern.startswith("]", offset):
        low, offset = _set_member(pattern, offset)
        may_take_line_end |= low.may_take_line_end
        if pattern.startswith("-", offset) and not pattern.startswith("-]", offset):
            high, offset = _set_member(pattern, offset + 1)
            if not low.choices or not high.choices:
                raise _NotUnderstood
            may_take_line_end |= low.choices[0] <= "\n" <= high.choices[0]
            is_known = False
        is_known = is_known and bool(low.choices)
        choices += low.choices
    source = pattern[start : offset + 1]
    if negated and pattern[first] != "-":
        source, may_take_line_end = rf"[^\n{source[2:]}", False
    known = tuple(choices) if is_known and len(choices) <= _CHOICES else ()
    return Atom(source=source, choices=known, may_take_line_end=may_take_line_end), offset + 1


def _set_member(pattern: str, offset: int) -> tuple[Atom, int]:
    character = pattern[offset : offset + 1]
    # A bracket that opens may begin a class of POSIX's; one that closes comes first and stands for itself.
    if character in ("", "[", "]"):
        raise _NotUnderstood
    if character == "\\":
        return _escaped_atom(pattern, offset)
    return _literal(character, character), offset + 1
