"""A real Neovim with the plugin and nothing else: driven over its standard input, and its screen as text."""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.editors.nvim.rpc import Rpc
from tests.server.wire import require_tool

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "editors/nvim"
DEADLINE_SECONDS = 10.0
CHOICES = "signal-grep.json"
"""In the home of a person: what they chose for all editors."""


def find_nvim() -> str:
    """The Neovim beside the interpreter, where PyPI's is, or that of `PATH`."""
    return require_tool(
        "nvim", os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))
    )


class Neovim:
    """One Neovim without anybody's configuration. Waiting is done inside it, where its own events go on."""

    def __init__(self, home: Path, folder: Path, *, server: list[str]) -> None:
        self.folder = folder
        # What a person has in init.lua.
        settings = (
            f"lua vim.lsp.config('signal_grep', {{ cmd = vim.json.decode([=[{json.dumps(server)}]=]) }})"
        )
        argv = [find_nvim(), "--embed", "--headless", "--clean", "-n", "-i", "NONE"]
        # Looking for a Python to run plugins with takes a second at the first Python file.
        argv += ["--cmd", "let g:loaded_python3_provider = 0"]
        # Two messages at once would wait for a key, and requests with them.
        argv += ["--cmd", "set messagesopt=wait:0,history:500"]
        argv += ["--cmd", f"set runtimepath^={PLUGIN}", "--cmd", settings, "--cmd", f"cd {folder}"]
        self._rpc = Rpc(argv, _clean_environment(home))

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the API, named without its `nvim_`. Raises NeovimError."""
        return self._rpc.request(f"nvim_{function}", *arguments)

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua and give what it returns; the arguments are `...`."""
        return self.call("exec_lua", code, arguments)

    def command(self, command: str) -> None:
        """Run an Ex command as if it was typed."""
        self.call("command", command)

    def keys(self, keys: str) -> None:
        """Type keys, in the notation of mappings."""
        self.call("input", keys)

    def until(self, expression: str) -> None:
        """Wait until a Lua expression is true."""
        # Typed keys have their turn only between requests, so none takes long.
        condition = f"return (vim.wait(50, function() return {expression} end, 2))"
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not self.lua(condition):
            assert time.monotonic() < deadline, f"not in time: {expression}\n{self.messages}"

    def open(self, name: str) -> None:
        """Edit a file of the folder."""
        self.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(self.folder / name))

    def notifications(self) -> list[tuple[str, list[Any]]]:
        """What Neovim said on its own, each given once."""
        return self._rpc.notifications()

    @property
    def cursor(self) -> tuple[str, int, int]:
        """Name of the file in the current window, line from 1, and byte column from 1."""
        line, column = self.call("win_get_cursor", 0)
        return os.path.basename(self.call("buf_get_name", 0)), line, column + 1

    def quickfix(self) -> list[Mapping[str, Any]]:
        """The items of the quickfix list, with the name of each one's file."""
        return self._items("vim.fn.getqflist()")

    def location_list(self) -> list[Mapping[str, Any]]:
        """The items of the current window's location list, with the name of each one's file."""
        return self._items("vim.fn.getloclist(0)")

    def _items(self, expression: str) -> list[Mapping[str, Any]]:
        items: list[Mapping[str, Any]] = self.lua(
            f"""return vim.tbl_map(function(item)
                  item.name = vim.fs.basename(vim.fn.bufname(item.bufnr))
                  return item
                end, {expression})"""
        )
        return items

    @property
    def title(self) -> str:
        """Of the quickfix list."""
        return str(self.lua("return vim.fn.getqflist({ title = 0 }).title"))

    @property
    def messages(self) -> str:
        """Everything that was said."""
        return str(self.lua("return vim.fn.execute('messages')"))

    def close(self) -> None:
        """End Neovim, and with it the servers that it started."""
        self._rpc.close()


class Screen:
    """What a Neovim shows, kept from the events that tell a user interface what to draw."""

    def __init__(self, neovim: Neovim, width: int = 100, height: int = 30) -> None:
        self._neovim = neovim
        self._rows: list[list[str]] = []
        neovim.call("ui_attach", width, height, {"rgb": True, "ext_linegrid": True})

    def text(self) -> str:
        """The lines of the screen as it is drawn now."""
        self._neovim.command("redraw!")  # its events come before its answer
        for name, events in self._neovim.notifications():
            assert name == "redraw"
            for event, *calls in events:
                for parameters in calls:
                    self._draw(event, parameters)
        return "\n".join("".join(row).rstrip() for row in self._rows)

    def _draw(self, event: str, parameters: list[Any]) -> None:
        if event == "grid_resize":
            _, width, height = parameters
            self._rows = [[" "] * width for _ in range(height)]
        elif event == "grid_clear":
            self._rows = [[" "] * len(row) for row in self._rows]
        elif event == "grid_line":
            _, row, column, cells, *_ = parameters
            for (
                text,
                *rest,
            ) in cells:  # then a highlight, and how often; the right half of a wide one is empty
                for _ in range(rest[1] if len(rest) > 1 else 1):
                    self._rows[row][column] = text
                    column += 1
        elif event == "grid_scroll":
            _, top, bottom, left, right, by, _ = parameters
            moved = range(top, bottom - by) if by > 0 else range(bottom - 1, top - by - 1, -1)
            for row in moved:
                self._rows[row][left:right] = self._rows[row + by][left:right]


def _clean_environment(home: Path) -> dict[str, str]:
    """An environment in which a Neovim finds nothing of anybody's."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("NVIM", "VIM", "XDG_"))
    }
    clean |= {"HOME": str(home), "LC_ALL": "C.UTF-8", "NVIM_LOG_FILE": str(home / "nvim.log")}
    clean["SG_CONFIG"] = str(home / CHOICES)
    clean["PYTHONPATH"] = str(ROOT)  # servers start in the folder that they search
    for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
        folder = home / name.lower()
        folder.mkdir(parents=True, mode=0o700)
        clean[f"XDG_{name}"] = str(folder)
    return clean
