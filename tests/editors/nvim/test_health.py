import sys
from pathlib import Path

from tests.editors.nvim.conftest import SERVER, Start
from tests.editors.nvim.neovim import Neovim


def report(nvim: Neovim) -> str:
    nvim.command("checkhealth signal_grep")
    return str(nvim.lua("return table.concat(vim.fn.getline(1, '$'), '\\n')"))


def test_health_is_what_the_server_itself_runs(nvim: Neovim, project: Path) -> None:
    text = report(nvim)
    assert "OK sg-server " in text
    assert "OK ripgrep 1" in text
    assert f"searches {project} (project)" in text
    assert "ERROR" not in text


def test_a_missing_ctags_is_a_warning_with_the_line_that_installs_it(start: Start, project: Path) -> None:
    text = report(start([*SERVER, "--ctags", str(project / "no-ctags")]))
    assert "WARNING" in text
    assert "- Install it (" in text
    assert "ERROR" not in text


def test_a_server_that_cannot_be_run_is_an_error_with_the_line_that_installs_it(start: Start) -> None:
    text = report(start(["no-such-server"]))
    assert "ERROR no-such-server cannot be run" in text
    assert "pip install ." in text


def test_a_server_that_ends_at_once_is_an_error(start: Start) -> None:
    text = report(start([sys.executable, "-c", "raise SystemExit(1)"]))
    assert "ERROR the server has stopped" in text


def test_an_option_that_is_not_one_is_an_error(nvim: Neovim) -> None:
    nvim.lua("vim.g.signal_grep = { limit = 'all' }")
    assert "ERROR vim.g.signal_grep.limit: takes a number, not a string" in report(nvim)


def test_a_session_that_does_not_count_in_bytes_is_an_error(nvim: Neovim) -> None:
    nvim.lua(
        "vim.lsp.config('signal_grep', { capabilities = { general = { positionEncodings = { 'utf-16' } } } })"
    )
    assert "ERROR the session counts in utf-16" in report(nvim)
