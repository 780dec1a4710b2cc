"""Which files are read for the definitions that a query asks for."""

import os
from collections.abc import Collection, Iterable, Iterator

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
    """`paths` are the files to read, `total` counts all that could be; `likely` ones go before others."""

    paths: tuple[str, ...]
    total: int
    likely: frozenset[str] = frozenset()


async def candidates(
    ripgrep: Ripgrep, query: SymbolQuery, scope: FileScope, *, without: Collection[str]
) -> Candidates:
    """The files of `scope` that hold a name `query` fits, but for those in `without`.

    Where there are more than `limits.SYMBOL_FILES`, those with a line that looks like a definition come
    first; else, and among those, the paths decide. Raises as `Ripgrep.files`.
    """
    case: Case = "sensitive" if query.is_case_sensitive else "insensitive"
    names = Matching(pattern=query.pattern, case=case)
    holding = await _holding(ripgrep, names, scope)
    paths = sorted(path for path in holding if path not in without)
    if len(paths) <= limits.SYMBOL_FILES:
        return Candidates(paths=tuple(paths), total=len(paths))
    definitions = Matching(pattern=query.definition_pattern, case=case)
    likely: set[str] = set()
    for part in _command_lines(paths):
        among = FileScope(roots=part, filters=Filters(), cwd=scope.cwd)
        likely |= await _holding(ripgrep, definitions, among)
        if len(likely) >= limits.SYMBOL_FILES:
            break
    first = sorted(paths, key=lambda path: path not in likely)[: limits.SYMBOL_FILES]
    return Candidates(paths=tuple(first), total=len(paths), likely=frozenset(likely))


async def in_scope(ripgrep: Ripgrep, scope: FileScope, paths: Collection[str]) -> frozenset[str]:
    """Those of `paths` that the rules of `scope` do not leave out. Raises as `Ripgrep.files`."""
    wanted = {os.fsencode(path): path for path in paths}
    found: set[str] = set()

    def take(names: list[bytes]) -> None:
        found.update(wanted[name] for name in names if name in wanted)

    if wanted:
        await ripgrep.files(scope.filters, scope.roots, take, cwd=scope.cwd)
    return frozenset(found)


def readable(found: Candidates, workspace: Workspace) -> tuple[list[str], int]:
    """The regular files inside the folders among those found, and how many are too large. Blocks.

    Where they have more than `limits.SYMBOL_BYTES` together, the likely ones and then the small ones are in.
    """
    sizes: dict[str, int] = {}
    for path in found.paths:
        if _is_inside(path, workspace) and (revision := look(path)) is not None:
            sizes[path] = revision.size
    kept: set[str] = set()
    room = limits.SYMBOL_BYTES
    for path in sorted(sizes, key=lambda path: (path not in found.likely, sizes[path])):
        if sizes[path] <= min(room, limits.SOURCE_BYTES):
            kept.add(path)
            room -= sizes[path]
    return [path for path in sizes if path in kept], len(sizes) - len(kept)


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
