"""What the commands on stored text take: the wire structs of `sg.context.*`."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sg_server import limits

Source = Literal["user", "agent"]
ContentType = Literal["text", "multimodal"]
OutputMode = Literal["files_with_matches", "content", "count"]
Place = Literal["store", "documents"]
Operator = Literal[
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "not_in",
    "exists",
    "not_exists",
    "contains",
    "starts_with",
    "ends_with",
    "is_null",
    "is_not_null",
    "array_contains",
]
Scalar = str | int | float | bool | None

Id = Annotated[str, Meta(min_length=1, max_length=limits.GIVEN_ID_CHARACTERS)]
"""A whole id, hyphenated or not, or a prefix of 8 digits or more; case and outer white space do not count."""
ThreadId = Annotated[str, Meta(min_length=1, max_length=limits.THREAD_ID_CHARACTERS)]
Tags = Annotated[tuple[str, ...], Meta(max_length=limits.TAGS)]


class _Params(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,  # for those that are told, to be sent
):
    """A request as it arrived. `None` means that the client left the choice to the server."""


class MetadataFilterParams(_Params, frozen=True, kw_only=True):
    """One condition on an entry's metadata."""

    key: Annotated[str, Meta(min_length=1, max_length=limits.METADATA_KEY_CHARACTERS)]
    """A path of names, with dots between them."""
    operator: Operator | None = None
    """Default `eq`."""
    value: Scalar | tuple[Scalar, ...] = None
    case_sensitive: bool | None = None
    """Default false."""


class FilterParams(_Params, frozen=True, kw_only=True):
    """Which entries are meant. Each filter given narrows."""

    thread_id: ThreadId | None = None
    source: Source | None = None
    tags: Annotated[tuple[str, ...], Meta(min_length=1, max_length=limits.TAGS)] | None = None
    """Any of these."""
    metadata_filters: (
        Annotated[tuple[MetadataFilterParams, ...], Meta(max_length=limits.METADATA_FILTERS)] | None
    ) = None
    content_type: ContentType | None = None


class ContextGrepParams(FilterParams, frozen=True, kw_only=True):
    """`sg.context.grep`."""

    pattern: Annotated[str, Meta(min_length=1, max_length=limits.GREP_PATTERN_CHARACTERS)]
    """Literal text, or a regex of the package `regex`."""
    is_regex: bool | None = None
    """Default false."""
    case_sensitive: bool | None = None
    """Default false."""
    output_mode: OutputMode | None = None
    """Default `files_with_matches`."""
    context_lines: Annotated[int, Meta(ge=0)] | None = None
    """Lines either side of a match with `content`; more than 20 are cut to 20."""
    max_matches: Annotated[int, Meta(ge=1)] | None = None
    """Matches counted in this answer; default 100, more than 1,000 are cut to 1,000."""
    max_entries_scanned: Annotated[int, Meta(ge=1)] | None = None
    """More than 1,000 are cut to 1,000. Where the store's index narrows the scan none is needed."""
    in_: Annotated[tuple[Place, ...], Meta(min_length=1)] | None = msgspec.field(default=None, name="in")
    """The store (default), the editor's open documents, or both."""
    cursor: str | None = None


class _Addressed(_Params, frozen=True, kw_only=True):
    """Exactly one of an entry of the store and a document."""

    id: Id | None = None
    uri: Annotated[str, Meta(min_length=1)] | None = None


class ContextNavigateParams(_Addressed, frozen=True, kw_only=True):
    """`sg.context.navigate`."""

    max_depth: Annotated[int, Meta(ge=1, le=limits.OUTLINE_DEPTH)] | None = None
    """Default 6. Deeper headings are not shown; what they are called does not change."""
    include_node_summaries: bool | None = None
    """Default false."""


class ContextReadParams(_Addressed, frozen=True, kw_only=True):
    """`sg.context.read`: one of characters, lines and a node."""

    start_char: int | None = None
    """In code points, 0-based; cut to the text."""
    end_char: int | None = None
    """Exclusive."""
    start_line: int | None = None
    """1-based; cut to the text."""
    end_line: int | None = None
    """Inclusive."""
    node_id: Annotated[str, Meta(min_length=1)] | None = None
    """As `sg.context.navigate` tells it, whole."""


class ContextPutParams(_Params, frozen=True, kw_only=True):
    """`sg.context.put`: a new entry, or a new version of the one with `id`."""

    thread_id: ThreadId
    source: Source
    text: str
    id: Id | None = None
    expected_version: Annotated[int, Meta(ge=1)] | None = None
    """Refused unless the entry still has this version. Default: whatever it has is replaced."""
    content_type: ContentType | None = None
    """Default `text`."""
    tags: Tags | None = None
    metadata: dict[str, Any] | None = None
    summary: str | None = None
    """Of the whole text. Without one a summary is written where a provider is configured."""
    readers: tuple[str, ...] | Literal["*"] | None = None
    """Who may read it beside its owner, by name; `*` is everybody."""


class ContextGetParams(_Params, frozen=True, kw_only=True):
    """`sg.context.get`."""

    id: Id


class ContextListParams(FilterParams, frozen=True, kw_only=True):
    """`sg.context.list`: entries, newest first."""

    limit: int | None = None
    """1 to 100, default 20."""
    cursor: str | None = None


class ContextDeleteParams(FilterParams, frozen=True, kw_only=True):
    """`sg.context.delete`: one of `id`, `ids` and filters; with filters, `confirm` too."""

    id: Id | None = None
    ids: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=limits.DELETED_IDS)] | None = None
    confirm: Annotated[int, Meta(ge=0)] | None = None
    """How many entries the filters mean; another number is refused and nothing is deleted."""
