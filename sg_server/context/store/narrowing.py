"""From the literals that a pattern requires to the trigrams that an index is asked for."""

from collections.abc import Iterable

from sg_server import limits
from sg_server.context.store.interface import Required

Trigrams = tuple[str, ...]
"""A text must have all of them."""
Narrowing = tuple[tuple[Trigrams, ...], ...]
"""A text must satisfy one alternative of each group: an empty group fits none, without groups all fit."""

_TRIGRAM = 3


def narrowing(required: Required) -> Narrowing:
    """What an index can be asked: every text that satisfies `required` satisfies this too."""
    groups = [tuple(filter(_is_storable, group)) for group in required]
    if () in groups:
        return ((),)
    useful = [group for group in groups if _narrows(group)]
    return tuple(tuple(_spread(literal) for literal in group) for group in _affordable(useful))


def _is_storable(literal: str) -> bool:
    """Whether a text that was accepted by the store could hold this."""
    return "\0" not in literal and not any("\ud800" <= one <= "\udfff" for one in literal)


def _narrows(group: tuple[str, ...]) -> bool:
    return len(group) <= limits.INDEXED_LITERALS and min(map(len, group)) >= _TRIGRAM


def _affordable(groups: Iterable[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    """The groups that say most, until there are too many literals: a text seldom has a long one by chance."""
    left = limits.INDEXED_LITERALS
    for group in sorted(groups, key=lambda group: (len(group), -min(map(len, group)))):
        left -= len(group)
        if left < 0:
            return
        yield group


def _spread(literal: str) -> Trigrams:
    """Trigrams from all over a literal, each once."""
    last = len(literal) - _TRIGRAM
    count = min(last + 1, limits.INDEXED_TRIGRAMS)
    starts = {round(at * last / max(1, count - 1)) for at in range(count)}
    return tuple(dict.fromkeys(literal[start : start + _TRIGRAM] for start in sorted(starts)))
