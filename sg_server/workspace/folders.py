"""The client's folders, and where a path lies among them.

Paths and URIs keep the client's spelling of a folder, so that an editor does not open one file twice; whether
something is inside is decided on real paths, all symbolic links followed.
"""

import os
from collections.abc import Iterable
from typing import Self

import msgspec

from sg_server.errors import GitInternal, InvalidParams, NoWorkspace, OutsideWorkspace, PathNotFound
from sg_server.workspace import uris


class Folder(msgspec.Struct, frozen=True, kw_only=True):
    """One folder that the client has open.

    `uri` is the client's spelling and `path` the same as an absolute path, perhaps through symbolic links;
    `real` is where it leads. `name` is unique in its workspace: the client's name for it where that can begin
    a path, else its last component; `~2`, `~3` follow equal names in the client's order.
    """

    uri: str
    path: str
    real: str
    name: str


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A path in a folder.

    `path` is absolute and, like `uri`, in the folder's own spelling. `display` is the path for people:
    relative to the folder, `.` for the folder itself; with several folders it begins with the folder's name.
    """

    path: str
    folder: Folder
    display: str
    uri: str


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """All folders, in the client's order; `deepest_first` has a folder before those around it."""

    folders: tuple[Folder, ...]
    deepest_first: tuple[Folder, ...]

    @classmethod
    def of(cls, folders: Iterable[tuple[str, str | None]]) -> Self:
        """Build a workspace from the URI and the client's name of each folder.

        A URI that names no path here is left out, and so is a folder that leads where an earlier one does.
        """
        kept: dict[str, Folder] = {}
        names: set[str] = set()
        for uri, client_name in folders:
            path = uris.path_of(uri)
            if path is None or not _is_path(path):
                continue
            path = _normal(path)
            real = os.path.realpath(path)
            if real not in kept:
                name = _unique(_plain_name(client_name) or _last_component(path), names)
                names.add(name)
                kept[real] = Folder(uri=uri, path=path, real=real, name=name)
        ordered = tuple(kept.values())
        deepest_first = tuple(sorted(ordered, key=lambda folder: len(folder.path), reverse=True))
        return cls(folders=ordered, deepest_first=deepest_first)

    def place(self, path: str, field: str) -> Place:
        """Return where a client's path lies. `field` is the request's name for it, for messages.

        A relative path starts at the folder; with several folders its first component is a folder's name.
        `..` is resolved before anything is looked up. An absolute path may use a folder's real spelling.

        Raises NoWorkspace, InvalidParams, PathNotFound or OutsideWorkspace; none tells what exists outside.
        """
        self._require_folders()
        if not path or not _is_path(path):
            raise InvalidParams(field, "not a path: it is empty, or holds a NUL or a lone surrogate")
        return self._existing(self.absolute(path, field), field)

    def place_uri(self, uri: str, field: str) -> Place:
        """Return where a client's file URI lies; the rules and errors are those of `place`."""
        self._require_folders()
        path = uris.path_of(uri)
        if path is None or not _is_path(path):
            raise InvalidParams(field, f"not the URI of a file of this machine: {uris.display(uri)}")
        return self._existing(_normal(path), field)

    def absolute(self, path: str, field: str) -> str:
        """Return a client's path as a normal absolute one, nothing looked up. Raises InvalidParams."""
        if os.path.isabs(path):
            return _normal(path)
        if len(self.folders) == 1:
            return _normal(os.path.join(self.folders[0].path, path))
        first, _, rest = os.path.normpath(path).partition(os.sep)
        for folder in self.folders:
            if uris.display(first) == folder.name:
                return os.path.join(folder.path, rest) if rest else folder.path
        shown = uris.display(path)
        raise InvalidParams(
            field, f"{shown!r} does not start with the name of a folder; they are {self._names()}"
        )

    def locate(self, path: str) -> Place | None:
        """Return where a normal absolute path lies by its spelling alone, nothing looked up; None outside."""
        folder, relative = self._split(path)
        return None if folder is None else self._at(folder, relative)

    def display_of(self, path: str) -> str:
        """Return the `path` field of an absolute path in a folder's spelling; outside, the whole path."""
        folder, relative = self._split(path)
        return uris.display(path) if folder is None else self._display(folder, relative)

    def uri_of(self, path: str) -> str:
        """Return the URI of an absolute path, in the spelling of the folder that holds it."""
        folder, relative = self._split(path)
        return uris.uri_of(path) if folder is None else uris.child_uri(folder.uri, relative)

    def _split(self, path: str) -> tuple[Folder | None, str]:
        """Return the deepest folder around `path` and what follows it; no folder and all of it outside."""
        for folder in self.deepest_first:
            if (relative := _below(folder.path, path)) is not None:
                return folder, relative
        return None, path

    def _require_folders(self) -> None:
        if not self.folders:
            raise NoWorkspace("no folder is open", "Open a folder in the editor and try again.")

    def _names(self) -> str:
        return ", ".join(folder.name for folder in self.folders)

    def _existing(self, path: str, field: str) -> Place:
        """Check a normal absolute path against the disk; see `place`."""
        spelled = self.locate(path) or self._mapped(path)
        if spelled is not None:
            _refuse_git(_below(spelled.folder.path, spelled.path), spelled.display, field)
        shown = uris.display(path) if spelled is None else spelled.display
        try:
            real = os.path.realpath(path, strict=True)
        except OSError as error:
            if spelled is None:
                raise self._outside(shown, field) from error
            reason = (error.strerror or "cannot be read").lower()
            raise PathNotFound(
                f"{field}: {shown}: {reason}", "Check the path, or search its folder."
            ) from error
        holder = self._real_holder(real)
        place = spelled or self._mapped(real)
        if holder is None or place is None:
            raise self._outside(shown, field)
        _refuse_git(_below(holder.real, real), shown, field)
        return place

    def _outside(self, shown: str, field: str) -> OutsideWorkspace:
        folders = ", ".join(uris.display(folder.path) for folder in self.folders)
        return OutsideWorkspace(
            f"{field}: {shown} is outside every open folder", f"Open its folder; open are {folders}."
        )

    def _real_holder(self, real: str) -> Folder | None:
        holders = [folder for folder in self.folders if _below(folder.real, real) is not None]
        return max(holders, key=lambda folder: len(folder.real), default=None)

    def _mapped(self, path: str) -> Place | None:
        """Return the place of a path in a folder's real spelling."""
        folder = self._real_holder(path)
        relative = None if folder is None else _below(folder.real, path)
        return None if folder is None or relative is None else self._at(folder, relative)

    def _at(self, folder: Folder, relative: str) -> Place:
        return Place(
            path=os.path.join(folder.path, relative) if relative else folder.path,
            folder=folder,
            display=self._display(folder, relative),
            uri=uris.child_uri(folder.uri, relative),
        )

    def _display(self, folder: Folder, relative: str) -> str:
        shown = uris.display(relative)
        if len(self.folders) == 1:
            return shown or "."
        return f"{folder.name}/{shown}" if shown else folder.name


def folder_key(uri: str) -> str:
    """Return what two URIs of one folder have in common, however they are encoded.

    Symbolic links are not followed: they are different folders to the client, which may close one of them.
    """
    path = uris.path_of(uri)
    return uri if path is None or not _is_path(path) else os.path.normcase(_normal(path))


def _below(folder: str, path: str) -> str | None:
    """Return what follows `folder` in `path`: empty when they are equal, None when it is not inside."""
    if not path.startswith(folder):
        return None
    if len(path) == len(folder):
        return ""
    if folder.endswith(os.sep):
        return path[len(folder) :]
    return path[len(folder) + 1 :] if path[len(folder)] == os.sep else None


def _normal(path: str) -> str:
    """Resolve `.`, `..` and doubled separators by spelling; POSIX's two leading slashes become one."""
    normal = os.path.normpath(path)
    return normal[1:] if os.sep == "/" and normal.startswith("//") else normal


def _is_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _refuse_git(relative: str | None, shown: str, field: str) -> None:
    """Raise GitInternal where a component is `.git`, in any case: file systems may fold it."""
    if relative is not None and ".git" in relative.lower().split(os.sep):
        raise GitInternal(field, f"{shown} is inside .git, which is never searched")


def _plain_name(name: str | None) -> str | None:
    """Return a client's name for a folder where it can be the first component of a path.

    Some clients send the whole path as the name.
    """
    if name is None or name in ("", ".", "..") or any(character in "/\\\0" for character in name):
        return None
    return uris.display(name)


def _last_component(path: str) -> str:
    return uris.display(os.path.basename(path) or path).strip("/") or "root"


def _unique(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}~{count}"
    return candidate
