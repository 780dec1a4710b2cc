import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.engines.events import EndEvent, EventReader, decode_match, split_matches
from tests.evidence import match_record, text_of
from tests.strategies import chunked


class Sink:
    """Keeps the events of each file, in order."""

    def __init__(self, *, files_wanted: int = 1_000) -> None:
        self.files: list[list[Any]] = []
        self.ended: list[str] = []
        self._files_wanted = files_wanted

    @property
    def wants_matches(self) -> bool:
        return len(self.ended) < self._files_wanted

    def matches(self, path: str, records: bytes, count: int) -> None:
        lines = [decode_match(record).line_number for record in split_matches(records)]
        assert len(lines) == count
        if len(self.files) == len(self.ended):
            self.files.append([path])
        assert self.files[-1][0] == path
        self.files[-1] += lines

    def oversized(self, path: str) -> None:
        raise AssertionError(path)

    def end(self, path: str, event: EndEvent, records: bytes, count: int) -> None:
        self.matches(path, records, count)
        self.ended.append(path)
        assert event.stats.matches == STATS["matches"]


def record(kind: str, **data: Any) -> bytes:
    return json.dumps({"type": kind, "data": data}, separators=(",", ":")).encode() + b"\n"


STATS = {"searches": 9, "matched_lines": 1, "matches": 3}
SUMMARY = json.dumps(
    {"data": {"elapsed_total": {}, "stats": STATS}, "type": "summary"}, separators=(",", ":")
).encode()


def written(files: list[tuple[str, int]]) -> bytes:
    """What ripgrep writes about files with so many matches."""
    stream = b""
    for path, matches in files:
        name = text_of(os.fsencode(path))
        stream += record("begin", path=name)
        stream += b"".join(match_record(b"x\n", [(0, 1)], line_number=line) for line in range(matches))
        stream += record("end", path=name, binary_offset=None, stats=STATS)
    return stream + SUMMARY + b"\n"


matching_files = st.lists(
    st.tuples(st.sampled_from(["/a", "/ä", "/b\udcff", '/"type":"end"']), st.integers(0, 3)), max_size=5
)


@given(matching_files, st.data())
def test_events_do_not_depend_on_how_the_stream_was_chunked(
    files: list[tuple[str, int]], data: st.DataObject
) -> None:
    sink = Sink()
    reader = EventReader(sink)
    for chunk in data.draw(chunked(written(files))):
        reader.feed(chunk)
    assert sink.files == [[path, *range(matches)] for path, matches in files]
    assert sink.ended == [path for path, _ in files]
    summary = reader.summary()
    assert summary is not None
    assert summary.searches == 9


@given(matching_files, st.integers(0, 5), st.data())
def test_the_ends_of_all_files_are_told_when_their_matches_are_not_wanted(
    files: list[tuple[str, int]], wanted: int, data: st.DataObject
) -> None:
    sink = Sink(files_wanted=wanted)
    reader = EventReader(sink)
    for chunk in data.draw(chunked(written(files))):
        reader.feed(chunk)
    assert sink.ended == [path for path, _ in files]


@pytest.mark.parametrize("cut", [0, 10, len(SUMMARY)])
def test_a_stream_that_breaks_off_has_no_summary(cut: int) -> None:
    reader = EventReader(Sink())
    reader.feed(SUMMARY[:cut])
    assert reader.summary() is None
