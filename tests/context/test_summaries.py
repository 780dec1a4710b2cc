import asyncio
import logging
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sg_server import limits
from sg_server.context.bounds import SummaryBounds
from sg_server.context.options import Provider
from sg_server.context.summaries import PROMPT, Summaries, Summariser
from sg_server.text.sections import Section
from tests.summarising import Answer, ModelServer, completion, model_server

TEXT = "# One\n" + "a" * 600 + "\n# Two\n" + "b" * 600 + "\n# Short\nc\n"


def section(node_id: str, start: int, end: int) -> Section:
    return Section(node_id=node_id, level=1, ordinal=1, title="", start=start, end=end)


SECTIONS = (section("one", 0, 607), section("two", 607, 1214), section("short", 1214, len(TEXT)))


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def summariser(model: ModelServer, **more: Any) -> Summariser:
    return Summariser(Provider(url=model.url, model="small", **more))


async def summaries(
    asked: Summariser, text: str = TEXT, *, with_own: bool = True, **bounds: Any
) -> Summaries:
    return await asked.summarise(text, SECTIONS, SummaryBounds(**bounds), with_own=with_own)


async def test_the_text_is_summarised_first_and_then_its_long_sections(model: ModelServer) -> None:
    written = await summaries(summariser(model))
    assert written == Summaries(own="About One.", sections={"one": "About One.", "two": "About Two."})
    assert model.texts[0] == TEXT
    assert sorted(model.texts[1:]) == [TEXT[:607], TEXT[607:1214]]


async def test_a_request_is_short_and_says_what_is_wanted(model: ModelServer) -> None:
    await summaries(summariser(model))
    request = model.requests[0]
    assert (request["model"], request["max_tokens"]) == ("small", 120)
    assert request["messages"][0] == {"role": "system", "content": PROMPT}


async def test_the_prompt_and_the_bounds_can_be_chosen(model: ModelServer) -> None:
    await summaries(summariser(model, prompt="In Latin."), with_own=False, tokens=30, min_characters=1)
    assert len(model.texts) == 3
    assert {request["messages"][0]["content"] for request in model.requests} == {"In Latin."}
    assert {request["max_tokens"] for request in model.requests} == {30}


async def test_a_summary_that_there_is_is_not_written_again(model: ModelServer) -> None:
    written = await summaries(summariser(model), with_own=False)
    assert (written.own, len(model.texts)) == (None, 2)


async def test_a_short_text_asks_for_nothing(model: ModelServer) -> None:
    asked = summariser(model)
    assert await asked.summarise("short", (), SummaryBounds(), with_own=True) == Summaries()
    assert model.texts == []


async def test_no_more_than_four_are_written_at_once(model: ModelServer) -> None:
    def slowly(_: str) -> Answer:
        time.sleep(0.02)
        return completion("Slow.")

    model.behaviour = slowly
    sections = [section(str(number), 0, 600) for number in range(12)]
    written = await summariser(model).summarise(TEXT, sections, SummaryBounds(), with_own=True)
    assert len(written.sections) == 12
    assert 2 <= model.at_once <= 4


async def test_a_long_text_is_sent_in_part_and_says_so(model: ModelServer) -> None:
    await summariser(model).summarise(
        "x" * (limits.SUMMARY_CHARACTERS_MAX + 1), (), SummaryBounds(), with_own=True
    )
    (sent,) = model.texts
    assert sent == "x" * limits.SUMMARY_CHARACTERS_MAX + "\n[The text goes on.]"


async def test_the_key_comes_from_the_variable_that_is_named(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "secret-1")
    monkeypatch.setenv("OPENAI_API_KEY", "of-someone-else")
    await summaries(summariser(model, key_variable="MY_KEY"))
    await summaries(summariser(model))
    assert model.headers[0]["authorization"] == "Bearer secret-1"
    assert all("of-someone-else" not in headers["authorization"] for headers in model.headers)


@pytest.mark.parametrize(
    "answer",
    [
        (500, b"{}"),
        (400, b'{"error": {"message": "no such parameter"}}'),
        (200, b"not JSON"),
        (200, b""),
        (200, b"[]"),
        (200, b'{"choices": []}'),
        (200, b'{"choices": [{"message": {"content": "half\xff"}}]}'),
        completion(""),
        completion(" \n"),
        completion(None),
        completion(7),
        completion("This was cut of", "length"),
        completion("This was cut of", "content_filter"),
        completion("x" * (limits.SUMMARY_ANSWER_CHARACTERS + 1)),
    ],
)
async def test_what_is_wrong_with_one_answer_leaves_one_summary_out(
    model: ModelServer, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    model.behaviour = lambda text: answer if "a" * 600 in text else completion(" About Two. ")
    written = await summaries(summariser(model), with_own=False)
    assert written == Summaries(sections={"two": "About Two."})
    assert "a summary was left out" in caplog.text


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_provider_that_refuses_is_not_asked_again(
    model: ModelServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    model.behaviour = lambda _: (status, b'{"error": {"message": "bad key"}}')
    assert await summaries(summariser(model)) == Summaries()
    assert len(model.texts) == 1
    assert "no more summaries of this text" in caplog.text


async def test_a_provider_that_is_not_there_costs_little(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    asked = Summariser(Provider(url=f"http://127.0.0.1:{port}/v1", model="m"))
    async with asyncio.timeout(10):
        assert await summaries(asked) == Summaries()
    assert "no more summaries of this text" in caplog.text


async def test_a_slow_answer_is_waited_for_as_long_as_is_allowed(
    model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    model.behaviour = lambda text: model.hang(text) if "a" * 600 in text else completion("Two.")
    async with asyncio.timeout(10):
        written = await summaries(summariser(model), with_own=False, seconds=0.3)
    assert written == Summaries(sections={"two": "Two."})
    assert "no answer within 0.3 s" in caplog.text


async def test_all_together_have_their_time_too(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "SUMMARIES_SECONDS", 0.5)
    model.behaviour = lambda text: model.hang(text) if "a" * 600 in text else completion("Two.")
    written = await summaries(summariser(model), with_own=False)
    assert written == Summaries(sections={"two": "Two."})
    assert "1 of 2 sections have a summary when time is up" in caplog.text


async def test_cancelling_ends_the_requests(model: ModelServer) -> None:
    model.behaviour = model.hang
    task = asyncio.ensure_future(summaries(summariser(model)))
    while not model.texts:
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    ("provider", "problem"),
    [
        (Provider(url="localhost:1/v1", model="m"), "'localhost:1/v1' is no http or https address"),
        (Provider(url="http://[::1/v1", model="m"), "'http://[::1/v1' is no http or https address"),
        (Provider(url="http://h:99999/v1", model="m"), "'http://h:99999/v1' is no http or https address"),
        (Provider(url="http://h/v1", model="m", key_variable="SG_NONE"), "SG_NONE is not set"),
        (Provider(url="http://h/v1", model="m", key_variable="SG_ODD"), "the key in SG_ODD is not ASCII"),
    ],
)
async def test_a_provider_that_cannot_be_asked_is_a_problem_and_no_failure(
    provider: Provider, problem: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SG_ODD", "schlüssel")
    asked = Summariser(provider)
    assert (asked.problem or "").endswith(problem)
    assert await summaries(asked) == Summaries()
    assert problem in caplog.text


async def test_without_the_package_nothing_is_summarised(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sg_server.context.summaries.find_spec", lambda _: None)
    asked = summariser(model)
    assert asked.problem == "the package openai is not installed"
    assert await summaries(asked) == Summaries()


async def test_no_log_has_the_key_or_the_text(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", "secret-1")
    model.behaviour = lambda _: (500, b"{}")
    with caplog.at_level(logging.INFO):
        await summaries(summariser(model, key_variable="MY_KEY"), with_own=False)
    assert "secret-1" not in caplog.text
    assert "aaaa" not in caplog.text
