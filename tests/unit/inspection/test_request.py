from typing import Any

import msgspec
import pytest

from sg_server.errors import InvalidParams
from sg_server.inspection.request import InspectParams, MatchAsk, PlaceAsk, asks
from sg_server.text.positions import Position


def asked(**params: Any) -> tuple[PlaceAsk, ...] | tuple[MatchAsk, ...]:
    return asks(msgspec.convert(params, InspectParams, strict=True))


@pytest.mark.parametrize(
    "params",
    [
        {"path": "a.py", "line": 3},
        {"uri": "file:///a.py", "line": 3},
        {"uri": "file:///a.py", "position": {"line": 0, "character": 4}},
        {"cursor": "c", "matchIndex": 2},
        {"snapshot": "s", "matchIndex": 2},
    ],
)
def test_a_request_of_one_target_is_its_own_retry(params: dict[str, Any]) -> None:
    (ask,) = asked(**params)
    assert ask.request == params


def test_a_position_is_kept_as_the_client_sent_it() -> None:
    (ask,) = asked(uri="file:///a.py", position={"line": 7, "character": 4})
    assert isinstance(ask, PlaceAsk)
    assert (ask.kind, ask.name, ask.line, ask.position) == (
        "uri",
        "file:///a.py",
        None,
        Position(line=7, character=4),
    )


def test_several_matches_become_one_target_each_in_order() -> None:
    assert [ask.request for ask in asked(snapshot="s", matchIndices=[3, 1, 3])] == [
        {"snapshot": "s", "matchIndex": 3},
        {"snapshot": "s", "matchIndex": 1},
        {"snapshot": "s", "matchIndex": 3},
    ]


def test_listed_targets_say_which_of_them_is_meant() -> None:
    first, second = asked(targets=[{"path": "a.py", "line": 1}, {"uri": "file:///b.py", "line": 2}])
    assert isinstance(first, PlaceAsk)
    assert isinstance(second, PlaceAsk)
    assert (first.field, second.field) == ("targets[0].path", "targets[1].uri")
    assert second.request == {"uri": "file:///b.py", "line": 2}


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "arguments"),
        ({"path": "a.py"}, "line"),
        ({"line": 1}, "path"),
        ({"uri": "file:///a.py"}, "line"),
        ({"path": "a.py", "position": {"line": 0, "character": 0}}, "position"),
        ({"path": "a.py", "line": 1, "uri": "file:///a.py"}, "uri"),
        ({"path": "a.py", "line": 1, "matchIndex": 1}, "matchIndex"),
        ({"uri": "file:///a.py", "line": 1, "position": {"line": 0, "character": 0}}, "position"),
        ({"snapshot": "s"}, "matchIndex"),
        ({"matchIndex": 1}, "cursor"),
        ({"snapshot": "s", "cursor": "c", "matchIndex": 1}, "snapshot"),
        ({"snapshot": "s", "matchIndex": 1, "matchIndices": [1]}, "matchIndices"),
        ({"targets": [{"path": "a.py", "line": 1}], "line": 1}, "line"),
        ({"targets": [{"path": "a.py", "line": 1}, {"line": 1}]}, "targets[1]"),
        ({"targets": [{"path": "a.py", "uri": "file:///a.py", "line": 1}]}, "targets[0]"),
    ],
)
def test_mixed_and_incomplete_forms_are_refused_with_the_field_and_all_forms(
    params: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidParams) as caught:
        asked(**params)
    assert caught.value.field == field
    assert "{cursor | snapshot, matchIndices}" in caught.value.message


@pytest.mark.parametrize(
    "params",
    [
        {"path": "a.py", "line": 0},
        {"path": "a.py", "line": 2**31},
        {"path": "a.py", "line": "1"},
        {"path": "a.py", "line": 1, "context": 3},
        {"snapshot": "s", "matchIndices": []},
        {"snapshot": "s", "matchIndices": [1, 2, 3, 4, 5, 6]},
        {"targets": []},
        {"targets": [{"path": "a.py", "line": 1, "position": {"line": 0, "character": 0}}]},
        {"uri": "file:///a.py", "position": {"line": -1, "character": 0}},
    ],
)
def test_values_out_of_bounds_and_unknown_fields_do_not_decode(params: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        asked(**params)
