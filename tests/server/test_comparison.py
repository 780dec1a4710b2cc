import subprocess
from pathlib import Path

import pytest_asyncio

from examples import comparison
from examples.comparison import PATTERN, Row
from sg_server.engines.binaries import find_rg


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made() -> list[Row]:
    """The searches of the table, made once."""
    return [row async for row in comparison.rows()]


def bytes_of_rg(project: comparison.Project, folder: Path) -> int:
    """What ripgrep prints for people who pipe it: path, line number and line."""
    project.write(folder)
    rg = find_rg()
    assert rg is not None
    argv = [rg.path, "--no-heading", "--line-number", PATTERN]
    return len(subprocess.run(argv, cwd=folder, check=True, capture_output=True).stdout)


def test_a_few_matches_are_answered_at_once_in_hardly_more_bytes_than_a_plain_grep(
    made: list[Row], tmp_path: Path
) -> None:
    few = made[0]
    assert few.mode == "matches"
    assert few.signal <= 1.05 * few.normal
    assert few.signal <= 1.05 * bytes_of_rg(comparison.few(), tmp_path)


def test_many_matches_are_summarised_in_a_tenth_of_the_bytes_that_a_hundred_of_them_take(
    made: list[Row],
) -> None:
    noisy = made[1]
    assert noisy.mode == "summary"
    assert noisy.signal <= 0.1 * noisy.normal


def test_the_less_context_is_left_the_shorter_is_the_answer(made: list[Row]) -> None:
    full, tight, critical = made[2:]
    assert (full.mode, tight.mode, critical.mode) == ("matches", "summary", "summary")
    assert full.normal == tight.normal == critical.normal
    assert tight.signal <= 4 * 1_000
    assert critical.signal <= 4 * 500


def test_the_table_in_the_documentation_is_current(made: list[Row]) -> None:
    assert comparison.PAGE.read_text("utf-8") == comparison.page(made), "python -m examples.comparison"
