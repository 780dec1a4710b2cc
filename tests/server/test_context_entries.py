import asyncio
import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.storing import failure, opened, put
from tests.server.wire import command

NOBODY = "f" * 32


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where this test's entries are."""
    return tmp_path / "kept" / "entries.sqlite3"


@pytest_asyncio.fixture
async def client(start: Start, store: Path) -> AsyncIterator[LanguageClient]:
    """A server with a store of its own."""
    yield await start("--store", str(store))


async def listed(client: LanguageClient, **more: Any) -> list[str]:
    answer = await command(client, "sg.context.list", more)
    return [entry["id"] for entry in answer["entries"]]


async def test_what_is_put_can_be_got_word_for_word(client: LanguageClient) -> None:
    text = "# Ünï\r\n\ttabs \u2028 and 😀\rend\n\n"
    answer = await put(
        client,
        text,
        tags=[" Idea ", "idea", "B"],
        metadata={"n": 1, "a": {"b": [True, None]}},
        summary="Short.",
        readers=["bo"],
        contentType="multimodal",
    )
    assert re.fullmatch(r"[0-9a-f]{12}7[0-9a-f]{19}", answer["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer["createdAt"])
    assert (answer["version"], answer["created"], answer["totalChars"]) == (1, True, len(text))
    assert (answer["tags"], answer["summary"], answer["readers"]) == (["idea", "b"], "Short.", ["bo"])
    assert answer["metadata"] == {"n": 1, "a": {"b": [True, None]}}
    got = await command(client, "sg.context.get", {"id": answer["id"]})
    assert got.pop("text") == text
    assert got == {name: value for name, value in answer.items() if name != "created"}


async def test_an_id_is_taken_as_people_write_it(client: LanguageClient) -> None:
    id_ = (await put(client, "text"))["id"]
    hyphenated = "-".join((id_[:8], id_[8:12], id_[12:16], id_[16:20], id_[20:]))
    for given in (id_, hyphenated, f" {id_.upper()}\n", id_[:13]):
        assert (await command(client, "sg.context.get", {"id": given}))["id"] == id_


async def test_a_new_version_takes_the_place_of_the_one_expected(client: LanguageClient) -> None:
    first = await put(client, "one")
    second = await put(client, "two", id=first["id"], expectedVersion=1)
    assert (second["id"], second["version"], second["created"]) == (first["id"], 2, False)
    stale = await failure(
        client,
        "sg.context.put",
        {"threadId": "t", "source": "user", "text": "lost?", "id": first["id"], "expectedVersion": 1},
    )
    assert (stale.number, stale.code) == (-32803, "entry-changed")
    assert (await command(client, "sg.context.get", {"id": first["id"]}))["text"] == "two"


async def test_a_list_is_newest_first_and_its_cursor_goes_on(client: LanguageClient) -> None:
    ids = [(await put(client, f"text {number}", tags=[f"{number % 2}"]))["id"] for number in range(5)]
    first = await command(client, "sg.context.list", {"limit": 2})
    assert [entry["id"] for entry in first["entries"]] == [ids[4], ids[3]]
    assert "text" not in first["entries"][0]
    await put(client, "newer")
    assert await listed(client, cursor=first["cursor"]) == ids[2::-1]
    assert await listed(client, tags=["1"]) == [ids[3], ids[1]]
    whole = await command(client, "sg.context.list", {"tags": ["1"], "limit": 2})
    assert "cursor" not in whole
    for cut in ("zz", first["cursor"][:9]):
        assert (await failure(client, "sg.context.list", {"cursor": cut})).code == "cursor-unknown"
    assert len(await listed(client, limit=0)) == 1


async def test_metadata_narrows_a_list(client: LanguageClient) -> None:
    id_ = (await put(client, "text", metadata={"run": {"step": 3}}))["id"]
    await put(client, "text", metadata={"run": {"step": 1}})
    condition = {"key": "run.step", "operator": "gt", "value": 2}
    assert await listed(client, metadataFilters=[condition]) == [id_]


async def test_deleting_takes_all_that_are_named_or_none(client: LanguageClient) -> None:
    one, two, three = [(await put(client, str(number)))["id"] for number in range(3)]
    unknown = await failure(client, "sg.context.delete", {"ids": [one, NOBODY]})
    assert unknown.code == "entry-not-found"
    assert await command(client, "sg.context.delete", {"ids": [one, two]}) == {"deleted": 2}
    assert await command(client, "sg.context.delete", {"id": three}) == {"deleted": 1}
    assert await listed(client) == []


async def test_deleting_by_filter_has_to_know_how_many(client: LanguageClient) -> None:
    await put(client, "a", tags=["old"])
    await put(client, "b", tags=["old"])
    kept = (await put(client, "c"))["id"]
    missing = await failure(client, "sg.context.delete", {"tags": ["old"]})
    assert missing.message.startswith("confirm: missing")
    wrong = await failure(client, "sg.context.delete", {"tags": ["old"], "confirm": 1})
    assert (wrong.number, wrong.message) == (-32602, "confirm: 2 entries fit, not 1; nothing was deleted")
    assert await command(client, "sg.context.delete", {"tags": ["old"], "confirm": 2}) == {"deleted": 2}
    assert await listed(client) == [kept]


async def test_a_deletion_has_one_form(client: LanguageClient) -> None:
    forms: tuple[dict[str, Any], ...] = (
        {},
        {"confirm": 0},
        {"id": NOBODY, "ids": [NOBODY]},
        {"id": NOBODY, "tags": ["a"]},
        {"ids": [NOBODY], "confirm": 1},
        {"ids": []},
    )
    for argument in forms:
        assert (await failure(client, "sg.context.delete", argument)).number == -32602


async def test_what_cannot_be_stored_is_named(client: LanguageClient) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"text": "a\0b"}, "text"),
        ({"text": "a\ud800"}, "text"),
        ({"text": 7}, "text"),
        ({"threadId": ""}, "threadId"),
        ({"threadId": "x" * 257}, "threadId"),
        ({"source": "system"}, "source"),
        ({"contentType": "html"}, "contentType"),
        ({"tags": ["x" * 129]}, "tags"),
        ({"tags": [f"{number}" for number in range(101)]}, "tags"),
        ({"metadata": {"a": "\0"}}, "metadata"),
        ({"metadata": []}, "metadata"),
        ({"summary": "\0"}, "summary"),
        ({"readers": "bo"}, "readers"),
        ({"readers": ["*"]}, "readers"),
        ({"id": "123"}, "id"),
        ({"expectedVersion": 0}, "expectedVersion"),
        ({"txt": "a"}, "txt"),
    ]
    for more, field in cases:
        error = await failure(
            client, "sg.context.put", {"threadId": "t", "source": "user", "text": "a", **more}
        )
        assert (error.number, error.code) == (-32602, "invalid-params"), field
        assert error.message.startswith((f"{field}: ", f"{field}.")), error.message
    assert await listed(client) == []


async def test_null_is_the_same_as_leaving_out(client: LanguageClient) -> None:
    optional = ("id", "expectedVersion", "contentType", "tags", "metadata", "summary", "readers")
    answer = await put(client, "text", **dict.fromkeys(optional))
    assert (answer["contentType"], answer["tags"], answer["metadata"]) == ("text", [], {})
    assert answer["readers"] == []


async def test_a_missing_entry_is_told_in_the_same_words_everywhere(client: LanguageClient) -> None:
    for name in ("sg.context.get", "sg.context.delete"):
        error = await failure(client, name, {"id": NOBODY})
        assert (error.number, error.message) == (-32803, f"Context entry not found: {NOBODY}")
        assert error.code == "entry-not-found"


async def test_a_prefix_of_several_is_refused(client: LanguageClient) -> None:
    one, two = (await put(client, "1"))["id"], (await put(client, "2"))["id"]
    assert one[:8] == two[:8]  # within a minute they are
    error = await failure(client, "sg.context.get", {"id": one[:8]})
    assert (error.number, "several entries" in error.message) == (-32602, True)


async def test_an_entry_opens_as_a_document(client: LanguageClient) -> None:
    answer = await put(client, "# Title\r\ntext")
    assert answer["uri"] == f"sg-context://entry/{answer['id']}.md"
    for uri in (
        answer["uri"],
        f"sg-context:/{answer['id']}.md",
        f"sg-context:///{answer['id']}",
        f"sg-context:{answer['id']}",
        f"{answer['uri']}#L1",
    ):
        assert await opened(client, uri) == "# Title\r\ntext"


async def test_an_entry_has_the_outline_of_its_headings(client: LanguageClient) -> None:
    uri = (await put(client, "# One\n\n## Two\n"))["uri"]
    params = types.DocumentSymbolParams(text_document=types.TextDocumentIdentifier(uri=uri))
    symbols = await client.text_document_document_symbol_async(params)
    assert [symbol.name for symbol in symbols or ()] == ["One", "Two"]


async def test_entries_are_there_in_the_next_session_and_in_one_beside_it(
    client: LanguageClient, start: Start, store: Path
) -> None:
    id_ = (await put(client, "kept"))["id"]
    other = await start("--store", str(store))
    assert (await command(other, "sg.context.get", {"id": id_}))["text"] == "kept"
    await put(other, "newer", id=id_)
    assert (await command(client, "sg.context.get", {"id": id_}))["version"] == 2


async def test_two_servers_write_at_once_and_lose_nothing(
    client: LanguageClient, start: Start, store: Path
) -> None:
    other = await start("--store", str(store))
    answers = await asyncio.gather(
        *(put(each, f"{number}") for number in range(25) for each in (client, other))
    )
    ids = {answer["id"] for answer in answers}
    assert len(ids) == 50
    assert await listed(client, limit=100) == sorted(ids, reverse=True)


async def test_only_one_of_two_writers_of_a_version_wins(
    client: LanguageClient, start: Start, store: Path
) -> None:
    other = await start("--store", str(store))
    id_ = (await put(client, "first"))["id"]
    outcomes = await asyncio.gather(
        *(put(each, "second", id=id_, expectedVersion=1) for each in (client, other)), return_exceptions=True
    )
    assert sorted(isinstance(outcome, Exception) for outcome in outcomes) == [False, True]


async def test_the_file_is_its_users_alone(client: LanguageClient, store: Path) -> None:
    await put(client, "text")
    files = [store, *store.parent.iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700


async def test_nothing_is_written_before_something_is_stored_or_read(
    client: LanguageClient, store: Path
) -> None:
    health = await command(client, "sg.health")
    assert "store" not in health
    assert not store.parent.exists()


async def test_a_store_that_cannot_be_opened_leaves_the_other_commands_alone(
    start: Start, project: Path, tmp_path: Path
) -> None:
    (project / "a.txt").write_text("needle\n")
    client = await start("--store", str(tmp_path))
    for name, argument in (("list", {}), ("get", {"id": NOBODY})):
        error = await failure(client, f"sg.context.{name}", argument)
        assert (error.number, error.code) == (-32803, "store-unavailable")
        assert error.hint
    assert (await command(client, "sg.search", {"pattern": "needle"}))["totals"]["matches"] == 1
    (problem,) = [
        problem
        for problem in (await command(client, "sg.health"))["problems"]
        if problem["code"] == "store-unavailable"
    ]
    assert "is no file" in problem["message"]


async def test_a_store_that_was_put_right_is_used_at_once(start: Start, tmp_path: Path) -> None:
    place = tmp_path / "entries.sqlite3"
    place.write_bytes(b"something else" * 100)
    client = await start("--store", str(place))
    assert (await failure(client, "sg.context.list", {})).code == "store-unavailable"
    place.unlink()
    await put(client, "text")


async def test_health_says_where_entries_are(client: LanguageClient, store: Path) -> None:
    await put(client, "text")
    kept = (await command(client, "sg.health"))["store"]
    assert (kept["kind"], kept["place"], kept["entries"]) == ("sqlite", str(store), 1)


async def test_the_clients_own_choice_goes_before_the_command_line(
    start: Start, store: Path, tmp_path: Path
) -> None:
    chosen = tmp_path / "chosen.sqlite3"
    client = await start("--store", str(store), options={"context": {"store": str(chosen)}})
    await put(client, "text")
    assert chosen.exists()
    assert not store.exists()


async def test_the_environment_names_a_store(
    start: Start, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SG_STORE", str(store))
    await put(await start(), "text")
    assert store.exists()


async def test_without_any_choice_entries_are_kept_where_the_system_keeps_data(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SG_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    await put(await start(), "text")
    assert (tmp_path / "data/signal-grep/entries.sqlite3").exists()


async def test_a_text_of_the_greatest_size_comes_back_and_a_greater_one_is_refused(
    client: LanguageClient,
) -> None:
    text = "x" * (16 * 1024 * 1024)
    id_ = (await put(client, text))["id"]
    assert len((await command(client, "sg.context.get", {"id": id_}))["text"]) == len(text)
    error = await failure(client, "sg.context.put", {"threadId": "t", "source": "user", "text": text + "y"})
    assert error.message.startswith("text: more than 16,777,216 bytes")
