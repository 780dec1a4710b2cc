import re
import shutil
from pathlib import Path

from tests.editors.nvim.neovim import PLUGIN, ROOT, Neovim

HELP = PLUGIN / "doc/signal_grep.txt"


def test_every_command_mapping_and_flag_has_its_help(nvim: Neovim) -> None:
    text = HELP.read_text("utf-8")
    commands = [
        name for name in nvim.lua("return vim.tbl_keys(vim.api.nvim_get_commands({}))") if "Grep" in name
    ]
    assert len(commands) == 10
    for command in commands:
        assert f"*:{command}*" in text
    for mapping in set(re.findall(r"<Plug>\(\w+\)", (PLUGIN / "plugin/signal_grep.lua").read_text("utf-8"))):
        assert mapping in text
    for flag in nvim.call("call_function", "getcompletion", ["SignalGrep -", "cmdline"]):
        assert re.search(rf"(^|\s){re.escape(flag)}\s", text), flag


def test_the_help_is_found_by_its_tags(nvim: Neovim, tmp_path: Path) -> None:
    shutil.copytree(HELP.parent, tmp_path / "copy/doc", ignore=shutil.ignore_patterns("tags"))
    nvim.lua(
        "vim.cmd.helptags(...); vim.opt.runtimepath:prepend(vim.fs.dirname(...))", str(tmp_path / "copy/doc")
    )
    for tag in re.findall(r"\|(:?[Ss]ignal-?[Gg]rep[\w-]*)\|", HELP.read_text("utf-8")):
        nvim.command(f"help {tag}")


def test_the_documentation_names_every_command(nvim: Neovim) -> None:
    text = (ROOT / "docs/neovim.md").read_text("utf-8")
    for command in nvim.lua("return vim.tbl_keys(vim.api.nvim_get_commands({}))"):
        assert not command.startswith("SignalGrep") or f"`:{command}" in text
