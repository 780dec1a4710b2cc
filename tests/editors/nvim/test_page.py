from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.neovim import Neovim
from tests.editors.nvim.rpc import NeovimError
from tests.server.wire import write_files

SIZE = "vim.fn.getqflist({ size = 0 }).size"


@pytest.fixture
def paged(nvim: Neovim, project: Path) -> Neovim:
    """A quickfix list with the first three of seven matches, at its second."""
    write_files(project, {"a.txt": "needle\n" * 4, "b.txt": "needle\n" * 3})
    nvim.lua("vim.g.signal_grep = { limit = 3 }")
    nvim.command("SignalGrep needle")
    nvim.until(f"{SIZE} == 3")
    nvim.command("cnext")
    return nvim


def rows(nvim: Neovim) -> list[tuple[Any, ...]]:
    return [(item["name"], item["lnum"]) for item in nvim.quickfix()]


def test_a_page_is_appended_and_the_current_item_stays(paged: Neovim) -> None:
    assert paged.title == "Signal Grep: needle · 3 of 7 matches in 2 files"
    paged.command("SignalGrepPage")
    paged.until(f"{SIZE} == 6")
    assert rows(paged) == [("a.txt", 1), ("a.txt", 2), ("a.txt", 3), ("a.txt", 4), ("b.txt", 1), ("b.txt", 2)]
    assert paged.title == "Signal Grep: needle · 6 of 7 matches in 2 files"
    assert paged.lua("return vim.fn.getqflist({ idx = 0 }).idx") == 2


def test_with_a_bang_all_that_is_left_comes(paged: Neovim) -> None:
    paged.command("SignalGrepPage!")
    paged.until(f"{SIZE} == 7")
    assert paged.title == "Signal Grep: needle · 7 matches in 2 files"
    paged.command("SignalGrepPage")
    assert "the list has everything that was kept" in paged.messages


def test_two_pages_asked_for_at_once_are_not_the_same_twice(paged: Neovim) -> None:
    paged.lua("vim.cmd('SignalGrepPage'); vim.cmd('SignalGrepPage')")
    paged.until("vim.tbl_isempty(vim.lsp.get_clients({ name = 'signal_grep' })[1].requests)")
    assert len(rows(paged)) == 6


def test_an_older_list_is_continued_after_another_search(paged: Neovim) -> None:
    paged.command("SignalGrep! -g a.txt needle")
    paged.until("vim.fn.getqflist({ nr = 0 }).nr == 2")
    paged.command("colder")
    paged.command("SignalGrepPage")
    paged.until(f"{SIZE} == 6")
    paged.command("cnewer")
    assert paged.title == "Signal Grep: needle · 3 of 4 matches in 1 file"


def test_a_location_list_is_continued_in_its_window(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 5})
    nvim.lua("vim.g.signal_grep = { limit = 3 }")
    nvim.open("a.txt")
    nvim.command("SignalGrep --loclist needle")
    nvim.until("vim.fn.getloclist(0, { size = 0 }).size == 3")
    nvim.command("SignalGrepPage")
    nvim.until("vim.fn.getloclist(0, { size = 0 }).size == 5")


def test_a_list_of_somebody_else_is_left_alone(nvim: Neovim) -> None:
    nvim.command("call setqflist([{'text': 'theirs'}])")
    nvim.command("SignalGrepPage")
    assert "neither the location list nor the quickfix list is from here" in nvim.messages


def test_a_page_of_an_ended_server_is_refused(paged: Neovim) -> None:
    paged.lua("vim.lsp.stop_client(vim.lsp.get_clients(), true)")
    paged.until("#vim.lsp.get_clients() == 0")
    with pytest.raises(NeovimError, match="the server that searched has ended; search again"):
        paged.command("SignalGrepPage")


def test_fifty_thousand_matches_are_listed_with_the_true_total(nvim: Neovim, project: Path) -> None:
    write_files(project, {f"{number}.txt": "needle\n" * 1_020 for number in range(50)})
    nvim.command("SignalGrep needle")
    nvim.until(f"{SIZE} == 1000")
    assert nvim.title == (
        "Signal Grep: needle · 1,000 of 51,000 matches in 50 files · partial: too much matched to keep it all"
    )
    nvim.command("SignalGrepPage!")
    nvim.until(f"{SIZE} == 50000")
    assert "Signal Grep: 49,000 more" in nvim.messages
