from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from tests.server.wire import command, write_files


@pytest.fixture
def tree(project: Path) -> Path:
    """Matches that take some 750 tokens to show."""
    write_files(project, {f"{name}.txt": f"needle {'x' * 180}\n" * 5 for name in "abc"})
    return project


async def search(client: LanguageClient, **fields: Any) -> Any:
    return await command(client, "sg.search", {"pattern": "needle", **fields})


@pytest.mark.parametrize(
    ("percent", "tier", "target"),
    [
        (100, "full", 2_000),
        (40.5, "full", 2_000),
        (40, "tight", 1_000),
        (12, "tight", 1_000),
        (11.9, "critical", 500),
        (0, "critical", 500),
    ],
)
async def test_a_decision_is_always_in_the_details_and_in_the_text_where_room_is_scarce(
    client: LanguageClient, tree: Path, percent: float, tier: str, target: int
) -> None:
    assert tree.exists()
    answer = await search(client, remainingContextPercent=percent)
    assert answer["mode"] == ("summary" if tier == "critical" else "matches")
    assert answer["budget"] == {"tier": tier, "remainingPercent": percent, "tokenTarget": target}
    said = f"Context is {tier} ({percent:g} % left): this answer aims at {target:,} tokens."
    assert (said in answer["text"]) is (tier != "full")
    assert ("Context is" in answer["text"]) is (tier != "full")


@pytest.mark.parametrize(
    "fields",
    [{}, *({"remainingContextPercent": said} for said in (None, float("nan"), -1, -0.001, 100.5, 1e9))],
)
async def test_what_says_nothing_decides_nothing_and_claims_nothing(
    client: LanguageClient, tree: Path, fields: dict[str, Any]
) -> None:
    assert tree.exists()
    answer = await search(client, **fields)
    assert answer["mode"] == "matches"
    assert "budget" not in answer
    assert "Context is" not in answer["text"]


@pytest.mark.parametrize("wish", [{"limit": 15}, {"mode": "matches"}, {"mode": "summary"}])
async def test_what_was_asked_for_is_not_cut(
    client: LanguageClient, tree: Path, wish: dict[str, Any]
) -> None:
    assert tree.exists()
    answer = await search(client, remainingContextPercent=1, **wish)
    assert len(answer.get("matches") or answer["files"]) == (3 if wish.get("mode") == "summary" else 15)
    assert "budget" not in answer
    assert "Context is" not in answer["text"]


async def test_pages_and_inspections_are_not_cut(client: LanguageClient, tree: Path) -> None:
    assert tree.exists()
    found = await search(client, remainingContextPercent=1)
    page = await command(client, "sg.page", {"snapshot": found["snapshot"], "limit": 15})
    assert len(page["matches"]) == 15
    assert "budget" not in page
    inspection = await command(client, "sg.inspect", {"snapshot": found["snapshot"], "matchIndex": 1})
    assert len(inspection["blocks"][0]["lines"]) == 5
