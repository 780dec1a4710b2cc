import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.server.conftest import Start
from tests.server.storing import failure, put
from tests.server.test_settings import opened
from tests.server.wire import command, write_files

PLAN = "# Plan\r\n\r\nFirst 😀 needle, then Needle.\n\n## Rollout\n\nneedle\n"
NOBODY = "f" * 32


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where this test's entries are."""
    return tmp_path / "entries.sqlite3"


@pytest_asyncio.fixture
async def client(start: Start, store: Path) -> AsyncIterator[LanguageClient]:
    """A server with a store of its own."""
    yield await start("--store", str(store))


async def grep(client: LanguageClient, pattern: str, **more: Any) -> Any:
    return await command(client, "sg.context.grep", {"pattern": pattern, **more})


def open_document(client: LanguageClient, uri: str, text: str, language: str = "markdown") -> None:
    item = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))


async def test_a_match_an_outline_and_a_read_speak_of_the_same_places(client: LanguageClient) -> None:
    id_ = (await put(client, PLAN))["id"]
    first, *_, last = (await grep(client, "needle", outputMode="content"))["results"]
    assert PLAN[first["matchStart"] : first["matchEnd"]] == "needle"
    span = {"startChar": first["matchStart"], "endChar": first["matchEnd"]}
    assert (await command(client, "sg.context.read", {"id": id_, **span}))["text"] == "needle"
    root = (await command(client, "sg.context.navigate", {"id": id_}))["root"]
    (plan,) = root["children"]
    (rollout,) = plan["children"]
    assert rollout["charStart"] <= last["matchStart"] < rollout["charEnd"]
    section = await command(client, "sg.context.read", {"id": id_, "nodeId": rollout["nodeId"]})
    assert section["text"] == "## Rollout\n\nneedle\n"
    assert section["range"] == rollout["range"]


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", (11, 17)), ("utf-16", (9, 15)), ("utf-32", (8, 14))]
)
async def test_ranges_are_in_the_clients_own_units(
    start: Start, store: Path, encoding: str, columns: tuple[int, int]
) -> None:
    client = await start("--store", str(store), encodings=[encoding])
    id_ = (await put(client, PLAN))["id"]
    row = (await grep(client, "needle", outputMode="content"))["results"][0]
    start_, end = row["range"]["start"], row["range"]["end"]
    assert (start_["line"], end["line"]) == (2, 2)
    assert (start_["character"], end["character"]) == columns
    read = await command(
        client, "sg.context.read", {"id": id_, "startChar": row["matchStart"], "endChar": row["matchEnd"]}
    )
    assert read["range"] == row["range"]


async def test_each_mode_counts_whole_texts(client: LanguageClient) -> None:
    one, two = (await put(client, PLAN))["id"], (await put(client, "needle needle"))["id"]
    await put(client, "nothing")
    files = await grep(client, "needle")
    assert files["results"] == [{"id": two, "matchCount": 2}, {"id": one, "matchCount": 3}]
    assert (files["mode"], files["totalMatches"], files["truncated"]) == ("files_with_matches", 5, False)
    counts = await grep(client, "needle", outputMode="count", caseSensitive=True)
    assert counts["results"] == [{"id": two, "count": 2}, {"id": one, "count": 2}]


async def test_pages_join_without_a_gap_or_a_repetition(client: LanguageClient) -> None:
    for number in range(4):
        await put(client, "needle\n" * (number + 1))
    whole = (await grep(client, "needle", outputMode="content"))["results"]
    joined: list[Any] = []
    cursor = None
    while True:
        page = await grep(client, "needle", outputMode="content", maxMatches=3, cursor=cursor)
        joined += page["results"]
        assert page["truncated"] is ("cursor" in page)
        if "cursor" not in page:
            break
        assert page["cursor"] in page["text"]
        cursor = page["cursor"]
    assert joined == whole
    assert len(joined) == 10


async def test_an_exact_fit_is_not_truncated(client: LanguageClient) -> None:
    await put(client, "needle\n" * 3)
    page = await grep(client, "needle", maxMatches=3)
    assert (page["totalMatches"], page["truncated"], page.get("cursor")) == (3, False, None)


async def test_a_text_that_was_cut_off_names_its_cursor(client: LanguageClient) -> None:
    await put(client, ("needle " + "é" * 200 + "\n") * 300)
    page = await grep(client, "needle", outputMode="content", maxMatches=1_000)
    assert len(page["text"].encode()) <= limits.RESPONSE_BYTES
    found = re.search(r'"cursor":"([^"]+)"', page["text"])
    assert found is not None
    shown = sum(row.startswith("  ") for row in page["text"].splitlines())
    assert 0 < shown < len(page["results"])
    rest = await grep(client, "needle", outputMode="content", cursor=found[1])
    assert rest["results"][0]["lineNumber"] == shown + 1


async def test_a_text_with_very_many_matches_is_counted_whole_and_paged(client: LanguageClient) -> None:
    await put(client, "needle\n" * 100_000)
    (row,) = (await grep(client, "needle", outputMode="count"))["results"]
    assert row["count"] == 100_000
    page = await grep(client, "needle", outputMode="content", maxMatches=5_000)
    assert (len(page["results"]), page["truncated"]) == (1_000, True)
    more = await grep(client, "needle", outputMode="content", maxMatches=5_000, cursor=page["cursor"])
    assert more["results"][0]["lineNumber"] == 1_001


async def test_open_documents_are_searched_as_they_are(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.md": "nothing\n"})
    uri = (project / "a.md").as_uri()
    open_document(client, uri, "a needle\n")
    open_document(client, "untitled:Untitled-1", "needle needle")
    id_ = (await put(client, "needle"))["id"]
    assert (await grep(client, "needle"))["results"] == [{"id": id_, "matchCount": 1}]
    both = (await grep(client, "needle", **{"in": ["store", "documents"]}))["results"]
    assert both == [
        {"uri": uri, "matchCount": 1},
        {"uri": "untitled:Untitled-1", "matchCount": 2},
        {"id": id_, "matchCount": 1},
    ]


async def test_documents_and_files_are_outlined_and_read(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.md": "# On disk\n", "b.md": "# Disk\n\n## Two\n", "c.bin": b"a\0b"})
    open_document(client, (project / "a.md").as_uri(), "# In the editor\n")
    for name, titles in (("a.md", ["In the editor"]), ("b.md", ["Disk"])):
        uri = (project / name).as_uri()
        answer = await command(client, "sg.context.navigate", {"uri": uri})
        assert [node["title"] for node in answer["root"]["children"]] == titles
        assert answer["uri"] == uri
    read = await command(
        client, "sg.context.read", {"uri": (project / "b.md").as_uri(), "startLine": 3, "endLine": 3}
    )
    assert read["text"] == "## Two"
    for name, code in (("c.bin", "invalid-params"), ("missing.md", "path-not-found")):
        error = await failure(client, "sg.context.read", {"uri": (project / name).as_uri(), "startLine": 1})
        assert error.code == code


async def test_a_file_outside_the_folders_is_refused(client: LanguageClient, tmp_path: Path) -> None:
    write_files(tmp_path, {"secret.md": "# Secret\n"})
    for name in ("navigate", "read"):
        argument = {"uri": (tmp_path / "secret.md").as_uri(), **({"startLine": 1} if name == "read" else {})}
        assert (await failure(client, f"sg.context.{name}", argument)).code == "outside-workspace"


async def test_an_entry_can_be_named_by_its_address(client: LanguageClient) -> None:
    entry = await put(client, PLAN)
    read = await command(client, "sg.context.read", {"uri": entry["uri"], "startLine": 1, "endLine": 1})
    assert (read["id"], read["text"]) == (entry["id"], "# Plan")


async def test_a_long_read_says_how_it_goes_on(client: LanguageClient) -> None:
    text = "é\n" * 50_000
    id_ = (await put(client, text))["id"]
    parts, request = [], {"id": id_, "startChar": 0}
    while True:
        answer = await command(client, "sg.context.read", request)
        parts.append(answer["text"])
        assert len(answer["text"].encode()) <= limits.READ_BYTES
        assert answer["truncated"] is ("next" in answer)
        if "next" not in answer:
            break
        request = answer["next"]
        assert None not in request.values()
    assert "".join(parts) == text


async def test_what_is_missing_is_missing_in_the_same_words(client: LanguageClient) -> None:
    for name, more in (("navigate", {}), ("read", {"startChar": 0}), ("get", {})):
        error = await failure(client, f"sg.context.{name}", {"id": NOBODY, **more})
        assert (error.code, error.message) == (
            "entry-not-found",
            f"Context entry not found: {NOBODY}",
        )


async def test_what_is_wrong_is_named(client: LanguageClient) -> None:
    id_ = (await put(client, PLAN))["id"]
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("grep", {}, "pattern"),
        ("grep", {"pattern": ""}, "pattern"),
        ("grep", {"pattern": "x" * 32_769}, "pattern"),
        ("grep", {"pattern": "(", "isRegex": True}, "pattern"),
        ("grep", {"pattern": "\ud800"}, "pattern"),
        ("grep", {"pattern": "x", "maxMatches": 0}, "maxMatches"),
        ("grep", {"pattern": "x", "contextLines": -1}, "contextLines"),
        ("grep", {"pattern": "x", "maxEntriesScanned": 0}, "maxEntriesScanned"),
        ("grep", {"pattern": "x", "outputMode": "lines"}, "outputMode"),
        ("grep", {"pattern": "x", "in": []}, "in"),
        ("grep", {"pattern": "x", "in": ["files"]}, "in[0]"),
        ("grep", {"pattern": "x", "threadId": ""}, "threadId"),
        ("grep", {"pattern": "x", "tags": []}, "tags"),
        ("grep", {"pattern": "x", "metadataFilters": [{"key": "a..b"}]}, "metadataFilters[0].key"),
        ("grep", {"pattern": "x", "metadataFilters": [{"key": "a", "operator": "like"}]}, "metadataFilters"),
        ("navigate", {}, "id"),
        ("navigate", {"id": id_, "uri": "file:///a"}, "id"),
        ("navigate", {"id": id_, "maxDepth": 0}, "maxDepth"),
        ("navigate", {"id": id_, "maxDepth": 7}, "maxDepth"),
        ("navigate", {"id": "xyz"}, "id"),
        ("read", {"id": id_}, "startChar"),
        ("read", {"id": id_, "startChar": 0, "endLine": 3}, "startChar"),
        ("read", {"id": id_, "nodeId": "plan", "startLine": 3}, "nodeId"),
        ("read", {"id": id_, "nodeId": "plan/rolout"}, "nodeId"),
        ("read", {"id": id_, "startLine": "1"}, "startLine"),
    ]
    for name, argument, field in cases:
        error = await failure(client, f"sg.context.{name}", argument)
        assert (error.number, error.code) == (-32602, "invalid-params"), (name, argument)
        assert error.message.startswith(field), error.message
    nearest = await failure(client, "sg.context.read", {"id": id_, "nodeId": "plan/rolout"})
    assert "plan/rollout" in nearest.message


async def test_a_cursor_of_another_request_is_refused(client: LanguageClient) -> None:
    await put(client, "needle pin\n" * 3)
    cursor = (await grep(client, "needle", maxMatches=1, outputMode="content"))["cursor"]
    other = {"pattern": "pin", "maxMatches": 1, "outputMode": "content", "cursor": cursor}
    assert (await failure(client, "sg.context.grep", other)).code == "cursor-mismatch"
    unknown = {"pattern": "needle", "cursor": "nonsense"}
    assert (await failure(client, "sg.context.grep", unknown)).code == "cursor-unknown"


async def test_a_regex_that_never_ends_can_be_cancelled_and_others_go_on(
    start: Start, project: Path, store: Path
) -> None:
    settings = {"context": {"regexSeconds": 0.5}}
    client = await opened(start, project, settings, "--store", str(store))
    await put(client, "a" * 40 + "!")
    arguments: Any = [{"pattern": "(a|aa|a?)+$", "isRegex": True}]
    request = client.protocol.send_request(
        types.WORKSPACE_EXECUTE_COMMAND,
        types.ExecuteCommandParams(command="sg.context.grep", arguments=arguments),
        msg_id="endless",
    )
    assert (await grep(client, "!"))["totalMatches"] == 1
    client.cancel_request(types.CancelParams(id="endless"))
    with pytest.raises(JsonRpcException) as caught:
        async with asyncio.timeout(10):
            await asyncio.wrap_future(request)
    assert caught.value.code == -32800


async def test_a_text_that_takes_too_long_is_named(start: Start, project: Path, store: Path) -> None:
    settings = {"context": {"regexSeconds": 0.2}}
    client = await opened(start, project, settings, "--store", str(store))
    slow, quick = (await put(client, "a" * 40 + "!"))["id"], (await put(client, "aa"))["id"]
    answer = await grep(client, "^(a|aa|a?)+$", isRegex=True)
    assert answer["timedOutIds"] == [slow]
    assert (answer["truncated"], answer["truncatedReasons"]) == (True, ["regex-timeout"])
    assert answer["results"] == [{"id": quick, "matchCount": 1}]


async def test_settings_cut_what_a_request_asks_for(start: Start, project: Path, store: Path) -> None:
    settings = {"context": {"maxMatches": 2, "maxContextLines": 1}}
    client = await opened(start, project, settings, "--store", str(store))
    await put(client, "1\n2\nneedle\n4\n5\nneedle\nneedle\n")
    page = await grep(client, "needle", outputMode="content", maxMatches=50, contextLines=5)
    assert page["truncated"] is True
    assert [(row["before"], row["after"]) for row in page["results"]] == [(["2"], ["4"]), (["5"], ["needle"])]


async def test_commands_can_be_switched_off(start: Start, project: Path) -> None:
    arguments: dict[str, dict[str, Any]] = {
        "grep": {"pattern": "x"},
        "navigate": {"id": NOBODY},
        "read": {"id": NOBODY, "startChar": 0},
    }
    client = await opened(start, project, {"context": dict.fromkeys(arguments, False)})
    for name, argument in arguments.items():
        error = await failure(client, f"sg.context.{name}", argument)
        assert (error.number, error.code) == (-32803, "command-disabled")
        assert f"context.{name}" in f"{error.hint}"
    assert (await command(client, "sg.context.list"))["entries"] == []


async def test_true_has_health_look_at_a_store_that_is_not_there_yet(
    start: Start, project: Path, tmp_path: Path
) -> None:
    store = str(tmp_path / "new.sqlite3")
    client = await opened(start, project, {"context": {"grep": True}}, "--store", store)
    assert (await command(client, "sg.health"))["store"]["entries"] == 0
