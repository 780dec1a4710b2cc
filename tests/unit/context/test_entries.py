import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.entries import new_entry
from sg_server.errors import InvalidParams

KEPT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEPT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEPT, inner, max_size=3),
    max_leaves=10,
)
BAD = ("\0", "a\0b", "\ud800", "x\udfff", "\ud83d")


def refusal(**changes: Any) -> InvalidParams:
    with pytest.raises(InvalidParams) as refused:
        new_entry(**{"thread_id": "t", "source": "user", "text": "x", **changes})
    return refused.value


@pytest.mark.parametrize("bad", BAD, ids=ascii)
def test_what_no_store_can_keep_is_refused_with_its_field(bad: str) -> None:
    for changes, field in (
        ({"text": bad}, "text"),
        ({"thread_id": bad}, "threadId"),
        ({"summary": bad}, "summary"),
        ({"tags": ["ok", bad]}, "tags"),
        ({"readers": (bad,)}, "readers"),
        ({"metadata": {"k": [{"deep": bad}]}}, "metadata"),
        ({"metadata": {"k": {bad: 1}}}, "metadata"),
    ):
        assert refusal(**changes).field == field


def test_the_place_of_a_bad_character_is_told() -> None:
    assert "at 2" in refusal(text="ab\0").message
    assert "at 1" in refusal(text="é\udc80").message


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"thread_id": ""}, "threadId"),
        ({"thread_id": "é" * (limits.THREAD_ID_CHARACTERS + 1)}, "threadId"),
        ({"text": "é" * (limits.TEXT_BYTES // 2 + 1)}, "text"),
        ({"summary": "s" * (limits.SUMMARY_TEXT_CHARACTERS + 1)}, "summary"),
        ({"tags": [" "]}, "tags"),
        ({"tags": ["x" * (limits.TAG_CHARACTERS + 1)]}, "tags"),
        ({"tags": [str(n) for n in range(limits.TAGS + 1)]}, "tags"),
        ({"readers": ("",)}, "readers"),
        ({"readers": ("x" * (limits.READER_CHARACTERS + 1),)}, "readers"),
        ({"readers": ("bob", "*")}, "readers"),
        ({"readers": tuple(str(n) for n in range(limits.READERS + 1))}, "readers"),
        ({"metadata": {"k": "é" * limits.METADATA_BYTES}}, "metadata"),
        ({"metadata": {"k": float("nan")}}, "metadata"),
        ({"metadata": {"k": [float("inf")]}}, "metadata"),
        ({"metadata": {"k": 10**5_000}}, "metadata"),
    ],
)
def test_bounds_are_held(changes: dict[str, Any], field: str) -> None:
    assert refusal(**changes).field == field


def test_what_just_fits_is_taken() -> None:
    entry = new_entry(
        thread_id="é" * limits.THREAD_ID_CHARACTERS,
        source="agent",
        text="é" * (limits.TEXT_BYTES // 2),
        tags=[f"{n:0{limits.TAG_CHARACTERS}}" for n in range(limits.TAGS)],
    )
    assert len(entry.tags) == limits.TAGS


def test_metadata_may_be_deep_but_not_endless() -> None:
    deep: Any = 1
    for _ in range(limits.METADATA_DEPTH - 1):
        deep = {"k": deep}
    assert json.loads(new_entry(thread_id="t", source="user", text="", metadata=deep).metadata) == deep
    for _ in range(100_000):
        deep = [deep]
    assert refusal(metadata={"k": deep}).field == "metadata"


@given(st.dictionaries(KEPT, JSON, max_size=4))
def test_metadata_comes_back_as_it_was(metadata: dict[str, Any]) -> None:
    entry = new_entry(thread_id="t", source="user", text="", metadata=metadata)
    assert json.loads(entry.metadata) == metadata


def test_tags_are_trimmed_lowered_and_kept_once() -> None:
    entry = new_entry(thread_id="t", source="user", text="", tags=[" Plan\n", "PLAN", "b", "Ünder"])
    assert entry.tags == ("plan", "b", "ünder")
    assert new_entry(thread_id="t", source="user", text="", readers=("bob", "bob")).readers == ("bob",)
