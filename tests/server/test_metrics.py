import json
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server.modes import KNOWN_OWNERS
from tests.searching import refused
from tests.server.conftest import Start
from tests.server.editing import Buffer
from tests.server.wire import command, until, write_files

HAND_OFF = {"overrideBuiltinGrep": True, "startMetricsOnNextLoad": True, "locale": "en"}


async def metrics(client: LanguageClient, action: str = "report") -> Any:
    return await command(client, "sg.metrics", {"action": action})


async def search(client: LanguageClient, **fields: Any) -> Any:
    return await command(client, "sg.search", {"pattern": "needle", **fields})


def size(*texts: str) -> dict[str, int]:
    """What texts count for."""
    characters = sum(map(len, texts))
    return {"tokens": -(-characters // 4), "bytes": sum(len(text.encode()) for text in texts)}


@pytest.fixture
def tree(project: Path) -> Path:
    write_files(project, {"a.txt": "eins needle 漢\n" * 3, "deep/b.txt": "needle\nother\n"})
    return project


PLAIN = "a.txt:1: eins needle 漢\na.txt:2: eins needle 漢\na.txt:3: eins needle 漢\ndeep/b.txt:1: needle"


async def test_they_are_off_until_they_are_switched_on(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()
    await search(client)
    report = await metrics(client)
    assert (report["active"], report["searches"], report["text"]) == (False, 0, "Metrics are off.")


async def test_a_search_counts_once_beside_the_usual_answer_to_it(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()
    await metrics(client, "on")
    answer = await search(client)
    report = await metrics(client)
    assert (report["active"], report["searches"]) == (True, 1)
    assert report["signal"] == size(answer["text"])
    assert report["normal"] == size(PLAIN)
    saved = report["normal"]["tokens"] - report["signal"]["tokens"]
    assert report["deltaTokens"] == saved < 0
    assert report["deltaPercent"] == round(100 * saved / report["normal"]["tokens"], 1)
    assert f"{-saved} more" in report["text"]


async def test_switching_on_begins_anew_and_releases_snapshots(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()
    before = await search(client)
    for _ in range(2):
        assert (await metrics(client, "on"))["searches"] == 0
        code, _ = await refused(client, "sg.page", {"snapshot": before["snapshot"]})
        assert code == "cursor-expired"
        before = await search(client)
        assert (await metrics(client))["searches"] == 1
    off = await metrics(client, "off")
    assert (off["active"], off["searches"]) == (False, 0)


async def test_pages_count_only_their_own_text_and_inspections_nothing(
    client: LanguageClient, tree: Path
) -> None:
    assert tree.exists()
    await metrics(client, "on")
    first = await search(client, limit=1)
    page = await command(client, "sg.page", {"cursor": first["cursor"]})
    await command(client, "sg.page", {"cursor": first["cursor"], "view": "items"})
    await command(client, "sg.inspect", {"snapshot": first["snapshot"], "matchIndex": 1})
    await command(client, "sg.explain", {"path": "a.txt"})
    report = await metrics(client)
    assert report["searches"] == 1
    assert report["signal"] == size(first["text"], page["text"])
    assert report["normal"] == size(PLAIN)


async def test_what_the_usual_tool_cannot_be_asked_for_does_not_count(
    client: LanguageClient, tree: Path
) -> None:
    assert tree.exists()
    await metrics(client, "on")
    items = await search(client, view="items")
    await command(client, "sg.page", {"snapshot": items["snapshot"]})
    await search(client, multiline=True)
    await refused(client, "sg.search", {"pattern": "("})
    report = await metrics(client)
    assert (report["searches"], report["signal"]["bytes"], report["normal"]["bytes"]) == (0, 0, 0)


async def test_a_search_that_finds_nothing_counts(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()
    await metrics(client, "on")
    answer = await search(client, pattern="nothing holds this")
    report = await metrics(client)
    assert (report["signal"], report["normal"]) == (size(answer["text"]), size("No matches found"))


async def test_the_usual_answer_has_the_start_of_long_lines_on_disk_and_in_documents(
    client: LanguageClient, project: Path
) -> None:
    line = f"start {'x' * 9_000} needle {'y' * 9_000}"
    write_files(project, {"a.txt": f"{line}\n" * 2})
    Buffer(client, project / "b.txt", f"{line}\n")
    await metrics(client, "on")
    answer = await search(client)
    assert answer["totals"]["matches"] == 3
    shown = f"{line[:500]}... [truncated]"
    lines = [f"a.txt:1: {shown}", f"a.txt:2: {shown}", f"b.txt:1: {shown}"]
    notice = "[Some lines truncated to 500 chars. Use read tool to see full lines]"
    assert (await metrics(client))["normal"] == size("\n".join([*lines, "", notice]))


async def test_the_usual_answer_stops_at_a_hundred_matches(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 250})
    await metrics(client, "on")
    await search(client)
    lines = [f"a.txt:{number}: needle" for number in range(1, 101)]
    notice = "[100 matches limit reached. Use limit=200 for more, or refine pattern]"
    assert (await metrics(client))["normal"] == size("\n".join([*lines, "", notice]))


async def test_context_is_part_of_the_usual_answer(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "one\nneedle\nthree\n"})
    await metrics(client, "on")
    await search(client, context=1)
    assert (await metrics(client))["normal"] == size("a.txt-1- one\na.txt:2: needle\na.txt-3- three")


async def test_counting_changes_nothing_that_is_answered(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()

    def told(answer: Any) -> Any:
        named = {"snapshot", "cursor", "elapsedMs", "text"}
        text = answer["text"].replace(answer["snapshot"], "SNAPSHOT")
        return {name: value for name, value in answer.items() if name not in named} | {"text": text}

    before = told(await search(client, context=1))
    await metrics(client, "on")
    assert told(await search(client, context=1)) == before


async def test_the_next_session_begins_with_them_on_once(start: Start, user_file: Path) -> None:
    here = await start()
    code, message = await refused(here, "sg.metrics", {"action": "on-next-load"})
    assert (code, message.partition(":")[0]) == ("invalid-params", "action")
    await command(here, "sg.mode", {"action": "override"})
    assert (await metrics(here, "on-next-load"))["active"] is False
    assert json.loads(user_file.read_text()) == HAND_OFF
    there = await start()
    assert (await metrics(there))["active"] is True
    assert json.loads(user_file.read_text()) == {**HAND_OFF, "startMetricsOnNextLoad": False}
    assert (await metrics(await start()))["active"] is False


async def test_the_choice_for_the_next_session_goes_with_the_override(start: Start, user_file: Path) -> None:
    client = await start()
    await command(client, "sg.mode", {"action": "override"})
    await metrics(client, "on-next-load")
    await command(client, "sg.mode", {"action": "additive"})
    assert json.loads(user_file.read_text())["startMetricsOnNextLoad"] is False


async def test_an_override_that_is_not_in_force_has_no_metrics(start: Start, user_file: Path) -> None:
    user_file.parent.mkdir()
    user_file.write_text(json.dumps(HAND_OFF))
    client = await start(options={"plugins": [KNOWN_OWNERS[0].id]})
    await until(lambda: client.messages)
    assert (await metrics(client))["active"] is False
    code, message = await refused(client, "sg.metrics", {"action": "on"})
    assert code == "mode-conflict"
    assert KNOWN_OWNERS[0].name in message
    assert json.loads(user_file.read_text()) == HAND_OFF
    await command(client, "sg.mode", {"action": "additive"})
    assert (await metrics(client, "on"))["active"] is True
