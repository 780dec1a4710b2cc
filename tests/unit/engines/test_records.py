from hypothesis import given
from hypothesis import strategies as st

from sg_server.engines.records import OVERSIZED, CappedRecords, Oversized
from tests.strategies import chunked

CAP = 5
records = st.lists(
    st.binary(max_size=8).map(lambda record: record.replace(b"\n", b"-").replace(b"\r", b"-")), max_size=12
)


@given(records, st.data())
def test_records_do_not_depend_on_how_the_stream_was_chunked(
    expected: list[bytes], data: st.DataObject
) -> None:
    cutter = CappedRecords(b"\n", CAP)
    found = [
        record
        for chunk in data.draw(chunked(b"".join(record + b"\n" for record in expected)))
        for record in cutter.feed(chunk)
    ]
    assert found == [record if len(record) <= CAP else OVERSIZED for record in expected]
    assert cutter.finish() == []


@given(records, st.data())
def test_whole_records_come_in_as_few_pieces_as_can_be(expected: list[bytes], data: st.DataObject) -> None:
    cutter = CappedRecords(b"\n", CAP)
    found: list[bytes | Oversized] = []
    for chunk in data.draw(chunked(b"".join(record + b"\n" for record in expected))):
        pieces = cutter.feed_whole(chunk)
        assert len(pieces) <= 2 or len(chunk) > CAP
        for piece in pieces:
            found += [piece] if isinstance(piece, Oversized) else piece.splitlines(keepends=True)
    assert found == [record + b"\n" if len(record) <= CAP else OVERSIZED for record in expected]


@given(records, st.data())
def test_only_records_with_the_prefix_come_out_whole_and_in_order(
    expected: list[bytes], data: st.DataObject
) -> None:
    marked = [b"e" + record if index % 3 == 0 else record for index, record in enumerate(expected)]
    cutter = CappedRecords(b"\n", CAP)
    found = [
        record
        for chunk in data.draw(chunked(b"".join(record + b"\n" for record in marked)))
        for record in cutter.feed_only(chunk, b"e")
    ]
    assert found == [record for record in marked if record.startswith(b"e") and len(record) <= CAP]


@given(records, st.integers(0, 60))
def test_a_reader_may_turn_to_prefixed_records_at_any_chunk(expected: list[bytes], cut: int) -> None:
    stream = b"".join(record + b"\n" for record in expected)
    cutter = CappedRecords(b"\n", CAP)
    first, second = stream[:cut], stream[cut:]
    found = [*cutter.feed(first), *cutter.feed_only(second, b"")]
    assert [record for record in found if record is not OVERSIZED] == [
        record for record in expected if len(record) <= CAP
    ]


def test_a_stream_that_ends_without_a_separator_gives_its_last_record() -> None:
    cutter = CappedRecords(b"\n", CAP)
    assert cutter.feed(b"one\ntwo") == [b"one"]
    assert cutter.finish() == [b"two"]
    assert cutter.finish() == []


def test_an_oversized_record_is_named_once_however_many_chunks_it_takes() -> None:
    cutter = CappedRecords(b"\n", CAP)
    assert cutter.feed(b"xxxx") == []
    assert cutter.feed(b"xxxx") == []
    assert cutter.feed(b"x\nok\n") == [OVERSIZED, b"ok"]
