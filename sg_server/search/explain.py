"""Why files are not searched, decided by asking ripgrep itself."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from sg_server import limits
from sg_server.engines.ripgrep import Filters, Matching, Ripgrep
from sg_server.errors import GitInternal, InvalidParams, OutsideWorkspace, PathNotFound, SignalGrepError
from sg_server.search.members import members_to_be
from sg_server.search.params import ExplainParams
from sg_server.search.request import SearchRequest
from sg_server.search.results import ExplainResult, KeptOut, KeptOutFile, KeptOutRule, Reason
from sg_server.search.scope import Scope, is_within, normalise_scope, strings
from sg_server.workspace import uris
from sg_server.workspace.documents import Document
from sg_server.workspace.folders import Place, Workspace

_HOLDS_NUL = Matching(pattern=r"(?-u)\x00", case="sensitive")
_NO_RULES = Filters(hidden=True, ignored=True, follow=True, text=True)


async def explain(
    ripgrep: Ripgrep, params: ExplainParams, workspace: Workspace, documents: Iterable[Document] = ()
) -> ExplainResult:
    """`sg.explain`, with `documents` in the place of their files.

    Raises InvalidParams unless one file is named, and as `Ripgrep.files`.
    """
    named = [*strings(params.path, "path"), *strings(params.uri, "uri")]
    if len(named) != 1:
        raise InvalidParams("path", f"exactly one file is to be named in `path` or `uri`; {len(named)} were")
    unsaved = {path: one for one in documents if (path := one.path_in(workspace)) is not None}
    try:
        place = (workspace.place_uri if params.uri else workspace.place)(
            named[0], "uri" if params.uri else "path"
        )
    except (PathNotFound, OutsideWorkspace, GitInternal) as error:
        new = next((path for path in unsaved if _is_named(path, named[0], workspace)), None)
        located = None if new is None else workspace.locate(new)
        if located is None:
            return _answer(uris.display(named[0]), params, workspace, _refusal(error))
        place = located
    if os.path.isdir(place.path):  # noqa: ASYNC240 - one stat, as everywhere in a normalisation
        raise InvalidParams("path", f"{place.display} is a folder; name a file")
    scope = normalise_scope(replace(params, path=place.folder.path, uri=None), workspace)
    reasons = await _Rules(ripgrep, scope, place, unsaved.get(place.path)).reasons()
    return _result(place.display, place.uri, reasons)


async def kept_out(
    ripgrep: Ripgrep, request: SearchRequest, workspace: Workspace, unsaved: Mapping[str, bool]
) -> KeptOut:
    """What ignore, hidden and binary rules kept out of an empty search, within a bounded time.

    `unsaved` says of the files with unsaved text in the editor whether that holds the pattern.
    """
    scope = request.scope
    filters = scope.filters
    if not scope.folders or (filters.ignored and filters.hidden and filters.text):
        return KeptOut(files=0, matching=(), complete=True)
    look = _Look(ripgrep, scope, {os.fsencode(path): holds for path, holds in unsaved.items()})
    complete = True
    try:
        async with asyncio.timeout(limits.EXPLAIN_EMPTY_SECONDS):
            await look.run(request.matching)
    except (TimeoutError, SignalGrepError):
        # The search itself has its answer; this look says that it is not the whole of it.
        complete = False
    matching = look.matching()
    if filters.follow:
        matching = await asyncio.to_thread(lambda: [path for path in matching if is_within(path, workspace)])
    paths = sorted(matching, key=os.fsencode)[: limits.NAMED_PATHS]
    files = tuple(KeptOutFile(path=workspace.display_of(path), uri=workspace.uri_of(path)) for path in paths)
    return KeptOut(files=len(look.kept_out()), matching=files, complete=complete)


class _Look:
    """Four lists of an empty search's scope, as far as they have come."""

    def __init__(self, ripgrep: Ripgrep, scope: Scope, unsaved: Mapping[bytes, bool]) -> None:
        self._ripgrep = ripgrep
        self._scope = scope
        self._unsaved = unsaved
        self._searched: set[bytes] = set()
        self._all: set[bytes] = set()
        self._with_nul: set[bytes] = set()
        self._holding: set[bytes] = set()
        self._lists_are_whole = False

    async def run(self, matching: Matching) -> None:
        """Make the lists; what has come by the time this is cancelled stays."""
        # With a second list of members the include globs would bring ignored files into this one.
        filters = self._scope.membership or self._scope.filters
        relaxed = replace(self._scope.filters, hidden=True, ignored=True, text=True)
        await self._both((filters, self._searched, None), (relaxed, self._all, None))
        self._lists_are_whole = True
        await self._both(
            (relaxed, self._holding, matching), (replace(filters, text=True), self._with_nul, _HOLDS_NUL)
        )

    def kept_out(self) -> set[bytes]:
        """The files in scope that were not searched, or not to their end."""
        if not self._lists_are_whole:
            return set()
        binary = set() if self._scope.filters.text else self._with_nul & self._searched - self._unsaved.keys()
        return (self._all - self._searched) | (binary & self._all)

    def matching(self) -> list[str]:
        """Those of them that hold the pattern."""
        holding = self._holding - self._unsaved.keys()
        holding.update(path for path, holds in self._unsaved.items() if holds)
        return [os.fsdecode(path) for path in holding & self.kept_out()]

    async def _both(self, *lists: tuple[Filters, set[bytes], Matching | None]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for filters, names, holding in lists:
                    group.create_task(self._list(filters, names.update, holding))
        except* SignalGrepError as failures:
            raise failures.exceptions[0] from failures

    async def _list(
        self, filters: Filters, take: Callable[[list[bytes]], None], holding: Matching | None
    ) -> None:
        scope = self._scope
        await self._ripgrep.files(filters, scope.folders, take, cwd=scope.cwd, holding=holding)


class _Rules:
    """The rules of a scope, each tried alone on one file or on the document that has its place."""

    def __init__(self, ripgrep: Ripgrep, scope: Scope, place: Place, document: Document | None) -> None:
        self._ripgrep = ripgrep
        self._scope = scope
        self._place = place
        self._document = document
        self._size = len(document.searched) if document and not os.path.lexists(place.path) else None
        """Of a document without a file."""

    async def reasons(self) -> list[Reason]:
        """Every rule that alone keeps the file out, or cuts its search short."""
        if self._size is None and not os.access(self._place.path, os.R_OK):
            return [Reason(rule="unreadable", detail="the server may not read it")]
        if not await self._lets_through(_NO_RULES):
            return [Reason(rule="unreadable", detail="ripgrep does not reach it, or it is no regular file")]
        return [
            Reason(rule=rule, detail=detail)
            for rule, filters, detail in self._alone()
            if not await self._lets_through(filters)
        ] + await self._binary()

    def _alone(self) -> list[tuple[KeptOutRule, Filters, str]]:
        """Each rule in force, as filters without the others."""
        filters = self._scope.filters
        rules: list[tuple[KeptOutRule, Filters, str]] = []
        if not filters.ignored:
            detail = 'a .gitignore, .ignore or .rgignore file leaves it out; "ignored": true searches it'
            rules.append(("ignore-file", replace(_NO_RULES, ignored=False), detail))
        if not filters.hidden:
            detail = 'it or a folder above it is hidden; "hidden": true searches it'
            rules.append(("hidden", replace(_NO_RULES, hidden=False), detail))
        if not filters.follow:
            detail = 'it is reached through a symbolic link; "follow": true searches it'
            rules.append(("symlink", replace(_NO_RULES, follow=False), detail))
        if filters.globs or filters.type_globs:
            detail = "no include glob names it"
            only = replace(_NO_RULES, globs=filters.globs, type_globs=filters.type_globs)
            rules.append(("glob", only, detail))
        rules += [
            ("exclude", replace(_NO_RULES, excludes=(glob,)), f"the exclude glob {glob!r} names it")
            for glob in filters.excludes
        ]
        file_types = (self._scope.membership or filters).file_types
        if file_types:
            detail = f"it is of none of the types {', '.join(file_types)}"
            rules.append(("file-type", replace(_NO_RULES, file_types=file_types), detail))
        if filters.max_file_size is not None:
            size = os.path.getsize(self._place.path) if self._size is None else self._size
            detail = f"it has {size:,} bytes; `maxFileSize` is {filters.max_file_size:,}"
            rules.append(("size", replace(_NO_RULES, max_file_size=filters.max_file_size), detail))
        return rules

    async def _binary(self) -> list[Reason]:
        if self._scope.filters.text or self._document is not None:
            return []
        found: list[bytes] = []
        await self._ripgrep.files(
            _NO_RULES, [self._place.path], found.extend, cwd=self._scope.cwd, holding=_HOLDS_NUL
        )
        detail = 'it holds a NUL byte, where its search ends; "binary": true searches it as text'
        return [Reason(rule="binary", detail=detail)] if found else []

    async def _lets_through(self, filters: Filters) -> bool:
        if self._size is not None:
            scope = replace(self._scope, folders=(self._place.folder.path,), filters=filters, membership=None)
            return bool(await members_to_be(self._ripgrep, scope, {self._place.path: self._size}))
        wanted = os.fsencode(self._place.path)
        seen: list[bool] = []
        await self._ripgrep.files(
            filters,
            [self._place.folder.path],
            lambda names: seen.append(wanted in names),
            cwd=self._scope.cwd,
        )
        return any(seen)


def _is_named(path: str, given: str, workspace: Workspace) -> bool:
    """Whether a client's path or URI is that of a document at `path`."""
    named = uris.path_of(given) or given
    return os.path.normpath(named) in {path, workspace.display_of(path)}


def _refusal(error: PathNotFound | OutsideWorkspace | GitInternal) -> Reason:
    """The rule behind a path that is refused before anything is asked."""
    if isinstance(error, PathNotFound):
        return Reason(rule="missing", detail=error.message)
    if isinstance(error, OutsideWorkspace):
        return Reason(rule="outside-workspace", detail=error.message)
    return Reason(rule="git-internal", detail=error.message)


def _answer(display: str, params: ExplainParams, workspace: Workspace, reason: Reason) -> ExplainResult:
    if params.uri is not None:
        (located,) = strings(params.uri, "uri")
    else:
        (path,) = strings(params.path, "path")
        located = workspace.uri_of(workspace.absolute(path, "path"))
    return _result(display, located, [reason])


def _result(display: str, uri: str, reasons: list[Reason]) -> ExplainResult:
    lines = [f"{display} is {'not searched' if reasons else 'searched'}."]
    lines += [f"- {reason.rule}: {reason.detail}" for reason in reasons]
    return ExplainResult(
        path=display,
        uri=uri,
        searched=not reasons,
        reasons=tuple(reasons),
        text="\n".join(lines) + "\n",
    )
