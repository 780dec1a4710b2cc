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
from sg_server.workspace.ways import End, Ways

_CLOCK_REALTIME_COARSE: Final = 5
"""From Linux's <time.h>; Python has no name for it."""
TICK_SECONDS: Final = 0.01
"""Of the slowest clock by which Linux stamps files: stamps that are further apart differ."""
_CLOCK_DRIFT_NS: Final = 50_000_000
"""Time synchronisation slews one of the clocks a little."""
_CLOCK_MOMENT_NS: Final = 1_000_000
_CLOCK_READINGS: Final = 10
"""Until both clocks are read within a moment; else the last reading has to do."""


class Revision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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


class Look(msgspec.Struct, frozen=True, gc=False):
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
    """Read both clocks of this machine, at one moment: a busy one may stop us between the two."""
    for _ in range(_CLOCK_READINGS):
        before, wall_ns, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before < _CLOCK_MOMENT_NS:
            break
    return Clocks(wall_ns, after)


def read_stamp_clock() -> int:
    """Read a clock that no new stamp of a file is behind, in ns since the epoch: Linux stamps in ticks."""
    return time.clock_gettime_ns(_CLOCK_REALTIME_COARSE) if sys.platform == "linux" else time.time_ns()


class ScanWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The time from just before a scan until its files have been looked at.

    Open it before ripgrep starts, with the roots as ripgrep gets them; look after ripgrep has ended, or see
    while it runs and settle then.
    """

    began: Clocks
    roots: Mapping[str, int]
    """Device of the local ones by spelling, without a separator at the end: "/" is the empty string."""
    ways: Ways
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
        local: dict[str, int] = {}
        spellings = [root.rstrip("/") for root in roots] if sys.platform == "linux" else []
        ways = Ways.to(spellings, stamp_ns=read_stamp_clock())
        if spellings:
            mounts = Mounts.read() if mounts is None else mounts
            for spelling in spellings:
                end = ways.end(spelling)
                if end is not None and mounts.is_local(end.path, end.device):
                    local[spelling] = end.device
        return cls(began=began, roots=local, ways=ways, clocks=clocks)

    def look(self, paths: Sequence[str]) -> list[Look]:
        """Look once at each file, in order, after ripgrep has ended; blocks."""
        return self.settle(paths, self.see(paths))

    def see(self, paths: Sequence[str]) -> list[Look]:
        """Look once at each file, in order, after ripgrep has searched it.

        A path begins with the spelling of its root. What is `settled` here is so by its own stamps alone:
        `settle` has to follow. Blocks: give it some hundred paths at a time.
        """
        old_before = self._old_before
        looks = []
        for path, status in zip(paths, _statuses(paths, follow=self.roots), strict=True):
            revision = None if status is None else Revision.of(status)
            if revision is not None:
                is_old = revision.mtime_ns < old_before and revision.ctime_ns < old_before
                looks.append(Look(revision, settled=is_old))
            else:
                is_link = status is not None and stat.S_ISLNK(status.st_mode)
                looks.append(Look(look(path) if is_link else None, settled=False))
        return looks

    def settle(self, paths: Sequence[str], seen: Sequence[Look]) -> list[Look]:
        """What `see` found, settled only where the way to the file proves it too, after ripgrep has ended.

        Blocks: give it some thousand at a time, in a worker thread.
        """
        if not self.roots:
            return [Look(look.revision, settled=False) for look in seen]
        # What is read later vouches for what was read before, so the order is: files, folders from the
        # leaves up, roots, clocks.
        homes = [path if path in self.roots else _parent(path) for path in paths]
        folders, above = _look_at_folders(set(homes), self.roots)
        ways = Ways.to(above, stamp_ns=read_stamp_clock())
        stayed = ways.unmoved_since(self.ways)
        roots = {root: end for root in stayed if (end := ways.end(root)) is not None}
        devices = _devices_of_settled(folders, roots, self._old_before) if self._clocks_agree() else {}
        return [
            look
            if not look.settled or (look.revision and devices.get(home) == look.revision.device)
            else Look(look.revision, settled=False)
            for home, look in zip(homes, seen, strict=True)
        ]

    @property
    def _old_before(self) -> int:
        return self.began.wall_ns - limits.SETTLED_AFTER_NS

    def _clocks_agree(self) -> bool:
        """Whether as much time has passed on one clock as on the other."""
        now, began = self.clocks(), self.began
        passed_ns = now.monotonic_ns - began.monotonic_ns
        return abs(now.wall_ns - began.wall_ns - passed_ns) <= _CLOCK_DRIFT_NS


class Bracket(msgspec.Struct, frozen=True, kw_only=True):
    """Two looks at the same files, around a search of them that shall prove what no stamp could.

    The first look is of use only where a write after it would show: a file system stamps in ticks, and the
    second of two writes within one leaves no trace. Equal looks alone would not tell that the way to a file
    led to another one in between: the folders and links on it must have kept their places as well.
    """

    before: "Mapping[str, _Seen]"
    ways: Ways

    @classmethod
    def open(cls, paths: Iterable[str], *, stamp_clock: Callable[[], int] = read_stamp_clock) -> Self:
        """Take the first look, before ripgrep starts. `stamp_clock` is behind no stamp."""
        now_ns = stamp_clock()
        ways = Ways(now_ns)
        looks = ((path, _see(path, ways)) for path in paths)
        before = {path: seen for path, seen in looks if seen and seen.revision.changed_ns < now_ns}
        return cls(before=before, ways=ways)

    def close(self) -> dict[str, Revision]:
        """Take the second look, after ripgrep has ended: the revisions of the files that have not changed."""
        ways = Ways(read_stamp_clock())
        same = {path: seen for path, seen in self.before.items() if _see(path, ways) == seen}
        stayed = ways.unmoved_since(self.ways)
        return {path: seen.revision for path, seen in same.items() if seen.way in stayed}


class _Seen(NamedTuple):
    """A file, and what led to it: its folder or, where it is a symbolic link, all the way from its name."""

    revision: Revision
    way: str


def _see(path: str, ways: Ways) -> _Seen | None:
    """Look at a file and at the way to it."""
    status = _status(path, follow=False)
    if status is None:
        return None
    is_link = stat.S_ISLNK(status.st_mode)
    way = path if is_link else _parent(path)
    ways.add(way)
    revision = look(path) if is_link else Revision.of(status)
    return None if revision is None else _Seen(revision, way)


def _look_at_folders(
    homes: Iterable[str], roots: Collection[str]
) -> tuple[dict[str, os.stat_result | None], set[str]]:
    """Look once at each folder from `homes` up to a root, from the leaves up; return the roots as well."""
    folders: set[str] = set()
    above: set[str] = set()
    for home in homes:
        folder = home
        while folder and folder not in folders and folder not in roots:
            folders.add(folder)
            folder = _parent(folder)
        if folder in roots:
            above.add(folder)
    from_the_leaves_up = sorted(folders, key=len, reverse=True)
    return dict(zip(from_the_leaves_up, _statuses(from_the_leaves_up, follow=()), strict=True)), above


def _devices_of_settled(
    folders: dict[str, os.stat_result | None], roots: Mapping[str, End], old_before: int
) -> dict[str, int]:
    """Return the device of each root and folder that was in its place throughout the scan."""
    devices = {spelling: root.device for spelling, root in roots.items()}
    old = {spelling for spelling, root in roots.items() if root.ctime_ns < old_before}
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
    return path.rpartition(os.sep)[0]


def _statuses(paths: Iterable[str], *, follow: Collection[str]) -> list[os.stat_result | None]:
    """Look at each of `paths`, links followed at those in `follow` alone."""
    statuses: list[os.stat_result | None] = []
    lstat, add = os.lstat, statuses.append
    for path in paths:
        try:
            add(os.stat(path) if path in follow else lstat(path))
        except OSError:
            add(None)
    return statuses


def _status(path: str, *, follow: bool) -> os.stat_result | None:
    try:
        return os.stat(path) if follow else os.lstat(path)
    except OSError:
        return None
