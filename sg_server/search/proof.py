"""Proof that what is kept of each file is what is in it now, or a refusal to say so."""

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from sg_server import limits
from sg_server.engines.ripgrep import Filters, Ripgrep
from sg_server.search.collector import Collector
from sg_server.search.evidence import FileEvidence
from sg_server.search.request import SearchRequest
from sg_server.search.scan import Scan
from sg_server.text.positions import TextView
from sg_server.workspace.revisions import TICK_SECONDS, Bracket, ScanWindow

_LOOKS_AT_ONCE = 2_000
"""Some ten milliseconds in the worker thread: between chunks a cancel is noticed."""


async def prove(
    ripgrep: Ripgrep,
    request: SearchRequest,
    view: TextView,
    window: ScanWindow,
    found: Scan,
    *,
    with_heads: bool = False,
) -> None:
    """Bind each file of `found` with retained rows to its revision where that can be proven.

    A settled file needs a look. The others are searched again between two looks: where these are equal and
    the counts are those of the scan, the second evidence replaces the first. Where the looks differ that is
    done once more, for what is busy is often soon quiet. The rest stays unverified.
    """
    on_disk = (file for file in found.files if file.retained and file.document is None)
    retained = list(islice(on_disk, limits.REVISION_FILES))
    unsettled: list[FileEvidence] = []
    for files in _chunks(retained, _LOOKS_AT_ONCE):
        looks = await asyncio.to_thread(window.look, [file.path for file in files])
        for file, look in zip(files, looks, strict=True):
            if look.settled:
                file.revision = look.revision
            elif look.revision is not None:
                unsettled.append(file)
    named = frozenset(request.scope.files)
    for text in (False, True):
        again = [file for file in unsettled if (request.scope.filters.text or file.path in named) is text]
        for batch in _batches(again):
            search_again = partial(_search_again, ripgrep, request, view, text=text, with_heads=with_heads)
            if in_doubt := await search_again(batch):
                await asyncio.sleep(TICK_SECONDS)
                await search_again(in_doubt)


async def _search_again(
    ripgrep: Ripgrep,
    request: SearchRequest,
    view: TextView,
    files: Sequence[FileEvidence],
    *,
    text: bool,
    with_heads: bool,
) -> list[FileEvidence]:
    """Prove what can be proven of `files`; return those that changed meanwhile, or too shortly before."""
    bracket = await asyncio.to_thread(Bracket.open, [file.path for file in files])
    if not bracket.before:
        return list(files)
    row_limits = {file.path: file.retained for file in files}
    again = Collector(
        view,
        multiline=request.matching.multiline,
        row_limits=row_limits,
        head_rows=limits.PLAIN_GREP_ROWS if with_heads else 0,
    )
    filters = Filters(ignored=True, text=text)
    await ripgrep.search(request.matching, filters, list(bracket.before), again, cwd=request.scope.cwd)
    unchanged = await asyncio.to_thread(bracket.close)
    for file in files:
        second, revision = again.files.get(file.path), unchanged.get(file.path)
        if second is not None and revision is not None and _counts(second) == _counts(file):
            file.kept = second.kept
            file.revision = revision
    return [file for file in files if file.path not in unchanged]


def _counts(file: FileEvidence) -> tuple[int, int, int, int | None, bool]:
    return file.retained, file.matches, file.occurrences, file.binary_offset, file.oversized


def _chunks(files: Iterable[FileEvidence], size: int) -> Iterator[list[FileEvidence]]:
    iterator = iter(files)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _batches(files: Iterable[FileEvidence]) -> Iterator[list[FileEvidence]]:
    """Cut `files` so that the names of each batch fit one command line."""
    windows = sys.platform == "win32"
    most = limits.RESCAN_NAMES_BYTES_WINDOWS if windows else limits.RESCAN_NAMES_BYTES
    batch: list[FileEvidence] = []
    size = 0
    for file in files:
        name = len(os.fsencode(file.path)) + 1
        if batch and size + name > most:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += name
    if batch:
        yield batch
