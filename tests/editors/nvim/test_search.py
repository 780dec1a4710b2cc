from pathlib import Path

import pytest

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.neovim import Neovim
from tests.editors.nvim.rpc import NeovimError
from tests.server.wire import write_files, write_program

DONE = "vim.fn.getqflist({ size = 0 }).size > 0"


def said(text: str) -> str:
    return f"vim.fn.execute('messages'):find({text!r}, 1, true)"


def test_a_search_fills_the_quickfix_list_with_exact_columns(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one\ncafé 😀 needle and needle\n", "b.txt": "needle\n"})
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    found = [
        (item["name"], item["lnum"], item["col"], item["end_lnum"], item["end_col"])
        for item in nvim.quickfix()
    ]
    assert found == [("a.txt", 2, 12, 2, 18), ("b.txt", 1, 1, 1, 7)]
    assert nvim.title == "Signal Grep: needle · 2 matches in 2 files"


def test_the_first_match_is_gone_to_and_cnext_goes_on(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one\n  needle\n", "b.txt": "needle\n"})
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert nvim.cursor == ("a.txt", 2, 3)
    nvim.command("cnext")
    assert nvim.cursor == ("b.txt", 1, 1)


def test_with_a_bang_the_cursor_stays(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one\n  needle\n", "b.txt": "two\n"})
    nvim.open("b.txt")
    nvim.command("SignalGrep! needle")
    nvim.until(DONE)
    assert nvim.cursor == ("b.txt", 1, 1)
    assert nvim.lua("return vim.fn.getqflist({ winid = 0 }).winid") != 0


def test_who_has_gone_on_meanwhile_is_not_moved(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "two\nthree\n"})
    nvim.open("b.txt")
    nvim.lua("vim.cmd('SignalGrep needle'); vim.cmd.normal('j')")
    nvim.until(DONE)
    assert nvim.cursor == ("b.txt", 2, 1)


def test_a_location_list_belongs_to_the_window_that_searched(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one\nneedle\n"})
    nvim.open("a.txt")
    nvim.command("SignalGrep --loclist needle")
    nvim.until("vim.fn.getloclist(0, { size = 0 }).size > 0")
    assert [(item["name"], item["lnum"]) for item in nvim.location_list()] == [("a.txt", 2)]
    assert nvim.quickfix() == []
    assert nvim.cursor == ("a.txt", 2, 1)


def test_an_item_ends_where_its_match_does_on_another_line(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one two\nthree four\n"})
    nvim.command(r"SignalGrep -U two\nthree")
    nvim.until(DONE)
    (item,) = nvim.quickfix()
    assert (item["lnum"], item["col"], item["end_lnum"], item["end_col"]) == (1, 5, 2, 6)


def test_columns_are_right_in_a_file_that_neovim_reads_as_latin1(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": b"caf\xe9 \xfc needle\r line\n"})
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    (item,) = nvim.quickfix()
    text = nvim.call(
        "buf_get_text", item["bufnr"], item["lnum"] - 1, item["col"] - 1, 0, item["end_col"] - 1, {}
    )
    assert text == ["needle"]


def test_a_word_is_searched_as_a_whole_and_literally(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needles\nNeedle\nthe needle\n"})
    nvim.open("a.txt")
    nvim.command("SignalGrepWord! -g b.*")
    nvim.until(DONE)
    assert [(item["name"], item["lnum"], item["col"]) for item in nvim.quickfix()] == [("b.txt", 3, 5)]


def test_selected_text_is_searched_as_it_is(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "f(x).y\n", "b.txt": "g f(x). \nfx\n"})
    nvim.command("xmap gs <Plug>(SignalGrepSelection)")
    nvim.open("a.txt")
    nvim.keys("v4lgs")
    nvim.until(DONE)
    found = [(item["name"], item["col"], item["end_col"]) for item in nvim.quickfix()]
    assert found == [("a.txt", 1, 6), ("b.txt", 3, 8)]


def test_the_project_of_the_current_file_is_searched_by_one_server(nvim: Neovim, project: Path) -> None:
    other = project.parent / "other"
    write_files(other, {".git/HEAD": "", "sub/x.txt": "needle\n"})
    write_files(project, {"a.txt": "needle\n"})
    nvim.lua("vim.lsp.enable('signal_grep')")
    nvim.lua("vim.cmd.edit(...)", str(other / "sub/x.txt"))
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert [item["name"] for item in nvim.quickfix()] == ["x.txt"]
    roots = nvim.lua("return vim.tbl_map(function(client) return client.root_dir end, vim.lsp.get_clients())")
    assert roots.count(str(other)) == 1


def test_nothing_found_says_what_rules_kept_out_and_leaves_the_list(nvim: Neovim, project: Path) -> None:
    write_files(project, {".gitignore": "built\n", "built": "needle\n", "a.txt": "hay\n"})
    nvim.command("SignalGrep needle")
    nvim.until(said("nothing matches needle in 2 files · ignored, hidden or binary files do: built"))
    assert nvim.quickfix() == []


def test_a_partial_list_says_so(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.bin": b"needle\n" * 20_000 + b"\0"})
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert nvim.title.endswith(" in 1 file · partial: some files are binary from some point on")


def test_a_refused_pattern_is_told_and_changes_nothing(nvim: Neovim) -> None:
    nvim.command("SignalGrep (")
    nvim.until(said("unclosed group"))
    assert nvim.quickfix() == []


def test_a_bad_flag_is_told_before_a_server_is_started(nvim: Neovim) -> None:
    with pytest.raises(NeovimError, match="Signal Grep: --nope is no flag"):
        nvim.command("SignalGrep --nope x")
    assert nvim.lua("return #vim.api.nvim_get_proc_children(vim.fn.getpid())") == 0


def test_the_files_of_the_plugin_are_loaded_by_the_first_command(nvim: Neovim) -> None:
    def loaded() -> set[str]:
        names: list[str] = nvim.lua("return vim.tbl_keys(package.loaded)")
        return {name for name in names if name.startswith("signal_grep")}

    assert loaded() <= {"signal_grep.userfile"}  # which tells whether to take :grep at once
    nvim.command("silent! SignalGrep --nope")
    assert "signal_grep" in loaded()


def test_options_are_kept_in_one_variable_and_checked(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 5})
    nvim.lua("require('signal_grep').setup({ limit = 2, open = false })")
    assert nvim.lua("return vim.g.signal_grep") == {"limit": 2, "open": False}
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert len(nvim.quickfix()) == 2
    assert nvim.lua("return vim.fn.getqflist({ winid = 0 }).winid") == 0
    nvim.lua("vim.g.signal_grep = { limti = 3 }")
    problem = nvim.lua("return { pcall(vim.cmd, 'SignalGrep x') }")[1]
    assert 'vim.g.signal_grep: there is no option "limti"' in problem


def test_settings_reach_the_server_as_neovim_keeps_them(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needle\n"})
    nvim.lua("vim.lsp.config('signal_grep', { settings = { signalGrep = { exclude = { 'b.*' } } } })")
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert [item["name"] for item in nvim.quickfix()] == ["a.txt"]


def test_a_search_looks_where_the_configuration_says(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "part/b.txt": "needle\n"})
    nvim.lua(
        """local folder = ...
           vim.lsp.config('signal_grep', { root_dir = function(_, choose) choose(folder) end })""",
        str(project / "part"),
    )
    nvim.open("a.txt")
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    assert [item["name"] for item in nvim.quickfix()] == ["b.txt"]


def test_a_pattern_of_several_lines_has_a_title_of_one(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one\n" * 40})
    nvim.open("a.txt")
    nvim.command("xmap gs <Plug>(SignalGrepSelection)")
    nvim.keys("V20jgs")
    nvim.until(DONE)
    assert nvim.title.startswith("Signal Grep: one↵one↵")
    assert "↵one… · 1 match in 1 file" in nvim.title


def test_a_server_that_cannot_be_run_is_named(start: Start) -> None:
    nvim = start(["no-such-server"])
    with pytest.raises(NeovimError, match="no-such-server cannot be run"):
        nvim.command("SignalGrep needle")


def test_a_current_directory_that_is_gone_is_told(nvim: Neovim, project: Path) -> None:
    folder = project / "gone"
    folder.mkdir()
    nvim.command(f"cd {folder}")
    folder.rmdir()
    with pytest.raises(NeovimError, match="Signal Grep: the current directory is gone"):
        nvim.command("SignalGrep needle")


def test_a_server_that_ends_is_told_and_another_one_takes_its_place(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.command("SignalGrep needle")
    nvim.until(DONE)
    nvim.lua(
        """vim.cmd('SignalGrep again')
           vim.uv.kill(vim.api.nvim_get_proc_children(vim.fn.getpid())[1], 'sigkill')"""
    )
    nvim.until(said("the server has stopped"))
    nvim.command("call setqflist([], 'f')")
    nvim.command("SignalGrep needle")
    nvim.until(DONE)


def test_a_search_is_cancelled_with_ctrl_c_and_its_ripgrep_is_gone(
    start: Start, project: Path, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    rg = write_program(
        tmp_path / "rg",
        f'case "$*" in *--version*) echo "ripgrep 15.2.0";; *) echo > {started}; exec sleep 60;; esac',
    )
    write_files(project, {"a.txt": "needle\n"})
    nvim = start()
    nvim.lua("vim.lsp.config('signal_grep', { init_options = { rgPath = ... } })", str(rg))
    nvim.command("SignalGrep needle")
    nvim.until(f"vim.uv.fs_stat({str(started)!r})")
    server = nvim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())[1]")
    children = f"#vim.api.nvim_get_proc_children({server})"
    assert nvim.lua(f"return {children}") == 1
    nvim.keys("<C-c>")
    nvim.until(said("Signal Grep: cancelled"))
    nvim.until(f"{children} == 0")
    assert nvim.quickfix() == []


def test_a_search_can_be_cancelled_while_the_server_starts(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    nvim.lua("require('signal_grep').grep('needle')()")
    assert "Signal Grep: cancelled" in nvim.messages
    nvim.until("#vim.lsp.get_clients({ name = 'signal_grep' }) == 1")
    assert nvim.quickfix() == []
    watching = "#vim.api.nvim_get_autocmds({ event = 'User', pattern = 'SignalGrepReady' })"
    nvim.until(f"{watching} == 1")  # the plugin's own
