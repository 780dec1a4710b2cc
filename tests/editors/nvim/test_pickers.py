"""The adapters of pickers that others make, with modules of ours that stand in for the plugins."""

import os
import sys
from pathlib import Path

import pytest

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.neovim import Neovim
from tests.editors.nvim.rpc import NeovimError
from tests.server.wire import require_tool, write_files, write_program

STAND_INS = Path(__file__).parent / "stand_ins"
PLUGINS = ("telescope", "fzf-lua", "snacks")
RG_PROCESSES = "#vim.api.nvim_get_proc_children(vim.api.nvim_get_proc_children(vim.fn.getpid())[1])"


def install(nvim: Neovim, *plugins: str) -> None:
    for plugin in plugins:
        nvim.lua("vim.opt.runtimepath:append(...)", str(STAND_INS / plugin))


def replace_rg(nvim: Neovim, path: Path, cases: str) -> None:
    """Let the server run a script; `cases` are those of a shell's `case` over its arguments."""
    rg = write_program(path, f'case "$*" in {cases} esac')
    nvim.lua("vim.lsp.config('signal_grep', { init_options = { rgPath = ... } })", str(rg))


def lines(nvim: Neovim) -> list[str]:
    found: list[str] = nvim.lua("return Picker.lines()")
    return sorted(found)


@pytest.fixture
def bare(start: Start, project: Path) -> Neovim:
    """A Neovim without other plugins, in a project with matches, at the end of a file."""
    write_files(project, {"a.txt": "one\ncafé 😀 needle\n", "b.txt": "needles\n", "c.txt": "x\nyz\n"})
    nvim = start()
    nvim.open("c.txt")
    nvim.command("call cursor(2, 2)")
    return nvim


@pytest.fixture(params=PLUGINS)
def nvim(bare: Neovim, request: pytest.FixtureRequest) -> Neovim:
    """The same with one of the plugins."""
    install(bare, request.param)
    return bare


def test_the_first_plugin_that_is_installed_is_used(bare: Neovim) -> None:
    name = "return require('signal_grep.pickers').name()"
    assert bare.lua(name) == "float"
    for plugin in reversed(PLUGINS):
        install(bare, plugin)
        assert bare.lua(name) == plugin


def test_the_plugin_that_is_asked_for_is_used(bare: Neovim) -> None:
    install(bare, *PLUGINS)
    bare.lua("vim.g.signal_grep = { picker = 'snacks' }")
    bare.command("SignalGrepLive needle")
    assert bare.lua("return Picker.name") == "snacks"


def test_a_plugin_that_is_asked_for_and_missing_is_told(bare: Neovim) -> None:
    bare.lua("vim.g.signal_grep = { picker = 'telescope' }")
    with pytest.raises(NeovimError, match="picker: telescope is not installed"):
        bare.command("SignalGrepLive needle")
    bare.command("checkhealth signal_grep")
    assert "telescope is not installed" in bare.lua("return table.concat(vim.fn.getline(1, '$'), '\\n')")


def test_a_picker_that_is_none_is_told_with_those_there_are(bare: Neovim) -> None:
    bare.lua("vim.g.signal_grep = { picker = 'fzf' }")
    with pytest.raises(NeovimError, match='no "fzf", but: auto, telescope, fzf-lua, snacks, float, select'):
        bare.command("SignalGrepLive needle")


def test_each_match_of_what_is_typed_is_a_row_once(nvim: Neovim) -> None:
    nvim.command("SignalGrepLive need")
    nvim.until("#Picker.lines() == 2")
    assert lines(nvim) == ["a.txt:2:café 😀 needle", "b.txt:1:needles"]
    nvim.lua("Picker.type('-g a.txt needle')")
    nvim.until("#Picker.lines() == 1")
    assert lines(nvim) == ["a.txt:2:café 😀 needle"]


def test_the_byte_of_the_match_is_gone_to(nvim: Neovim) -> None:
    nvim.command("SignalGrepLive -g a.txt needle")
    nvim.until("#Picker.lines() == 1")
    nvim.lua("Picker.accept(1)")
    assert nvim.cursor == ("a.txt", 2, 12)


def test_a_row_is_accepted_before_the_search_is_over(nvim: Neovim, project: Path, tmp_path: Path) -> None:
    real = require_tool("rg", os.path.dirname(sys.executable))
    searching = f"{real} --json needle {project}/a.txt; exec sleep 60"
    replace_rg(nvim, tmp_path / "rg", f'*--json*) {searching};; *) exec {real} "$@";;')
    nvim.command("SignalGrepLive needle")
    nvim.until("#Picker.lines() == 1")
    nvim.lua("Picker.accept(1)")
    assert nvim.cursor == ("a.txt", 2, 12)
    nvim.until(f"{RG_PROCESSES} == 0")


@pytest.mark.parametrize("end", ["Picker.type('')", "Picker.close()"])
def test_typing_on_and_closing_end_the_search(nvim: Neovim, tmp_path: Path, end: str) -> None:
    log = tmp_path / "log"
    running = f"*--version*) echo 'ripgrep 15.2.0';; *) echo > {log}; exec sleep 60;;"
    replace_rg(nvim, tmp_path / "rg", running)
    nvim.command("SignalGrepLive needle")
    nvim.until(f"vim.uv.fs_stat({str(log)!r})")
    assert nvim.lua(f"return {RG_PROCESSES}") == 1
    nvim.lua(end)
    nvim.until(f"{RG_PROCESSES} == 0")


def test_a_former_row_is_not_gone_to_when_nothing_matches(nvim: Neovim) -> None:
    nvim.command("SignalGrepLive needle")
    nvim.until("#Picker.lines() == 2")
    nvim.lua("Picker.type('nothing of the kind')")
    nvim.until("#Picker.lines() == 0")
    nvim.lua("Picker.accept(1)")
    assert nvim.cursor == ("c.txt", 2, 2)


def test_the_project_of_the_file_is_searched_from_anywhere(nvim: Neovim, tmp_path: Path) -> None:
    nvim.command(f"cd {tmp_path}")
    nvim.open("b.txt")
    nvim.command("SignalGrepLive --in % needle")
    nvim.until("#Picker.lines() == 1")
    assert lines(nvim) == ["b.txt:1:needles"]


def test_problems_are_told_below_the_picker(nvim: Neovim) -> None:
    nvim.lua(
        """local echo = vim.api.nvim_echo
           vim.api.nvim_echo = function(chunks, ...) Told = chunks[1][1]; echo(chunks, ...) end"""
    )
    nvim.command("SignalGrepLive need(")
    nvim.until("Told and Told:find('unclosed group')")
    nvim.lua("Picker.type('--nope x')")
    nvim.until("Told:find('--nope is no flag', 1, true)")
    nvim.lua("Picker.type('needle')")
    nvim.until("Told == '2 matches in 2 files'")
