"""Which files are read for the definitions that a query asks for."""

import asyncio
import os
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Case, Filters, Matching, Ripgrep
from sg_server.errors import SignalGrepError
from sg_server.symbols.query import SymbolQuery
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import look


class FileScope(msgspec.Struct, frozen=True, kw_only=True):
    """Files as ripgrep takes them: absolute roots, and rules relative to `cwd`."""

    roots: tuple[str, ...]
    filters: Filters
    cwd: str


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """The files to read, and how many could be but are not."""

    paths: tuple[str, ...]
    total: int
    """Regular files inside the folders that hold a fitting name, those that are not read among them."""
    too_large: int
    """Of those not read, the ones over `limits.SOURCE_BYTES`."""


async def candidates(
    ripgrep: Ripgrep, query: SymbolQuery, scope: FileScope, workspace: Workspace, *, without: Collection[str]
) -> Candidates:
    """The files of `scope` that hold a name `query` fits, but for those in `without`.

    Where there are more than `limits.SYMBOL_FILES` or `limits.SYMBOL_BYTES` let in, those with a line that
    looks like a definition come first; among equals the small ones, then the paths decide. Raises as
    `Ripgrep.files`.
    """
    case: Case = "sensitive" if query.is_case_sensitive else "insensitive"
    holding = await _holding(ripgrep, Matching(pattern=query.pattern, case=case), scope)
    sizes = await asyncio.to_thread(_sizes, sorted(holding.difference(without)), workspace)
    fitting = {path: size for path, size in sizes.items() if size <= limits.SOURCE_BYTES}
    kept = list(fitting)
    if len(fitting) > limits.SYMBOL_FILES or sum(fitting.values()) > limits.SYMBOL_BYTES:
        definitions = Matching(pattern=query.definition_pattern, case=case)
        likely = await _holding_among(ripgrep, definitions, list(fitting), scope.cwd)
        kept = _first(fitting, likely)
    return Candidates(paths=tuple(kept), total=len(sizes), too_large=len(sizes) - len(fitting))


async def in_scope(ripgrep: Ripgrep, scope: FileScope, paths: Collection[str]) -> frozenset[str]:
    """Those of `paths` that the rules of `scope` do not leave out. Raises as `Ripgrep.files`."""
    wanted = {os.fsencode(path): path for path in paths}
    found: set[str] = set()

    def take(names: list[bytes]) -> None:
        found.update(wanted[name] for name in names if name in wanted)

    if wanted:
        await ripgrep.files(scope.filters, scope.roots, take, cwd=scope.cwd)
    return frozenset(found)


def _sizes(paths: Iterable[str], workspace: Workspace) -> dict[str, int]:
    """Bytes of the regular files inside the folders. Blocks."""
    inside = (path for path in paths if _is_inside(path, workspace))
    return {path: revision.size for path in inside if (revision := look(path)) is not None}


def _first(sizes: Mapping[str, int], likely: Collection[str]) -> list[str]:
    """As many of the files as the bounds let in, in the order of `sizes`."""
    kept: set[str] = set()
    room = limits.SYMBOL_BYTES
    for path in sorted(sizes, key=lambda path: (path not in likely, sizes[path])):
        if sizes[path] <= room and len(kept) < limits.SYMBOL_FILES:
            kept.add(path)
            room -= sizes[path]
    return [path for path in sizes if path in kept]


def _is_inside(path: str, workspace: Workspace) -> bool:
    try:
        workspace.place(path, "path")
    except SignalGrepError:
        return False
    return True


async def _holding(ripgrep: Ripgrep, matching: Matching, scope: FileScope) -> set[str]:
    names: set[bytes] = set()
    await ripgrep.files(scope.filters, scope.roots, names.update, cwd=scope.cwd, holding=matching)
    return {os.fsdecode(name) for name in names}


async def _holding_among(ripgrep: Ripgrep, matching: Matching, paths: list[str], cwd: str) -> set[str]:
    """Those of `paths` that match, as many as are read at least."""
    found: set[str] = set()
    for part in _command_lines(paths):
        found |= await _holding(ripgrep, matching, FileScope(roots=part, filters=Filters(), cwd=cwd))
        if len(found) >= limits.SYMBOL_FILES:
            break
    return found


def _command_lines(paths: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """`paths` in parts that one command line holds."""
    part: list[str] = []
    size = 0
    for path in paths:
        size += len(path)
        if size > limits.RESCAN_NAMES_BYTES and part:
            yield tuple(part)
            part, size = [], len(path)
        part.append(path)
    if part:
        yield tuple(part)
