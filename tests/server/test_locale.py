import json
import re
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server.modes import KNOWN_OWNERS
from tests.server.conftest import Start
from tests.server.wire import command, until, write_files

CHINESE = {"overrideBuiltinGrep": True, "startMetricsOnNextLoad": False, "locale": "zh-CN"}
OWNER = KNOWN_OWNERS[0]


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def without_ids(text: str) -> str:
    return re.sub(r"\b[cs][0-9a-f]{8}-[\w-]+", "ID", text)


@pytest.fixture
def chosen(user_file: Path) -> Path:
    """The file of a person who reads Chinese."""
    user_file.parent.mkdir()
    user_file.write_text(json.dumps(CHINESE))
    return user_file


async def test_the_language_is_kept_for_other_sessions(start: Start) -> None:
    here = await start()
    assert await command(here, "sg.locale", {"action": "status"}) == {"locale": "en"}
    assert await command(here, "sg.locale", {"action": "zh-CN"}) == {"locale": "zh-CN"}
    assert is_chinese((await command(here, "sg.metrics", {"action": "report"}))["text"])
    there = await start()
    assert await command(there, "sg.locale", {"action": "status"}) == {"locale": "zh-CN"}
    assert is_chinese((await command(there, "sg.metrics", {"action": "report"}))["text"])


async def test_notices_are_in_the_language_of_the_person(start: Start, chosen: Path) -> None:
    assert chosen.exists()
    client = await start(options={"plugins": [OWNER.id], "rgpath": "rg", "settings": {"threads": 0, "x": 1}})
    await until(lambda: len(client.messages) == 3)
    assert all(is_chinese(message.message) for message in client.messages)
    assert OWNER.name in (await command(client, "sg.mode", {"action": "status"}))["reason"]


async def test_what_models_read_does_not_change_with_the_language(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "def f():\n    needle = 1\n" * 30, "b.py": "needle\n"})
    client = await start()

    async def texts() -> list[Any]:
        found = await command(client, "sg.search", {"pattern": "needle"})
        snapshot = found["snapshot"]
        answers = [
            found,
            await command(client, "sg.search", {"pattern": "needle", "remainingContextPercent": 8}),
            await command(client, "sg.search", {"pattern": "nothing holds this"}),
            await command(client, "sg.page", {"snapshot": snapshot, "limit": 5}),
            await command(client, "sg.inspect", {"snapshot": snapshot, "matchIndex": 1}),
            await command(client, "sg.explain", {"path": "a.py"}),
        ]
        with pytest.raises(JsonRpcException) as caught:
            await command(client, "sg.search", {"pattern": "("})
        data: Any = caught.value.data
        return [*(without_ids(answer["text"]) for answer in answers), caught.value.message, data["code"]]

    english = await texts()
    await command(client, "sg.locale", {"action": "zh-CN"})
    assert await texts() == english
    assert not any(map(is_chinese, english))


async def test_an_error_is_said_to_people_in_their_language_beside_the_english(
    client: LanguageClient,
) -> None:
    async def error() -> Any:
        with pytest.raises(JsonRpcException) as caught:
            await command(client, "sg.page", {"snapshot": "s00000000-1"})
        return caught.value

    english = await error()
    assert "localized" not in english.data
    await command(client, "sg.locale", {"action": "zh-CN"})
    chinese = await error()
    assert chinese.message == english.message
    assert {**chinese.data, "localized": None} == {**english.data, "localized": None}
    assert english.message in chinese.data["localized"]["message"]
    assert is_chinese(chinese.data["localized"]["message"])
    assert is_chinese(chinese.data["localized"]["hint"])


async def test_problems_are_named_in_the_language_of_the_person(
    start: Start, chosen: Path, tmp_path: Path
) -> None:
    assert chosen.exists()
    client = await start("--rg", str(tmp_path / "nowhere"))
    problems = (await command(client, "sg.health"))["problems"]
    (problem,) = (problem for problem in problems if problem["code"] == "rg-missing")
    assert is_chinese(problem["message"])
    assert is_chinese(problem["hint"])
    assert "SG_RG" in problem["hint"]
