import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import limits
from sg_server.engines.binaries import find_rg
from tests.server.conftest import Start
from tests.server.wire import children, command, server_process, until, write_files, write_program


def client_that(*, can_be_asked: bool, can_register: bool = False) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            configuration=can_be_asked,
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(
                dynamic_registration=can_register
            ),
        )
    )


async def opened(
    start: Start,
    project: Path,
    settings: Any = None,
    *arguments: str,
    can_be_asked: bool = True,
    can_register: bool = False,
    options: Any = None,
) -> LanguageClient:
    """A session whose client keeps `settings` for the server."""
    client = await start(*arguments, initialize=False)
    client.set_configuration({"signalGrep": settings})
    capabilities = client_that(can_be_asked=can_be_asked, can_register=can_register)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities, root_uri=project.as_uri(), initialization_options=options
        )
    )
    return client


def answer_with(client: LanguageClient, answer: Callable[[types.ConfigurationParams], Any]) -> None:
    """Let the client say what its settings are in another way than pytest-lsp's."""
    client.protocol.fm.features[types.WORKSPACE_CONFIGURATION] = answer


def say(client: LanguageClient, settings: Any) -> None:
    """Tell the server of a change, as clients do that cannot be asked."""
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=settings))


async def change(client: LanguageClient, settings: Any) -> None:
    """Change what the client answers when it is asked next, and tell the server that it did."""
    await in_force(client)
    client.set_configuration({"signalGrep": settings})
    say(client, None)


async def in_force(client: LanguageClient) -> Any:
    return (await command(client, "sg.health"))["settings"]


async def found(client: LanguageClient, **request: Any) -> list[str]:
    answer = await command(client, "sg.search", {"pattern": "needle", "view": "items", **request})
    return sorted(match["path"] for match in answer.get("matches", []))


async def test_the_first_search_already_has_the_clients_settings(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n", "a.js": "needle\n"})
    client = await opened(start, project, {"exclude": ["*.js"]})
    assert await found(client) == ["a.py"]


async def test_a_change_holds_from_the_next_command_on(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n", "a.js": "needle\n"})
    client = await opened(start, project, {"exclude": ["*.js"], "threads": 2})
    await change(client, {"exclude": ["*.py"]})
    assert await found(client) == ["a.js"]
    assert await in_force(client) == {"exclude": ["*.py"]}


async def test_a_request_goes_before_the_settings(start: Start, project: Path) -> None:
    write_files(
        project, {"a.py": "needle\n", "a.js": "needle\n", ".b.py": "needle\n", "c.py": "needle" + "s" * 99}
    )
    (project / "link.py").symlink_to(project / "a.js")
    client = await opened(
        start, project, {"exclude": ["*.js"], "hidden": False, "maxFileSize": 50, "follow": True}
    )
    assert await found(client) == ["a.py", "link.py"]
    assert await found(client, follow=False, exclude=[]) == ["a.js", "a.py"]
    assert await found(client, follow=False, hidden=True) == [".b.py", "a.py"]
    assert await found(client, follow=False, exclude="a.py") == ["a.js"]
    assert await found(client, follow=False, maxFileSize=1_000) == ["a.py", "c.py"]


async def test_an_answer_says_which_settings_were_in_force(start: Start, project: Path) -> None:
    client = await opened(start, project, {"exclude": ["*.js"], "hidden": False, "maxFileSize": 50})
    answer = await command(client, "sg.search", {"pattern": "needle"})
    rules = answer["rules"]
    assert (rules["excludes"], rules["hidden"], rules["maxFileSize"]) == (["*.js"], False, 50)
    assert "files over 50 bytes skipped" in answer["text"]
    assert "excludes: *.js" in answer["text"]


async def test_an_explanation_knows_the_settings(start: Start, project: Path) -> None:
    write_files(project, {"a.js": "needle\n"})
    client = await opened(start, project, {"exclude": ["*.js"]})
    answer = await command(client, "sg.explain", {"path": "a.js"})
    assert [reason["rule"] for reason in answer["reasons"]] == ["exclude"]


async def test_threads_are_rgs(start: Start, project: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    rg = write_program(tmp_path / "rg", f'echo "$@" >> "{said}"\nexit 1')
    client = await opened(start, project, {"threads": 3}, "--rg", str(rg))
    with pytest.raises(JsonRpcException):
        await command(client, "sg.search", {"pattern": "needle"})
    assert "--threads=3" in said.read_text().split()


async def test_snapshots_are_bounded_by_number_and_rows(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n" * 10})
    client = await opened(start, project, {"snapshots": {"count": 2, "retainedRows": 4}})
    first, second, third = [
        await command(client, "sg.search", {"pattern": "needle", "mode": "matches", "limit": 1})
        for _ in range(3)
    ]
    assert (third["totals"]["matches"], third["totals"]["retained"]) == (10, 4)
    assert third["partialReasons"] == ["retention-limit"]
    held = (await command(client, "sg.health"))["snapshots"]
    assert [snapshot["id"] for snapshot in held] == [second["snapshot"], third["snapshot"]]
    with pytest.raises(JsonRpcException) as caught:
        await command(client, "sg.page", {"cursor": first["cursor"]})
    assert caught.value.data == {"code": "cursor-expired", "hint": "Search again."}


async def test_a_tighter_bound_releases_snapshots_at_once(start: Start, project: Path) -> None:
    write_files(project, {"a.py": "needle\n" * 10})
    client = await opened(start, project)
    for _ in range(3):
        await command(client, "sg.search", {"pattern": "needle", "mode": "matches", "limit": 1})
    await change(client, {"snapshots": {"count": 1}})
    assert len((await command(client, "sg.health"))["snapshots"]) == 1


async def test_a_bad_value_is_named_and_changes_nothing(start: Start, project: Path) -> None:
    client = await opened(start, project, {"threads": 2})
    await change(client, {"hidden": False, "threads": 0})
    assert await in_force(client) == {"threads": 2}
    (warning,) = client.messages
    assert warning.type == types.MessageType.Warning
    assert warning.message == (
        "signalGrep.threads: given 0 (a number), accepted is an integer (1 to 256). "
        "The former settings stay in force."
    )


async def test_a_notice_is_given_once(start: Start, project: Path) -> None:
    client = await opened(start, project, {"thread": 2})
    await change(client, {"thread": 2, "hidden": False})
    assert await in_force(client) == {"hidden": False}
    (notice,) = client.messages
    assert notice.type == types.MessageType.Info
    assert notice.message.startswith("signalGrep.thread: unknown field; did you mean threads? ")


async def test_a_workspace_cannot_choose_the_program(start: Start, project: Path) -> None:
    write_program(project / "rg", "touch pwned")
    evil = {"rgPath": str(project / "rg"), "ctagsPath": str(project / "rg")}
    client = await opened(start, project, evil)
    say(client, {"signalGrep": evil})
    health = await command(client, "sg.health")
    assert health["rg"]["found"] == "package"
    assert [message.message.partition(":")[0] for message in client.messages] == [
        "signalGrep.rgPath",
        "signalGrep.ctagsPath",
    ]


async def test_a_client_that_cannot_be_asked_sends_its_settings(start: Start, project: Path) -> None:
    client = await opened(start, project, {"threads": 9}, can_be_asked=False)
    assert await in_force(client) == {}
    say(client, {"signalGrep": {"threads": 2}, "other": {"threads": 3}})
    assert await in_force(client) == {"threads": 2}
    say(client, {"other": {"threads": 3}})
    say(client, None)
    say(client, [])
    assert await in_force(client) == {"threads": 2}
    say(client, {"signalGrep": None})
    assert await in_force(client) == {}


async def test_what_is_sent_along_does_not_go_before_what_is_answered(start: Start, project: Path) -> None:
    client = await opened(start, project, {"threads": 2})
    say(client, {"signalGrep": {"threads": 5}})
    assert await in_force(client) == {"threads": 2}


@pytest.mark.parametrize("can_be_asked", [True, False])
async def test_the_options_hold_the_settings_of_a_client_without_any(
    start: Start, project: Path, *, can_be_asked: bool
) -> None:
    options = {"settings": {"threads": 2}}
    client = await opened(start, project, None, can_be_asked=can_be_asked, options=options)
    assert await in_force(client) == {"threads": 2}
    say(client, None)
    assert await in_force(client) == {"threads": 2}


async def test_a_bad_value_in_the_options_does_not_stop_the_start(start: Start, project: Path) -> None:
    client = await opened(start, project, None, options={"settings": {"hidden": 3}})
    assert await in_force(client) == {}
    assert "signalGrep.hidden: given 3" in client.messages[0].message


async def test_the_server_asks_to_be_told_of_changes_where_it_may(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    asked: list[types.Registration] = []

    def register(params: types.RegistrationParams) -> None:
        asked.extend(params.registrations)

    client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_that(can_be_asked=True, can_register=True), root_uri=project.as_uri()
        )
    )
    await until(lambda: asked)
    assert [registration.method for registration in asked] == ["workspace/didChangeConfiguration"]
    assert await in_force(client) == {}


async def test_a_client_that_will_not_register_is_served_all_the_same(start: Start, project: Path) -> None:
    client = await opened(start, project, {"threads": 2}, can_register=True)
    assert await in_force(client) == {"threads": 2}


async def test_a_client_that_never_answers_is_not_waited_for_twice(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    asked = asyncio.Event()
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def configuration(_: types.ConfigurationParams) -> Any:
        asked.set()
        return await answer

    answer_with(client, configuration)
    await client.initialize_session(
        types.InitializeParams(capabilities=client_that(can_be_asked=True), root_uri=project.as_uri())
    )
    clock = asyncio.get_running_loop().time
    began = clock()
    assert await in_force(client) == {}
    assert asked.is_set()
    assert clock() - began >= limits.CONFIGURATION_SECONDS / 2
    again = clock()
    assert await in_force(client) == {}
    assert clock() - again < limits.CONFIGURATION_SECONDS / 2
    answer.set_result([{"threads": 2}])
    async with asyncio.timeout(10):
        while await in_force(client) != {"threads": 2}:
            pass


async def test_an_answer_that_comes_after_a_later_one_is_passed_over(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    late: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    questions: list[types.ConfigurationParams] = []

    async def configuration(question: types.ConfigurationParams) -> Any:
        questions.append(question)
        return await late if len(questions) == 1 else [{"threads": 2}]

    answer_with(client, configuration)
    await client.initialize_session(
        types.InitializeParams(capabilities=client_that(can_be_asked=True), root_uri=project.as_uri())
    )
    await until(lambda: questions)
    say(client, None)
    assert await in_force(client) == {"threads": 2}
    late.set_result([{"threads": 9}])
    assert await in_force(client) == {"threads": 2}
    assert await in_force(client) == {"threads": 2}


@pytest.mark.parametrize("answer", [[], None, [None], [7], {"threads": 2}])
async def test_an_answer_that_makes_no_sense_leaves_the_settings_alone(
    start: Start, project: Path, answer: Any
) -> None:
    client = await start(initialize=False)

    answer_with(client, lambda _: answer)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_that(can_be_asked=True),
            root_uri=project.as_uri(),
            initialization_options={"settings": {"threads": 3}},
        )
    )
    assert await in_force(client) == {"threads": 3}


async def test_a_search_that_runs_keeps_the_settings_it_began_with(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.py": "needle\n"})
    gate = tmp_path / "gate"
    binary = find_rg()
    assert binary is not None
    wait = f'case "$*" in *--json*) until [ -e "{gate}" ]; do sleep 0.01; done;; esac'
    rg = write_program(tmp_path / "rg", f'{wait}\nexec "{binary.path}" "$@"')
    client = await opened(start, project, {"hidden": False}, "--rg", str(rg))
    search = asyncio.create_task(command(client, "sg.search", {"pattern": "needle"}))
    await until(lambda: children(server_process(client).pid))
    await change(client, {"hidden": True})
    gate.touch()
    assert (await search)["rules"]["hidden"] is False
    assert (await command(client, "sg.search", {"pattern": "needle"}))["rules"]["hidden"] is True


async def test_the_log_level_is_the_settings_while_they_have_one(
    start: Start, project: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    client = await opened(start, project, {"log": {"level": "info"}}, "--log-file", str(log))
    with pytest.raises(JsonRpcException):
        await command(client, "sg.search", {"pattern": ""})
    assert "INFO sg_server.lsp.failures" in log.read_text()
    await change(client, {})
    await in_force(client)
    length = len(log.read_text())
    with pytest.raises(JsonRpcException):
        await command(client, "sg.search", {"pattern": ""})
    assert len(log.read_text()) == length
