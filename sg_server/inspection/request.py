"""What `sg.inspect` takes: its wire structs, and the forms that a request may have."""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from sg_server import limits
from sg_server.errors import InvalidParams
from sg_server.text.positions import Position

_UINTEGER_MAX: Final = 2**31 - 1
"""LSP 3.17, uinteger."""

_Line = Annotated[int, msgspec.Meta(ge=1, le=_UINTEGER_MAX)]
_Offset = Annotated[int, msgspec.Meta(ge=0, le=_UINTEGER_MAX)]

RetryParams: TypeAlias = dict[str, str | int | dict[str, int]]
"""A request of one target, as plain JSON."""


class _Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A request as it arrived, or a part of one. Absent and null mean the same."""


class InspectPosition(_Params, frozen=True, kw_only=True):
    """LSP's Position: both 0-based, `character` in units of the negotiated encoding."""

    line: _Offset
    character: _Offset


class InspectPlace(_Params, frozen=True, kw_only=True):
    """A line of a file: `line`, and exactly one of `path` and `uri`."""

    path: str | None = None
    uri: str | None = None
    line: _Line
    """1-based, counting LF only."""


class InspectParams(_Params, frozen=True, kw_only=True):
    """`sg.inspect`, in exactly one of its forms."""

    path: str | None = None
    uri: str | None = None
    line: _Line | None = None
    """1-based, counting LF only."""
    position: InspectPosition | None = None
    cursor: str | None = None
    snapshot: str | None = None
    match_index: _Line | None = None
    """1-based, in the snapshot."""
    match_indices: (
        Annotated[tuple[_Line, ...], msgspec.Meta(min_length=1, max_length=limits.INSPECT_TARGETS)] | None
    ) = None
    targets: (
        Annotated[tuple[InspectPlace, ...], msgspec.Meta(min_length=1, max_length=limits.INSPECT_TARGETS)]
        | None
    ) = None


class PlaceAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a text: a line (1-based, LF only), a position, or a line with a position in it."""

    kind: Literal["path", "uri"]
    name: str
    """Of the file."""
    field: str
    """The request's own name for `name`, for messages."""
    line: int | None
    position: Position | None
    request: RetryParams
    """The request for this place alone."""


class MatchAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A match of the snapshot that one of `cursor` and `snapshot` names."""

    cursor: str | None
    snapshot: str | None
    match_index: int
    field: str
    """The request's own name for `match_index`, for messages."""
    request: RetryParams
    """The request for this match alone."""


_FORMS: Final = (
    {"path", "line"},
    {"uri", "line"},
    {"uri", "position"},
    {"cursor", "matchIndex"},
    {"snapshot", "matchIndex"},
    {"cursor", "matchIndices"},
    {"snapshot", "matchIndices"},
    {"targets"},
)
_ACCEPTED: Final = (
    "accepted are {path | uri, line}, {uri, position}, {cursor | snapshot, matchIndex}, "
    "{cursor | snapshot, matchIndices} and {targets: [{path | uri, line}]}"
)


def asks(params: InspectParams) -> tuple[PlaceAsk, ...] | tuple[MatchAsk, ...]:
    """The targets that `params` name, in order. Raises InvalidParams when they are in no accepted form."""
    _require_a_form(params)
    if params.targets is not None:
        return tuple(_listed(number, place) for number, place in enumerate(params.targets))
    if params.path is not None or params.uri is not None:
        return (_place("", params.path, params.uri, params.line, params.position),)
    if params.match_index is not None:
        return (_match(params, params.match_index, "matchIndex"),)
    indices = enumerate(params.match_indices or ())
    return tuple(_match(params, index, f"matchIndices[{number}]") for number, index in indices)


def _require_a_form(params: InspectParams) -> None:
    values = zip(params.__struct_encode_fields__, msgspec.structs.astuple(params), strict=True)
    given = {name: None for name, value in values if value is not None}
    if given.keys() in _FORMS:
        return
    if not given:
        raise InvalidParams("arguments", f"nothing to inspect is named; {_ACCEPTED}")
    meant = max(_FORMS, key=lambda form: (len(form & given.keys()), -len(form)))
    surplus = [name for name in given if name not in meant]
    if surplus:
        raise InvalidParams(surplus[0], f"does not go with {_names(meant & given.keys())}; {_ACCEPTED}")
    missing = sorted(meant - given.keys())
    raise InvalidParams(missing[0], f"missing beside {_names(given.keys())}; {_ACCEPTED}")


def _listed(number: int, place: InspectPlace) -> PlaceAsk:
    field = f"targets[{number}]"
    if (place.path is None) == (place.uri is None):
        raise InvalidParams(field, f"exactly one of `path` and `uri` goes with `line`; {_ACCEPTED}")
    return _place(f"{field}.", place.path, place.uri, place.line, None)


def _place(
    prefix: str, path: str | None, uri: str | None, line: int | None, position: InspectPosition | None
) -> PlaceAsk:
    kind: Literal["path", "uri"] = "uri" if path is None else "path"
    name = path or uri or ""
    request: RetryParams = {kind: name}
    if line is not None:
        request["line"] = line
    if position is not None:
        request["position"] = {"line": position.line, "character": position.character}
    return PlaceAsk(
        kind=kind,
        name=name,
        field=f"{prefix}{kind}",
        line=line,
        position=None if position is None else Position(line=position.line, character=position.character),
        request=request,
    )


def _match(params: InspectParams, index: int, field: str) -> MatchAsk:
    request: RetryParams = {"matchIndex": index}
    if params.cursor is not None:
        request["cursor"] = params.cursor
    if params.snapshot is not None:
        request["snapshot"] = params.snapshot
    return MatchAsk(
        cursor=params.cursor, snapshot=params.snapshot, match_index=index, field=field, request=request
    )


def _names(fields: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(fields))
