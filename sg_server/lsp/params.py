"""From JSON to a struct, with errors that name the field, what was given and what is accepted."""

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from sg_server.errors import InvalidParams

_GIVEN_CHARACTERS = 40
_WHOLE = "arguments"
"""The name of the whole object in messages."""

_Params = TypeVar("_Params", bound=msgspec.Struct)

_LOCATION = re.compile(r" - at `(?:key` in `)?\$\.?([^`]*)`$")
_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`")
_MISSING_FIELD = re.compile(r"missing required field `([^`]*)`")
_STEP = re.compile(r"\[(\d+)\]|([^.\[]+)")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(kind: type[_Params], raw: Any) -> _Params:
    """Decode plain JSON values strictly into the struct `kind`.

    Raises InvalidParams for a wrong type, an unknown or missing field, a number out of range, and text with a
    lone surrogate: no program can be given it.
    """
    for field, text in _texts(raw):
        if not text.isascii() and _LONE_SURROGATE.search(text):
            raise InvalidParams(
                field or _WHOLE, f"given {_given(text)}, which holds half of a surrogate pair"
            )
    try:
        return msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(str(error), kind, raw) from error


def _texts(raw: Any) -> Iterator[tuple[str, str]]:
    """Every string in a JSON value, with its path, or that of the object whose field has it for a name."""
    rest = [("", raw)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            rest += [(path, name) for name in value]
            rest += [(_joined(path, name), item) for name, item in value.items()]
        elif isinstance(value, list):
            rest += [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def _explained(message: str, kind: type[msgspec.Struct], raw: Any) -> InvalidParams:
    location = _LOCATION.search(message)
    path = location[1] if location else ""
    value, accepted = _follow(path, raw, inspect.type_info(kind))
    if unknown := _UNKNOWN_FIELD.search(message):
        return unknown_field(path, unknown[1], _field_names(accepted))
    if missing := _MISSING_FIELD.search(message):
        return InvalidParams(_joined(path, missing[1]), "missing, and it is required")
    return InvalidParams(path or _WHOLE, f"given {_given(value)}, accepted is {described(accepted)}")


def unknown_field(path: str, name: str, accepted: Iterable[str]) -> InvalidParams:
    """What is said about a field that there is none of, in the object at `path`."""
    accepted = tuple(accepted)
    name = name[:_GIVEN_CHARACTERS]
    close = get_close_matches(name, accepted, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return InvalidParams(
        _joined(path, name), f"unknown field; {meant}accepted are {', '.join(accepted) or 'no fields at all'}"
    )


def _follow(path: str, value: Any, kind: inspect.Type) -> tuple[Any, inspect.Type]:
    """The value at `path` (`a.b[0]`), and the type expected there."""
    for index, name in _STEP.findall(path):
        if name:
            fields = _members(kind, inspect.StructType)
            value = value[name]
            kind = {field.encode_name: field.type for struct in fields for field in struct.fields}[name]
        else:
            arrays = _members(kind, inspect.VarTupleType)
            value = value[int(index)]
            kind = arrays[0].item_type
    return value, kind


_Kind = TypeVar("_Kind", bound=inspect.Type)


def _members(kind: inspect.Type, wanted: type[_Kind]) -> list[_Kind]:
    """`kind` itself, or the members of the union, that are a `wanted`."""
    kind = kind.type if isinstance(kind, inspect.Metadata) else kind
    members = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return [member for member in members if isinstance(member, wanted)]


def _field_names(kind: inspect.Type) -> tuple[str, ...]:
    structs = _members(kind, inspect.StructType)
    return tuple(field.encode_name for struct in structs for field in struct.fields)


def described(kind: inspect.Type) -> str:
    """A type in words, as a client writes its values in JSON. Null is left unsaid: it means leaving out."""
    words = "an object"
    match kind:
        case inspect.Metadata():
            words = described(kind.type)
        case inspect.UnionType():
            members = (member for member in kind.types if not isinstance(member, inspect.NoneType))
            words = " or ".join(described(member) for member in members)
        case inspect.LiteralType():
            words = " or ".join(json.dumps(value) for value in kind.values)
        case inspect.BoolType():
            words = "true or false"
        case inspect.IntType():
            words = "an integer" + _bounds(kind.ge, kind.le)
        case inspect.FloatType():
            words = "a number" + (_bounds(kind.ge, kind.le) if kind.gt is None else _above(kind.gt, kind.le))
        case inspect.StrType():
            words = "a string" + _bounds(kind.min_length, kind.max_length, " characters")
        case inspect.VarTupleType():
            words = f"an array of {described(kind.item_type)}"
            words += _bounds(kind.min_length, kind.max_length, " items")
    return words


def _bounds(low: float | None, high: float | None, unit: str = "") -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f" (at least {low}{unit.removesuffix('s') if low == 1 else unit})"
    return f" ({low or 0} to {high}{unit})"


def _above(low: float, high: float | None) -> str:
    return f" (more than {low:g})" if high is None else f" (more than {low:g}, to {high})"


def _given(value: Any) -> str:
    """A value as JSON, cut, and the name of its JSON type."""
    shown = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False))
    if len(shown) > _GIVEN_CHARACTERS:
        shown = f"{shown[:_GIVEN_CHARACTERS]}…"
    return f"{shown} ({_json_type(value)})"


def _json_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
