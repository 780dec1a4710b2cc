from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.neovim import Neovim
from tests.server.wire import write_files

DONE = "vim.fn.getqflist({ size = 0 }).size > 0"


def search(nvim: Neovim, typed: str) -> list[tuple[Any, ...]]:
    nvim.command("call setqflist([], 'f')")
    nvim.command(f"SignalGrep! {typed}")
    nvim.until(DONE)
    return [(item["name"], item["lnum"], item["col"]) for item in nvim.quickfix()]


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("name", ["a.txt", "a.unknown"])
def test_unsaved_text_is_searched_as_it_is_in_the_buffer(
    nvim: Neovim, project: Path, name: str, *, enabled: bool
) -> None:
    write_files(project, {name: "needle\n", "b.txt": "needle\n"})
    nvim.lua("vim.lsp.enable('signal_grep', ...)", enabled)
    nvim.open(name)
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { '😀', 'é needle' })")
    assert search(nvim, "needle") == [(name, 2, 4), ("b.txt", 1, 1)]
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, {})")  # is on its way when the search begins
    assert search(nvim, "needle") == [(name, 1, 4), ("b.txt", 1, 1)]
    nvim.command("undo 0")
    assert search(nvim, "needle") == [(name, 1, 1), ("b.txt", 1, 1)]


def test_the_files_alone_are_searched_when_asked_to(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.open("a.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'more needle' })")
    assert search(nvim, "--no-unsaved needle") == [("a.txt", 1, 1)]


def test_a_hidden_buffer_is_searched_and_one_of_another_project_is_not(nvim: Neovim, project: Path) -> None:
    other = project.parent / "other/x.txt"
    write_files(other.parent, {"x.txt": "hay\n"})
    write_files(project, {"a.txt": "hay\n", "b.txt": "hay\n"})
    nvim.command("set hidden")
    for path in (str(other), "a.txt"):
        nvim.lua("vim.cmd.edit(...); vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'needle' })", path)
    nvim.open("b.txt")
    assert search(nvim, "needle") == [("a.txt", 1, 1)]


def test_a_buffer_without_a_file_yet_is_searched(nvim: Neovim) -> None:
    nvim.open("new.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a needle' })")
    assert search(nvim, "needle") == [("new.txt", 1, 3)]


def test_a_match_in_unsaved_text_is_gone_to(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "hay\n"})
    nvim.open("a.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 1, 1, true, { 'é needle' })")
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert nvim.cursor == ("a.txt", 2, 4)


def test_a_buffer_is_searched_under_its_new_name_at_once(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.lua("vim.lsp.enable('signal_grep')")
    nvim.open("a.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'a needle' })")
    assert search(nvim, "needle") == [("a.txt", 1, 3), ("a.txt", 2, 1)]
    nvim.command("file b.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'one more needle' })")
    renamed = [("a.txt", 1, 1), ("b.txt", 1, 10), ("b.txt", 2, 3), ("b.txt", 3, 1)]
    assert search(nvim, "needle") == renamed
    nvim.command("write")
    assert search(nvim, "needle") == renamed
    nvim.command("saveas c.txt")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, {})")
    assert search(nvim, "needle") == [*renamed, ("c.txt", 1, 3), ("c.txt", 2, 1)]


def test_edits_after_a_name_that_is_refused_are_searched(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "hay\n", "b.txt": "hay\n"})
    nvim.lua("vim.lsp.enable('signal_grep')")
    nvim.command("set hidden")
    for name in ("b.txt", "a.txt"):
        nvim.open(name)
        nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'a needle' })")
    assert search(nvim, "needle") == [("a.txt", 1, 3), ("b.txt", 1, 3)]
    for _ in range(2):
        nvim.lua("pcall(vim.cmd.file, 'b.txt'); vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'more' })")
    assert search(nvim, "needle") == [("a.txt", 3, 3), ("b.txt", 1, 3)]
    nvim.lua("vim.cmd.file('c.txt'); vim.api.nvim_buf_set_lines(0, 0, 1, true, {})")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, {})")
    assert search(nvim, "needle") == [("b.txt", 1, 3), ("c.txt", 1, 3)]
