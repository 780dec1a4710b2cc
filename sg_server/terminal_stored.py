"""What the command line prints of stored text: matches, outlines, lists."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sg_server.context.results import ContextGrepResult, EntryRow, GrepRow, OutlineNode
from sg_server.terminal import Palette
from sg_server.text.plain import plain


def row_lines(rows: Sequence[GrepRow], colors: Palette) -> Iterator[str]:
    """Rows of one page: under each text's name its matching lines, or beside it its count."""
    for name, of_text in groupby(rows, key=_name):
        shown_name = f"{colors.path}{plain(name)}{colors.end}"
        for row in of_text:
            if row.line_number is None:
                count = "" if row.count is None else f":{row.count}"
                yield f"{shown_name}{count}"
                continue
            if shown_name:
                yield shown_name
                shown_name = ""
            yield from _match_lines(row, row.line_number, colors)


def _name(row: GrepRow) -> str:
    return row.id or row.uri or ""


def _match_lines(row: GrepRow, number: int, colors: Palette) -> Iterator[str]:
    before, after = row.before or (), row.after or ()
    yield from _context_lines(before, number - len(before), colors)
    column = "" if row.range is None else f"{row.range.start.character + 1}:"
    mark = "…" if row.line_clipped else ""
    yield f"{colors.number}{number}{colors.end}:{column}{plain(row.line or '')}{mark}"
    yield from _context_lines(after, number + 1, colors)
    if before or after:
        yield "--"


def _context_lines(lines: Iterable[str], first: int, colors: Palette) -> Iterator[str]:
    for number, line in enumerate(lines, first):
        yield f"{colors.number}{number}{colors.end}-{plain(line)}"


def grep_notes(incomplete: Iterable[ContextGrepResult]) -> Iterator[str]:
    """What keeps a search from being everything, of the pages where something does."""
    for page in incomplete:
        for id_ in page.timed_out_ids or ():
            yield f"{id_}: the pattern took too long; what it finds there is not counted"
        if "scan-timeout" in page.truncated_reasons:
            yield "the pattern took too long in all texts together; not all were looked at"


def outline_lines(root: OutlineNode, colors: Palette) -> Iterator[str]:
    """Every section, indented by its place: its name, its span in characters, its title and its summary."""
    if root.summary is not None:
        yield plain(root.summary)
    waiting = [(child, 0) for child in reversed(root.children)]
    while waiting:
        node, depth = waiting.pop()
        span = f"{colors.number}{node.char_start}-{node.char_end}{colors.end}"
        yield f"{'  ' * depth}{plain(node.title)}  {colors.path}{plain(node.node_id)}{colors.end}  {span}"
        if node.summary is not None:
            yield f"{'  ' * depth}  {plain(node.summary)}"
        waiting += [(child, depth + 1) for child in reversed(node.children)]


def list_lines(entries: Iterable[EntryRow], colors: Palette) -> Iterator[str]:
    """A line for each entry: id, when it was put, length, what it belongs to, what it is about."""
    for entry in entries:
        about = " ".join([entry.thread_id, *(f"#{tag}" for tag in entry.tags)])
        summary = f"  {entry.summary}" if entry.summary else ""
        length = f"{colors.number}{entry.total_chars}{colors.end}"
        yield f"{colors.path}{entry.id}{colors.end}  {entry.created_at}  {length}  {plain(about + summary)}"
