"""What the search commands take: the wire structs of `sg.search`, `sg.page`, `sg.explain` and `sg.clear`."""

from typing import Annotated, Literal

import msgspec

from sg_server import limits

Strings = str | tuple[str, ...] | None
"""One or several; absent and null mean the same."""

Mode = Literal["auto", "summary", "matches"]
View = Literal["both", "text", "items"]
Engine = Literal["default", "pcre2", "auto"]


class _Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A request as it arrived. `None` means that the client left the choice to the server."""


class ScopeParams(_Params, frozen=True, kw_only=True):
    """Which files are searched."""

    path: Strings = None
    """Folders or files inside a workspace folder; default all folders."""
    uri: Strings = None
    glob: Strings = None
    """Include globs. They narrow; they never bring back what ignore files leave out."""
    exclude: Strings = None
    """Exclude globs; a leading `!` is optional."""
    file_type: Strings = None
    """ripgrep's file types, such as `py`."""
    hidden: bool | None = None
    """Default true. `.git` is always left out."""
    ignored: bool | None = None
    """Default false; true also searches what ignore files leave out."""
    follow: bool | None = None
    """Follow symbolic links; default false."""
    max_file_size: Annotated[int, msgspec.Meta(ge=0, le=limits.FILE_SIZE_MAX)] | None = None
    """Bytes; default no limit."""
    binary: bool | None = None
    """Default false: a file with a NUL byte is skipped, or ends there. True searches it as text."""
    include_unsaved: bool | None = None
    """Default true: open documents with unsaved text are searched as they are in the editor."""


class SearchParams(ScopeParams, frozen=True, kw_only=True):
    """`sg.search`."""

    pattern: Annotated[str, msgspec.Meta(min_length=1)]
    """A ripgrep regex, or literal text; white space counts."""
    literal: bool | None = None
    ignore_case: bool | None = None
    """Omitted: smart case."""
    whole_word: bool | None = None
    multiline: bool | None = None
    """True lets a match span lines."""
    engine: Engine | None = None
    encoding: str | None = None
    """ripgrep's label for files without a byte order mark; default `auto`."""
    context: int | None = None
    """Lines either side, 0 to 20; `before` and `after` override one side."""
    before: int | None = None
    after: int | None = None
    mode: Mode | None = None
    limit: int | None = None
    """Matches a page, 1 to 100, to 1,000 with view `items`."""
    view: View | None = None
    keep: bool | None = None
    """Default true; false releases a complete answer's snapshot at once."""
    explain_empty: bool | None = None
    """When nothing matched, look at what the rules kept out; default true, false with view `items`."""
    remaining_context_percent: float | None = None
    """How much of the caller's context window is free; outside 0 to 100 it decides nothing."""
    partial_result_token: str | int | None = None
    """Matches are sent under this token while the search runs, provisionally."""


class PageParams(_Params, frozen=True, kw_only=True):
    """`sg.page`: exactly one of `cursor` and `snapshot`."""

    cursor: str | None = None
    snapshot: str | None = None
    path: Strings = None
    uri: Strings = None
    limit: int | None = None
    context: int | None = None
    before: int | None = None
    after: int | None = None
    view: View | None = None


class ExplainParams(ScopeParams, frozen=True, kw_only=True):
    """`sg.explain`: why the file at `path` or `uri` is or is not searched under the rest of the scope."""


class ClearParams(_Params, frozen=True, kw_only=True):
    """`sg.clear`: one snapshot, or all of this session without either field."""

    cursor: str | None = None
    snapshot: str | None = None


class ClearResult(msgspec.Struct, frozen=True, kw_only=True):
    """How many snapshots were released."""

    cleared: int
