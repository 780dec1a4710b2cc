"""One search over files: its runs of ripgrep, and what they found."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Matching, Ripgrep, Unreadable
from sg_server.errors import InvalidParams, PathNotFound
from sg_server.search.collector import Collector
from sg_server.search.document_search import DocumentSearch, UnsavedMatches
from sg_server.search.evidence import FileEvidence
from sg_server.search.members import members
from sg_server.search.scope import Scope
from sg_server.search.unsaved import Candidate
from sg_server.text.positions import TextView
from sg_server.workspace import uris


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """All that one search found, before anything is proven or shown."""

    files: tuple[FileEvidence, ...]
    """In the order in which they were found."""
    files_searched: int
    unreadable: tuple[Unreadable, ...]
    bytes: int
    """What the kept rows take, roughly."""
    is_cut: bool
    """Not every row was kept; counts are exact all the same."""
    unsaved: Mapping[str, bool] = {}
    """Of the files in whose place a document was searched whether that matched, in scope or not."""


async def scan(
    ripgrep: Ripgrep,
    matching: Matching,
    scope: Scope,
    view: TextView,
    *,
    documents: Sequence[Candidate] = (),
    most_rows: int = limits.RETAINED_ROWS,
    admits: Callable[[str], bool] | None = None,
    listeners: Sequence[Callable[[FileEvidence], None]] = (),
    with_heads: bool = False,
) -> Scan:
    """Search the files of `scope`, with `documents` in the place of theirs, keeping at most `most_rows` rows.

    `with_heads` keeps what the usual grep tool shows of long lines. What `admits` says no to is as if it had
    not matched.
    `listeners` are given each file as soon as it has been searched and is known to be in scope.
    Raises PathNotFound for a named root that cannot be read, or if none can, InvalidParams for a pattern that
    PCRE2 gave up on in one, and as `Ripgrep.search`.
    """
    # rg takes what is named however it is filtered, but still checks the filters themselves.
    as_named = msgspec.structs.replace(scope.filters, ignored=True, text=True)
    unsaved = UnsavedMatches()
    if documents or not scope.roots:
        search = DocumentSearch(
            ripgrep, matching, as_named, view, cwd=scope.cwd, most_rows=most_rows, with_heads=with_heads
        )
        unsaved = await search.run(documents)
    in_their_place = unsaved.in_place_of(documents)
    only = await members(ripgrep, scope) if scope.membership and scope.folders else None
    listed = await members(ripgrep, scope) if only is None and unsaved.takes_room(most_rows) else only
    if listed is not None:
        unsaved = unsaved.among(listed)
    collector = Collector(
        view,
        multiline=matching.multiline,
        only=None if only is None else only.union(scope.files),
        passed_over=in_their_place,
        most_rows=most_rows - unsaved.rows,
        most_bytes=limits.RETAINED_BYTES - unsaved.bytes,
        admits=admits,
        listeners=listeners,
        head_rows=limits.PLAIN_GREP_ROWS if with_heads else 0,
    )
    for tell in listeners:
        unsaved.tell_decided(tell)
    searched = sum(document.is_new for document in documents)
    unreadable = [*scope.unreadable]
    for filters, roots in ((scope.filters, scope.folders), (as_named, scope.files)):
        if roots:
            outcome = await ripgrep.search(matching, filters, roots, collector, cwd=scope.cwd)
            walked = roots is scope.folders
            searched += len(only) if walked and only is not None else outcome.files_searched
            unreadable += outcome.unreadable
    _refuse_unreadable_root(scope, unreadable)
    if listed is None:
        in_doubt = len(unsaved.among(collector.seen).found) < len(unsaved.found)
        unsaved = unsaved.among(collector.seen.union(await members(ripgrep, scope) if in_doubt else ()))
    return Scan(
        files=(*(found.evidence for found in unsaved.found), *collector.files.values()),
        files_searched=searched,
        unreadable=tuple(unreadable),
        bytes=collector.bytes + unsaved.bytes,
        is_cut=collector.is_cut or unsaved.is_cut,
        unsaved={path: evidence is not None for path, evidence in in_their_place.items()},
    )


def without_repeats(found: Scan, roots: Collection[str], replaced: Collection[str | None] = ()) -> Scan:
    """`found` in `roots` with each file that links led to once; blocks.

    `replaced` are the real paths of the documents that were searched in the place of their files.
    """
    real_of = {root: os.path.realpath(root) for root in roots}
    ways = {file.path: os.path.realpath(file.path) for file in found.files if not file.document}

    def leads_through_a_link(path: str) -> bool:
        return all(ways[path] != real + path.removeprefix(root) for root, real in real_of.items())

    taken = set(replaced)
    kept: set[str] = set()
    # Of several ways to a file the one without links is the one to show.
    for path in sorted(ways, key=lambda path: (leads_through_a_link(path), os.fsencode(path))):
        if ways[path] not in taken:
            taken.add(ways[path])
            kept.add(path)
    files = tuple(file for file in found.files if file.document or file.path in kept)
    return msgspec.structs.replace(found, files=files)


def _refuse_unreadable_root(scope: Scope, unreadable: list[Unreadable]) -> None:
    """An open folder that nobody named is only missed where there is no other."""
    roots = {uris.display(root) for root in scope.roots}
    refused = [path for path in unreadable if path.path in roots]
    if refused and refused[0].is_of_pattern:
        raise InvalidParams("pattern", f"{refused[0].reason}, in {refused[0].path}")
    if refused and (scope.is_named or len(refused) == len(roots)):
        message = f"{refused[0].path} cannot be searched: {refused[0].reason}"
        raise PathNotFound(message, "Check that the folder or file is there, and its permissions.")
