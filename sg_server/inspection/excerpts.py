"""Which lines are shown: around each target, each line once, within one budget of bytes."""

from collections.abc import Sequence
from typing import Final

import msgspec

from sg_server import limits
from sg_server.inspection.findings import Finding
from sg_server.inspection.lines import SourceLines
from sg_server.text.excerpts import Clip, clip_around, utf8_size
from sg_server.text.plain import plain
from sg_server.text.positions import Span

_AROUND: Final = 2 * limits.CONTEXT_LINES_MAX
"""Lines either side of a target that no symbol encloses."""


class Sheet:
    """The lines of one text as they are shown: cut around what is looked for in them."""

    def __init__(self, lines: SourceLines, findings: Sequence[Finding]) -> None:
        self.lines = lines
        self._width = len(str(lines.count))
        self._targets = {finding.line for finding in findings}
        self._focus: dict[int, Span] = {}
        for finding in findings:
            start, end = _columns(finding, lines)
            kept_start, kept_end = self._focus.get(finding.line, (start, end))
            self._focus[finding.line] = (min(start, kept_start), max(end, kept_end))
        # A line is first priced, and then shown in several ways.
        self._clips: dict[int, Clip] = {}
        self._rows: dict[int, str] = {}

    def clip(self, line: int) -> Clip:
        """A line, at most `limits.LINE_CHARACTERS` of it."""
        if line not in self._clips:
            whole = self.lines.shown(line)
            self._clips[line] = clip_around(whole, *self._focus.get(line, (0, 0)), limits.LINE_CHARACTERS)
        return self._clips[line]

    def row(self, line: int) -> str:
        """A line of the answer's text; `>` marks a target."""
        if line not in self._rows:
            clip = self.clip(line)
            before = "…" if clip.start else ""
            after = "…" if clip.start + len(clip.text) < len(self.lines.shown(line)) else ""
            mark = ">" if line in self._targets else " "
            self._rows[line] = f"{line:>{self._width}}{mark} {before}{plain(clip.text)}{after}"
        return self._rows[line]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The lines first to last, both inclusive, that are shown for a target.

    `whole` is what they are a part of: the lines of the symbol or, without one, of the text.
    """

    first: int
    last: int
    whole: Span
    is_cut: bool
    """More would have been shown with more room."""

    @property
    def omitted(self) -> Span:
        """How many lines of `whole` come before and after."""
        return self.first - self.whole[0], self.whole[1] - self.last


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive lines first to last, both inclusive, that the windows of `members` make up."""

    sheet: Sheet
    first: int
    last: int
    members: tuple[int, ...]
    """Indices of findings, ascending."""


def sheets(findings: Sequence[Finding]) -> dict[int, Sheet]:
    """The sheet of each finding that has a text, by index; one for all findings in the same text."""
    in_text: dict[int, list[int]] = {}
    for index, finding in enumerate(findings):
        if finding.lines is not None:
            in_text.setdefault(id(finding.lines), []).append(index)
    made: dict[int, Sheet] = {}
    for indices in in_text.values():
        lines = findings[indices[0]].lines
        if lines is not None:
            sheet = Sheet(lines, [findings[index] for index in indices])
            made |= dict.fromkeys(indices, sheet)
    return made


def windows(findings: Sequence[Finding], sheet_of: dict[int, Sheet], room: int) -> dict[int, Window]:
    """The window of each finding that there is room for, by index; `room` in bytes of UTF-8.

    Each gets an equal share of what the ones before it have left; a line that is shown already is free.
    """
    chosen: dict[int, Window] = {}
    paid: dict[int, set[int]] = {}
    for turn, (index, sheet) in enumerate(sheet_of.items()):
        finding = findings[index]
        till = _Till(sheet, paid.setdefault(id(sheet), set()))
        cost = till.price(finding.line)
        if cost > room:
            continue
        window = _grown(finding, till, max(cost, room // (len(sheet_of) - turn)))
        chosen[index] = window
        room -= till.pay(window)
    return chosen


def blocks(sheet_of: dict[int, Sheet], chosen: dict[int, Window]) -> list[Block]:
    """The windows, those of one text joined that overlap or touch; in the order of their first members."""
    made: list[Block] = []
    by_text = sorted(chosen, key=lambda index: (id(sheet_of[index]), chosen[index].first))
    for index in by_text:
        sheet, window = sheet_of[index], chosen[index]
        if made and made[-1].sheet is sheet and window.first <= made[-1].last + 1:
            before = made.pop()
            first, last = before.first, max(before.last, window.last)
            members = tuple(sorted((*before.members, index)))
        else:
            first, last, members = window.first, window.last, (index,)
        made.append(Block(sheet=sheet, first=first, last=last, members=members))
    return sorted(made, key=lambda block: block.members[0])


class _Till:
    """What lines cost, in bytes of the answer's text."""

    def __init__(self, sheet: Sheet, paid: set[int]) -> None:
        self._sheet = sheet
        self._paid = paid

    def price(self, line: int) -> int:
        return 0 if line in self._paid else utf8_size(self._sheet.row(line)) + 1

    def pay(self, window: Window) -> int:
        lines = range(window.first, window.last + 1)
        cost = sum(map(self.price, lines))
        self._paid.update(lines)
        return cost


def _grown(finding: Finding, till: _Till, room: int) -> Window:
    """The lines around a target that fit, the same number on both sides where both sides have them."""
    low, high, whole = _reach(finding)
    first = last = finding.line
    room -= till.price(finding.line)
    open_above, open_below = True, True
    while open_above or open_below:
        goes_up = open_above and (not open_below or finding.line - first <= last - finding.line)
        line = first - 1 if goes_up else last + 1
        cost = till.price(line) if low <= line <= high else room + 1
        if cost > room:
            open_above, open_below = (False, open_below) if goes_up else (open_above, False)
            continue
        room -= cost
        first, last = min(first, line), max(last, line)
    return Window(first=first, last=last, whole=whole, is_cut=(first, last) != (low, high))


def _reach(finding: Finding) -> tuple[int, int, Span]:
    """The first and the last line that a window may have, and what it is a part of."""
    symbol, line = finding.symbol, finding.line
    if symbol is not None:
        return symbol.start_line, symbol.end_line, (symbol.start_line, symbol.end_line)
    count = finding.lines.count if finding.lines is not None else line
    return max(1, line - _AROUND), min(count, line + _AROUND), (1, count)


def _columns(finding: Finding, lines: SourceLines) -> Span:
    """What is looked for in the target line, in code points."""
    target = finding.target
    if target.expected is not None:
        return target.expected.columns
    column = lines.column_at(target.position) if target.position is not None else 0
    return column, column
