"""A pattern made fit for a whole text: it finds there what the original finds in each line alone.

The text is its lines joined by LF; they hold none themselves. So whatever takes a character is kept from
taking an LF. That changes nothing inside a line, and then no way to match can leave the line it began in,
looking around included. Anchors with MULTILINE, and the edges of words, are at an LF what they are at the end
of a text. And where a line starts no match has just ended, since it would have had to take the LF.
"""

from collections.abc import Sequence
from typing import Final

from sg_server import limits
from sg_server.context.syntax import Atom, BackReference, Group, Node, Place, Repeat, Tree

_SEAM: Final = "(?<!(?!))"
"""Always true; `regex` makes one literal of characters only as far as to here."""


def for_whole_text(tree: Tree) -> str:
    """The pattern, for MULTILINE, that finds in joined lines what `tree` finds in each of them."""
    writer = _Writer()
    writer.write_branches(tree.branches)
    return tree.flags + "".join(writer.parts)


class _Writer:
    """Collects the parts of a pattern, and counts characters to know when a seam is due.

    What `regex` prepares for a literal takes it time that grows with the cube of the length, a minute for ten
    thousand times one letter, and no time limit holds meanwhile.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._since_seam = 0

    def write_branches(self, branches: Sequence[Sequence[Node]]) -> None:
        for number, branch in enumerate(branches):
            if number:
                self.parts.append("|")
            for node in branch:
                self._write(node)
                if self._since_seam >= limits.REGEX_LITERAL_CHARACTERS:
                    self.parts.append(_SEAM)
                    self._since_seam = 0

    def _write(self, node: Node) -> None:
        match node:
            case Atom():
                self.parts.append(rf"(?:(?!\n){node.source})" if node.may_take_line_end else node.source)
                self._since_seam += 1
            case Place() | BackReference():
                self.parts.append(node.source)
            case Group():
                self.parts.append(node.opening)
                self.write_branches(node.branches)
                self.parts.append(")")
            case Repeat():
                self._write(node.item)
                self.parts.append(node.source)
