from typing import Annotated, Any, Literal

import msgspec
import pytest

from sg_server.errors import InvalidParams
from sg_server.lsp.params import decode


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    line: Annotated[int, msgspec.Meta(ge=1)]


class Params(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    pattern: Annotated[str, msgspec.Meta(min_length=1)]
    glob: str | tuple[str, ...] | None = None
    max_file_size: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    hidden: bool | None = None
    mode: Literal["auto", "summary"] | None = None
    free: float | None = None
    targets: Annotated[tuple[Place, ...], msgspec.Meta(min_length=1, max_length=5)] | None = None
    place: Place | None = None


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


def refusal(raw: Any, kind: type[msgspec.Struct] = Params) -> InvalidParams:
    with pytest.raises(InvalidParams) as caught:
        decode(kind, raw)
    return caught.value


def test_a_request_becomes_its_struct() -> None:
    raw = {"pattern": "x", "glob": ["*.py"], "maxFileSize": 7, "free": 3, "targets": [{"line": 1}]}
    assert decode(Params, raw) == Params(
        pattern="x", glob=("*.py",), max_file_size=7, free=3.0, targets=(Place(line=1),)
    )


def test_null_is_the_same_as_leaving_out() -> None:
    assert decode(Params, {"pattern": "x", "glob": None, "hidden": None}) == Params(pattern="x")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("pattern", 3, "pattern: given 3 (a number), accepted is a string (at least 1 character)"),
        ("pattern", "", 'pattern: given "" (a string), accepted is a string (at least 1 character)'),
        ("maxFileSize", "7", 'maxFileSize: given "7" (a string), accepted is an integer (0 to 100)'),
        ("maxFileSize", -1, "maxFileSize: given -1 (a number), accepted is an integer (0 to 100)"),
        ("maxFileSize", True, "maxFileSize: given true (a boolean), accepted is an integer (0 to 100)"),
        ("hidden", 1, "hidden: given 1 (a number), accepted is true or false"),
        ("mode", "all", 'mode: given "all" (a string), accepted is "auto" or "summary"'),
        ("free", [], "free: given [] (an array), accepted is a number"),
        ("glob", {"a": 1}, 'glob: given {"a": 1} (an object), accepted is a string or an array of a string'),
        ("glob", ["a", None], "glob[1]: given null (null), accepted is a string"),
        ("targets", [], "targets: given [] (an array), accepted is an array of an object (1 to 5 items)"),
        (
            "targets",
            [{"line": 0}],
            "targets[0].line: given 0 (a number), accepted is an integer (at least 1)",
        ),
        ("targets", [{}], "targets[0].line: missing, and it is required"),
        (
            "place",
            {"line": 1, "lines": 2},
            "place.lines: unknown field; did you mean line? accepted are line",
        ),
    ],
)
def test_a_refusal_names_the_field_what_was_given_and_what_is_accepted(
    field: str, value: Any, message: str
) -> None:
    assert refusal({"pattern": "x", field: value}).message == message


def test_a_missing_field_is_named() -> None:
    assert refusal({"hidden": True}).message == "pattern: missing, and it is required"


def test_an_unknown_field_is_met_with_the_known_ones() -> None:
    assert refusal({"pattern": "x", "maxFilesize": 1}).message == (
        "maxFilesize: unknown field; did you mean maxFileSize? "
        "accepted are pattern, glob, maxFileSize, hidden, mode, free, targets, place"
    )
    assert refusal({"zzz": 1}, Nothing).message == "zzz: unknown field; accepted are no fields at all"


def test_what_is_no_object_is_refused_as_a_whole() -> None:
    assert refusal([1]).message == "arguments: given [1] (an array), accepted is an object"


def test_a_long_value_is_cut() -> None:
    assert refusal({"pattern": "x", "free": "y" * 1_000}).message == (
        f'free: given "{"y" * 39}… (a string), accepted is a number'
    )


@pytest.mark.parametrize(("field", "value"), [("pattern", "a\ud800"), ("glob", ["ok", "\udc80"])])
def test_half_of_a_surrogate_pair_is_refused_where_it_stands(field: str, value: Any) -> None:
    error = refusal({"pattern": "x", field: value})
    assert error.field == (field if isinstance(value, str) else f"{field}[1]")
    assert error.message.isprintable()
    assert error.message.encode("utf-8")


def test_every_number_json_can_write_is_handled() -> None:
    assert refusal({"pattern": "x", "maxFileSize": 10**30}).field == "maxFileSize"
    assert refusal({"pattern": "x", "maxFileSize": 1.5}).field == "maxFileSize"
    assert decode(Params, {"pattern": "x", "free": float("inf")}).free == float("inf")


def test_a_value_may_be_nested_deeply() -> None:
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    with pytest.raises(InvalidParams, match="foo: unknown field"):
        decode(Params, {"pattern": "x", "foo": nested})
