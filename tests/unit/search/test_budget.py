import pytest

from sg_server.search.budget import budget_for, fits


@pytest.mark.parametrize(
    ("percent", "tier", "tokens"),
    [
        (100, "full", 2_000),
        (40.01, "full", 2_000),
        (40, "tight", 1_000),
        (12, "tight", 1_000),
        (11.99, "critical", 500),
        (0, "critical", 500),
    ],
)
def test_what_is_left_of_the_context_decides_the_tier(percent: float, tier: str, tokens: int) -> None:
    budget = budget_for(percent)
    assert budget is not None
    assert (budget.tier, budget.token_target, budget.remaining_percent) == (tier, tokens, percent)
    assert fits("漢" * 4 * tokens, budget)
    assert not fits("x" * (4 * tokens + 1), budget)


@pytest.mark.parametrize("percent", [None, -0.1, 100.1, float("nan"), float("inf"), float("-inf")])
def test_a_number_that_says_nothing_is_no_decision(percent: float | None) -> None:
    assert budget_for(percent) is None


def test_without_a_decision_the_target_is_the_full_one() -> None:
    assert fits("x" * 8_000, None)
    assert not fits("x" * 8_001, None)
