"""The folders and symbolic links on the way to files, and whether any was moved between two moments.

A rename stamps a new ctime on what moves and on both of its folders; a new entry does so on the folder that
gets it alone. So what is still the same has kept its place, without having been elsewhere for a while, when
its own ctime or that of its folder is the same too. Windows stamps no rename: there only what stands in
another's place at the second moment is noticed.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Self

_LINKS: Final = 40
"""As many as Linux follows in one path."""


class Step(NamedTuple):
    """One folder, link or file. `target` is None unless it is a link."""

    device: int
    inode: int
    ctime_ns: int
    target: str | None


class End(NamedTuple):
    """What a path leads to, links followed; `path` is its real one."""

    path: str
    device: int
    ctime_ns: int


class Ways:
    """The ways to some paths at one moment; each folder and link is looked at once, however many pass it.

    A place on a way is a name in a real folder; the root of the file system has no name.
    """

    def __init__(self, stamp_ns: int) -> None:
        """Begin with a time that no later stamp is behind."""
        self.stamp_ns = stamp_ns
        self.steps: dict[str, Step | None] = {}
        """By place; None where there is nothing."""
        self.places: dict[str, tuple[str, ...]] = {}
        """On the way to each path, to where it ends or breaks off."""

    @classmethod
    def to(cls, paths: Iterable[str], *, stamp_ns: int) -> Self:
        """Look at the ways to `paths`, which are absolute."""
        ways = cls(stamp_ns)
        for path in paths:
            ways.add(path)
        return ways

    def add(self, path: str) -> None:
        """Look at the way to `path`, links followed, `path` itself included."""
        if path not in self.places:
            self.places[path] = tuple(self._follow(path))

    def end(self, path: str) -> End | None:
        """Where the way to an added `path` ends; None when it leads nowhere."""
        place = self.places[path][-1]
        step = self.steps[place]
        if step is None or step.target is not None:
            return None
        return End(place or os.sep, step.device, step.ctime_ns)

    def unmoved_since(self, before: "Ways") -> set[str]:
        """The paths added here to which one and the same way has led all the time since `before`."""
        moved = {place for place in self.steps if not self._has_stayed(place, before)}
        return {path for path, places in self.places.items() if moved.isdisjoint(places)}

    def _has_stayed(self, place: str, before: "Ways") -> bool:
        now, then = self.steps[place], before.steps.get(place)
        if now is None or then is None or now[:2] != then[:2]:
            return False
        if self._is_unstamped(place, before):
            return True
        folder, has_folder, _ = place.rpartition(os.sep)
        return not has_folder or self._is_unstamped(folder, before)

    def _is_unstamped(self, place: str, before: "Ways") -> bool:
        now, then = self.steps[place], before.steps.get(place)
        if now is None or then is None:
            return False
        # Of two stamps in one tick of the clock the second leaves no trace.
        return now.ctime_ns == then.ctime_ns < before.stamp_ns

    def _follow(self, path: str) -> Iterator[str]:
        here, rest = os.path.splitdrive(path)
        yield self._look(here)
        names = rest.split(os.sep)[::-1]
        links = 0
        while names:
            name = names.pop()
            if name in {"", os.curdir}:
                continue
            if name == os.pardir:
                here = here.rpartition(os.sep)[0]
                yield here
                continue
            place = f"{here}{os.sep}{name}"
            yield self._look(place)
            step = self.steps[place]
            if step is None or links == _LINKS:
                return
            if step.target is None:
                here = place
                continue
            links += 1
            drive, target = os.path.splitdrive(step.target)
            names += target.split(os.sep)[::-1]
            if target.startswith(os.sep):
                here = drive
                yield self._look(here)

    def _look(self, place: str) -> str:
        if place not in self.steps:
            self.steps[place] = _step(place or os.sep)
        return place


def _step(path: str) -> Step | None:
    try:
        status = os.lstat(path)
        target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None
    except OSError:
        return None
    return Step(status.st_dev, status.st_ino, status.st_ctime_ns, target)
