"""The answer of a grep: its page as rows and as text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sg_server import limits
from sg_server.context.cursors import GrepCursor
from sg_server.context.grep_page import GrepPage, ShownRow
from sg_server.context.grep_request import GrepRequest
from sg_server.context.results import ContextGrepResult, TruncatedReason
from sg_server.text.excerpts import utf8_size
from sg_server.text.plain import call, counted, plain

_TAIL_BYTES: Final = 1_000
"""For what the text says last, the cursors' names of texts left out."""
_NAMED: Final = 5
_AROUND_LINES: Final = 2


def answer(request: GrepRequest, page: GrepPage, encode: Callable[[GrepCursor], str]) -> ContextGrepResult:
    """The whole answer. `encode` makes a word of a cursor."""
    cursor = None if page.next is None else encode(page.next)
    return ContextGrepResult(
        mode=request.mode,
        total_matches=page.total,
        truncated=bool(page.reasons),
        truncated_reasons=tuple(page.reasons),
        results=tuple(shown.row for shown in page.rows),
        text="\n".join(_text(request, page, cursor, encode)) + "\n",
        timed_out_ids=tuple(page.timed_out) or None,
        cursor=cursor,
    )


def _text(
    request: GrepRequest, page: GrepPage, cursor: str | None, encode: Callable[[GrepCursor], str]
) -> Iterator[str]:
    head = [_totals(request, page), *(_partial(reason, request, page) for reason in page.reasons)]
    if page.rows:
        head.append(_LEGENDS[request.mode])
    longest = max((utf8_size(shown.key) for shown in page.rows), default=0)
    room = limits.RESPONSE_BYTES - _size(head) - _TAIL_BYTES - 4 * longest
    body, count = _body(page.rows, room)
    yield from head
    yield from body
    yield ""
    if count < len(page.rows):
        rest, place = len(page.rows) - count, page.rows[count].place
        words = "row follows" if rest == 1 else "rows follow"
        yield f"{rest:,} more {words} in `results`, without room here."
        if place is not None:
            yield _more(encode(place))
    elif cursor is not None:
        yield _more(cursor)
    else:
        yield "No more matches follow."
    if page.rows and request.mode == "content":
        yield _reading(page.rows[0])
    elif page.rows:
        yield 'Their lines: the same request with "outputMode":"content".'


def _totals(request: GrepRequest, page: GrepPage) -> str:
    texts = len({shown.key for shown in page.rows})
    found = f"{counted(page.total, 'match')} in {counted(texts, 'text')}"
    where = "" if request.cursor is None else "From the cursor on: "
    complete = "" if page.reasons else "; complete"
    return f"{where}{found}; {counted(page.looked_at, 'text')} looked at{complete}."


def _partial(reason: TruncatedReason, request: GrepRequest, page: GrepPage) -> str:
    said = {
        "matches": f"there are more matches; maxMatches is {request.max_matches:,}",
        "entries": f"only {page.looked_at:,} texts were looked at, the newest",
        "regex-timeout": (
            f"the pattern took more than {request.text_seconds:g} s in "
            f"{counted(len(page.timed_out), 'text')}, left out: {_names(page.timed_out)}"
        ),
        "scan-timeout": f"the time of {request.seconds:g} s for all texts is up",
        "rows": f"one answer has room for {limits.GREP_ROWS_BYTES // limits.MIB} MiB of rows",
    }
    return f"PARTIAL ({reason}): {said[reason]}."


_LEGENDS: Final = {
    "content": "Matches as line [start-end] text; offsets count code points of the whole text from 0.",
    "files_with_matches": "Texts with their matches, counted to the end of each:",
    "count": "Texts with their matches, counted to the end of each:",
}


def _body(rows: Sequence[ShownRow], room: int) -> tuple[list[str], int]:
    """The lines of as many rows as fit, one at least, and how many those are."""
    lines: list[str] = []
    last: ShownRow | None = None
    last_number = 0
    for count, shown in enumerate(rows):
        same_text = last is not None and last.key == shown.key
        added, number = _row_lines(shown, last if same_text else None, last_number if same_text else 0)
        following = rows[count + 1] if count + 1 < len(rows) else None
        added, number = _with_after(added, number, shown, following)
        room -= _size(added)
        if room < 0 and lines:
            return lines, count
        lines += added
        last, last_number = shown, number
    return lines, len(rows)


def _row_lines(shown: ShownRow, last: ShownRow | None, last_number: int) -> tuple[list[str], int]:
    """What is said of a row up to its match, and the last line shown; `last` is the row before it."""
    row = shown.row
    if row.line_number is None or row.line is None:
        return [f"{row.match_count or row.count:>6,}  {plain(shown.key)}"], 0
    lines = [] if last is not None else [plain(shown.key)]
    before = row.before or ()
    for number, text in enumerate(before, row.line_number - len(before)):
        if number > last_number:
            lines.append(f"  {number}- {plain(text)}")
    span = f"[{row.match_start}-{row.match_end}]"
    if last is not None and (last.row.line_number, last.row.line) == (row.line_number, row.line):
        lines.append(f"  {row.line_number} {span} on the same line")
    else:
        cut_before, cut_after = "…" if shown.cut_before else "", "…" if shown.cut_after else ""
        lines.append(f"  {row.line_number} {span} {cut_before}{plain(row.line)}{cut_after}")
    return lines, max(last_number, row.line_number)


def _with_after(
    lines: list[str], last_number: int, shown: ShownRow, following: ShownRow | None
) -> tuple[list[str], int]:
    """`lines` and the context after them, as far as the next row of the same text does not show it."""
    row = shown.row
    if row.line_number is None:
        return lines, last_number
    stop = None
    if following is not None and following.key == shown.key:
        stop = following.row.line_number
    for number, text in enumerate(row.after or (), row.line_number + 1):
        if number > last_number and (stop is None or number < stop):
            lines.append(f"  {number}- {plain(text)}")
            last_number = number
    return lines, last_number


def _reading(shown: ShownRow) -> str:
    row = shown.row
    line = row.line_number or 1
    name = {"id": row.id} if row.id is not None else {"uri": row.uri}
    first, last = max(1, line - _AROUND_LINES), line + _AROUND_LINES
    return f"Around one: {call('sg.context.read', **name, startLine=first, endLine=last)}"


def _more(cursor: str) -> str:
    return f'More: the same request with "cursor":"{cursor}"'


def _names(keys: Sequence[str]) -> str:
    shown = ", ".join(plain(key) for key in keys[:_NAMED])
    return shown if len(keys) <= _NAMED else f"{shown} and {len(keys) - _NAMED:,} more"


def _size(lines: Sequence[str]) -> int:
    return sum(utf8_size(line) + 1 for line in lines)
