import os
import sys
from pathlib import Path

import pytest

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.neovim import Neovim, Screen
from tests.server.wire import require_tool, write_files, write_program

FOOTER = "vim.inspect(vim.iter(vim.api.nvim_list_wins()):map(vim.api.nvim_win_get_config):totable())"


@pytest.fixture
def live(start: Start, project: Path) -> Neovim:
    """A Neovim with a screen, in a project with matches, at the end of a file."""
    write_files(project, {"a.txt": "one\ncafé 😀 needle\n", "b.txt": "needles\n", "c.txt": "x\nyz\n"})
    nvim = start()
    nvim.open("c.txt")
    nvim.command("call cursor(2, 2)")
    return nvim


def footer(text: str) -> str:
    return f"{FOOTER}:find({text!r}, 1, true)"


def windows(nvim: Neovim) -> int:
    return int(nvim.lua("return #vim.api.nvim_list_wins()"))


def test_rows_follow_what_is_typed(live: Neovim) -> None:
    screen = Screen(live)
    live.command("SignalGrepLive")
    live.keys("need")
    live.until(footer("2 matches in 2 files"))
    text = screen.text()
    assert "│a.txt:2:café 😀 needle" in text
    assert "│b.txt:1:needles" in text
    assert "│> need" in text
    live.keys("les")
    live.until(footer("1 match in 1 file"))
    assert "a.txt" not in screen.text()


def test_enter_goes_to_the_chosen_occurrence(live: Neovim) -> None:
    Screen(live)
    live.command("SignalGrepLive needle")
    live.until(footer("2 matches in 2 files"))
    live.keys("<C-n><C-n><C-n><C-p><Up><CR>")
    live.until("vim.api.nvim_buf_get_name(0):find('[ab]%.txt$')")
    assert live.cursor == ("b.txt", 1, 1)
    assert windows(live) == 1
    assert live.lua("return vim.fn.mode()") == "n"


def test_enter_in_a_line_with_wide_characters_goes_to_the_byte(live: Neovim) -> None:
    Screen(live)
    live.command("SignalGrepLive needle")
    live.until(footer("2 matches in 2 files"))
    live.keys("<CR>")
    live.until("vim.api.nvim_buf_get_name(0):find('[ab]%.txt$')")
    assert live.cursor == ("a.txt", 2, 12)


@pytest.mark.parametrize("keys", ["<C-c>", "<Esc><Esc>", "<C-w>k"])
def test_leaving_ends_where_it_began(live: Neovim, keys: str) -> None:
    Screen(live)
    live.command("SignalGrepLive needle")
    live.until(footer("2 matches in 2 files"))
    live.keys(keys)
    live.until("#vim.api.nvim_list_wins() == 1")
    assert live.cursor == ("c.txt", 2, 2)


def test_flags_are_followed_and_told_when_they_are_wrong(live: Neovim) -> None:
    Screen(live)
    live.command("SignalGrepLive -g b.txt needle")
    live.until(footer("1 match in 1 file"))
    live.keys("<C-u>--nope x")
    live.until(footer("--nope is no flag"))
    live.keys("<C-u>need(")
    live.until(footer("unclosed group"))
    live.keys("<C-u>nothing of the kind")
    live.until(footer("0 matches in 0 files"))


def test_the_project_of_the_file_is_searched_from_anywhere(live: Neovim, tmp_path: Path) -> None:
    Screen(live)
    live.command(f"cd {tmp_path}")
    live.open("b.txt")
    live.command("SignalGrepLive --in % needle")
    live.until(footer("1 match in 1 file"))


def test_all_matches_are_sent_to_the_quickfix_list(live: Neovim) -> None:
    Screen(live)
    live.command("SignalGrepLive needle")
    live.until(footer("2 matches in 2 files"))
    live.keys("<C-q>")
    live.until("vim.fn.getqflist({ size = 0 }).size == 2")
    assert live.title == "Signal Grep: needle · 2 matches in 2 files"
    assert live.cursor == ("c.txt", 2, 2)


def test_the_search_for_a_former_text_is_ended(live: Neovim, tmp_path: Path) -> None:
    log = tmp_path / "log"
    rg = write_program(
        tmp_path / "rg",
        f'case "$*" in *--version*) echo "ripgrep 15.2.0";; *) echo > {log}; exec sleep 60;; esac',
    )
    live.lua("vim.lsp.config('signal_grep', { init_options = { rgPath = ... } })", str(rg))
    Screen(live)
    live.command("SignalGrepLive needle")
    live.until(f"vim.uv.fs_stat({str(log)!r})")
    children = "#vim.api.nvim_get_proc_children(vim.api.nvim_get_proc_children(vim.fn.getpid())[1])"
    assert live.lua(f"return {children}") == 1
    live.keys("<C-u>")
    live.until(f"{children} == 0")


def test_rows_are_there_before_the_search_is_over(live: Neovim, project: Path, tmp_path: Path) -> None:
    real = require_tool("rg", os.path.dirname(sys.executable))
    searching = f"{real} --json needle {project}/a.txt; exec sleep 60"
    rg = write_program(tmp_path / "rg", f'case "$*" in *--json*) {searching};; *) exec {real} "$@";; esac')
    live.lua("vim.lsp.config('signal_grep', { init_options = { rgPath = ... } })", str(rg))
    screen = Screen(live)
    live.command("SignalGrepLive needle")
    live.until(footer("1 match in 1 file …"))
    assert "│a.txt:2:café 😀 needle" in screen.text()
    live.keys("<CR>")
    live.until("#vim.api.nvim_list_wins() == 1")
    assert live.cursor == ("a.txt", 2, 12)


def test_the_picker_of_vim_ui_goes_to_the_chosen_match(live: Neovim) -> None:
    live.lua(
        """vim.g.signal_grep = { picker = 'select' }
           vim.ui.input = function(options, on_confirm) on_confirm(options.default .. 'dles') end
           vim.ui.select = function(items, options, on_choice)
             Shown = vim.tbl_map(options.format_item, items)
             Prompt = options.prompt
             on_choice(items[#items])
           end"""
    )
    live.command("SignalGrepLive nee")
    live.until("Shown")
    assert live.lua("return Shown") == ["b.txt:1:needles"]
    assert live.lua("return Prompt") == "Signal Grep: needles · 1 match in 1 file"
    assert live.cursor == ("b.txt", 1, 1)


def test_choosing_nothing_in_the_picker_of_vim_ui_goes_nowhere(live: Neovim) -> None:
    live.lua(
        """vim.g.signal_grep = { picker = 'select' }
           vim.ui.input = function(_, on_confirm) on_confirm('needle') end
           vim.ui.select = function(_, _, on_choice) on_choice(nil); Asked = true end"""
    )
    live.command("SignalGrepLive")
    live.until("Asked")
    assert live.cursor == ("c.txt", 2, 2)
