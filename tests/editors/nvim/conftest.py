"""A project with a few files, and Neovims to search it with."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.neovim import CHOICES, Neovim
from tests.server.wire import write_files

NOTHING_CHOSEN = {"overrideBuiltinGrep": False, "startMetricsOnNextLoad": False, "locale": "en"}
SERVER = [sys.executable, "-m", "sg_server"]

Start = Callable[..., Neovim]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project, which Neovim knows by its `.git`."""
    folder = tmp_path / "project"
    write_files(folder, {".git/HEAD": "ref: refs/heads/main\n"})
    return folder


@pytest.fixture
def start(tmp_path: Path, project: Path) -> Iterator[Start]:
    """Starts Neovims in `project`, of people who have `chosen` something for all editors."""
    started: list[Neovim] = []

    def start_one(server: list[str] = SERVER, chosen: Mapping[str, Any] | None = None) -> Neovim:
        home = tmp_path / f"home-{len(started)}"
        if chosen is not None:
            write_files(home, {CHOICES: json.dumps(NOTHING_CHOSEN | dict(chosen))})
        started.append(Neovim(home, project, server=server))
        return started[-1]

    yield start_one
    for neovim in started:
        neovim.close()


@pytest.fixture
def nvim(start: Start) -> Neovim:
    """A Neovim in `project`, which has no file open and no server yet."""
    return start()
