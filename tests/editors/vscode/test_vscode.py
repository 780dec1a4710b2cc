"""Runs the extension's own tests: of its parts in Node.js, and of the whole in a real VS Code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.wire import require_tool

ROOT = Path(__file__).resolve().parents[3]
EXTENSION = ROOT / "editors/vscode"
VSCODE = Path(os.environ.get("SG_VSCODE_E2E", "~/.cache/signal-grep/vscode-e2e")).expanduser()
NPM_SECONDS = 300
UNIT_SECONDS = 120
WINDOWS_SECONDS = 600
WINDOW_ATTEMPTS = 2
"""A real window now and then loses a click while it is drawn anew. What is wrong fails every time."""


def run(*command: str, seconds: int, attempts: int = 1) -> None:
    """Run one command in the extension's folder; what it printed is the failure's message."""
    failure: str | None = None
    for _ in range(attempts):
        failure = attempt(*command, seconds=seconds)
        if failure is None:
            return
    pytest.fail(f"{failure}", pytrace=False)


def attempt(*command: str, seconds: int) -> str | None:
    """Run one command in the extension's folder; how it failed, or None."""
    environment = {**os.environ, "SG_PYTHON": sys.executable}
    done = subprocess.run(
        command,
        cwd=EXTENSION,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    return f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}" if done.returncode else None


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    """What the extension is built with, installed once."""
    require_tool("node")
    require_tool("npm")
    target = "editors/vscode/node_modules/ready"
    run("make", "--silent", "--directory", str(ROOT), target, seconds=NPM_SECONDS)


def test_the_parts_of_the_extension() -> None:
    run("npm", "test", seconds=UNIT_SECONDS)


@pytest.mark.parametrize("part", sorted(path.name for path in (EXTENSION / "e2e").glob("*.test.mjs")))
def test_the_extension_in_a_real_window(part: str) -> None:
    require_tool("chromium")
    require_tool("rg")
    if not any(VSCODE.glob("installed-*")):
        missing = "VS Code's server is not installed: editors/vscode/e2e/install.sh installs it"
        (pytest.fail if os.environ.get("SG_REQUIRE_TOOLS") == "1" else pytest.skip)(missing)
    run("npm", "run", "build", seconds=UNIT_SECONDS)
    run(require_tool("node"), "--test", f"e2e/{part}", seconds=WINDOWS_SECONDS, attempts=WINDOW_ATTEMPTS)
