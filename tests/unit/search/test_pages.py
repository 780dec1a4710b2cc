from msgspec.structs import replace

from sg_server.search.evidence import rows_between
from sg_server.search.pages import MatchText, items
from sg_server.search.reading import Context, ShownRow
from sg_server.search.snapshots import Snapshot
from sg_server.text.positions import TextView
from tests.evidence import ROOT, snapshot_of


def shown_rows(snapshot: Snapshot, position: int = 0, *, around: int = 0) -> list[ShownRow]:
    """The rows of one file, with context lines that are named by their numbers."""
    file = snapshot.files[position]
    rows = list(rows_between(file, 0, file.retained, TextView(), multiline=False, latin1=None))
    first = snapshot.first_rows[position] + 1
    return [
        ShownRow(
            index=first + number,
            position=position,
            row=row,
            lone_crs_before=0,
            context=Context(
                before=tuple(f"line {at}" for at in range(max(1, row.line - around), row.line)),
                after=tuple(f"line {at}" for at in range(row.line + 1, row.line + 1 + around)),
                after_line=row.line + 1,
            )
            if around
            else None,
            next_line=rows[number + 1].line if number + 1 < len(rows) else None,
        )
        for number, row in enumerate(rows)
    ]


def text_of(snapshot: Snapshot, rows: list[ShownRow], room: int = 10_000) -> list[str]:
    text = MatchText(snapshot, room)
    for row in rows:
        if not text.add(row):
            break
    return text.lines


def test_a_file_is_named_once_and_again_after_another() -> None:
    snapshot = snapshot_of({"a": b"needle\nneedle\n", "b": b"needle\n"})
    rows = [*shown_rows(snapshot), *shown_rows(snapshot, 1)]
    assert text_of(snapshot, rows) == [
        "a (unverified)",
        " 1:1-7 [1] needle",
        " 2:1-7 [2] needle",
        "b (unverified)",
        " 1:1-7 [3] needle",
    ]


def test_shared_context_is_shown_once_and_a_gap_is_no_line() -> None:
    snapshot = snapshot_of({"a": b"-\nneedle\n-\nneedle\n" + b"-\n" * 9 + b"needle\n"})
    assert text_of(snapshot, shown_rows(snapshot, around=2))[1:] == [
        " 1- line 1",
        " 2:1-7 [1] needle",
        " 3- line 3",
        " 4:1-7 [2] needle",
        " 5- line 5",
        " 6- line 6",
        " 12- line 12",
        " 13- line 13",
        " 14:1-7 [3] needle",
        " 15- line 15",
        " 16- line 16",
    ]


def test_a_later_match_is_not_shown_as_context() -> None:
    snapshot = snapshot_of({"a": b"needle\n-\nneedle\n"})
    first, _ = shown_rows(snapshot, around=5)
    assert text_of(snapshot, [first])[1:] == [" 1:1-7 [1] needle", " 2- line 2"]


def test_the_first_row_is_shown_even_where_its_context_does_not_fit() -> None:
    snapshot = snapshot_of({"a": b"-\nneedle\n"})
    lines = text_of(snapshot, shown_rows(snapshot, around=20), room=60)
    assert lines == ["a (unverified)", " 2:1-7 [1] needle", " (context left out: it does not fit)"]


def test_a_row_that_does_not_fit_is_left_to_the_next_page() -> None:
    snapshot = snapshot_of({"a": b"needle\n" * 9})
    lines = text_of(snapshot, shown_rows(snapshot), room=60)
    assert lines == ["a (unverified)", " 1:1-7 [1] needle", " 2:1-7 [2] needle"]


def test_context_that_is_refused_says_why() -> None:
    snapshot = snapshot_of({"a": b"needle\n"})
    (row,) = shown_rows(snapshot)
    refused = replace(row, context=Context(problem="changed"))
    assert text_of(snapshot, [refused])[1:] == [" 1:1-7 [1] needle", " (context refused: changed)"]
    (item,) = items(snapshot, [refused], lambda file: ROOT.uri_of(file.path))
    assert (item.before, item.after, item.context_unavailable) == (None, None, "changed")


def test_items_stop_where_the_room_ends_but_one_is_always_there() -> None:
    snapshot = snapshot_of({"a": b"needle\n" * 9})
    rows = shown_rows(snapshot)
    counts = [
        len(items(snapshot, rows, lambda file: ROOT.uri_of(file.path), room)) for room in (0, 2_000, 100_000)
    ]
    assert counts[0] == 1
    assert 1 < counts[1] < 9
    assert counts[2] == 9
