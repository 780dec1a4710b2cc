"""Which file systems are local, so that their time stamps are this machine's own."""

import os
import re
from typing import Final, Self

import msgspec

_LOCAL: Final = frozenset(
    {
        b"bcachefs",
        b"btrfs",
        b"erofs",
        b"ext2",
        b"ext3",
        b"ext4",
        b"f2fs",
        b"overlay",
        b"ramfs",
        b"squashfs",
        b"tmpfs",
        b"xfs",
        b"zfs",
    }
)
_OCTAL = re.compile(rb"\\([0-7]{3})")


class _Mount(msgspec.Struct, frozen=True, kw_only=True):
    device: str
    point: str
    is_local: bool


class Mounts(msgspec.Struct, frozen=True, kw_only=True):
    """The mounted file systems in the order of their mounting; none where the system keeps no such table."""

    mounted: tuple[_Mount, ...] = ()

    @classmethod
    def parse(cls, table: bytes) -> Self:
        """Read a table in the form of Linux's /proc/self/mountinfo (proc_pid_mountinfo(5))."""
        return cls(mounted=tuple(_mount(line.split(b" ")) for line in table.split(b"\n") if line))

    @classmethod
    def read(cls) -> Self:
        """Read this machine's table."""
        try:
            with open("/proc/self/mountinfo", "rb") as table:
                return cls.parse(table.read())
        except OSError:
            return cls()

    def is_local(self, path: str, device: int) -> bool:
        """Whether a real path, with the `st_dev` of what is there, is on a file system known to be local.

        The device decides, for a mount point may be hidden below a later mount. Only where no mount has it,
        as for the subvolumes of btrfs, the longest mount point around the path does, of equal ones the last.
        """
        number = f"{os.major(device)}:{os.minor(device)}"
        for mount in self.mounted:
            if mount.device == number:
                return mount.is_local
        around = [mount for mount in self.mounted if _is_around(mount.point, path)]
        return max(reversed(around), key=lambda mount: len(mount.point)).is_local if around else False


def _mount(fields: list[bytes]) -> _Mount:
    """Read one line: its optional fields end at a lone hyphen, and the type of file system follows."""
    kind = fields[fields.index(b"-", 6) + 1]
    point = _OCTAL.sub(lambda octal: bytes((int(octal[1], 8),)), fields[4])
    return _Mount(device=fields[2].decode(), point=os.fsdecode(point), is_local=kind in _LOCAL)


def _is_around(point: str, path: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
