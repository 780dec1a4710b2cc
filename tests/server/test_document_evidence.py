from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.editing import Buffer, Change, edit, search, shown
from tests.server.wire import command, write_files

FACE = "\N{GRINNING FACE}"
TEXT = "above\nneedle one\nbetween\nneedle two\nbelow\n"


async def page(client: LanguageClient, answer: Any, **fields: Any) -> Any:
    return await command(client, "sg.page", {"snapshot": answer["snapshot"], "context": 1, **fields})


async def inspect(client: LanguageClient, answer: Any, index: int = 1) -> Any:
    result = await command(client, "sg.inspect", {"snapshot": answer["snapshot"], "matchIndex": index})
    return result["inspections"][0]


def context(answer: Any) -> list[Any]:
    return [
        match.get("contextUnavailable", (match.get("before"), match.get("after")))
        for match in answer["matches"]
    ]


async def test_pages_show_what_was_searched_with_context_while_the_document_stays(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "other\n"})
    Buffer(client, project / "a.txt", TEXT)
    first = await search(client, limit=1, context=1)
    assert context(first) == [(["above"], ["between"])]
    second = await command(client, "sg.page", {"cursor": first["cursor"]})
    assert (shown(second), context(second)) == ([("a.txt", 4, "needle two")], [(["between"], ["below"])])
    found = await inspect(client, second, 2)
    assert found["outcome"] == "returned"


def close_and_open_again(buffer: Buffer, client: LanguageClient) -> None:
    buffer.close()
    Buffer(client, buffer.uri, TEXT, version=buffer.version)


CHANGES: dict[str, Callable[[Buffer, LanguageClient], object]] = {
    "edited": lambda buffer, _: buffer.edit((0, 0), (0, 0), "x"),
    "edited below": lambda buffer, _: buffer.edit((4, 0), (4, 0), "x"),
    "written anew": lambda buffer, _: buffer.write(TEXT),
    "closed": lambda buffer, _: buffer.close(),
    "closed and opened again": close_and_open_again,
    "opened twice": lambda buffer, client: Buffer(client, buffer.uri, TEXT, version=buffer.version),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_after_a_change_the_matches_stay_and_the_source_is_refused(
    client: LanguageClient, project: Path, change: Callable[[Buffer, LanguageClient], object]
) -> None:
    write_files(project, {"a.txt": TEXT.replace("one", "three")})
    buffer = Buffer(client, project / "a.txt", TEXT, version=7)
    answer = await search(client)
    change(buffer, client)
    again = await page(client, answer)
    assert [match["text"] for match in again["matches"]] == ["needle one", "needle two"]
    assert [match["documentVersion"] for match in again["matches"]] == [7, 7]
    assert [match["location"] for match in again["matches"]] == answer["locations"]
    assert context(again) == ["changed", "changed"]
    assert (await inspect(client, answer))["structure"] == "source-changed"


async def test_a_save_leaves_the_evidence_valid(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "other\n"})
    buffer = Buffer(client, project / "a.txt", "")
    buffer.write(TEXT)
    answer = await search(client)
    write_files(project, {"a.txt": TEXT})
    buffer.save()
    assert context(await page(client, answer)) == [(["above"], ["between"]), (["between"], ["below"])]
    assert (await inspect(client, answer))["outcome"] == "returned"


async def test_an_edit_of_one_document_leaves_the_evidence_of_others_valid(
    client: LanguageClient, project: Path
) -> None:
    buffer = Buffer(client, project / "a.txt", TEXT)
    Buffer(client, "untitled:Untitled-1", TEXT)
    answer = await search(client)
    buffer.write("")
    assert context(await page(client, answer)) == [
        "changed",
        "changed",
        (["above"], ["between"]),
        (["between"], ["below"]),
    ]


async def test_text_never_touches_the_disk(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "one\n"})
    Buffer(client, project / "a.txt", "needle\n")
    Buffer(client, project / "b/new.txt", "needle\n")
    assert (await search(client))["totals"]["files"] == 2
    assert [path.name for path in project.rglob("*")] == ["a.txt"]
    assert (project / "a.txt").read_text() == "one\n"


WHOLE = types.TextDocumentContentChangeWholeDocument
EDITS: dict[str, tuple[str, list[Change], list[str]]] = {
    "beside astral characters": (f"{FACE}a{FACE}", [edit((0, 2), (0, 3), "b")], [f"{FACE}b{FACE}"]),
    "each on the text of the one before": (
        "a\nb\n",
        [edit((0, 0), (0, 0), "1\n"), edit((1, 0), (1, 1), "2"), edit((2, 1), (2, 1), "3")],
        ["1", "2", "b3"],
    ),
    "a whole text among ranges": (
        "a\n",
        [edit((0, 0), (0, 1), "b"), WHOLE("c\nd"), edit((1, 0), (1, 0), "e")],
        ["c", "ed"],
    ),
    "past the end of a line": ("a\nb", [edit((0, 9), (0, 9), "c")], ["ac", "b"]),
    "past the end of the text": ("a\nb", [edit((9, 9), (9, 9), "c")], ["a", "bc"]),
    "from its end to its beginning": ("abc", [edit((0, 2), (0, 1), "x")], ["axc"]),
    "a CRLF is joined": ("a\rb\n", [edit((1, 0), (1, 1), "\n")], ["a", ""]),
    "a CRLF is split": ("a\r\nb", [edit((0, 1), (1, 0), "\r"), edit((1, 0), (1, 0), "c\n")], ["a\rc", "b"]),
    "lines end at CR but not at U+2028": (
        "a\rb\u2028c\x0cd",
        [edit((1, 1), (1, 2), "\n")],
        ["a\rb", "c\x0cd"],
    ),
    "everything is deleted": ("a\nb\n", [edit((0, 0), (2, 0), "")], []),
    "the first of all": ("", [edit((0, 0), (0, 0), "a")], ["a"]),
}


async def test_edits_are_made_as_the_client_makes_them(client: LanguageClient, project: Path) -> None:
    for what, (text, changes, lines) in EDITS.items():
        buffer = Buffer(client, project / "a.txt", text)
        buffer.change(*changes)
        assert [line for _, _, line in shown(await search(client, "^"))] == lines, what
        buffer.close()


@pytest.mark.parametrize(("encoding", "columns"), [("utf-8", (4, 5)), ("utf-16", (2, 3)), ("utf-32", (1, 2))])
async def test_positions_are_in_the_negotiated_encoding(
    start: Start, project: Path, encoding: str, columns: tuple[int, int]
) -> None:
    client = await start(encodings=[encoding])
    buffer = Buffer(client, project / "a.txt", f"one\r{FACE}x{FACE}")
    buffer.edit((1, columns[0]), (1, columns[1]), "needle")
    (match,) = (await search(client))["matches"]
    assert match["text"] == f"one\r{FACE}needle{FACE}"
    assert match["location"]["range"] == {
        "start": {"line": 1, "character": columns[0]},
        "end": {"line": 1, "character": columns[0] + 6},
    }


async def test_neovim_counts_no_line_at_a_lone_cr(start: Start, project: Path) -> None:
    client = await start(options={"loneCrEndsLine": False})
    buffer = Buffer(client, project / "a.txt", "one\rx\n")
    buffer.edit((0, 4), (0, 5), "needle")
    (match,) = (await search(client))["matches"]
    assert (match["text"], match["location"]["range"]["start"]) == (
        "one\rneedle",
        {"line": 0, "character": 4},
    )


async def test_a_document_with_more_matches_than_are_kept_is_counted_to_the_end(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"b.txt": "needle\n"})
    Buffer(client, project / "a.txt", "needle needle\n" * 60_000)
    Buffer(client, project / "c.txt", "needle\n")
    answer = await search(client, mode="summary")
    assert answer["totals"] | {"filesSearched": 3} == {
        "matches": 60_002,
        "occurrences": 120_002,
        "files": 3,
        "filesSearched": 3,
        "retained": 50_000,
    }
    assert (answer["status"], answer["partialReasons"]) == ("partial", ["retention-limit"])
    last = await page(client, answer, path="a.txt", limit=1)
    assert last["matches"][0]["documentVersion"] == 1


@pytest.mark.parametrize("line", ["needle\n", "needle" + "x" * 500 + "\n"])
async def test_a_document_that_is_ignored_leaves_its_room_to_what_is_searched(
    client: LanguageClient, project: Path, line: str
) -> None:
    write_files(project, {"a.txt": "needle\n" * 100, "log.txt": "", ".gitignore": "log.txt\n"})
    Buffer(client, project / "log.txt", line * 60_000)
    Buffer(client, project / "b.txt", "needle\n" * 100)
    answer = await search(client, mode="summary")
    assert (answer["totals"]["retained"], answer["status"]) == (200, "complete")


async def test_a_line_too_long_for_a_record_is_counted_without_a_row(
    client: LanguageClient, project: Path
) -> None:
    Buffer(client, project / "a.txt", "x" * 300_000 + "\nneedle\n")
    Buffer(client, project / "b.txt", "needle\n")
    answer = await search(client, "x|needle")
    assert answer["totals"]["occurrences"] == 300_002
    assert answer["partialReasons"] == ["oversized-line"]
    assert shown(answer) == [("a.txt", 2, "needle"), ("b.txt", 1, "needle")]


async def test_a_long_line_is_cut_around_its_match(client: LanguageClient, project: Path) -> None:
    Buffer(client, project / "a.txt", f"{FACE * 40_000}needle{FACE * 40_000}")
    Buffer(client, project / "b.txt", "needle\n")
    match, _ = (await search(client))["matches"]
    assert (match["clipped"], len(match["text"]), "needle" in match["text"]) == (True, 500, True)
    assert match["location"]["range"]["start"] == {"line": 0, "character": 80_000}
    assert match["byteRanges"] == [[160_000, 160_006]]
