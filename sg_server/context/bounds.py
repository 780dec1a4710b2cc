"""How much the commands on stored text may take: what settings allow, below what the server does."""

import msgspec

from sg_server import limits


class SummaryBounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much is asked of a provider."""

    min_characters: int = limits.SUMMARY_CHARACTERS_MIN
    seconds: float = limits.SUMMARY_SECONDS
    """For one summary."""
    tokens: int = limits.SUMMARY_TOKENS
    at_once: int = limits.SUMMARIES_AT_ONCE


class ContextBounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a request that asks for more is cut to."""

    matches: int = limits.GREP_MATCHES_MAX
    context_lines: int = limits.CONTEXT_LINES_MAX
    entries: int = limits.GREP_ENTRIES
    batch_bytes: int = limits.STORE_BATCH_BYTES
    """Of text in memory at once."""
    entry_seconds: float = limits.GREP_ENTRY_SECONDS
    seconds: float = limits.GREP_SECONDS
    summaries: SummaryBounds | None = SummaryBounds()
    """None: nothing is summarised."""
