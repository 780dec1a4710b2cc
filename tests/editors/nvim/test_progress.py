from pathlib import Path

from tests.editors.nvim.neovim import Neovim
from tests.server.wire import write_files


def test_progress_comes_as_neovim_tells_it(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.lua(
        """Told = {}
           vim.api.nvim_create_autocmd('LspProgress', {
             callback = function(event) table.insert(Told, event.data.params.value.kind) end,
           })"""
    )
    nvim.command("SignalGrep needle")
    nvim.until("vim.fn.getqflist({ size = 0 }).size > 0")
    told = nvim.lua("return Told")
    assert told[0] == "begin"
    assert told[-1] == "end"
    assert set(told[1:-1]) <= {"report"}


def test_a_search_that_runs_is_in_the_status(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.lua(
        """vim.api.nvim_create_autocmd('LspProgress', {
             pattern = 'begin',
             callback = function() Status = vim.lsp.status() end,
           })"""
    )
    nvim.command("SignalGrep needle")
    nvim.until("Status")
    assert "earching" in nvim.lua("return Status")
