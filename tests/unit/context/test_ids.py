import itertools
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.context.ids import IdMaker, id_prefix
from sg_server.errors import InvalidParams

NOW = 1_796_037_794_163_000_000
IDS = st.uuids().map(lambda uuid: uuid.hex)


def test_an_id_is_a_uuid_of_version_7_with_the_time_in_it() -> None:
    uuid = UUID(IdMaker(lambda: NOW).make())
    assert (uuid.version, uuid.variant) == (7, "specified in RFC 4122")
    assert uuid.int >> 80 == NOW // 10**6


@given(st.lists(st.integers(NOW - 10**12, NOW + 10**12), min_size=1, max_size=30))
def test_ids_ascend_whatever_the_clock_does(times: list[int]) -> None:
    clock = iter(times)
    maker = IdMaker(lambda: next(clock))
    ids = [maker.make() for _ in times]
    assert all(earlier < later for earlier, later in itertools.pairwise(ids))
    assert all(UUID(one).version == 7 for one in ids)


def test_makers_beside_each_other_agree_on_the_order() -> None:
    clock = itertools.count(NOW, 500)
    makers = [IdMaker(lambda: next(clock)) for _ in range(3)]
    ids = [maker.make() for maker in makers * 5_000]
    assert ids == sorted(ids)


def test_makers_never_make_the_same() -> None:
    makers = [IdMaker(lambda: NOW) for _ in range(2)]
    ids = [maker.make() for maker in makers * 5_000]
    assert len(set(ids)) == len(ids)


@given(st.integers(0, 2**60 - 1), st.integers(0, 2**62 - 1))
def test_an_id_comes_after_the_one_it_should(stamp: int, rest: int) -> None:
    earlier = f"{(stamp >> 12 << 16 | 7 << 12 | stamp & 0xFFF) << 64 | 0b10 << 62 | rest:032x}"
    if stamp < 2**60 - 1:
        assert IdMaker(lambda: 0).make(after=earlier) > earlier


@given(IDS, st.integers(8, 32))
def test_any_beginning_of_an_id_is_one(digits: str, length: int) -> None:
    assert id_prefix(f" {digits[:length].upper()}\t") == digits[:length]
    assert id_prefix(str(UUID(digits))) == digits


@pytest.mark.parametrize(
    "given_id", ["", "1234567", "0" * 33, "x" * 32, "\uff10" * 8, "12345678-", "{" + "0" * 32 + "}"]
)
def test_what_is_no_id_names_its_field(given_id: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        id_prefix(given_id, "ids[2]")
    assert refused.value.field == "ids[2]"


def test_a_refusal_does_not_repeat_a_book() -> None:
    with pytest.raises(InvalidParams) as refused:
        id_prefix("0" * 1_000_000)
    assert len(refused.value.message) < 300
