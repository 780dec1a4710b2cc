import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.engines.events import split_matches
from sg_server.search import evidence
from sg_server.search.evidence import (
    Kept,
    Records,
    Row,
    all_rows,
    cut_down,
    fitting,
    hash_line,
    is_small,
    line_numbers,
    rows_between,
    rows_made,
    rows_of,
    size_of,
)
from sg_server.text.positions import TextView
from tests.evidence import file_of, match_record
from tests.strategies import searched_texts

VIEW = TextView()
LATIN1 = TextView(invalid_utf8="latin1")


def row_of(record: bytes) -> Row:
    (row,) = rows_of(record, VIEW, multiline=False, latin1=None)
    return row


def test_a_row_has_its_place_in_bytes_in_columns_and_in_units() -> None:
    line = "é\t𝄞 needle needle\r\n".encode()
    spans = [match.span() for match in re.finditer(b"needle", line)]
    row = row_of(match_record(line, spans, line_number=7, offset=100))
    assert (row.line, row.byte_start, row.spans) == (7, 100, tuple(spans))
    assert row.columns == ((4, 10), (11, 17))
    assert [(range_.start.character, range_.end.character) for range_ in row.ranges] == [(5, 11), (12, 18)]
    assert (row.text, row.clipped, row.lossy) == ("é\t𝄞 needle needle", False, False)
    assert row.line_hash == hash_line("é\t𝄞 needle needle".encode())


def test_a_line_that_is_not_utf8_is_lossy() -> None:
    row = row_of(match_record(b"\xff needle\n", [(2, 8)]))
    assert (row.text, row.lossy, row.columns) == ("\ufffd needle", True, ((2, 8),))


def test_a_long_line_is_cut_around_its_first_occurrence() -> None:
    row = row_of(match_record(b"x" * 900 + b"needle" + b"y" * 900, [(900, 906)]))
    assert len(row.text) == limits.LINE_CHARACTERS
    assert (row.clipped, row.text.count("needle")) == (True, 1)
    assert row.text[900 - row.text_start :].startswith("needle")


def test_all_ranges_are_kept_and_the_columns_that_are_shown() -> None:
    row = row_of(match_record(b"a" * 50, [(at, at + 1) for at in range(50)]))
    assert (len(row.ranges), len(row.spans), len(row.columns)) == (50, 50, limits.SHOWN_OCCURRENCES)


def test_a_record_without_a_submatch_is_an_empty_occurrence_at_the_end_of_the_line() -> None:
    record = match_record(b"def", [], line_number=2, offset=4)
    for multiline in (False, True):
        (row,) = rows_of(record, VIEW, multiline=multiline, latin1=None)
        assert (row.line, row.spans, row.text) == (2, ((3, 3),), "def")
    assert rows_made(record) == 1


def test_what_a_line_has_in_common_is_worked_out_once_for_all_its_occurrences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hashed: list[bytes] = []

    def hash_line(content: bytes) -> bytes:
        hashed.append(content)
        return b""

    monkeypatch.setattr(evidence, "hash_line", hash_line)
    record = match_record(b"a,b,c\nd,\n", [(1, 2), (3, 4), (7, 9)])
    rows = list(rows_of(record, VIEW, multiline=True, latin1=None))
    assert [(row.line, row.spans) for row in rows] == [(1, ((1, 2),)), (1, ((3, 4),)), (2, ((1, 3),))]
    assert hashed == [b"a,b,c", b"d,"]


def test_no_more_rows_are_made_than_are_wanted() -> None:
    record = match_record(b"a,b,c\nd,\n", [(1, 2), (3, 4), (7, 9)])
    every = tuple(rows_of(record, VIEW, multiline=True, latin1=None))
    for most in range(4):
        assert cut_down(record, VIEW, multiline=True, with_heads=True, most=most) == every[:most]
        assert fitting(every, size_of(every[:most])) == every[:most]


def test_occurrences_over_several_lines_are_rows_of_the_lines_they_start_on() -> None:
    block = b"a1\nb a2\r\nb a3\n"
    record = match_record(block, [(0, 4), (5, 10), (12, 13)], line_number=5, offset=50)
    rows = list(rows_of(record, VIEW, multiline=True, latin1=None))
    assert [(row.line, row.byte_start, row.spans, row.text) for row in rows] == [
        (5, 50, ((0, 4),), "a1"),
        (6, 53, ((2, 7),), "b a2"),
        (7, 59, ((3, 4),), "b a3"),
    ]
    assert [(row.primary.end.line, row.primary.end.character) for row in rows] == [(1, 1), (1, 1), (0, 4)]


@given(searched_texts(max_size=60), st.integers(0, 12), st.integers(0, 12), st.data())
def test_rows_between_are_those_of_all_rows(text: bytes, start: int, stop: int, data: st.DataObject) -> None:
    file = file_of("/f", text, b"a")
    records = [
        record + b"\n"
        for kept in file.kept
        if isinstance(kept, Records)
        for record in split_matches(kept.data)
    ]
    rows = [row_of(record) for record in records]
    file.kept = kept_in_pieces(records, data, multiline=False)
    assert list(all_rows(file, VIEW, multiline=False, latin1=None)) == rows
    assert list(rows_between(file, start, stop, VIEW, multiline=False, latin1=None)) == rows[start:stop]
    assert line_numbers(file, multiline=False) == [row.line for row in rows]


@given(st.lists(st.lists(st.integers(0, 9), unique=True).map(sorted), min_size=1), st.data())
def test_rows_between_count_occurrences_where_those_are_rows(
    blocks: list[list[int]], data: st.DataObject
) -> None:
    file = file_of("/f", b"")
    records = [
        match_record(b"a\n" * 10, [(2 * at, 2 * at + 1) for at in lines], line_number=10 * number + 1)
        for number, lines in enumerate(blocks)
    ]
    rows = [row for record in records for row in rows_of(record, VIEW, multiline=True, latin1=None)]
    assert len(rows) == sum(max(1, len(lines)) for lines in blocks)
    file.kept, file.retained = kept_in_pieces(records, data, multiline=True), len(rows)
    start, stop = data.draw(st.integers(0, len(rows))), data.draw(st.integers(0, len(rows) + 1))
    assert list(all_rows(file, VIEW, multiline=True, latin1=None)) == rows
    assert list(rows_between(file, start, stop, VIEW, multiline=True, latin1=None)) == rows[start:stop]
    assert line_numbers(file, multiline=True) == list(dict.fromkeys(row.line for row in rows))


def kept_in_pieces(records: list[bytes], data: st.DataObject, *, multiline: bool) -> list[Kept]:
    kept: list[Kept] = []
    while records:
        size = data.draw(st.integers(1, len(records)))
        run, records = records[:size], records[size:]
        if data.draw(st.booleans()):
            kept.append(
                tuple(row for one in run for row in rows_of(one, VIEW, multiline=multiline, latin1=None))
            )
        else:
            joined = b"".join(run)
            kept.append(Records(joined, rows_made(joined) if multiline else size))
    return kept


def test_long_records_are_smaller_decoded_and_short_ones_as_they_are() -> None:
    short = match_record(b"needle\n", [(0, 6)])
    long = match_record(b"x" * 10_000 + b"needle\n", [(10_000, 10_006)])
    assert is_small(short * 1_000, 1_000, VIEW)
    assert not is_small(long, 1, VIEW)
    assert not is_small(short + long + short, 3, VIEW)
    assert size_of(rows_of(long, VIEW, multiline=False, latin1=None)) < len(long)


def test_the_start_of_a_long_line_is_kept_only_where_it_is_asked_for() -> None:
    record = match_record(b"start" + b"x" * 10_000 + b"needle\n", [(10_005, 10_011)])
    heads = [
        row.head
        for wanted in (True, False)
        for row in cut_down(record, VIEW, multiline=False, with_heads=wanted, most=1)
    ]
    assert heads == ["start" + "x" * 495, None]


def test_a_long_record_stays_as_it_is_where_only_its_file_tells_how_it_is_shown() -> None:
    record = match_record("é".encode() * 5_000 + b"needle\n", [(10_000, 10_006)])
    assert not is_small(record, 1, VIEW)
    assert is_small(record, 1, LATIN1)
    assert [
        next(rows_of(record, LATIN1, multiline=False, latin1=latin1)).primary.start.character
        for latin1 in (True, False, None)
    ] == [10_000, 5_000, 5_000]
