import asyncio
import os
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.searching import write_numbered
from tests.server.conftest import Start
from tests.server.editing import Buffer
from tests.server.wire import (
    children,
    frame,
    send,
    send_bytes,
    server_process,
    until,
    write_files,
    write_program,
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")

CANCELLED = -32800
KEYSTROKES = 20
KEYSTROKE_SECONDS = 0.03


class Typing:
    """Requests that each cancel the one before, and how many ripgreps they have running at the most."""

    def __init__(self, client: LanguageClient) -> None:
        self.most_running = 0
        self._client = client
        self._server = server_process(client).pid

    async def type(self, patterns: list[str], **fields: Any) -> list[Any]:
        """The outcome of each request."""
        tasks: list[asyncio.Task[Any]] = []
        for number, pattern in enumerate(patterns, 1):
            if tasks:
                params = {"id": number - 1}
                send_bytes(
                    self._client, frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params})
                )
            tasks.append(asyncio.create_task(self._ask(number, pattern, fields)))
            await self._watch(KEYSTROKE_SECONDS)
        watching = asyncio.create_task(self._watch(60))
        try:
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            watching.cancel()

    async def _ask(self, number: int, pattern: str, fields: dict[str, Any]) -> Any:
        argument = {"pattern": pattern, "view": "items", "keep": False, **fields}
        params = {"command": "sg.search", "arguments": [argument]}
        message = {"jsonrpc": "2.0", "id": number, "method": "workspace/executeCommand", "params": params}
        return await send(self._client, message)

    async def _watch(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while loop.time() < end:
            self.most_running = max(self.most_running, len(children(self._server)))
            await asyncio.sleep(0.002)


async def typed(client: LanguageClient, patterns: list[str], **fields: Any) -> tuple[list[Any], int]:
    """The outcomes, and the most processes at once."""
    typing = Typing(client)
    outcomes = await typing.type(patterns, **fields)
    for outcome in outcomes[:-1]:
        assert isinstance(outcome, dict) or outcome.code == CANCELLED
    await until(lambda: not children(server_process(client).pid))
    return outcomes, typing.most_running


async def test_typing_ahead_keeps_two_searches_and_gives_the_last_answer(
    client: LanguageClient, project: Path
) -> None:
    write_numbered(project, files=2_000, lines=50)
    Buffer(client, project / "f000.txt", "needle unsaved\n")
    word = "needle"
    patterns = [word[: 1 + number % len(word)] for number in range(KEYSTROKES - 1)] + [word]
    outcomes, most = await typed(client, patterns)
    assert outcomes[-1]["totals"]["matches"] == 1_999 * 50 + 1
    assert most <= limits.SEARCHES


async def test_searches_that_hang_do_not_pile_up(start: Start, project: Path, tmp_path: Path) -> None:
    # One that ignores being asked to end has to be killed, which takes longer than a keystroke.
    rg = os.path.join(sysconfig.get_path("scripts"), "rg")
    stubborn = write_program(
        tmp_path / "rg", f'case "$*" in *last*) exec {rg} "$@";; esac\ntrap "" TERM\nexec sleep 60'
    )
    write_files(project, {"a.txt": "the last one\n"})
    client = await start("--rg", str(stubborn))
    outcomes, most = await typed(client, ["x"] * (KEYSTROKES - 1) + ["last"])
    assert outcomes[-1]["totals"]["matches"] == 1
    assert [outcome.code for outcome in outcomes[:-1]] == [CANCELLED] * (KEYSTROKES - 1)
    assert most <= limits.SEARCHES
