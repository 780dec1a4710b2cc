from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.neovim import Neovim, Screen
from tests.editors.nvim.rpc import NeovimError
from tests.server.wire import require_tool, write_files

SOURCE = """import time

def wait(seconds):
    \"\"\"Wait.\"\"\"

    # é needle
    time.sleep(seconds)


print(1)
"""

WINDOW = "vim.iter(vim.api.nvim_list_wins()):find(function(window) return vim.w[window].signal_grep end)"
BUFFER = f"vim.api.nvim_win_get_buf({WINDOW})"


@pytest.fixture
def wait(nvim: Neovim, project: Path) -> Neovim:
    """A Neovim with a Python file."""
    require_tool("ctags")
    write_files(project, {"wait.py": SOURCE})
    nvim.open("wait.py")
    return nvim


def shown(nvim: Neovim) -> Any:
    """The lines in the window of an inspection."""
    nvim.until(WINDOW)
    return nvim.lua(f"return vim.api.nvim_buf_get_lines({BUFFER}, 0, -1, true)")


def marks(nvim: Neovim) -> Any:
    """What is marked there: group, first and last row, first and last column, all from 0."""
    return nvim.lua(
        f"""local namespace = vim.api.nvim_get_namespaces()['signal_grep.inspect']
            local marks = vim.api.nvim_buf_get_extmarks({BUFFER}, namespace, 0, -1, {{ details = true }})
            return vim.tbl_map(function(mark)
              local _, row, column, more = unpack(mark)
              local group = more.hl_group or more.line_hl_group
              return {{ group, row, more.end_row or row, column, more.end_col or 0 }}
            end, marks)"""
    )


def test_the_symbol_around_the_cursor_is_shown_with_its_line_numbers(wait: Neovim) -> None:
    screen = Screen(wait)
    wait.command("7")
    wait.command("SignalGrepInspect")
    assert shown(wait) == SOURCE.splitlines()[2:7]
    text = screen.text()
    assert "function wait (ctags) · wait.py:7" in text
    assert "│3 def wait(seconds):" in text
    assert "│7     time.sleep(seconds)" in text


def test_the_match_under_the_cursor_of_a_list_is_shown_and_marked(wait: Neovim) -> None:
    wait.command("SignalGrep! -w needle")
    wait.until("vim.fn.getqflist({ size = 0 }).size > 0")
    wait.command("copen")
    wait.command("SignalGrepInspect")
    assert shown(wait) == SOURCE.splitlines()[2:7]
    assert ["SignalGrepMatch", 3, 3, 9, 15] in marks(wait)
    assert ["SignalGrepLine", 3, 3, 0, 0] in marks(wait)


def test_asked_once_more_the_window_is_entered_and_q_closes_it(wait: Neovim) -> None:
    wait.command("7")
    wait.command("SignalGrepInspect")
    shown(wait)
    wait.command("SignalGrepInspect")
    wait.until(f"vim.api.nvim_get_current_win() == {WINDOW}")
    assert wait.lua("return vim.fn.line('.')") == 5
    wait.keys("q")
    wait.until(f"not {WINDOW}")


def test_a_place_without_a_symbol_is_shown_with_the_reason(wait: Neovim) -> None:
    screen = Screen(wait)
    wait.command("10")
    wait.command("SignalGrepInspect")
    assert "print(1)" in shown(wait)
    assert "no symbol around it · wait.py:10" in screen.text()


def test_empty_lines_at_the_top_do_not_shift_the_numbers(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "\n\n\nplain needle\n"})
    nvim.open("a.txt")
    nvim.command("4")
    screen = Screen(nvim)
    nvim.command("SignalGrepInspect")
    assert shown(nvim) == ["plain needle"]
    assert "│4 plain needle" in screen.text()
    assert ["SignalGrepLine", 0, 0, 0, 0] in marks(nvim)


def test_unsaved_text_is_shown_as_it_is_in_the_buffer(wait: Neovim) -> None:
    lines = ["", "", "def early():", "    return 1", ""]
    wait.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, ...)", lines)
    wait.command("4")
    wait.command("SignalGrepInspect")
    assert shown(wait) == ["def early():", "    return 1"]


def test_source_that_has_changed_since_the_search_is_refused(wait: Neovim) -> None:
    wait.command("SignalGrep! -w needle")
    wait.until("vim.fn.getqflist({ size = 0 }).size > 0")
    (wait.folder / "wait.py").write_text("# another needle\n")
    wait.command("copen")
    wait.command("SignalGrepInspect")
    wait.until("vim.fn.execute('messages'):find('changed')")
    assert wait.lua(f"return {WINDOW} == nil")


def test_where_there_is_nothing_to_inspect_that_is_said(nvim: Neovim) -> None:
    with pytest.raises(NeovimError, match="neither a file nor a match"):
        nvim.command("SignalGrepInspect")
