"""What is kept of a run of ripgrep, and what is still counted once nothing more is."""

import msgspec

from sg_server.engines.events import EndEvent
from sg_server.search.collector import Collector
from sg_server.search.evidence import all_rows
from sg_server.text.positions import TextView
from tests.evidence import match_record

VIEW = TextView()


def ended(path: str, matches: int) -> EndEvent:
    stats = {"matched_lines": matches, "matches": matches, "searches": 1}
    return msgspec.convert({"path": {"text": path}, "stats": stats}, EndEvent)


def lines(*numbers: int) -> bytes:
    return b"".join(match_record(b"x\n", [(0, 1)], line_number=number) for number in numbers)


def give(collector: Collector, path: str, *numbers: int) -> None:
    collector.end(path, ended(path, len(numbers)), lines(*numbers), len(numbers))


def test_matches_are_wanted_to_the_end_of_the_file_in_which_the_bound_is_reached() -> None:
    collector = Collector(VIEW, multiline=False, most_rows=3)
    give(collector, "/a", 1, 2)
    collector.matches("/b", lines(1, 2), 2)
    assert (collector.is_cut, collector.wants_matches) == (True, True)
    collector.end("/b", ended("/b", 2), b"", 0)
    assert not collector.wants_matches
    collector.matches("/c", lines(1), 1)
    assert not collector.wants_matches


def test_a_file_that_is_found_again_takes_room_once() -> None:
    collector = Collector(VIEW, multiline=False, most_rows=4)
    give(collector, "/a", 1, 2, 3)
    give(collector, "/a", 1, 2, 3)
    give(collector, "/b", 1)
    assert ({path: file.retained for path, file in collector.files.items()}, collector.is_cut) == (
        {"/a": 3, "/b": 1},
        False,
    )


def test_a_file_that_is_found_again_after_the_bound_keeps_its_rows() -> None:
    collector = Collector(VIEW, multiline=False, most_rows=5)
    give(collector, "/a", 1, 2, 3)
    give(collector, "/b", *range(1, 10))
    collector.end("/a", ended("/a", 4), b"", 0)
    assert {path: (file.retained, file.matches) for path, file in collector.files.items()} == {
        "/a": (3, 4),
        "/b": (2, 9),
    }


def test_the_last_row_waits_like_the_others_for_how_the_client_shows_the_file() -> None:
    view = TextView(invalid_utf8="latin1")
    record = match_record("éaéa\n".encode(), [(2, 3), (5, 6)])
    shown = []
    for most_rows in (1, 2):
        collector = Collector(view, multiline=True, most_rows=most_rows)
        collector.end("/a", ended("/a", 2), record, 1)
        (file,) = collector.files.values()
        shown.append([row.text for row in all_rows(file, view, multiline=True, latin1=True)])
    assert shown == [["Ã©aÃ©a"], ["Ã©aÃ©a", "Ã©aÃ©a"]]
