import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.errors import CursorExpired, CursorUnknown
from sg_server.search.cursors import ALL_FILES
from sg_server.search.defaults import Retention
from sg_server.search.snapshots import SnapshotStore
from tests.evidence import snapshot_of

EMPTY = snapshot_of({})
SIZES = st.lists(st.integers(0, 5), min_size=1, max_size=8)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def is_held(store: SnapshotStore, number: int) -> bool:
    return store.codec.snapshot_id(number) in {held.id for held in store.held()}


def test_the_least_recently_used_go_first() -> None:
    store = SnapshotStore()
    numbers = [store.add(EMPTY) for _ in range(limits.SNAPSHOTS)]
    store.get(numbers[0])
    store.add(EMPTY)
    assert is_held(store, numbers[0])
    assert not is_held(store, numbers[1])
    assert len(store.held()) == limits.SNAPSHOTS
    with pytest.raises(CursorExpired):
        store.get(numbers[1])
    with pytest.raises(CursorUnknown):
        store.get(limits.SNAPSHOTS + 2)


def test_together_they_stay_within_their_bytes_and_the_latest_is_kept_whatever_its_size() -> None:
    store = SnapshotStore()
    half = snapshot_of({}, size=limits.SNAPSHOTS_BYTES // 2)
    first, second = store.add(half), store.add(half)
    assert is_held(store, first)
    third = store.add(half)
    assert [is_held(store, number) for number in (first, second, third)] == [False, True, True]
    huge = store.add(snapshot_of({}, size=2 * limits.SNAPSHOTS_BYTES))
    assert [held.id for held in store.held()] == [store.codec.snapshot_id(huge)]
    store.limit(Retention(bytes=1))
    assert is_held(store, huge)


def test_what_nobody_uses_expires_and_use_puts_it_off() -> None:
    clock = Clock()
    store = SnapshotStore(clock)
    idle, used = store.add(EMPTY), store.add(EMPTY)
    clock.now = limits.SNAPSHOT_IDLE_SECONDS - 1.0
    store.get(used)
    clock.now = limits.SNAPSHOT_IDLE_SECONDS + 1.0
    assert store.held()[0].age_seconds == clock.now
    assert not is_held(store, idle)
    store.get(used)
    clock.now *= 3
    with pytest.raises(CursorExpired):
        store.get(used)


def test_what_is_released_is_counted_once() -> None:
    store = SnapshotStore()
    numbers = [store.add(EMPTY) for _ in range(3)]
    assert [store.release(numbers[0]), store.release(numbers[0]), store.release(99)] == [1, 0, 0]
    assert [store.clear(), store.clear()] == [2, 0]


@given(SIZES, st.data())
def test_slices_are_the_rows_of_a_selection_in_order(sizes: list[int], data: st.DataObject) -> None:
    snapshot = snapshot_of({f"{number}": b"needle\n" * size for number, size in enumerate(sizes)})
    chosen = sorted(data.draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1)))
    selection = snapshot.select(chosen)
    rows = [(position, row) for position in chosen for row in range(sizes[position])]
    offset, count = data.draw(st.integers(0, len(rows))), data.draw(st.integers(0, 12))
    found = [
        (part.position, row)
        for part in snapshot.slices(selection, offset, count)
        for row in range(part.start, part.stop)
    ]
    assert found == rows[offset : offset + count]
    assert snapshot.row_total(selection) == len(rows)


@given(SIZES)
def test_every_index_is_one_row_and_there_are_no_others(sizes: list[int]) -> None:
    snapshot = snapshot_of({f"{number}": b"needle\n" * size for number, size in enumerate(sizes)})
    rows = [(position, row) for position, size in enumerate(sizes) for row in range(size)]
    located = [snapshot.locate(index) for index in range(1, len(rows) + 1)]
    assert [(part.position, part.start) for part in located if part] == rows
    assert [snapshot.locate(index) for index in (-1, 0, len(rows) + 1)] == [None, None, None]


def test_a_selection_is_the_same_however_it_is_named() -> None:
    snapshot = snapshot_of({"a": b"needle", "b": b"needle", "c": b"needle"})
    assert snapshot.select([2, 0]) == snapshot.select([0, 2, 0])
    assert snapshot.select([0, 1]) != snapshot.select([0, 2])
    assert snapshot.select([0, 1, 2]) == ALL_FILES


def test_files_are_in_the_order_of_their_bytes_and_in_summaries_by_count() -> None:
    snapshot = snapshot_of(
        {"b": b"needle\n\nneedle", "ä": b"needle\n" * 3, "a/z": b"needle", "a": b"needle\n" * 2}
    )
    assert snapshot.displays == ("a", "a/z", "b", "ä")
    assert [snapshot.displays[position] for position in snapshot.by_count] == ["ä", "a", "b", "a/z"]
    assert (snapshot.totals.matches, snapshot.totals.files, snapshot.totals.retained) == (8, 4, 8)
