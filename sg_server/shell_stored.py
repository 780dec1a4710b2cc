"""The subcommands of `sg-server context`: stored text, and files, in a terminal."""

import argparse
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from sg_server import console, limits, terminal_stored
from sg_server.context.params import (
    ContextDeleteParams,
    ContextGrepParams,
    ContextListParams,
    ContextNavigateParams,
    ContextPutParams,
    ContextReadParams,
    OutputMode,
)
from sg_server.context.service import ContextService
from sg_server.errors import InvalidParams
from sg_server.health import Programs
from sg_server.oneshot import stored_text, workspace_of
from sg_server.text.plain import plain
from sg_server.workspace.folders import Workspace

if TYPE_CHECKING:
    from sg_server.context.results import ContextGrepResult

_SPAN = re.compile(r"(\d*)(-?)(\d*)")

_Work = Callable[[ContextService, argparse.Namespace], Awaitable[int]]


def grep(parsed: argparse.Namespace) -> int:
    """Print where stored text has a pattern. Returns the exit code."""
    return _run(_grep, parsed, of_what_is_kept=True)


async def _grep(context: ContextService, parsed: argparse.Namespace) -> int:
    words = [*parsed.words] if parsed.regexp is None else [parsed.regexp, *parsed.words]
    if len(words) != 1 or not words[0]:
        raise InvalidParams("PATTERN", "one pattern is required: sg-server context grep PATTERN")
    (pattern,) = words
    params = ContextGrepParams(
        pattern=pattern,
        is_regex=not parsed.fixed_strings,
        case_sensitive=pattern.lower() != pattern if parsed.ignore_case is None else not parsed.ignore_case,
        output_mode=_mode(parsed),
        context_lines=parsed.context or 0,
        **_filters(parsed),
    )
    left = parsed.limit if parsed.limit is not None else sys.maxsize
    total, cursor = 0, None
    incomplete: list[ContextGrepResult] = []
    while left > 0:
        page = await context.grep(
            msgspec.structs.replace(params, max_matches=min(left, limits.GREP_MATCHES_MAX), cursor=cursor)
        )
        if parsed.json:
            for row in page.results:
                console.write_json(row)
        else:
            console.write(terminal_stored.row_lines(page.results, console.colors(parsed)))
        if page.timed_out_ids or "scan-timeout" in page.truncated_reasons:
            incomplete.append(page)
        total, left, cursor = total + page.total_matches, left - page.total_matches, page.cursor
        if cursor is None:
            break
    if parsed.json:
        console.write_json({"totalMatches": total, "isComplete": not incomplete})
    for note in terminal_stored.grep_notes(incomplete):
        console.complain(note)
    if total:
        return console.FOUND
    # Where not everything could be looked at, that nothing matches is not known.
    return console.ERROR if incomplete else console.NOTHING


def _mode(parsed: argparse.Namespace) -> OutputMode:
    if parsed.files_with_matches:
        return "files_with_matches"
    return "count" if parsed.count else "content"


def outline(parsed: argparse.Namespace) -> int:
    """Print the headings of one text. Returns the exit code."""
    return _run(_outline, parsed, of_what_is_kept=not _names_a_file(parsed))


async def _outline(context: ContextService, parsed: argparse.Namespace) -> int:
    named, workspace = _named(parsed)
    params = ContextNavigateParams(**named, max_depth=parsed.depth, include_node_summaries=parsed.summaries)
    result = await context.navigate(params, workspace)
    if parsed.json:
        console.write_json(result)
    else:
        console.write(terminal_stored.outline_lines(result.root, console.colors(parsed)))
    if result.truncated:
        console.complain(f"not all sections are shown: {result.truncated_reason}")
        return console.FOUND if result.node_count else console.ERROR
    return console.FOUND if result.node_count else console.NOTHING


def read(parsed: argparse.Namespace) -> int:
    """Print one text, or a part of it, word for word. Returns the exit code."""
    return _run(_read, parsed, of_what_is_kept=not _names_a_file(parsed))


async def _read(context: ContextService, parsed: argparse.Namespace) -> int:
    named, workspace = _named(parsed)
    start_line, end_line = _span("--lines", parsed.lines)
    start_char, end_char = _span("--chars", parsed.chars)
    whole = (parsed.lines, parsed.chars, parsed.node) == (None, None, None)
    following: ContextReadParams | None = ContextReadParams(
        **named,
        start_char=0 if whole else start_char,
        end_char=end_char,
        start_line=start_line,
        end_line=end_line,
        node_id=parsed.node,
    )
    while following is not None:
        result = await context.read(following, workspace)
        if parsed.json:
            console.write_json(result)
            break
        sys.stdout.buffer.write(result.text.encode())
        following = result.next
    sys.stdout.buffer.flush()
    return console.FOUND


def put(parsed: argparse.Namespace) -> int:
    """Store what comes on standard input, and print its id. Returns the exit code."""
    return _run(_put, parsed)


async def _put(context: ContextService, parsed: argparse.Namespace) -> int:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidParams("standard input", f"it is not UTF-8 (byte {error.start})") from error
    everybody = parsed.reader == ["*"]
    result = await context.put(
        ContextPutParams(
            thread_id=parsed.thread,
            source=parsed.source,
            text=text,
            id=parsed.id,
            expected_version=parsed.expect,
            tags=tuple(parsed.tag),
            metadata=_metadata(parsed.metadata),
            summary=parsed.summary,
            readers="*" if everybody else tuple(parsed.reader),
        )
    )
    if parsed.json:
        console.write_json(result)
    else:
        console.write([result.id])
    return console.FOUND


def _metadata(given: str | None) -> dict[str, Any]:
    try:
        metadata = json.loads(given or "{}")
    except ValueError as error:
        raise InvalidParams("--metadata", f"it is no JSON: {error}") from error
    if not isinstance(metadata, dict):
        raise InvalidParams("--metadata", "a JSON object is taken")
    return metadata


def list_entries(parsed: argparse.Namespace) -> int:
    """Print what is stored, newest first. Returns the exit code."""
    return _run(_list, parsed, of_what_is_kept=True)


async def _list(context: ContextService, parsed: argparse.Namespace) -> int:
    left = parsed.limit if parsed.limit is not None else sys.maxsize
    found, cursor = False, None
    while left > 0:
        limit = min(left, limits.LIST_ENTRIES_MAX)
        page = await context.list(ContextListParams(**_filters(parsed), limit=limit, cursor=cursor))
        if parsed.json:
            for entry in page.entries:
                console.write_json(entry)
        else:
            console.write(terminal_stored.list_lines(page.entries, console.colors(parsed)))
        found = found or bool(page.entries)
        left, cursor = left - len(page.entries), page.cursor
        if cursor is None:
            break
    return console.FOUND if found else console.NOTHING


def delete(parsed: argparse.Namespace) -> int:
    """Delete the entries that are named, all or none. Returns the exit code."""
    return _run(_delete, parsed, of_what_is_kept=True)


async def _delete(context: ContextService, parsed: argparse.Namespace) -> int:
    if not parsed.words:
        raise InvalidParams("ID", "name the entries to delete")
    await context.delete(ContextDeleteParams(ids=tuple(parsed.words)))
    return console.FOUND


def _filters(parsed: argparse.Namespace) -> dict[str, Any]:
    return {"thread_id": parsed.thread, "source": parsed.source, "tags": tuple(parsed.tag) or None}


def _names_a_file(parsed: argparse.Namespace) -> bool:
    return any(map(os.path.exists, parsed.words))


def _named(parsed: argparse.Namespace) -> tuple[dict[str, str], Workspace]:
    """The one text that is named: a file where there is one, else an entry; and a workspace around it."""
    if len(parsed.words) != 1:
        raise InvalidParams("ID or FILE", f"one text is taken; {len(parsed.words)} were named")
    (word,) = parsed.words
    if _names_a_file(parsed):
        workspace, (uri,) = workspace_of([word])
        return {"uri": uri}, workspace
    workspace, _ = workspace_of(())
    return {"id": word}, workspace


def _span(flag: str, given: str | None) -> tuple[int | None, int | None]:
    """`A-B`, `A-`, `-B` or `A` alone, which is also its end."""
    if given is None:
        return None, None
    found = _SPAN.fullmatch(given)
    if found is None or not given.strip("-"):
        raise InvalidParams(flag, f"{given!r} is no span: give A-B, A- or -B")
    start, dash, end = found.groups()
    first = int(start) if start else None
    return first, int(end) if end else None if dash else first


def _run(work: _Work, parsed: argparse.Namespace, *, of_what_is_kept: bool = False) -> int:
    async def run() -> int:
        here, _ = workspace_of(())
        programs = Programs(rg_path=parsed.rg, ctags_path=parsed.ctags, workspace=here)
        context = stored_text(parsed.store, programs)
        if of_what_is_kept and (missing := context.missing_file) is not None:
            # A path that is typed wrong must not look like a store in which nothing is found.
            console.complain(f"nothing has been kept in {plain(missing)} yet")
            return console.ERROR
        try:
            return await work(context, parsed)
        finally:
            await context.close()

    return console.run(run())
