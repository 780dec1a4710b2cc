"""How much of an answer fits what is left of the caller's context window."""

from sg_server import limits
from sg_server.search.results import Budget, Tier

_TARGETS: dict[Tier, int] = {
    "full": limits.TOKENS_FULL,
    "tight": limits.TOKENS_TIGHT,
    "critical": limits.TOKENS_CRITICAL,
}


def budget_for(remaining_percent: float | None) -> Budget | None:
    """The budget for `remaining_percent` of a context window; None when that says nothing.

    A number outside 0 to 100 (NaN too) is no decision: the caller did not know.
    """
    if remaining_percent is None or not 0 <= remaining_percent <= 100:  # noqa: PLR2004 - per cent
        return None
    if remaining_percent > limits.FULL_ABOVE_PERCENT:
        tier: Tier = "full"
    elif remaining_percent >= limits.TIGHT_FROM_PERCENT:
        tier = "tight"
    else:
        tier = "critical"
    return Budget(tier=tier, remaining_percent=remaining_percent, token_target=_TARGETS[tier])


def fits(text: str, budget: Budget | None) -> bool:
    """Whether `text` is within the budget's target, by the estimate of four characters a token."""
    target = budget.token_target if budget else limits.TOKENS_FULL
    return len(text) <= target * limits.CHARACTERS_PER_TOKEN


def room_for(budget: Budget | None) -> int:
    """How many bytes a summary may take: the budget's target, or without one all that an answer may."""
    if budget is None:
        return limits.RESPONSE_BYTES
    return min(budget.token_target * limits.CHARACTERS_PER_TOKEN, limits.RESPONSE_BYTES)
