"""Proof that a file has not changed since it was searched.

A file is settled when its time stamps say that what a look finds now is what was there during the scan. On
Linux, on a local file system, that holds when all of this does:

- the file's own mtime and ctime are older than the scan: nobody wrote to it (its mtime can be set back, its
  ctime cannot) and nobody moved it here (a rename, like a new hard link, changes its ctime);
- each folder between root and file stayed where it was: its own ctime is older than the scan, or its parent's
  is (new entries change the folder's alone, a rename changes both);
- the root leads where it did before the scan, and neither it, nor a folder above it, nor a symbolic link in
  its spelling was moved meanwhile, not even there and back;
- no symbolic link and no other file system lies between root and file;
- the wall clock, which makes the stamps, was not set meanwhile: it agrees with the monotonic clock.

On other systems nothing is settled, and a second search of the file has to prove it. Stores through a shared
memory mapping leave no trace in the stamps until they are written back; no look detects them.
"""

import os
import stat
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Self

import msgspec

from sg_server import limits
from sg_server.workspace.mounts import Mounts

_CLOCK_REALTIME_COARSE: Final = 5
"""From Linux's <time.h>; Python has no name for it."""
_CLOCK_DRIFT_NS: Final = 50_000_000
"""The clocks are read one after the other, and time synchronisation slews one of them a little."""


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    """What tells one state of a regular file from another. Times are ns since the epoch."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self | None:
        """Return the revision of a regular file; None for anything else."""
        if not stat.S_ISREG(status.st_mode):
            return None
        return cls(
            device=status.st_dev,
            inode=status.st_ino,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            ctime_ns=status.st_ctime_ns,
        )

    @property
    def changed_ns(self) -> int:
        """When the file last changed, by the stamp that nobody can set where there is one."""
        return self.mtime_ns if sys.platform == "win32" else self.ctime_ns


class Look(NamedTuple):
    """What one look found; `revision` is None where no regular file can be reached."""

    revision: Revision | None
    settled: bool


class Clocks(NamedTuple):
    """The time of day and a clock that nobody sets, in ns."""

    wall_ns: int
    monotonic_ns: int


def look(path: str) -> Revision | None:
    """Return the revision of the regular file that `path` leads to, links followed; None without one."""
    status = _status(path, follow=True)
    return None if status is None else Revision.of(status)


def read_clocks() -> Clocks:
    """Read both clocks of this machine."""
    return Clocks(time.time_ns(), time.monotonic_ns())


def read_stamp_clock() -> int:
    """Read a clock that no new stamp of a file is behind, in ns since the epoch: Linux stamps in ticks."""
    return time.clock_gettime_ns(_CLOCK_REALTIME_COARSE) if sys.platform == "linux" else time.time_ns()


class ScanWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The time from just before a scan until its files have been looked at.

    Open it before ripgrep starts, with the roots as ripgrep gets them; look after ripgrep has ended.
    """

    began: Clocks
    roots: "Mapping[str, _Root]"
    """The local ones by spelling, without a separator at the end: "/" is the empty string."""
    clocks: Callable[[], Clocks]

    @classmethod
    def open(
        cls,
        roots: Iterable[str],
        *,
        clocks: Callable[[], Clocks] = read_clocks,
        mounts: Mounts | None = None,
    ) -> Self:
        """Remember the time and the roots, absolute paths. Tests pass other `clocks` and `mounts`."""
        began = clocks()
        local: dict[str, _Root] = {}
        if sys.platform == "linux":
            mounts = Mounts.read() if mounts is None else mounts
            for root in roots:
                seen = _see_root(root)
                if seen is not None and mounts.is_local(seen.real, seen.device):
                    local[root.rstrip("/")] = seen
        return cls(began=began, roots=local, clocks=clocks)

    def look(self, paths: Sequence[str]) -> list[Look]:
        """Look once at each file, in order; a path begins with the spelling of its root.

        Blocks: give it some thousand paths at a time, in a worker thread.
        """
        if not self.roots:
            return [Look(look(path), settled=False) for path in paths]
        # What is read later vouches for what was read before, so the order is: files, folders from the
        # leaves up, roots, clocks.
        files = [(path, _status(path, follow=path in self.roots)) for path in paths]
        folders, above = _look_at_folders(paths, self.roots)
        roots = self._roots_that_stayed(above)
        old_before = self.began.wall_ns - limits.SETTLED_AFTER_NS
        devices = _devices_of_settled(folders, roots, old_before) if self._clocks_agree() else {}
        looks = []
        for path, status in files:
            revision = None if status is None else Revision.of(status)
            if revision is None:
                is_link = status is not None and stat.S_ISLNK(status.st_mode)
                looks.append(Look(look(path) if is_link else None, settled=False))
            else:
                device = devices.get(path if path in roots else _parent(path))
                is_old = revision.mtime_ns < old_before and revision.ctime_ns < old_before
                looks.append(Look(revision, settled=is_old and device == revision.device))
        return looks

    def _roots_that_stayed(self, spellings: Iterable[str]) -> "dict[str, _Root]":
        seen = {spelling: _see_root(spelling or "/") for spelling in spellings}
        return {
            spelling: now
            for spelling, now in seen.items()
            if now is not None and now.has_stayed_since(self.roots[spelling])
        }

    def _clocks_agree(self) -> bool:
        """Whether as much time has passed on one clock as on the other."""
        now, began = self.clocks(), self.began
        passed_ns = now.monotonic_ns - began.monotonic_ns
        return abs(now.wall_ns - began.wall_ns - passed_ns) <= _CLOCK_DRIFT_NS


class Bracket(msgspec.Struct, frozen=True, kw_only=True):
    """Two looks at the same files, around a search of them that shall prove what no stamp could.

    The first look is of use only where a write after it would show: a file system stamps in ticks, and the
    second of two writes within one leaves no trace.
    """

    before: Mapping[str, Revision]

    @classmethod
    def open(cls, paths: Iterable[str], *, stamp_clock: Callable[[], int] = read_stamp_clock) -> Self:
        """Take the first look, before ripgrep starts. `stamp_clock` is behind no stamp."""
        now_ns = stamp_clock()
        looks = ((path, look(path)) for path in paths)
        return cls(before={path: found for path, found in looks if found and found.changed_ns < now_ns})

    def close(self) -> dict[str, Revision]:
        """Take the second look, after ripgrep has ended: the revisions of the files that have not changed."""
        return {path: revision for path, revision in self.before.items() if look(path) == revision}


class _Step(NamedTuple):
    """One folder, link or file on the way to a root."""

    device: int
    inode: int
    ctime_ns: int


class _Root(msgspec.Struct, frozen=True, kw_only=True):
    """A search root at one moment.

    `steps` are those of its real path, from the file system's root to the search root; `links` are the
    symbolic links in its spelling.
    """

    real: str
    steps: tuple[_Step, ...]
    links: tuple[_Step, ...]

    @property
    def device(self) -> int:
        return self.steps[-1].device

    def has_stayed_since(self, before: "_Root") -> bool:
        """Whether it is the same root and nothing on the way to it was moved, not even there and back."""
        if self.links != before.links or len(self.steps) != len(before.steps):
            return False
        parent_changed = False
        for now, then in zip(self.steps, before.steps, strict=True):
            changed = now.ctime_ns != then.ctime_ns
            if now[:2] != then[:2] or (changed and parent_changed):
                return False
            parent_changed = changed
        return True


def _see_root(path: str) -> _Root | None:
    """Look at a root and the way to it; None where it does not exist."""
    try:
        real = os.path.realpath(path, strict=True)
        steps = [os.lstat(step) for step in _steps(real)]
        links = [status for step in _steps(path) if stat.S_ISLNK((status := os.lstat(step)).st_mode)]
    except OSError:
        return None
    return _Root(real=real, steps=_identities(steps), links=_identities(links))


def _steps(path: str) -> list[str]:
    """Return an absolute path and all folders above it, the outermost first."""
    names = [name for name in path.split("/") if name]
    return ["/" + "/".join(names[:count]) for count in range(len(names) + 1)]


def _identities(statuses: Iterable[os.stat_result]) -> tuple[_Step, ...]:
    return tuple(_Step(status.st_dev, status.st_ino, status.st_ctime_ns) for status in statuses)


def _look_at_folders(
    paths: Iterable[str], roots: Collection[str]
) -> tuple[dict[str, os.stat_result | None], set[str]]:
    """Look once at each folder between a root and a file, from the leaves up; return the roots as well."""
    folders: set[str] = set()
    above: set[str] = set()
    for path in paths:
        folder = path if path in roots else _parent(path)
        while folder and folder not in folders and folder not in roots:
            folders.add(folder)
            folder = _parent(folder)
        if folder in roots:
            above.add(folder)
    from_the_leaves_up = sorted(folders, key=len, reverse=True)
    return {folder: _status(folder, follow=False) for folder in from_the_leaves_up}, above


def _devices_of_settled(
    folders: dict[str, os.stat_result | None], roots: dict[str, _Root], old_before: int
) -> dict[str, int]:
    """Return the device of each root and folder that was in its place throughout the scan."""
    devices = {spelling: root.device for spelling, root in roots.items()}
    old = {spelling for spelling, root in roots.items() if root.steps[-1].ctime_ns < old_before}
    for folder in reversed(folders):
        status, parent = folders[folder], _parent(folder)
        if status is None or not stat.S_ISDIR(status.st_mode) or status.st_dev != devices.get(parent):
            continue
        if status.st_ctime_ns < old_before:
            old.add(folder)
        if folder in old or parent in old:
            devices[folder] = status.st_dev
    return devices


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _status(path: str, *, follow: bool) -> os.stat_result | None:
    try:
        return os.stat(path) if follow else os.lstat(path)
    except OSError:
        return None
