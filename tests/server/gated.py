"""A ripgrep that waits at gates, to open the windows in which a file may change unnoticed."""

import os
import sysconfig
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.server.wire import until, write_program

_SCRIPT = """
run=1
until mkdir {folder}/run-$run 2> /dev/null; do run=$((run + 1)); done
printf %s "$*" > {folder}/run-$run/arguments
gate() {{ if [ -p {folder}/$1-$run ]; then cat {folder}/$1-$run > /dev/null; fi; }}
gate before
{rg} "$@"
code=$?
gate after
exit $code
"""


class GatedRg:
    """A script in the place of rg that runs the real one, notes its arguments and stops where it is told."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        rg = os.path.join(sysconfig.get_path("scripts"), "rg")
        self.path = str(write_program(folder / "rg", _SCRIPT.format(folder=folder, rg=rg)))

    @property
    def runs(self) -> list[str]:
        """The arguments of each run so far."""
        count = len(list(self._folder.glob("run-*")))
        return [(self._folder / f"run-{run + 1}/arguments").read_text() for run in range(count)]

    def close(self, *moments: str) -> None:
        """Let runs wait at `moments`, such as `before-1` and `after-2`: before and after rg's own work."""
        for moment in moments:
            os.mkfifo(self._folder / moment)

    @asynccontextmanager
    async def at(self, moment: str) -> AsyncIterator[None]:
        """Wait until a run has come to the closed gate; open it on leaving."""
        held: list[int] = []

        def is_there() -> bool:
            # A pipe can only be opened for writing without waiting once its reader is there.
            with suppress(OSError):
                held.append(os.open(self._folder / moment, os.O_WRONLY | os.O_NONBLOCK))
            return bool(held)

        await until(is_there)
        yield
        os.close(held[0])
