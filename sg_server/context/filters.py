"""Which entries are meant: filters, and what each operator on metadata says of a value."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from sg_server import limits
from sg_server.context.entries import checked_tags
from sg_server.context.params import ContentType, FilterParams, MetadataFilterParams, Operator, Scalar, Source
from sg_server.errors import InvalidParams
from sg_server.text.folding import fold

_ABSENT: Final = object()
"""What metadata has under a path that leads nowhere."""


class MetadataFilter(msgspec.Struct, frozen=True, kw_only=True):
    """One condition on an entry's metadata, checked."""

    path: tuple[str, ...]
    operator: Operator
    values: tuple[Scalar, ...]
    """One, several for `in` and `not_in`, none for operators that take none."""
    case_sensitive: bool


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """All that an entry must satisfy. Without any, every entry does."""

    thread_id: str | None = None
    source: Source | None = None
    content_type: ContentType | None = None
    tags: tuple[str, ...] = ()
    """Any of these; none means that tags do not matter."""
    metadata: tuple[MetadataFilter, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """What an entry's columns must be equal to, by the names that they have in every back end."""
        wanted = {"thread_id": self.thread_id, "source": self.source, "content_type": self.content_type}
        return {column: value for column, value in wanted.items() if value is not None}

    def fit(self, metadata: Mapping[str, Any]) -> bool:
        """Whether metadata satisfies every condition on it."""
        return all(_fits(condition, metadata) for condition in self.metadata)


def normalise_filters(params: FilterParams) -> Filters:
    """The filters of a request. Raises InvalidParams that names the field.

    An empty thread or an empty list of tags would look like no filter and mean everything: both are refused.
    """
    if params.thread_id == "":
        raise InvalidParams("threadId", "it is empty; leave it out to mean every thread")
    if params.tags == ():
        raise InvalidParams("tags", "the list is empty; leave it out to mean every entry")
    conditions = params.metadata_filters or ()
    if len(conditions) > limits.METADATA_FILTERS:
        most = limits.METADATA_FILTERS
        raise InvalidParams("metadataFilters", f"{len(conditions)} were given; at most {most} are taken")
    return Filters(
        thread_id=params.thread_id,
        source=params.source,
        content_type=params.content_type,
        tags=checked_tags(params.tags or ()),
        metadata=tuple(_condition(given, f"metadataFilters[{at}]") for at, given in enumerate(conditions)),
    )


def _condition(given: MetadataFilterParams, field: str) -> MetadataFilter:
    operator: Operator = given.operator or "eq"
    path = tuple(given.key.split("."))
    if not all(path):
        raise InvalidParams(
            f"{field}.key", f"{given.key!r} is no path: give names with single dots between them"
        )
    return MetadataFilter(
        path=path,
        operator=operator,
        values=_values(operator, given.value, f"{field}.value"),
        case_sensitive=given.case_sensitive or False,
    )


def _values(operator: Operator, value: Scalar | tuple[Scalar, ...], field: str) -> tuple[Scalar, ...]:
    if operator in _WITHOUT_VALUE:
        if value is not None:
            raise InvalidParams(field, f"{operator} takes none")
        return ()
    if operator in ("in", "not_in"):
        if not isinstance(value, tuple) or not value or None in value:
            raise InvalidParams(field, f"{operator} takes a list of text, numbers or booleans, at least one")
        return value
    accepted, name = _ACCEPTED.get(operator, ((str, bool, int, float), "text, a number or a boolean"))
    if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
        hint = "; is_null finds null" if value is None else ""
        raise InvalidParams(field, f"{operator} takes {name}{hint}")
    return (value,)  # type: ignore[return-value]  # no tuple is among what is accepted


_WITHOUT_VALUE: Final = ("exists", "not_exists", "is_null", "is_not_null")
_TEXT: Final = ((str,), "text")
_ORDERED: Final = ((str, int, float), "text or a number")
_ACCEPTED: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    **dict.fromkeys(("contains", "starts_with", "ends_with"), _TEXT),
    **dict.fromkeys(("gt", "gte", "lt", "lte"), _ORDERED),
}


def _fits(condition: MetadataFilter, metadata: Mapping[str, Any]) -> bool:
    return _OPERATORS[condition.operator](_at(condition.path, metadata), condition)


def _at(path: Iterable[str], metadata: Mapping[str, Any]) -> Any:
    value: Any = metadata
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return value


def _kind(value: Any) -> type | None:
    """The JSON type that values are compared within: true is not 1, though Python has it so."""
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return str if isinstance(value, str) else None


def _comparable(value: Any, condition: MetadataFilter) -> Any:
    return value if condition.case_sensitive or not isinstance(value, str) else fold(value)


def _alike(value: Any, condition: MetadataFilter) -> list[Any]:
    """The condition's values of the JSON type of `value`, ready to be compared."""
    kind = _kind(value)
    if kind is None:
        return []
    return [_comparable(other, condition) for other in condition.values if _kind(other) is kind]


def _is_among(value: Any, condition: MetadataFilter) -> bool:
    return _comparable(value, condition) in _alike(value, condition)


def _is_another(value: Any, condition: MetadataFilter) -> bool:
    others = _alike(value, condition)
    return bool(others) and _comparable(value, condition) not in others


def _holding(test: Callable[[Any, Any], bool]) -> Callable[[Any, MetadataFilter], bool]:
    """An operator that compares with the one value, if that is of the same JSON type."""

    def holds(value: Any, condition: MetadataFilter) -> bool:
        return any(test(_comparable(value, condition), other) for other in _alike(value, condition))

    return holds


_OPERATORS: Final[Mapping[str, Callable[[Any, MetadataFilter], bool]]] = {
    "eq": _is_among,
    "in": _is_among,
    "ne": _is_another,
    "not_in": _is_another,
    "gt": _holding(lambda value, other: value > other),
    "gte": _holding(lambda value, other: value >= other),
    "lt": _holding(lambda value, other: value < other),
    "lte": _holding(lambda value, other: value <= other),
    "contains": _holding(lambda value, other: other in value),
    "starts_with": _holding(lambda value, other: value.startswith(other)),
    "ends_with": _holding(lambda value, other: value.endswith(other)),
    "exists": lambda value, _: value is not _ABSENT,
    "not_exists": lambda value, _: value is _ABSENT,
    "is_null": lambda value, _: value is None,
    "is_not_null": lambda value, _: value is not None and value is not _ABSENT,
    "array_contains": lambda value, condition: (
        isinstance(value, list) and any(_is_among(element, condition) for element in value)
    ),
}
