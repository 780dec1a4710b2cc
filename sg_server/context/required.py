"""The literals that every text with a match must hold, for an index to look them up.

Literals are folded, and a fold is never finer than a comparison that ignores case. So the flags of case do
not matter here, but for full case folding, where one character matches several: `syntax` stops at that.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from sg_server.context.store.interface import Required
from sg_server.context.syntax import Atom, Group, Node, Place, Repeat, Tree
from sg_server.text.folding import fold

_INDEXED: Final = 3
"""Code points; an index of trigrams knows nothing shorter."""
_ALTERNATIVES: Final = 16
"""Literals in one group; more would hardly leave a text out."""
_GROUPS: Final = 8
_CHARACTERS: Final = 64
"""Code points after which a literal is long enough, and the next begins."""

_Literals = frozenset[str]
_NOTHING: Final[_Literals] = frozenset({""})


class _Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What a part of a pattern says of the text it matches."""

    exact: _Literals | None
    """All that it can be; None when that is not known."""
    edge: _Literals | None = None
    """Without `exact`: it both begins and ends with one of these."""
    groups: tuple[_Literals, ...] = ()
    """One of each is in it."""


_UNKNOWN: Final = _Needs(exact=None)


def required_by_literal(literal: str) -> Required:
    """What a text that holds `literal`, in whatever case, must hold."""
    return _kept([frozenset({fold(literal)})])


def required_by_regex(tree: Tree) -> Required:
    """What a text must hold in which `tree` matches."""
    needs = _of_branches(tree.branches)
    return _kept(needs.groups if needs.exact is None else [needs.exact])


def _kept(groups: Iterable[_Literals]) -> Required:
    """The groups that an index can use, the most telling first."""
    useful = {group for group in groups if _shortest(group) >= _INDEXED}
    ordered = sorted(useful, key=lambda group: (-_shortest(group), len(group), sorted(group)))
    return tuple(tuple(sorted(group)) for group in ordered[:_GROUPS])


def _shortest(group: AbstractSet[str]) -> int:
    return min(map(len, group))


def _of_node(node: Node) -> _Needs:
    match node:
        case Atom():
            return _Needs(exact=frozenset(map(fold, node.choices)) or None)
        case Place():
            return _Needs(exact=_NOTHING)
        case Group():
            return _Needs(exact=_NOTHING) if node.looks_around else _of_branches(node.branches)
        case Repeat() if node.least > 0:
            once = _of_node(node.item)
            groups = once.groups if once.exact is None else (once.exact,)
            return _Needs(exact=None, edge=once.exact or once.edge, groups=groups)
    return _UNKNOWN


def _of_branches(branches: Sequence[Sequence[Node]]) -> _Needs:
    needs = [_of_sequence(branch) for branch in branches]
    if len(needs) == 1:
        return needs[0]
    exact: set[str] = set()
    for each in needs:
        if each.exact is None:
            break
        exact |= each.exact
    else:
        if len(exact) <= _ALTERNATIVES:
            return _Needs(exact=frozenset(exact))
    either: set[str] = set()
    for each in needs:
        groups = each.groups if each.exact is None else (each.exact,)
        either |= max([_NOTHING, *groups], key=_shortest)
    return _Needs(exact=None, groups=(frozenset(either),) if len(either) <= _ALTERNATIVES else ())


def _of_sequence(nodes: Sequence[Node]) -> _Needs:
    """What follows each other: known parts side by side make longer literals."""
    groups: list[_Literals] = []
    run = _NOTHING
    is_exact = True
    for node in nodes:
        needs = _of_node(node)
        known = needs.exact or needs.edge
        joined = None if known is None else _joined(run, known)
        if needs.exact is not None and joined is not None and _shortest(joined) < _CHARACTERS:
            run = joined
            continue
        is_exact = False
        groups += [run if joined is None else joined, *needs.groups]
        run = known or _NOTHING
    if is_exact:
        return _Needs(exact=run)
    return _Needs(exact=None, groups=(*groups, run))


def _joined(before: _Literals, after: _Literals) -> _Literals | None:
    """Every one before every one after; None when that is too many."""
    if len(before) * len(after) > _ALTERNATIVES:
        return None
    return frozenset(first + second for first in before for second in after)
