import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.nvim.conftest import NOTHING_CHOSEN, SERVER, Start
from tests.editors.nvim.neovim import CHOICES, Neovim
from tests.editors.nvim.rpc import NeovimError
from tests.server.wire import write_files, write_program

ON = "require('signal_grep.override').is_on()"
OFF = f"not {ON}"
PAIR = "return { vim.go.grepprg, vim.go.grepformat }"
OURS = [f"{sys.executable} -m sg_server search --vimgrep", "%f:%l:%c:%m"]
THEIRS = ["theirs $*", "%m"]
SIZE = "vim.fn.getqflist({ size = 0 }).size"


@pytest.fixture
def overridden(start: Start, project: Path) -> Neovim:
    """A Neovim where the override was chosen before, in a project with three matches."""
    write_files(project, {"a.txt": "one\ncafé 😀 needle\n", "src/b.txt": "needle\nneedle two\n"})
    nvim = start(chosen={"overrideBuiltinGrep": True})
    nvim.until(ON)
    return nvim


def typed(nvim: Neovim, line: str) -> None:
    """Type a command line and wait until it is done."""
    nvim.lua("Done = false")
    nvim.keys(f":{line.replace('<', '<lt>')}<CR>:let g:done = 1<CR>")
    nvim.until("vim.g.done == 1")
    nvim.lua("vim.g.done = nil")


def said(text: str) -> str:
    return f"vim.fn.execute('messages'):find({json.dumps(text)}, 1, true)"


def places(items: list[Any]) -> list[tuple[Any, ...]]:
    return [(item["name"], item["lnum"], item["col"], item["end_col"]) for item in items]


ALL = [("a.txt", 2, 12, 18), ("b.txt", 1, 1, 7), ("b.txt", 2, 1, 7)]
IN_SOURCE = ALL[1:]


def test_the_builtin_grep_is_taken_and_given_back_without_a_restart(nvim: Neovim, project: Path) -> None:
    write_files(project, {"a.txt": "one needle\n"})
    nvim.lua("vim.go.grepprg, vim.go.grepformat = ...", *THEIRS)
    nvim.command("SignalGrepMode override")
    nvim.until(ON)
    assert nvim.lua(PAIR) == OURS
    typed(nvim, "grep needle")
    assert places(nvim.quickfix()) == [("a.txt", 1, 5, 11)]
    nvim.command("SignalGrepMode additive")
    nvim.until(OFF)
    assert nvim.lua(PAIR) == THEIRS
    nvim.lua("vim.go.grepprg, vim.go.grepformat = 'echo a.txt:7:built-in', '%f:%l:%m'")
    typed(nvim, "silent grep needle")
    assert [(item["lnum"], item["text"]) for item in nvim.quickfix()] == [(7, "built-in needle")]


def test_the_mode_is_told_and_kept_for_the_next_session(nvim: Neovim) -> None:
    nvim.command("SignalGrepMode override")
    nvim.until(ON)
    assert "override: :grep and :lgrep go through Signal Grep" in nvim.messages
    assert json.loads(Path(nvim.lua("return vim.env.SG_CONFIG")).read_text())["overrideBuiltinGrep"] is True
    nvim.lua("vim.cmd('SignalGrepMode'); vim.cmd('SignalGrepMode additive')")
    nvim.until(OFF)
    assert "additive: :grep and :lgrep are as Neovim has them" in nvim.messages


def test_an_additive_session_starts_no_server_and_takes_nothing(nvim: Neovim) -> None:
    assert nvim.lua("return #vim.lsp.get_clients()") == 0
    assert nvim.lua("return #vim.api.nvim_get_autocmds({ event = 'CmdlineLeave' })") == 0


LINES: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("grep needle", ALL),
    ("gr needle src", IN_SOURCE),
    ("silent! grep! -i NEEDLE src/", IN_SOURCE),
    ("grep -rn 'needle' *.txt", ALL[:1]),
    ("grep 'needle t' %:h", [("b.txt", 2, 1, 9)]),
    (r'grep "needle\|two" src/b.txt', IN_SOURCE),
    (r"grep needle\ two", [("b.txt", 2, 1, 11)]),
    ("grep <cword> -g *.txt %", IN_SOURCE),
    ("grep -e needle -F -- $HOME/../project/a.txt", ALL[:1]),
]


def test_what_is_typed_is_read_as_neovim_and_a_shell_read_it(overridden: Neovim) -> None:
    for line, found in LINES:
        overridden.command("silent edit src/b.txt | call cursor(1, 1) | call setqflist([], 'f')")
        typed(overridden, line)
        assert places(overridden.quickfix()) == found, line


def test_a_search_begins_in_the_working_folder(overridden: Neovim) -> None:
    overridden.command("cd src")
    typed(overridden, "grep needle")
    assert places(overridden.quickfix()) == IN_SOURCE


def test_unsaved_text_is_searched(overridden: Neovim) -> None:
    overridden.open("a.txt")
    overridden.command("call setline(1, 'a needle, unsaved')")
    typed(overridden, "grep needle %")
    assert places(overridden.quickfix()) == [("a.txt", 1, 3, 9), ("a.txt", 2, 12, 18)]
    assert "not searched" not in overridden.messages


def test_the_list_is_there_for_what_follows_a_bar(overridden: Neovim) -> None:
    typed(overridden, "silent grep! needle | copen | let g:size = getqflist({'size': 0}).size")
    assert overridden.lua("return { vim.g.size, vim.bo.buftype }") == [3, "quickfix"]


def test_with_a_bang_the_cursor_stays_and_without_it_goes_to_the_first(overridden: Neovim) -> None:
    overridden.open("src/b.txt")
    typed(overridden, "grep! needle")
    assert overridden.cursor == ("b.txt", 1, 1)
    typed(overridden, "grep needle")
    assert overridden.cursor == ("a.txt", 2, 12)


def test_matches_are_added_to_a_list_and_can_be_inspected(overridden: Neovim) -> None:
    typed(overridden, "grep needle %:p:h/a.txt a.txt")
    typed(overridden, "grepadd two")
    assert places(overridden.quickfix()) == [ALL[0], ("b.txt", 2, 8, 11)]
    overridden.command("copen | normal! G")
    overridden.command("SignalGrepInspect")
    shown = "vim.iter(vim.api.nvim_list_wins()):find(function(window) return vim.w[window].signal_grep end)"
    overridden.until(shown)
    assert "needle two" in overridden.lua(f"return vim.fn.getbufline(vim.fn.winbufnr({shown}), 1, '$')")


def test_location_lists_are_of_their_window(overridden: Neovim) -> None:
    overridden.open("a.txt")
    typed(overridden, "lgrep needle src")
    typed(overridden, "lgrepadd needle a.txt")
    assert places(overridden.location_list()) == [*IN_SOURCE, ALL[0]]
    assert overridden.quickfix() == []


def test_autocommands_see_what_they_see_of_the_builtin(overridden: Neovim) -> None:
    overridden.lua(
        """Told = {}
           vim.api.nvim_create_autocmd({ 'QuickFixCmdPre', 'QuickFixCmdPost' }, {
             pattern = { 'grep', 'lgrepadd' },
             callback = function(event)
               table.insert(Told, { event.event, event.match, vim.fn.getqflist({ size = 0 }).size })
             end,
           })"""
    )
    typed(overridden, "grep needle")
    typed(overridden, "lgrepadd needle")
    typed(overridden, "noautocmd grep needle")
    told = overridden.lua("return Told")
    assert told[:2] == [["QuickFixCmdPre", "grep", 0], ["QuickFixCmdPost", "grep", 3]]
    assert [event[:2] for event in told[2:]] == [
        ["QuickFixCmdPre", "lgrepadd"],
        ["QuickFixCmdPost", "lgrepadd"],
    ]


def test_every_match_is_listed(overridden: Neovim, project: Path) -> None:
    write_files(project, {"many.txt": "word\n" * 2_500})
    typed(overridden, "silent grep! word")
    assert overridden.lua(f"return {SIZE}") == 2_500
    assert overridden.title == "Signal Grep: word · 2,500 matches in 1 file"


def test_nothing_found_is_an_empty_list_with_the_reason(overridden: Neovim, project: Path) -> None:
    write_files(project, {".gitignore": "built\n", "built": "thing\n"})
    typed(overridden, "grep needle")
    typed(overridden, "grep thing")
    assert overridden.quickfix() == []
    assert overridden.title.endswith("ignored, hidden or binary files do: built")


def test_mappings_and_the_history_have_what_was_typed(overridden: Neovim) -> None:
    overridden.command("nnoremap gs :silent grep! <C-r><C-w> %<CR>:let g:done = 1<CR>")
    overridden.open("src/b.txt")
    overridden.keys("gs")
    overridden.until("vim.g.done == 1")
    assert places(overridden.quickfix()) == IN_SOURCE
    overridden.command("let g:done = 0")
    typed(overridden, "silent grep! two")
    history = overridden.lua("return vim.fn.execute('history :')")
    assert "silent grep! two" in history
    assert "Instead" not in history


def test_a_script_runs_the_same_search_and_is_told_of_unsaved_text(overridden: Neovim) -> None:
    overridden.lua("Said = {}; vim.notify = function(message) table.insert(Said, message) end")
    overridden.open("a.txt")
    overridden.command("silent grep! needle")
    assert [place[:3] for place in places(overridden.quickfix())] == [place[:3] for place in ALL]
    assert overridden.lua("return Said") == []
    overridden.command("call setline(1, 'needle')")
    overridden.command("silent grep! needle")
    (said,) = overridden.lua("return Said")
    assert said.endswith("this :grep read files as they are on the disk: unsaved text was not searched")


def test_what_takes_a_shell_or_leaves_the_project_is_searched_by_the_program(
    overridden: Neovim, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    write_files(outside, {"c.txt": "needle\n"})
    for line, name in ((f"grep! needle {outside}", "c.txt"), ("grep! needle `echo a.txt`", "a.txt")):
        typed(overridden, f"silent {line}")
        assert [item["name"] for item in overridden.quickfix()] == [name]


def test_what_is_refused_leaves_the_list_alone(overridden: Neovim) -> None:
    typed(overridden, "silent grep! needle")
    for arguments, problem in (
        ("--nope needle", "--nope is no flag"),
        ("-i", "a pattern is required"),
        ("'('", "unclosed group"),
    ):
        with pytest.raises(NeovimError, match=problem):
            overridden.command(f"SignalGrepInstead grep {arguments}")
    assert places(overridden.quickfix()) == ALL


def test_ctrl_c_ends_the_wait_and_the_search(start: Start, tmp_path: Path) -> None:
    started = tmp_path / "started"
    rg = write_program(
        tmp_path / "rg",
        f'case "$*" in *--version*) echo "ripgrep 15.2.0";; *) echo > {started}; exec sleep 60;; esac',
    )
    nvim = start([*SERVER, "--rg", str(rg)], {"overrideBuiltinGrep": True})
    nvim.until(ON)
    assert nvim.lua(PAIR)[0] == f"{OURS[0]} --rg {rg}"
    server = nvim.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())[1]")
    nvim.keys(":silent grep! needle | let g:after = 1<CR>")
    nvim.until(f"vim.uv.fs_stat({str(started)!r})")
    nvim.keys("<C-c>")
    nvim.until(f"#vim.api.nvim_get_proc_children({server}) == 0")
    assert nvim.lua("return vim.g.after") is None


def test_options_that_were_set_meanwhile_are_kept(nvim: Neovim) -> None:
    nvim.lua("vim.go.grepprg, vim.go.grepformat = ...", *THEIRS)
    nvim.command("edit a.txt | setlocal grepprg=mine")
    nvim.command("SignalGrepMode override")
    nvim.until(ON)
    assert nvim.lua(PAIR) == OURS
    nvim.lua("vim.go.grepprg = 'changed'")
    nvim.command("SignalGrepMode additive")
    nvim.until(OFF)
    assert nvim.lua(PAIR) == ["changed", THEIRS[1]]
    assert nvim.lua("return vim.bo.grepprg") == "mine"


def test_all_is_given_back_when_the_server_ends(overridden: Neovim) -> None:
    overridden.lua("vim.lsp.stop_client(vim.lsp.get_clients(), true)")
    overridden.until(OFF)
    assert overridden.lua(PAIR) != OURS
    assert overridden.lua("return #vim.api.nvim_get_autocmds({ event = 'CmdlineLeave' })") == 0


def test_several_patterns_are_looked_for_at_once(overridden: Neovim, project: Path) -> None:
    write_files(project, {"c.txt": "a.c\nabc\n"})
    typed(overridden, "silent grep! -e one -e two")
    assert [place[:2] for place in places(overridden.quickfix())] == [("a.txt", 1), ("b.txt", 2)]
    typed(overridden, "silent grep! -F -e a.c -e two")
    assert [place[:2] for place in places(overridden.quickfix())] == [("c.txt", 1), ("b.txt", 2)]


def test_what_a_shell_would_refuse_is_told_in_a_line(overridden: Neovim) -> None:
    typed(overridden, 'silent grep! "unclosed')
    overridden.until(said("E40: "))
    assert "traceback" not in overridden.messages


def test_a_plugin_that_owns_grep_is_named_and_keeps_it_until_it_is_removed(
    nvim: Neovim, tmp_path: Path
) -> None:
    plugin = str(tmp_path / "pack/vim-bettergrep")
    Path(plugin).mkdir(parents=True)
    before = nvim.lua(PAIR)
    nvim.lua("vim.opt.runtimepath:append(...)", plugin)
    # Neovim may only be about to look whether an override was chosen.
    Path(nvim.lua("return vim.env.SG_CONFIG")).write_text(
        json.dumps(NOTHING_CHOSEN | {"overrideBuiltinGrep": True})
    )
    nvim.command("SignalGrepMode")
    nvim.until(said("override is chosen, and not in force here: vim-bettergrep"))
    nvim.until(said("leaves the editor's grep alone in this session: vim-bettergrep"))
    assert nvim.lua(f"return {OFF}")
    assert nvim.lua(PAIR) == before
    nvim.command("SignalGrepMode override")
    nvim.until(said("cannot be taken over"))
    nvim.command("checkhealth signal_grep")
    assert "override is chosen, and not in force here" in nvim.lua(
        "return table.concat(vim.fn.getline(1, '$'))"
    )
    nvim.lua("vim.opt.runtimepath:remove(...); vim.lsp.stop_client(vim.lsp.get_clients(), true)", plugin)
    nvim.until("#vim.lsp.get_clients() == 0")
    nvim.command("SignalGrepMode")
    nvim.until(ON)


def test_plugins_that_are_loaded_later_are_known_and_a_failing_look_is_named(nvim: Neovim) -> None:
    nvim.lua(
        """vim.g.plugs = { ['on-demand'] = {} }
           package.loaded['lazy.core.config'] = { plugins = { ['later.nvim'] = {} } }
           packer_plugins = { packed = {} }"""
    )
    names, failure = nvim.lua("return { require('signal_grep.plugins').installed() }"), None
    assert {"on-demand", "later.nvim", "packed", "nvim"} <= set(names[0])
    assert names[1:] == []
    nvim.lua("package.loaded['lazy.core.config'] = { plugins = 'broken' }")
    failure = nvim.lua("return (select(2, require('signal_grep.plugins').installed()))")
    assert failure.startswith("lazy.nvim: ")
    nvim.command("SignalGrepMode override")
    nvim.until(said("lazy.nvim: "))
    assert nvim.lua(f"return {OFF}")
    assert not (Path(nvim.lua("return vim.env.HOME")) / CHOICES).exists()
