"""The fold of the trigram indexes: texts that are equal but for case become equal."""

from typing import Final

from sg_server.text.case_ranges import FOLDED_RANGES

_FOLDED: Final = {
    code: code + distance
    for first, last, step, distance in FOLDED_RANGES
    for code in range(first, last + 1, step)
}


def fold(text: str) -> str:
    """`text` with each code point in its simply folded form: one for one, so offsets stay.

    Never finer than a comparison that ignores case: where `regex` takes two code points as equal, both fold
    to the same, whatever Unicode the interpreter has. Indexes on disk are made with it: a change of what it
    answers needs a migration that fills them anew.
    """
    # Both ways lower an ASCII text alike; the first takes a hundredth of the time.
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def trigrams(folded: str) -> set[str]:
    """Every three code points that stand beside each other."""
    return {folded[at : at + 3] for at in range(len(folded) - 2)}
