from typing import Any

import pytest

from sg_server.context.filters import Filters, normalise_filters
from sg_server.context.params import FilterParams, MetadataFilterParams
from sg_server.errors import InvalidParams

METADATA = {
    "status": "Open",
    "street": "Straße",
    "count": 5,
    "ratio": 0.5,
    "done": True,
    "one": 1,
    "zero": 0,
    "nothing": None,
    "empty": "",
    "list": ["Red", 5, True, None, ["x"]],
    "user": {"name": "Ann", "age": 7, "a.b": 1},
    "big": 2**70,
}


def filters(**condition: Any) -> Filters:
    return normalise_filters(FilterParams(metadata_filters=(MetadataFilterParams(**condition),)))


@pytest.mark.parametrize(
    ("key", "operator", "value", "fits"),
    [
        ("status", "eq", "open", True),
        ("status", "eq", "closed", False),
        ("street", "eq", "STRAẞE", True),
        ("street", "eq", "strasse", False),
        ("count", "eq", 5.0, True),
        ("count", "eq", "5", False),
        ("count", "eq", True, False),
        ("one", "eq", True, False),
        ("done", "eq", True, True),
        ("done", "eq", 1, False),
        ("zero", "eq", False, False),
        ("big", "eq", 2**70, True),
        ("big", "gt", 2**69, True),
        ("absent", "eq", "x", False),
        ("status", "ne", "closed", True),
        ("status", "ne", "OPEN", False),
        ("status", "ne", 5, False),
        ("absent", "ne", "x", False),
        ("nothing", "ne", "x", False),
        ("count", "gt", 4, True),
        ("count", "gt", 5, False),
        ("count", "gte", 5, True),
        ("ratio", "lt", 0.6, True),
        ("ratio", "lte", 0.5, True),
        ("count", "lt", "9", False),
        ("done", "gte", 0, False),
        ("status", "gt", "Aaa", True),
        ("status", "in", ("x", "open"), True),
        ("count", "in", ("5", 5), True),
        ("one", "in", (True, "1"), False),
        ("status", "not_in", ("x", "y"), True),
        ("status", "not_in", ("x", "OPEN"), False),
        ("count", "not_in", ("x",), False),
        ("absent", "not_in", ("x",), False),
        ("status", "exists", None, True),
        ("nothing", "exists", None, True),
        ("absent", "exists", None, False),
        ("absent", "not_exists", None, True),
        ("nothing", "not_exists", None, False),
        ("nothing", "is_null", None, True),
        ("absent", "is_null", None, False),
        ("status", "is_not_null", None, True),
        ("nothing", "is_not_null", None, False),
        ("absent", "is_not_null", None, False),
        ("status", "contains", "PE", True),
        ("status", "contains", "", True),
        ("count", "contains", "5", False),
        ("list", "contains", "red", False),
        ("status", "starts_with", "op", True),
        ("status", "ends_with", "EN", True),
        ("status", "ends_with", "op", False),
        ("list", "array_contains", "red", True),
        ("list", "array_contains", 5, True),
        ("list", "array_contains", 1, False),
        ("list", "array_contains", "x", False),
        ("status", "array_contains", "open", False),
        ("user.name", "eq", "ann", True),
        ("user.age", "gte", 7, True),
        ("user.absent", "exists", None, False),
        ("status.deeper", "exists", None, False),
        ("list.0", "exists", None, False),
        ("user", "exists", None, True),
        ("user", "eq", "x", False),
    ],
)
def test_what_an_operator_says_of_a_value(key: str, operator: str, value: Any, *, fits: bool) -> None:
    assert filters(key=key, operator=operator, value=value).fit(METADATA) is fits


@pytest.mark.parametrize(
    ("operator", "value", "fits"),
    [
        ("eq", "open", False),
        ("eq", "Open", True),
        ("ne", "open", True),
        ("in", ("open",), False),
        ("contains", "PE", False),
        ("starts_with", "O", True),
        ("ends_with", "EN", False),
    ],
)
def test_case_counts_where_it_is_asked_for(operator: str, value: Any, *, fits: bool) -> None:
    assert filters(key="status", operator=operator, value=value, case_sensitive=True).fit(METADATA) is fits
    assert not filters(key="list", operator="array_contains", value="red", case_sensitive=True).fit(METADATA)


def test_conditions_are_all_to_hold() -> None:
    both = FilterParams(
        metadata_filters=(
            MetadataFilterParams(key="status", value="open"),
            MetadataFilterParams(key="count", operator="lt", value=3),
        )
    )
    assert not normalise_filters(both).fit(METADATA)
    assert normalise_filters(FilterParams()).fit(METADATA)


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        ({"key": "", "value": 1}, "key"),
        ({"key": "a..b", "value": 1}, "key"),
        ({"key": ".a", "value": 1}, "key"),
        ({"key": "a"}, "value"),
        ({"key": "a", "value": ("x",)}, "value"),
        ({"key": "a", "operator": "in", "value": "x"}, "value"),
        ({"key": "a", "operator": "in", "value": ()}, "value"),
        ({"key": "a", "operator": "not_in", "value": (None,)}, "value"),
        ({"key": "a", "operator": "exists", "value": True}, "value"),
        ({"key": "a", "operator": "is_null", "value": 0}, "value"),
        ({"key": "a", "operator": "gt", "value": True}, "value"),
        ({"key": "a", "operator": "contains", "value": 5}, "value"),
        ({"key": "a", "operator": "array_contains", "value": ("x",)}, "value"),
        ({"key": "a", "operator": "array_contains"}, "value"),
    ],
)
def test_a_condition_that_means_nothing_names_its_field(condition: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        filters(**condition)
    assert refused.value.field == f"metadataFilters[0].{field}"


@pytest.mark.parametrize(
    ("given", "field"), [({"thread_id": ""}, "threadId"), ({"tags": ()}, "tags"), ({"tags": (" ",)}, "tags")]
)
def test_an_empty_filter_is_never_no_filter(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        normalise_filters(FilterParams(**given))
    assert refused.value.field == field


def test_tags_are_looked_for_as_they_are_stored() -> None:
    assert normalise_filters(FilterParams(tags=(" Plan ", "PLAN"))).tags == ("plan",)
