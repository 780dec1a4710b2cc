import os
import sys
from pathlib import Path

import pytest

from sg_server.workspace.mounts import Mounts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices have no numbers there")

TABLE = rb"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
40 27 0:40 / /home rw shared:7 master:1 - btrfs /dev/vdb rw
41 40 0:41 / /home/me/remote rw - fuse.sshfs me@there:/ rw
42 27 0:42 / /mnt/a\040b\134c rw - nfs4 there:/ rw
43 27 0:43 / /mnt/stacked rw - nfs there:/ rw
44 43 0:44 / /mnt/stacked rw - btrfs /dev/vdc rw
45 27 0:45 / /srv rw - newfs /dev/vdd rw
"""
MOUNTS = Mounts.parse(TABLE)
UNLISTED = os.makedev(0, 99)


def test_the_device_of_what_is_there_decides() -> None:
    assert MOUNTS.is_local("/src/a.py", os.makedev(254, 0))
    assert not MOUNTS.is_local("/home/me/remote", os.makedev(0, 41))
    assert not MOUNTS.is_local("/home/me", os.makedev(0, 43))
    assert MOUNTS.is_local("/mnt/stacked", os.makedev(0, 44))


def test_a_kind_of_file_system_that_is_not_known_is_not_local() -> None:
    assert not MOUNTS.is_local("/srv", os.makedev(0, 45))
    assert not MOUNTS.is_local("/proc", os.makedev(0, 21))


@pytest.mark.parametrize(
    "path", ["/", "/src", "/home/me/src", "/home/me/remote-not", "/mnt/stacked", "/mnt/stacked/src"]
)
def test_where_no_mount_has_the_device_the_closest_and_latest_mount_decides(path: str) -> None:
    assert MOUNTS.is_local(path, UNLISTED)


@pytest.mark.parametrize(
    "path", ["/home/me/remote", "/home/me/remote/src", "/mnt/a b\\c", "/srv/x", "/proc/1"]
)
def test_a_closest_mount_that_is_not_local_decides_as_well(path: str) -> None:
    assert not MOUNTS.is_local(path, UNLISTED)


def test_without_a_table_nothing_is_local() -> None:
    assert not Mounts().is_local("/", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="the table is Linux's")
def test_the_table_of_this_machine_can_be_read() -> None:
    device = Path("/proc/self/mountinfo").stat().st_dev
    assert Mounts.read().mounted
    assert not Mounts.read().is_local("/proc/self/mountinfo", device)
