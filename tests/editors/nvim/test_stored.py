import asyncio
from pathlib import Path

import pytest

from sg_server.context.entries import new_entry
from sg_server.context.store.sqlite import SqliteStore
from tests.editors.nvim.neovim import Neovim

NOTES = "# Ünï\n\nbefore 😀 needle after\n\n## Next\n\nmore\n"
URI = "sg-context://entry/{}.md"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of the one entry of a store."""
    place = str(tmp_path / "entries.sqlite3")
    monkeypatch.setenv("SG_STORE", place)
    return put(place, NOTES)


def put(place: str, text: str) -> str:
    async def put_one() -> str:
        store = SqliteStore(place)
        entry = await store.put(new_entry(thread_id="t", source="user", text=text))
        await store.close()
        return entry.id

    return asyncio.run(put_one())


@pytest.fixture
def nvim(kept: str, nvim: Neovim) -> Neovim:  # noqa: ARG001 - the store is there before the server
    return nvim


def lines(nvim: Neovim) -> list[str]:
    return list(nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)"))


def option(nvim: Neovim, name: str) -> object:
    value: object = nvim.lua("return vim.bo[...]", name)
    return value


def test_an_entry_opens_as_a_read_only_buffer(nvim: Neovim, kept: str) -> None:
    nvim.command(f"edit {URI.format(kept)}")
    assert lines(nvim) == NOTES.splitlines()
    assert [option(nvim, name) for name in ("modifiable", "readonly", "modified")] == [False, True, False]
    assert (option(nvim, "filetype"), option(nvim, "endofline")) == ("markdown", True)


def test_a_location_of_an_entry_opens_at_its_range(nvim: Neovim, kept: str) -> None:
    start, end = {"line": 2, "character": 12}, {"line": 2, "character": 18}
    location = {"uri": URI.format(kept), "range": {"start": start, "end": end}}
    nvim.lua("vim.lsp.util.show_document(..., 'utf-8', { focus = true })", location)
    assert nvim.cursor == (f"{kept}.md", 3, 13)
    assert nvim.lua("return vim.fn.expand('<cword>')") == "needle"


def test_the_outline_of_an_entry_is_its_headings(nvim: Neovim, kept: str) -> None:
    nvim.command(f"edit {URI.format(kept)}")
    symbols = nvim.lua(
        """local params = { textDocument = vim.lsp.util.make_text_document_params() }
           local answers = vim.lsp.buf_request_sync(0, 'textDocument/documentSymbol', params, 5000)
           return vim.tbl_values(answers)[1].result"""
    )
    assert [symbol["name"] for symbol in symbols] == ["Ünï"]


def test_line_ends_are_as_in_a_file(nvim: Neovim, tmp_path: Path) -> None:
    for text, shown, fileformat, endofline in (
        ("one\r\ntwo\r\n", ["one", "two"], "dos", True),
        ("one\r\ntwo", ["one", "two"], "dos", False),
        ("one\r\ntwo\n", ["one\r", "two"], "unix", True),
        ("one\rtwo", ["one\rtwo"], "unix", False),
        ("", [""], "unix", False),
        ("\n", [""], "unix", True),
    ):
        nvim.command(f"edit {URI.format(put(str(tmp_path / 'entries.sqlite3'), text))}")
        assert lines(nvim) == shown
        assert (option(nvim, "fileformat"), option(nvim, "endofline")) == (fileformat, endofline), text


def test_an_entry_that_is_not_there_is_told(nvim: Neovim) -> None:
    nvim.lua("pcall(vim.cmd.edit, ...)", URI.format("f" * 32))
    assert "Context entry not found: " + "f" * 32 in nvim.messages
    assert lines(nvim) == [""]


def test_matches_in_stored_text_fill_a_list_and_open(nvim: Neovim, kept: str) -> None:
    nvim.command("SignalGrepStored needle")
    nvim.until("vim.fn.getqflist({ size = 0 }).size > 0")
    (match,) = nvim.quickfix()
    assert (match["lnum"], match["col"], match["end_col"]) == (3, 13, 19)
    assert nvim.title == "Signal Grep: needle · 1 match in stored text"
    nvim.until("vim.api.nvim_win_get_cursor(0)[2] == 12")
    assert nvim.cursor == (f"{kept}.md", 3, 13)


def test_nothing_stored_is_told(nvim: Neovim) -> None:
    nvim.command("SignalGrepStored Needle")
    nvim.until("vim.fn.execute('messages'):find('nothing stored matches Needle')")
