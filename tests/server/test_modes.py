import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from sg_server.modes import KNOWN_OWNERS
from tests.searching import refused
from tests.server.conftest import Start
from tests.server.wire import command, until

OWNER = KNOWN_OWNERS[-1]
ADDITIVE = {"overrideBuiltinGrep": False, "startMetricsOnNextLoad": False, "locale": "en"}
OVERRIDE = {**ADDITIVE, "overrideBuiltinGrep": True}


def choose(user_file: Path, content: Any) -> None:
    """What the person's file says before a server reads it."""
    user_file.parent.mkdir(exist_ok=True)
    user_file.write_text(content if isinstance(content, str) else json.dumps(content))


async def mode(client: LanguageClient, action: str = "status") -> Any:
    return await command(client, "sg.mode", {"action": action})


def shown(client: LanguageClient) -> list[tuple[types.MessageType, str]]:
    return [(message.type, message.message) for message in client.messages]


async def test_at_first_the_editors_grep_is_left_alone_and_nothing_is_written(
    client: LanguageClient, user_file: Path
) -> None:
    assert await mode(client) == {"configured": "additive", "effective": "additive"}
    assert not user_file.parent.exists()
    assert client.messages == []


async def test_a_choice_holds_at_once_and_in_other_sessions(start: Start, user_file: Path) -> None:
    here, there = await start(), await start()
    assert await mode(here, "override") == {"configured": "override", "effective": "override"}
    assert json.loads(user_file.read_text()) == OVERRIDE
    assert await mode(there) == {"configured": "override", "effective": "override"}
    assert await mode(there, "additive") == {"configured": "additive", "effective": "additive"}
    assert await mode(here) == {"configured": "additive", "effective": "additive"}
    assert json.loads(user_file.read_text()) == ADDITIVE


async def test_an_owner_of_the_editors_grep_is_told_of_and_the_choice_kept(
    start: Start, user_file: Path
) -> None:
    choose(user_file, OVERRIDE)
    before = user_file.stat()
    client = await start(options={"plugins": ["vim-fugitive", OWNER.id]})
    await until(lambda: client.messages)
    ((kind, notice),) = shown(client)
    assert kind == types.MessageType.Warning
    assert OWNER.name in notice
    answer = await mode(client)
    assert (answer["configured"], answer["effective"]) == ("override", "additive")
    assert (answer["cause"], answer["plugin"]) == ("plugin-conflict", OWNER.name)
    assert answer["reason"] in notice
    assert (await command(client, "sg.health"))["mode"] == answer
    after = user_file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    without = await start(options={"plugins": ["vim-fugitive"]})
    assert await mode(without) == {"configured": "override", "effective": "override"}
    assert without.messages == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pluginsFailure": "E117: Unknown function"}, "E117: Unknown function"),
        ({"plugins": [], "pluginsFailure": "timed out"}, "timed out"),
        ({"plugins": "all of them"}, "plugins: given"),
    ],
)
async def test_a_detection_that_failed_is_named_and_leaves_the_editors_grep_alone(
    start: Start, user_file: Path, options: Any, words: str
) -> None:
    choose(user_file, OVERRIDE)
    client = await start(options=options)
    answer = await mode(client)
    assert (answer["effective"], answer["cause"]) == ("additive", "detection-failed")
    assert words in answer["reason"]
    assert any(answer["reason"] in notice for _, notice in shown(client))


@pytest.mark.parametrize("options", [{"plugins": [OWNER.id]}, {"pluginsFailure": "no list"}])
async def test_an_override_that_could_not_be_in_force_is_refused(
    start: Start, user_file: Path, options: Any
) -> None:
    client = await start(options=options)
    code, message = await refused(client, "sg.mode", {"action": "override"})
    assert code == "mode-conflict"
    assert OWNER.name in message or "no list" in message
    assert not user_file.exists()
    assert await mode(client, "additive") == {"configured": "additive", "effective": "additive"}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        {**OVERRIDE, "locale": "fr"},
        {**OVERRIDE, "colour": 1},
        {**ADDITIVE, "startMetricsOnNextLoad": True},
    ],
)
async def test_a_file_that_is_not_valid_is_told_of_and_changed_by_nothing(
    start: Start, user_file: Path, content: Any
) -> None:
    choose(user_file, content)
    before = user_file.read_bytes()
    client = await start()
    await until(lambda: client.messages)
    ((kind, notice),) = shown(client)
    assert kind == types.MessageType.Error
    assert str(user_file) in notice
    for name, argument in (
        ("sg.mode", {"action": "status"}),
        ("sg.mode", {"action": "additive"}),
        ("sg.locale", {"action": "zh-CN"}),
        ("sg.metrics", {"action": "on-next-load"}),
    ):
        assert (await refused(client, name, argument))[0] == "config-invalid"
    assert user_file.read_bytes() == before
    health = await command(client, "sg.health")
    assert "mode" not in health
    assert "config-invalid" in [problem["code"] for problem in health["problems"]]
    assert (await command(client, "sg.search", {"pattern": "needle"}))["mode"] == "empty"


async def test_an_older_file_speaks_english_and_gets_its_language_with_the_next_choice(
    start: Start, user_file: Path
) -> None:
    choose(user_file, {"overrideBuiltinGrep": True, "startMetricsOnNextLoad": False})
    client = await start()
    assert await command(client, "sg.locale", {"action": "status"}) == {"locale": "en"}
    await mode(client, "additive")
    assert json.loads(user_file.read_text()) == ADDITIVE


async def test_two_servers_that_write_at_once_lose_no_field(start: Start, user_file: Path) -> None:
    here, there = await start(), await start()
    for action, locale in (("override", "zh-CN"), ("additive", "en")) * 5:
        await asyncio.gather(mode(here, action), command(there, "sg.locale", {"action": locale}))
        said = json.loads(user_file.read_text())
        assert (said["overrideBuiltinGrep"], said["locale"]) == (action == "override", locale)


async def test_choices_that_are_not_waited_for_are_taken_in_their_order(client: LanguageClient) -> None:
    for _ in range(5):
        choices = [mode(client, action) for action in ("override", "additive") * 2]
        answers = await asyncio.gather(*choices)
        assert [answer["configured"] for answer in answers] == ["override", "additive"] * 2
        assert (await mode(client))["configured"] == "additive"


async def test_a_pipe_in_the_place_of_the_file_is_no_file(start: Start, user_file: Path) -> None:
    user_file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(user_file)
    client = await start()
    code, message = await refused(client, "sg.mode", {"action": "status"})
    assert (code, "is not a regular file" in message) == ("config-unavailable", True)


async def test_only_the_actions_that_there_are_are_accepted(client: LanguageClient) -> None:
    for name in ("sg.mode", "sg.metrics", "sg.locale"):
        code, message = await refused(client, name, {"action": "toggle"})
        assert (code, message.partition(":")[0]) == ("invalid-params", "action")
