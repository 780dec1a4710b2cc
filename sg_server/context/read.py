"""`sg.context.read`: one span of one text."""

import asyncio
import difflib
from typing import Final

from sg_server import limits
from sg_server.context.outlines import outline_of
from sg_server.context.params import ContextReadParams
from sg_server.context.results import ContextReadResult
from sg_server.context.texts import NamedText
from sg_server.engines.structure import StructureReader
from sg_server.errors import InvalidParams
from sg_server.text.entry_lines import EntryLines
from sg_server.text.excerpts import clip_bytes
from sg_server.text.places import Places
from sg_server.text.positions import Span, TextView
from sg_server.text.sections import Section, walk

_NEAREST: Final = 3
_COMPARED: Final = 2_000
"""Ids that are compared with one that is not there: comparing is slow."""


async def read(
    named: NamedText, params: ContextReadParams, structures: StructureReader, view: TextView
) -> ContextReadResult:
    """The span of `named` that `params` addresses. Raises InvalidParams."""
    check_address(params)
    root = None if params.node_id is None else (await outline_of(named, structures)).root
    return await asyncio.to_thread(_answer, named, params, root, view)


def check_address(params: ContextReadParams) -> None:
    """Raise InvalidParams unless `params` addresses a span in exactly one way."""
    forms = {
        "nodeId": params.node_id is not None,
        "startChar": params.start_char is not None or params.end_char is not None,
        "startLine": params.start_line is not None or params.end_line is not None,
    }
    given = [field for field, is_given in forms.items() if is_given]
    if len(given) != 1:
        message = "give one of nodeId, startChar and endChar, startLine and endLine"
        raise InvalidParams(given[0] if given else "startChar", message)


def _answer(
    named: NamedText, params: ContextReadParams, root: Section | None, view: TextView
) -> ContextReadResult:
    lines = EntryLines(named.text)
    numbers = None
    if root is not None:
        span = _node_span(root, params.node_id or "")
    elif params.start_line is not None or params.end_line is not None:
        numbers = _line_numbers(params, lines.count)
        span = lines.span(numbers[0])[0], lines.span(numbers[1])[1]
    else:
        span = _char_span(params, len(named.text))
    text = clip_bytes(named.text[slice(*span)], limits.READ_BYTES)
    start, end = span[0], span[0] + len(text)
    is_cut = end < span[1]
    if numbers is None or is_cut:
        numbers = lines.number_at(start), lines.number_at(max(start, end - 1))
    return ContextReadResult(
        id=named.id,
        uri=named.uri,
        start_char=start,
        end_char=end,
        start_line=numbers[0],
        end_line=numbers[1],
        range=Places(named.text, view).range((start, end)),
        text=text,
        truncated=is_cut,
        next=ContextReadParams(id=named.id, uri=named.uri, start_char=end, end_char=span[1])
        if is_cut
        else None,
    )


def _char_span(params: ContextReadParams, length: int) -> Span:
    start = min(max(params.start_char or 0, 0), length)
    end = length if params.end_char is None else min(max(params.end_char, 0), length)
    return start, max(start, end)


def _line_numbers(params: ContextReadParams, count: int) -> Span:
    """The first and the last line, both inclusive."""
    first = min(max(1 if params.start_line is None else params.start_line, 1), count)
    last = count if params.end_line is None else min(max(params.end_line, 1), count)
    return first, max(first, last)


def _node_span(root: Section, node_id: str) -> Span:
    ids = []
    for section in walk(root):
        if section.node_id == node_id:
            return section.start, section.end
        ids.append(section.node_id)
    nearest = ", ".join(_nearest(node_id, ids))
    raise InvalidParams("nodeId", f"there is no {node_id!r}; the nearest are {nearest}")


def _nearest(node_id: str, ids: list[str]) -> list[str]:
    """The ids that are likest to `node_id`: with the same last name first."""
    name = node_id.rpartition("/")[2]
    same = [each for each in ids if each.rpartition("/")[2] == name]
    alike = difflib.get_close_matches(node_id, ids[:_COMPARED], n=_NEAREST, cutoff=0)
    return list(dict.fromkeys([*same[:_NEAREST], *alike]))[:_NEAREST]
