"""A search as it was asked for, checked once; nothing inside checks again."""

from collections.abc import Sequence

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Case, Matching
from sg_server.errors import InvalidParams
from sg_server.search.budget import budget_for
from sg_server.search.params import Mode, PageParams, SearchParams, View
from sg_server.search.results import Budget, Rules
from sg_server.search.scope import Scope, check_argument, normalise_scope, strings
from sg_server.text.encodings import is_known_label
from sg_server.workspace.documents import Document
from sg_server.workspace.folders import Workspace

_SHOWN_CHARACTERS = 40


class PageStyle(msgspec.Struct, frozen=True, kw_only=True):
    """How one page of matches is made."""

    limit: int
    before: int
    after: int
    view: View


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A normalised `sg.search`."""

    matching: Matching
    scope: Scope
    rules: Rules
    style: PageStyle
    mode: Mode
    has_limit: bool
    """The client asked for so many rows, which is to be honoured at once."""
    keep: bool
    include_unsaved: bool
    explain_empty: bool
    budget: Budget | None


def normalise(
    params: SearchParams, workspace: Workspace, documents: Sequence[Document] = ()
) -> SearchRequest:
    """The request that `params` stand for. Raises InvalidParams and the errors of `Workspace.place`.

    With open `documents` to search no folder has to be open.
    """
    check_argument(params.pattern, "pattern")
    if len(params.pattern.encode()) > limits.PATTERN_BYTES:
        raise InvalidParams("pattern", f"at most {limits.PATTERN_BYTES} bytes are accepted")
    if "\n" in params.pattern and params.multiline is not True:
        raise InvalidParams("pattern", 'holds a line break, which matches only with "multiline": true')
    unsaved = params.include_unsaved is not False
    scope = normalise_scope(params, workspace, documents if unsaved else ())
    matching = Matching(
        pattern=params.pattern,
        literal=params.literal is True,
        case=_case(params.ignore_case),
        whole_word=params.whole_word is True,
        multiline=params.multiline is True,
        engine=params.engine or "default",
        encoding=_encoding(params.encoding),
    )
    view = params.view or "both"
    return SearchRequest(
        matching=matching,
        scope=scope,
        rules=Rules(
            hidden=scope.filters.hidden,
            ignored=scope.filters.ignored,
            binary=scope.filters.text,
            follow=scope.filters.follow,
            globs=strings(params.glob, "glob"),
            excludes=strings(params.exclude, "exclude"),
            file_types=strings(params.file_type, "fileType"),
            engine=matching.engine,
            encoding=matching.encoding,
            case=matching.case,
            max_file_size=scope.filters.max_file_size,
        ),
        style=PageStyle(
            limit=_limit(params.limit, view),
            before=_context_lines(params.before, params.context, 0),
            after=_context_lines(params.after, params.context, 0),
            view=view,
        ),
        mode=params.mode or "auto",
        has_limit=params.limit is not None,
        keep=params.keep is not False,
        include_unsaved=unsaved,
        explain_empty=view != "items" if params.explain_empty is None else params.explain_empty,
        budget=budget_for(params.remaining_context_percent),
    )


def page_style(params: PageParams, searched: PageStyle) -> PageStyle:
    """The style that `params` ask for. Context lines default to those of the search; `limit` does not."""
    view = params.view or "both"
    return PageStyle(
        limit=_limit(params.limit, view),
        before=_context_lines(params.before, params.context, searched.before),
        after=_context_lines(params.after, params.context, searched.after),
        view=view,
    )


def _case(ignore_case: bool | None) -> Case:  # noqa: FBT001 - the wire's field
    if ignore_case is None:
        return "smart"
    return "insensitive" if ignore_case else "sensitive"


def _encoding(label: str | None) -> str:
    if label is None:
        return "auto"
    if not is_known_label(label):
        message = f"given {label[:_SHOWN_CHARACTERS]!r}, accepted are `auto`, `none` and the WHATWG labels"
        raise InvalidParams("encoding", f"{message}, such as `latin1` or `shift_jis`")
    return label


def _limit(limit: int | None, view: View) -> int:
    most = limits.ITEMS_ROWS_MAX if view == "items" else limits.PAGE_ROWS_MAX
    return min(max(limits.PAGE_ROWS_DEFAULT if limit is None else limit, 1), most)


def _context_lines(side: int | None, both: int | None, default: int) -> int:
    wanted = next((lines for lines in (side, both) if lines is not None), default)
    return min(max(wanted, 0), limits.CONTEXT_LINES_MAX)
