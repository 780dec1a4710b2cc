"""A grep as it was asked for, checked once; nothing inside checks again."""

import msgspec

from sg_server import limits
from sg_server.context.bounds import ContextBounds
from sg_server.context.filters import Filters, normalise_filters
from sg_server.context.params import ContextGrepParams, OutputMode
from sg_server.errors import InvalidParams


class GrepRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is sought, where, and how much of it at once."""

    pattern: str
    is_regex: bool
    case_sensitive: bool
    mode: OutputMode
    filters: Filters
    in_store: bool
    in_documents: bool
    context_lines: int
    max_matches: int
    entries: int
    """Entries that are looked at where no index narrows them."""
    narrowed_entries: int | None
    """The same where one does; None for all."""
    batch_bytes: int
    """Of text in memory at once, but for a longer text."""
    text_seconds: float
    seconds: float
    cursor: str | None

    @property
    def identity(self) -> bytes:
        """What a cursor belongs to: all that decides what is found, not how much is told at once."""
        decisive = (self.pattern, self.is_regex, self.case_sensitive, self.mode, self.filters)
        return msgspec.json.encode((*decisive, self.in_store, self.in_documents))


def normalise(params: ContextGrepParams, bounds: ContextBounds) -> GrepRequest:
    """The request behind `params`, cut to `bounds`. Raises InvalidParams that names the field."""
    filters = normalise_filters(params)
    places = params.in_ or ("store",)
    if "documents" in places and filters != Filters():
        raise InvalidParams(
            "in",
            "documents have no thread, source, tags, metadata or contentType; leave out them or the filters",
        )
    if any("\ud800" <= character <= "\udfff" for character in params.pattern):
        raise InvalidParams("pattern", "there is half a surrogate pair in it, which no text holds")
    asked = params.max_entries_scanned
    return GrepRequest(
        pattern=params.pattern,
        is_regex=params.is_regex or False,
        case_sensitive=params.case_sensitive or False,
        mode=params.output_mode or "files_with_matches",
        filters=filters,
        in_store="store" in places,
        in_documents="documents" in places,
        context_lines=min(params.context_lines or 0, bounds.context_lines),
        max_matches=min(params.max_matches or limits.GREP_MATCHES_DEFAULT, bounds.matches),
        entries=min(asked or bounds.entries, bounds.entries),
        narrowed_entries=asked,
        batch_bytes=bounds.batch_bytes,
        text_seconds=bounds.entry_seconds,
        seconds=bounds.seconds,
        cursor=params.cursor,
    )
