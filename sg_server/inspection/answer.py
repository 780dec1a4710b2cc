"""The answer to an inspection: as text within the budget of a response, and as items."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec

from sg_server import limits
from sg_server.inspection.excerpts import Block, Sheet, Window, blocks, sheets, windows
from sg_server.inspection.findings import Finding
from sg_server.inspection.lines import SourceLines, moved
from sg_server.inspection.request import RetryParams
from sg_server.inspection.results import EnclosingSymbol, Inspection, InspectResult, SourceBlock
from sg_server.text.excerpts import clip_bytes, utf8_size
from sg_server.text.plain import call, plain
from sg_server.text.positions import Location

_PATH_BYTES: Final = limits.KIB
_CALL_BYTES: Final = limits.KIB
_WORDS_BYTES: Final = 300
"""Of one target in the text; the items have all of them."""


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """What the answer has of one finding; without a window its lines are not shown."""

    input: int
    finding: Finding
    sheet: Sheet | None
    window: Window | None
    block: int | None
    retry: RetryParams | None
    retry_before: RetryParams | None


def answer(findings: Sequence[Finding]) -> InspectResult:
    """The answer that `findings` make, in their order."""
    sheet_of = sheets(findings)
    chosen = windows(findings, sheet_of, limits.RESPONSE_BYTES - _reserved(findings))
    joined = blocks(sheet_of, chosen)
    block_of = {index: number for number, block in enumerate(joined) for index in block.members}
    parts: list[_Part] = []
    for index, finding in enumerate(findings):
        window = chosen.get(index)
        retry, retry_before = _retries(finding, window, is_alone=len(findings) == 1)
        parts.append(
            _Part(
                input=index,
                finding=finding,
                sheet=sheet_of.get(index),
                window=window,
                block=block_of.get(index),
                retry=retry,
                retry_before=retry_before,
            )
        )
    return InspectResult(
        status="complete" if len(chosen) == len(findings) else "partial",
        text="\n".join(_text(parts, joined)),
        inspections=tuple(map(_inspection, parts)),
        blocks=tuple(_source_block(block, findings[block.members[0]]) for block in joined),
    )


def _reserved(findings: Sequence[Finding]) -> int:
    """Bytes for all that is said about the targets: that has its place before any line is chosen."""
    sizes = [_size(_partial(len(findings), len(findings)))]
    for finding in findings:
        if finding.lines is None:
            sizes.append(_size(_not_shown(finding, None)))
            continue
        count = finding.lines.count
        near = _at(finding, count)
        around = _size(_omission(finding, count, "before", near), _omission(finding, count, "after", near))
        again = finding.target.request
        alone = _size(_omission(finding, count, "before", None), _omission(finding, count, "after", again))
        sizes += [_size(_heading(finding)), max(around, alone)]
    # An empty line before each target.
    return sum(sizes) + len(findings)


def _size(*lines: str) -> int:
    return sum(utf8_size(line) + 1 for line in lines)


def _text(parts: Sequence[_Part], joined: Sequence[Block]) -> Iterator[str]:
    shown = sum(part.window is not None for part in parts)
    if shown < len(parts):
        yield _partial(shown, len(parts))
    for block in joined:
        if block is not joined[0] or shown < len(parts):
            yield ""
        members = [parts[index] for index in block.members]
        for part in members:
            yield _heading(part.finding)
            before, after = part.window.omitted if part.window is not None else (0, 0)
            if before:
                yield _omission(part.finding, before, "before", part.retry_before if after else part.retry)
        yield from map(block.sheet.row, range(block.first, block.last + 1))
        for part in members:
            if part.window is not None and (after := part.window.omitted[1]):
                yield _omission(part.finding, after, "after", part.retry)
    yield from (_not_shown(part.finding, part.retry) for part in parts if part.window is None)


def _partial(shown: int, total: int) -> str:
    return f"PARTIAL: {shown} of {total} targets are shown."


def _heading(finding: Finding) -> str:
    return f"{_place(finding)}  {_words(_structure(finding))}"


def _place(finding: Finding) -> str:
    target = finding.target
    path = clip_bytes(plain(target.subject.display), _PATH_BYTES)
    match = "" if target.match_index is None else f" [{target.match_index}]"
    document = target.subject.document
    unsaved = "" if document is None else f" (unsaved, version {document.revision.version})"
    return f"{path}:{finding.line}{match}{unsaved}"


def _structure(finding: Finding) -> str:
    symbol = finding.symbol
    if symbol is None:
        why = "" if finding.message is None else f": {finding.message}"
        return f"no symbol ({finding.structure}{why})"
    container = "" if symbol.container is None else f" in {symbol.container}"
    lines = f"{symbol.provider}, lines {symbol.start_line}-{symbol.end_line}"
    return f"{symbol.kind} {symbol.name}{container} ({lines})"


def _omission(
    finding: Finding, count: int, side: Literal["before", "after"], retry: RetryParams | None
) -> str:
    whole = "the text" if finding.symbol is None else f"{finding.symbol.kind} {finding.symbol.name}"
    lines = f"{count} line{'s' if count > 1 else ''}"
    return f"  … {lines} of {clip_bytes(plain(whole), _WORDS_BYTES)} {side}: left out.{_more(retry)}"


def _not_shown(finding: Finding, retry: RetryParams | None) -> str:
    if finding.lines is not None:
        return f"{_place(finding)}  deferred: no room is left in this answer.{_more(retry)}"
    return f"{_place(finding)}  not shown ({finding.structure}): {_words(finding.message or '')}"


def _more(retry: RetryParams | None) -> str:
    if retry is None:
        return ""
    request = call("sg.inspect", **retry)
    return f" More: {request}" if utf8_size(request) <= _CALL_BYTES else " More: the request is too long."


def _words(text: str) -> str:
    return clip_bytes(plain(text), _WORDS_BYTES)


def _retries(
    finding: Finding, window: Window | None, *, is_alone: bool
) -> tuple[RetryParams | None, RetryParams | None]:
    """The request for what is left out: the same target alone, or the lines after it, or else before it.

    The second one is for the lines before it where the first is for those after.
    """
    if finding.lines is None:
        return None, None
    if window is None or (window.is_cut and not is_alone):
        return finding.target.request, None
    before, after = window.omitted
    half = (window.last - window.first) // 2 + 1
    earlier = _at(finding, max(window.first - half, window.whole[0])) if before else None
    if not after:
        return earlier, None
    return _at(finding, min(window.last + half, window.whole[1])), earlier


def _at(finding: Finding, line: int) -> RetryParams:
    return {"uri": finding.target.subject.uri, "line": line}


def _inspection(part: _Part) -> Inspection:
    finding, target = part.finding, part.finding.target
    common = Inspection(
        input=part.input,
        path=target.subject.display,
        uri=target.subject.uri,
        line=finding.line,
        match_index=target.match_index,
        outcome="error",
        structure=finding.structure,
        message=finding.message,
        retry=part.retry,
        retry_before=part.retry_before,
    )
    if finding.lines is None:
        return common
    known = msgspec.structs.replace(
        common,
        outcome="deferred",
        symbol=_symbol(finding, finding.lines),
        location=_location(finding, finding.lines),
    )
    if part.window is None or part.sheet is None:
        return known
    window, sheet = part.window, part.sheet
    cut = tuple(line for line in range(window.first, window.last + 1) if sheet.clip(line).clipped)
    before, after = window.omitted
    return msgspec.structs.replace(
        known,
        outcome="returned",
        block=part.block,
        range=finding.lines.range(window.first, window.last),
        lines_omitted_before=before,
        lines_omitted_after=after,
        clipped_lines=cut or None,
    )


def _symbol(finding: Finding, lines: SourceLines) -> EnclosingSymbol | None:
    symbol = finding.symbol
    if symbol is None:
        return None
    return EnclosingSymbol(
        name=symbol.name,
        kind=symbol.kind,
        container=symbol.container,
        language=symbol.language,
        range=lines.range(symbol.start_line, symbol.end_line),
        provider=symbol.provider,
    )


def _location(finding: Finding, lines: SourceLines) -> Location:
    expected = finding.target.expected
    where = lines.range(finding.line, finding.line)
    if expected is not None:
        where = moved(expected.occurrence, where.start)
    return Location(uri=finding.target.subject.uri, range=where)


def _source_block(block: Block, finding: Finding) -> SourceBlock:
    subject = finding.target.subject
    return SourceBlock(
        uri=subject.uri,
        path=subject.display,
        start_line=block.first,
        lines=tuple(block.sheet.clip(line).text for line in range(block.first, block.last + 1)),
        source="disk" if subject.document is None else "document",
        document_version=None if subject.document is None else subject.document.revision.version,
    )
