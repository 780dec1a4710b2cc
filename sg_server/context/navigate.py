"""`sg.context.navigate`: the outline of one text."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from sg_server import limits
from sg_server.context.outlines import Outline, outline_of
from sg_server.context.params import ContextNavigateParams
from sg_server.context.results import ContextNavigateResult, OutlineNode
from sg_server.context.store.interface import NodeSummary
from sg_server.context.texts import NamedText
from sg_server.engines.structure import StructureReader
from sg_server.text.excerpts import clip_bytes, utf8_size
from sg_server.text.places import Places
from sg_server.text.plain import call, plain
from sg_server.text.positions import TextView
from sg_server.text.sections import Section, shown_to_level, walk

_LINE_BYTES = 400
_SUMMARY_CHARACTERS = 200
_CLOSING_BYTES = 600
"""Of what the text says last: a problem, what is not shown, how to read on."""


async def navigate(
    named: NamedText,
    params: ContextNavigateParams,
    structures: StructureReader,
    summaries: Sequence[NodeSummary],
    view: TextView,
) -> ContextNavigateResult:
    """The outline of `named`, with those of `summaries` whose section is still what it was."""
    outline = await outline_of(named, structures)
    return await asyncio.to_thread(_answer, named, outline, params, summaries, view)


def _answer(
    named: NamedText,
    outline: Outline,
    params: ContextNavigateParams,
    summaries: Sequence[NodeSummary],
    view: TextView,
) -> ContextNavigateResult:
    level, problem = _affordable_level(outline, params.max_depth or limits.OUTLINE_DEPTH)
    root = shown_to_level(outline.root, level)
    told = {(each.node_id, each.char_start, each.char_end): each.summary for each in summaries}
    summary = None if named.entry is None else named.entry.summary
    told[root.node_id, root.start, root.end] = summary or ""
    writer = _Writer(Places(named.text, view), told)
    count = sum(1 for _ in walk(root)) - 1
    return ContextNavigateResult(
        id=named.id,
        uri=named.uri,
        total_chars=len(named.text),
        node_count=count,
        truncated=problem is not None or outline.problem is not None,
        truncated_reason=problem or outline.problem,
        root=writer.node(root),
        text="\n".join(_text(named, root, count, outline, problem)) + "\n",
        provider=outline.provider,
    )


def _affordable_level(outline: Outline, level: int) -> tuple[int, str | None]:
    """The greatest level, `level` at most, of which an answer has room for all nodes, and what that hides."""
    counts: dict[int, int] = {}
    for section in walk(outline.root):
        counts[section.level] = counts.get(section.level, 0) + 1
    total = 0
    for each in range(1, level + 1):
        total += counts.get(each, 0)
        if total > limits.OUTLINE_NODES:
            return (
                each - 1,
                f"sections of level {each} and deeper are left out: they would be {total:,} nodes",
            )
    return level, None


class _Writer:
    """Makes the nodes of an answer."""

    def __init__(self, places: Places, summaries: Mapping[tuple[str, int, int], str]) -> None:
        self._places = places
        self._summaries = summaries

    def node(self, section: Section) -> OutlineNode:
        """`section` and all below it."""
        summary = self._summaries.get((section.node_id, section.start, section.end), "")
        return OutlineNode(
            node_id=section.node_id,
            level=section.level,
            ordinal=section.ordinal,
            title=section.title,
            char_start=section.start,
            char_end=section.end,
            range=self._places.range((section.start, section.end)),
            summary=summary if summary.strip() else None,
            children=tuple(map(self.node, section.children)),
        )


def _text(
    named: NamedText, root: Section, count: int, outline: Outline, problem: str | None
) -> Iterator[str]:
    name = {"id": named.id} if named.id is not None else {"uri": named.uri}
    nodes = "1 section" if count == 1 else f"{count:,} sections"
    yield (
        f"{nodes} in {len(named.text):,} characters ({outline.provider}), as [start-end] nodeId  title; "
        "offsets count code points from 0, ends are exclusive."
    )
    room = limits.RESPONSE_BYTES - _CLOSING_BYTES
    shown = 0
    first = None
    for section in walk(root):
        if section is root:
            continue
        line = clip_bytes(_line(section), _LINE_BYTES)
        room -= utf8_size(line) + 1
        if room < 0:
            break
        shown += 1
        first = first or section
        yield line
    if shown < count:
        yield f"{count - shown:,} more sections follow; the field root has them all."
    for each in (outline.problem, problem):
        if each is not None:
            yield f"PARTIAL: {plain(each)}."
    if first is not None:
        yield f"Read one: {call('sg.context.read', **name, nodeId=first.node_id)}"
    else:
        yield f"Read it: {call('sg.context.read', **name, startLine=1)}"


def _line(section: Section) -> str:
    indent = "  " * (section.node_id.count("/") + 1)
    return f"{indent}[{section.start}-{section.end}] {section.node_id}  {plain(section.title)}"
