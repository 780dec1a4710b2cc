"""What every back end of the store does, and what goes in and out of it."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

import msgspec

from sg_server import limits
from sg_server.context.entries import Entry, EntryHead, NewEntry
from sg_server.context.filters import Filters
from sg_server.context.standing import StoreHealth

Required = tuple[tuple[str, ...], ...]
"""Literals of which a text must hold one of each group, folded with `text.folding.fold`; () is nothing known.

A literal under three code points narrows nothing, nor does the group it is in.
"""


class StoredText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of one entry at one version."""

    id: str
    version: int
    text: str


class NodeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of one section, and the span it was written for."""

    node_id: str
    char_start: int
    """Code points, 0-based."""
    char_end: int
    """Exclusive."""
    summary: str


class Store(Protocol):
    """Entries, for one caller: what that caller may not read does not exist.

    Every method raises StoreUnavailable when the store cannot be opened or does not answer; the next call
    tries again. An unreadable entry is EntryNotFound, and never counted, scanned or told of in another way.
    """

    async def put(
        self, new: NewEntry, *, id: str | None = None, expected_version: int | None = None
    ) -> Entry:
        """Insert an entry, or replace the one that `id` gives; its owner and its first time stay.

        Raises EntryChanged unless the entry has `expected_version`, EntryNotFound, AmbiguousPrefix, and
        InvalidParams when the entry can be read but belongs to another.
        """

    async def get(self, given: str) -> Entry:
        """The entry with the id, or its prefix, that is given. Raises EntryNotFound, AmbiguousPrefix."""

    async def page(self, filters: Filters, *, limit: int, before: str | None) -> tuple[EntryHead, ...]:
        """The newest `limit` entries that fit, by descending id, whose ids are below `before`."""

    async def delete(self, given: Sequence[str]) -> int:
        """Delete all the entries with these ids or prefixes, or none. Raises as `put` does."""

    async def delete_matching(self, filters: Filters, *, confirm: int) -> int:
        """Delete the caller's own entries that fit. Raises InvalidParams unless `confirm` is their number."""

    def scan(
        self,
        filters: Filters,
        *,
        required: Required,
        before: str | None,
        batch_bytes: int = limits.STORE_BATCH_BYTES,
    ) -> AsyncGenerator[tuple[StoredText, ...], None]:
        """Texts of the entries that fit, by descending id, below `before`, in batches.

        A batch has `batch_bytes` of UTF-8 and at most one text more. Every text that satisfies `required` is
        among them; others may be.
        """

    def narrows(self, required: Required) -> bool:
        """Whether the index can leave texts out for `required`."""

    async def node_summaries(self, id: str) -> tuple[NodeSummary, ...]:
        """Summaries of the sections of the entry with this whole id. None for an entry that is not there."""

    async def keep_summaries(
        self,
        id: str,
        *,
        version: int,
        summary: str | None,
        nodes: Sequence[NodeSummary],
    ) -> bool:
        """Replace the summaries of sections, and the entry's own where `summary` is given.

        False, and nothing is kept, when the caller's entry no longer has `version`. The version stays.
        """

    async def health(self) -> StoreHealth:
        """What is there."""

    async def close(self) -> None:
        """Let go of files and connections. The store opens again when it is used again."""
