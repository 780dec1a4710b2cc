"""Where the programs we run are found: never in a workspace, never in a working folder."""

import os
import shutil
import sysconfig
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec


class Binary(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run: its absolute path and how it was found."""

    path: str
    found: Literal["option", "environment", "package", "path"]


def find_rg(
    explicit: str | None = None,
    *,
    outside: Iterable[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> Binary | None:
    """ripgrep: as told, then `SG_RG`, then the one installed beside the interpreter, then PATH.

    A PATH entry that is relative, or inside one of the real paths `outside`, is passed over.
    """
    return (
        _told(explicit, environment.get("SG_RG"))
        or _beside_interpreter("rg")
        or _on_path("rg", outside, environment)
    )


def find_ctags(
    explicit: str | None = None,
    *,
    outside: Iterable[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> Binary | None:
    """Universal Ctags: as told, then `SG_CTAGS`, then PATH under its Debian and its own name."""
    return (
        _told(explicit, environment.get("SG_CTAGS"))
        or _on_path("ctags-universal", outside, environment)
        or _on_path("universal-ctags", outside, environment)
        or _on_path("ctags", outside, environment)
    )


def _told(explicit: str | None, variable: str | None) -> Binary | None:
    # What a person named is taken as it is: where it does not exist, running it says so.
    if explicit:
        return Binary(path=os.path.abspath(explicit), found="option")
    if variable:
        return Binary(path=os.path.abspath(variable), found="environment")
    return None


def _beside_interpreter(name: str) -> Binary | None:
    path = shutil.which(name, path=sysconfig.get_path("scripts"))
    return Binary(path=path, found="package") if path else None


def _on_path(name: str, outside: Iterable[str], environment: Mapping[str, str]) -> Binary | None:
    for folder in environment.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder) and not _is_inside(folder, outside):
            # An absolute name keeps Windows from looking in the working folder first.
            path = shutil.which(os.path.join(folder, name))
            if path and not _is_inside(path, outside):
                return Binary(path=path, found="path")
    return None


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    real = os.path.realpath(path)
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)
