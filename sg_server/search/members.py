"""Which files a search looks at, as ripgrep itself lists them."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Mapping

import msgspec

from sg_server.engines.ripgrep import Filters, Ripgrep
from sg_server.errors import SignalGrepError
from sg_server.search.scope import Scope

_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore", os.path.join(".git", "info", "exclude"))


async def members(ripgrep: Ripgrep, scope: Scope) -> frozenset[str]:
    """The files below the folders of `scope` that its rules let through. Raises as `Ripgrep.files`."""
    if scope.membership is None:
        return frozenset(map(os.fsdecode, await _listed(ripgrep, scope.filters, scope)))
    try:
        async with asyncio.TaskGroup() as group:
            named = group.create_task(_listed(ripgrep, scope.filters, scope))
            allowed = group.create_task(_listed(ripgrep, scope.membership, scope))
    except* SignalGrepError as failures:
        raise failures.exceptions[0] from failures
    return frozenset(os.fsdecode(name) for name in named.result() & allowed.result())


async def members_to_be(ripgrep: Ripgrep, scope: Scope, sizes: Mapping[str, int]) -> frozenset[str]:
    """Those of the files in `sizes`, none of which exists yet, that would be members with so many bytes.

    ripgrep is shown files that are named alike and hold nothing, among copies of the ignore files around
    them, in a folder of their own that stands for the root of the file system.
    """
    if not sizes:
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="sg-") as top:
        await asyncio.to_thread(_copy_ways, top, sizes)
        around = (folder for folder in scope.folders if any(is_below(folder, path) for path in sizes))
        folders = tuple(top + _from_root(folder) for folder in around)
        found = await members(ripgrep, msgspec.structs.replace(scope, cwd=top, folders=folders))
    return frozenset(path for path in sizes if top + _from_root(path) in found)


async def _listed(ripgrep: Ripgrep, filters: Filters, scope: Scope) -> set[bytes]:
    names: set[bytes] = set()
    await ripgrep.files(filters, scope.folders, names.update, cwd=scope.cwd)
    return names


def _copy_ways(top: str, sizes: Mapping[str, int]) -> None:
    # Rules of a repository end at its root, and so do those of the folders that really are around `top`.
    os.mkdir(os.path.join(top, ".git"))
    for path, size in sizes.items():
        _copy_way(top, os.path.dirname(path))
        with open(top + _from_root(path), "wb") as file:
            file.truncate(size)


def _copy_way(top: str, folder: str) -> None:
    """Make below `top` the folders that lead to `folder`, with their ignore files."""
    copy = top + _from_root(folder)
    if not os.path.isdir(copy):
        parent = os.path.dirname(folder)
        if parent != folder:
            _copy_way(top, parent)
        os.makedirs(copy, exist_ok=True)
        if os.path.lexists(os.path.join(folder, ".git")):
            os.makedirs(os.path.join(copy, ".git", "info"))
        for name in _IGNORE_FILES:
            with contextlib.suppress(OSError):
                shutil.copyfile(os.path.join(folder, name), os.path.join(copy, name))


def _from_root(path: str) -> str:
    return os.path.splitdrive(path)[1].rstrip(os.sep)


def is_below(folder: str, path: str) -> bool:
    """Whether `path` begins with the spelling of `folder`, and goes on."""
    return path.startswith(os.path.join(folder, ""))
