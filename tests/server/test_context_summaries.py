import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.conftest import Start
from tests.server.storing import put
from tests.server.test_settings import opened
from tests.server.wire import command, until
from tests.summarising import Answer, ModelServer, completion, model_server

ONE, TWO = "# One\n" + "a" * 600 + "\n", "## Two\n" + "b" * 600 + "\n"
TEXT = ONE + TWO + "# Short\nc\n"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "entries.sqlite3"


def options(model: ModelServer, **more: Any) -> Any:
    return {"context": {"summaries": {"url": model.url, "model": "small", **more}}}


def always(answer: Answer, _: str) -> Answer:
    return answer


async def summaries(client: LanguageClient, id_: str) -> dict[str, str | None]:
    """What the outline of an entry says of each of its sections."""
    answer = await command(client, "sg.context.navigate", {"id": id_, "includeNodeSummaries": True})
    told, waiting = {}, [answer["root"]]
    while waiting:
        node = waiting.pop()
        told[node["nodeId"]] = node["summary"]
        waiting += node["children"]
    return told


async def test_a_text_is_summarised_when_it_is_put(start: Start, store: Path, model: ModelServer) -> None:
    client = await start("--store", str(store), options=options(model))
    answer = await put(client, TEXT)
    assert answer["summary"] == "About One."
    assert answer["version"] == 1
    assert await summaries(client, answer["id"]) == {
        "root": "About One.",
        "one": "About One.",
        "one/two": "About Two.",
        "short": None,
    }


async def test_a_summary_of_ones_own_is_kept(start: Start, store: Path, model: ModelServer) -> None:
    client = await start("--store", str(store), options=options(model))
    answer = await put(client, TEXT, summary="Mine.")
    assert answer["summary"] == "Mine."
    assert TEXT not in model.texts
    assert (await summaries(client, answer["id"]))["one/two"] == "About Two."


async def test_a_replacement_is_summarised_anew(start: Start, store: Path, model: ModelServer) -> None:
    client = await start("--store", str(store), options=options(model))
    id_ = (await put(client, TEXT))["id"]
    replaced = TWO.replace("Two", "Three")
    await put(client, replaced, id=id_)
    assert await summaries(client, id_) == {"root": "About Three.", "three": "About Three."}


async def test_no_failure_of_the_provider_fails_a_put(start: Start, store: Path, model: ModelServer) -> None:
    client = await start("--store", str(store), options=options(model))
    failures: list[Answer] = [(401, b"{}"), (200, b"no JSON"), completion("Cut of", "length"), completion("")]
    for answer in failures:
        model.behaviour = partial(always, answer)
        kept = await put(client, TEXT)
        assert "summary" not in kept
        assert (await command(client, "sg.context.get", {"id": kept["id"]}))["text"] == TEXT
        assert set((await summaries(client, kept["id"])).values()) == {None}


async def test_a_text_is_stored_before_it_is_summarised(
    start: Start, store: Path, model: ModelServer
) -> None:
    client = await start("--store", str(store), options=options(model))
    model.behaviour = model.hang
    arguments: Any = [{"threadId": "t", "source": "user", "text": TEXT}]
    request = client.protocol.send_request(
        types.WORKSPACE_EXECUTE_COMMAND,
        types.ExecuteCommandParams(command="sg.context.put", arguments=arguments),
        msg_id="put",
    )
    await until(lambda: model.texts)
    (entry,) = (await command(client, "sg.context.list"))["entries"]
    client.cancel_request(types.CancelParams(id="put"))
    with pytest.raises(JsonRpcException) as caught:
        await asyncio.wrap_future(request)
    assert caught.value.code == -32800
    assert (await command(client, "sg.context.get", {"id": entry["id"]}))["text"] == TEXT


async def test_settings_bound_what_is_summarised(
    start: Start, project: Path, model: ModelServer, store: Path
) -> None:
    bounds = {"minCharacters": 700, "maxTokens": 30}
    client = await opened(
        start, project, {"context": {"summaries": bounds}}, "--store", str(store), options=options(model)
    )
    assert (await put(client, TEXT))["summary"] == "About One."
    assert [request["max_tokens"] for request in model.requests] == [30, 30]


async def test_summaries_can_be_switched_off(
    start: Start, project: Path, model: ModelServer, store: Path
) -> None:
    settings = {"context": {"summaries": {"enabled": False}}}
    client = await opened(start, project, settings, "--store", str(store), options=options(model))
    assert "summary" not in await put(client, TEXT)
    assert model.texts == []


async def test_a_workspace_cannot_choose_who_is_sent_the_text(
    start: Start, project: Path, model: ModelServer, store: Path
) -> None:
    settings = {"context": {"summaries": {"url": model.url, "model": "small"}}}
    client = await opened(start, project, settings, "--store", str(store))
    await put(client, TEXT)
    assert model.texts == []
    assert {message.message.partition(":")[0] for message in client.messages} == {
        "signalGrep.context.summaries.url",
        "signalGrep.context.summaries.model",
    }


async def test_health_says_what_keeps_summaries_from_being_written(
    start: Start, store: Path, model: ModelServer
) -> None:
    client = await start("--store", str(store), options=options(model, keyVariable="SG_NO_SUCH_KEY"))
    health = await command(client, "sg.health")
    assert health["summaries"]["keyVariable"] == "SG_NO_SUCH_KEY"
    (problem,) = [each for each in health["problems"] if each["code"] == "summaries-unavailable"]
    assert "SG_NO_SUCH_KEY is not set" in problem["message"]
    await put(client, TEXT)
    assert model.texts == []


async def test_the_environment_names_a_provider(
    start: Start, store: Path, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SG_SUMMARIES_URL", model.url)
    monkeypatch.setenv("SG_SUMMARIES_MODEL", "small")
    client = await start("--store", str(store))
    assert (await put(client, TEXT))["summary"] == "About One."
