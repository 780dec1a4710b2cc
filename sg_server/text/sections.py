"""The sections of a text as a tree, each with an id that tells its way from the top."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

ROOT_ID: Final = "root"

_NOT_OF_WORDS: Final = re.compile(r"\W+")
_SEGMENT_CHARACTERS: Final = 64
_NAMELESS: Final = "section"


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What becomes a section: `level` is 1 or more. Offsets are code points, `end` is exclusive."""

    level: int
    title: str
    start: int
    end: int


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the tree. The root has level 0, ordinal 1, no title, and all of the text."""

    node_id: str
    level: int
    ordinal: int
    """1-based, among the children of the parent."""
    title: str
    start: int
    end: int
    children: tuple["Section", ...] = ()


class _Growing:
    """A section whose children are not all known."""

    def __init__(self, part: Part, node_id: str, ordinal: int) -> None:
        self.part = part
        self.node_id = node_id
        self.children: list[Section] = []
        self._ordinal = ordinal
        self._taken = {ROOT_ID} if node_id == ROOT_ID else set()
        self._counts: dict[str, int] = {}
        self._prefix = "" if node_id == ROOT_ID else f"{node_id}/"

    def child(self, part: Part) -> "_Growing":
        """The next child, which has to be grown and added."""
        return _Growing(part, self._prefix + self._free_segment(part.title), len(self.children) + 1)

    def grown(self) -> Section:
        return Section(
            node_id=self.node_id,
            level=self.part.level,
            ordinal=self._ordinal,
            title=self.part.title,
            start=self.part.start,
            end=self.part.end,
            children=tuple(self.children),
        )

    def _free_segment(self, title: str) -> str:
        base = _segment(title)
        count = self._counts.get(base, 0) + 1
        segment = base if count == 1 else f"{base}-{count}"
        while segment in self._taken:
            count += 1
            segment = f"{base}-{count}"
        # No smaller number can come free, so the next of this name goes on from here.
        self._counts[base] = count
        self._taken.add(segment)
        return segment


def section_tree(parts: Iterable[Part], length: int) -> Section:
    """The tree of `parts`, which come by position, in a text of `length` code points.

    The parent of each is the nearest part before it that has a smaller level, else the root.
    """
    growing = [_Growing(Part(level=0, title="", start=0, end=length), ROOT_ID, 1)]

    def close() -> None:
        section = growing.pop().grown()
        growing[-1].children.append(section)

    for part in parts:
        while growing[-1].part.level >= part.level:
            close()
        growing.append(growing[-1].child(part))
    while len(growing) > 1:
        close()
    return growing[0].grown()


def walk(section: Section) -> Iterator[Section]:
    """`section` and all below it, in order of position."""
    waiting = [section]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def shown_to_level(section: Section, level: int) -> Section:
    """`section` without those below it whose level is greater; what is left keeps its name."""
    children = tuple(shown_to_level(child, level) for child in section.children if child.level <= level)
    return msgspec.structs.replace(section, children=children)


def _segment(title: str) -> str:
    words = _NOT_OF_WORDS.sub("-", title.strip().lower()).strip("-")
    return words[:_SEGMENT_CHARACTERS].rstrip("-") or _NAMELESS
