from pathlib import Path

import pytest

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.neovim import Neovim
from tests.server.wire import write_files

LINE = "require('signal_grep').metrics()"


@pytest.fixture
def counting(nvim: Neovim, project: Path) -> Neovim:
    """A Neovim with metrics on, in a project with many matches and one line that is alone."""
    write_files(project, {"a.txt": "needle and what else is on its line\n" * 300, "b.txt": "alone\n"})
    nvim.command("SignalGrepMetrics on")
    nvim.until(f"{LINE} ~= ''")
    return nvim


def test_the_statusline_has_what_was_saved_and_lists_are_what_they_are(counting: Neovim) -> None:
    counting.command("SignalGrep! needle")
    counting.until(f"{LINE}:find('^SG: %d+,%d+ tokens saved in 1 search$')")
    counting.until("vim.fn.getqflist({ size = 0 }).size > 0")
    assert counting.title == "Signal Grep: needle · 300 matches in 1 file"
    assert len(counting.quickfix()) == 300
    counting.command("set statusline=%{v:lua.require'signal_grep'.metrics()}")
    drawn = counting.lua("return vim.api.nvim_eval_statusline(vim.o.statusline, {}).str")
    assert drawn == counting.lua(f"return {LINE}")


def test_a_saving_that_is_none_is_shown_as_it_is(counting: Neovim) -> None:
    counting.command("SignalGrep! alone")
    counting.until(f"{LINE}:find('^SG: %-%d+ tokens saved in 1 search$')")
    counting.command("SignalGrepMetrics report")
    counting.until("vim.fn.execute('messages'):find('1 search: about %d+ tokens instead of %d+, %d+ more')")


def test_the_statusline_asks_nothing_and_is_empty_when_metrics_are_off(counting: Neovim) -> None:
    counting.until("vim.tbl_isempty(vim.lsp.get_clients()[1].requests)")
    counting.lua(
        """Asked = 0
           vim.api.nvim_create_autocmd('LspRequest', { callback = function() Asked = Asked + 1 end })
           for _ = 1, 1000 do require('signal_grep').metrics() end"""
    )
    assert counting.lua("return Asked") == 0
    counting.command("SignalGrepMetrics off")
    counting.until(f"{LINE} == ''")
    assert "Metrics are off." in counting.messages


def test_the_builtin_grep_is_counted_from_the_next_session_on(start: Start, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 200})
    nvim = start(chosen={"overrideBuiltinGrep": True, "startMetricsOnNextLoad": True})
    nvim.until(f"{LINE} ~= '' and require('signal_grep.override').is_on()")
    nvim.command("SignalGrepInstead silent grep! needle")
    nvim.until(f"{LINE}:find('in 1 search', 1, true)")
    assert len(nvim.quickfix()) == 200
    nvim.command("SignalGrepMetrics on-next-load")
    nvim.until("vim.fn.execute('messages'):find('metrics begin with the next session', 1, true)")
    nvim.lua("vim.lsp.stop_client(vim.lsp.get_clients(), true)")
    nvim.until(f"{LINE} == ''")
