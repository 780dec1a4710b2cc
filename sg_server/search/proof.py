"""Proof that what is kept of each file is what is in it now, or a refusal to say so."""

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from sg_server import limits
from sg_server.engines.ripgrep import Filters, Ripgrep
from sg_server.search.collector import Collector
from sg_server.search.evidence import FileEvidence
from sg_server.search.request import SearchRequest
from sg_server.text.positions import TextView
from sg_server.workspace.revisions import TICK_SECONDS, Bracket, Look, ScanWindow

_SEEN_AT_ONCE = 500
"""Some two milliseconds in the worker thread."""
_SETTLED_AT_ONCE = 4_000
"""Some ten milliseconds in the worker thread: between chunks a cancel is noticed."""

_LookedAt = list[tuple[list[FileEvidence], asyncio.Future[list[Look]]]]


class Looks:
    """Looks at files while ripgrep searches others, which takes less time than to do it afterwards.

    At most `limits.REVISION_FILES`, those with rows alone.
    """

    def __init__(self, window: ScanWindow) -> None:
        self._window = window
        self._loop = asyncio.get_running_loop()
        self._room = limits.REVISION_FILES
        self._waiting: list[FileEvidence] = []
        self._looked_at: _LookedAt = []

    def file(self, file: FileEvidence) -> None:
        """Look at a file that has been searched, soon."""
        if not file.retained or file.document is not None or not self._room:
            return
        self._room -= 1
        self._waiting.append(file)
        if len(self._waiting) >= _SEEN_AT_ONCE:
            self._look()

    async def settle(self) -> list[tuple[FileEvidence, Look]]:
        """Each file with what the look says of it, now that ripgrep has ended."""
        if self._waiting:
            self._look()
        settled: list[tuple[FileEvidence, Look]] = []
        for looked_at in _chunks(self._looked_at):
            files = list(chain.from_iterable(files for files, _ in looked_at))
            seen = list(chain.from_iterable([await looks for _, looks in looked_at]))
            looks = await asyncio.to_thread(self._window.settle, [file.path for file in files], seen)
            settled += zip(files, looks, strict=True)
        return settled

    def _look(self) -> None:
        files, self._waiting = self._waiting, []
        paths = [file.path for file in files]
        self._looked_at.append((files, self._loop.run_in_executor(None, self._window.see, paths)))


async def prove(
    ripgrep: Ripgrep,
    request: SearchRequest,
    view: TextView,
    looks: Looks,
    *,
    with_heads: bool = False,
) -> None:
    """Bind each file that was looked at to its revision where that can be proven.

    A settled file needs a look. The others are searched again between two looks: where these are equal and
    the counts are those of the scan, the second evidence replaces the first. Where the looks differ that is
    done once more, for what is busy is often soon quiet. The rest stays unverified.
    """
    unsettled: list[FileEvidence] = []
    for file, look in await looks.settle():
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
        # The same rows may take more than before: that depends on how they come in.
        most_bytes=4 * limits.RETAINED_BYTES,
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


def _chunks(looked_at: _LookedAt) -> Iterator[_LookedAt]:
    size = _SETTLED_AT_ONCE // _SEEN_AT_ONCE
    return (looked_at[start : start + size] for start in range(0, len(looked_at), size))


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
