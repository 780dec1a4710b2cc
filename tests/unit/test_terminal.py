from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from sg_server.engines.treesitter import TreeSitterCapabilities
from sg_server.health import Health, Problem, Program
from sg_server.inspection.results import Inspection, InspectResult
from sg_server.search.results import KeptOut, KeptOutFile, Match, Omitted, Rules, SearchResult, Totals
from sg_server.terminal import (
    COLORS,
    PLAIN,
    ColorChoice,
    Palette,
    file_lines,
    health_lines,
    inspection_lines,
    inspection_notes,
    notes,
    palette,
)
from sg_server.text.plain import call
from sg_server.text.positions import Location, Position, Range

MARKS = Palette("P<", "N<", "O<", ">")


def match(line: int, text: str, *spans: tuple[int, int], lines: int = 0, **more: Any) -> Match:
    """A match at byte columns; the last one ends so many `lines` further down."""
    ranges = tuple(
        Range(
            start=Position(line=line - 1, character=start),
            end=Position(line=line - 1 + lines, character=end),
        )
        for start, end in spans
    )
    return Match(
        index=1,
        uri="file:///a.py",
        path="a.py",
        line=line,
        location=Location(uri="file:///a.py", range=ranges[0]),
        ranges=ranges,
        ranges_omitted=0,
        text=text,
        clipped=more.pop("clipped", False),
        byte_ranges=(),
        source="disk",
        verified=True,
        **more,
    )


def lines_of(*matches: Match, colors: Palette = PLAIN, heading: bool = True) -> list[str]:
    return list(file_lines("a.py", matches, colors, heading=heading))


def test_matches_stand_under_their_path_with_line_and_column() -> None:
    assert lines_of(match(3, "a needle", (2, 8)), match(12, "needle", (0, 6))) == [
        "a.py",
        "3:3:a needle",
        "12:1:needle",
    ]


def test_without_a_heading_every_line_begins_with_the_path() -> None:
    found = match(3, "needle", (0, 6), before=("two",), after=())
    assert lines_of(found, heading=False) == ["a.py-2-two", "a.py:3:1:needle"]


def test_every_occurrence_is_painted_and_nothing_else() -> None:
    assert lines_of(match(3, "é needle needle", (3, 9), (10, 16)), colors=MARKS) == [
        "P<a.py>",
        "N<3>:4:é O<needle> O<needle>",
    ]


def test_an_occurrence_that_goes_on_is_painted_to_the_end_of_its_line() -> None:
    assert lines_of(match(3, "def f(", (4, 1), lines=1), colors=MARKS)[1] == "N<3>:5:def O<f(>"


def test_a_clipped_line_says_so_and_is_not_painted() -> None:
    assert (
        lines_of(match(3, "xxneedlexx", (900, 906), clipped=True), colors=MARKS)[1] == "N<3>:901:xxneedlexx…"
    )


def test_a_line_is_shown_once_where_contexts_overlap() -> None:
    found = (
        match(2, "needle", (0, 6), before=("one",), after=("three", "needle")),
        match(4, "needle", (0, 6), before=("needle", "three"), after=("five", "six")),
    )
    assert lines_of(*found)[1:] == ["1-one", "2:1:needle", "3-three", "4:1:needle", "5-five", "6-six"]


def test_a_gap_between_contexts_is_marked() -> None:
    found = (
        match(2, "needle", (0, 6), before=(), after=("three",)),
        match(9, "needle", (0, 6), before=("eight",), after=()),
    )
    assert lines_of(*found)[1:] == ["2:1:needle", "3-three", "--", "8-eight", "9:1:needle"]


def test_the_context_after_a_match_of_several_lines_follows_its_last_line() -> None:
    inside = match(2, "def f(", (4, 1), lines=2, before=(), after=("five",))
    at_line_end = match(2, "def f(", (4, 0), lines=2, before=(), after=("four",))
    assert lines_of(inside)[-1] == "5-five"
    assert lines_of(at_line_end)[-1] == "4-four"


def test_nothing_in_a_file_or_its_name_steers_the_terminal() -> None:
    found = match(1, "a\x1b[2Jneedle\r\x9b", (5, 11), before=("\x07",), after=())
    shown = "".join(file_lines("a\n\x1b.py", (found,), PLAIN, heading=True))
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("choice", "environment", "is_terminal", "expected"),
    [
        ("auto", {}, True, COLORS),
        ("auto", {}, False, PLAIN),
        ("auto", {"NO_COLOR": "1"}, True, PLAIN),
        ("auto", {"NO_COLOR": ""}, True, COLORS),
        ("auto", {"TERM": "dumb"}, True, PLAIN),
        ("always", {"NO_COLOR": "1"}, False, COLORS),
        ("never", {}, True, PLAIN),
    ],
)
def test_colors_are_for_terminals_unless_told_otherwise(
    choice: ColorChoice,
    environment: Mapping[str, str],
    is_terminal: bool,  # noqa: FBT001 - a column of the table
    expected: Palette,
) -> None:
    assert palette(choice, environment, is_terminal=is_terminal) is expected


def result(**more: Any) -> SearchResult:
    return SearchResult(
        version=1,
        mode="empty",
        status="partial" if "partial_reasons" in more else "complete",
        partial_reasons=more.pop("partial_reasons", ()),
        totals=Totals(matches=60_000, occurrences=60_000, files=1, files_searched=1, retained=50_000),
        omitted=Omitted(),
        unverified_files=0,
        rules=Rules(
            hidden=True,
            ignored=False,
            binary=False,
            follow=False,
            globs=(),
            excludes=(),
            file_types=(),
            engine="default",
            encoding="auto",
            case="smart",
        ),
        elapsed_ms=1.0,
        **more,
    )


def test_a_complete_search_needs_no_notes() -> None:
    assert list(notes(result(), ())) == []


def test_notes_say_what_is_not_there() -> None:
    partial = result(partial_reasons=("retention-limit", "unreadable-path"), unreadable_paths=("locked",))
    assert list(notes(partial, ("changed", "changed"))) == [
        "only 50,000 of 60,000 matches were kept: narrow the search",
        "some paths could not be read",
        "  locked",
        "some context was left out: its file is changed",
    ]


def test_notes_name_the_files_that_rules_keep_out_of_an_empty_search() -> None:
    kept_out = KeptOut(files=3, matching=(KeptOutFile(path="app.log", uri="file:///app.log"),), complete=True)
    assert list(notes(result(kept_out=kept_out), ()))[1:] == ["  app.log"]


def health(**more: Any) -> Health:
    return Health(
        version=1,
        server="1.2.3",
        python="3.11",
        platform="Linux",
        rg=more.pop("rg", Program(path="/usr/bin/rg", found="path", version="ripgrep 15")),
        ctags=Program(),
        tree_sitter=TreeSitterCapabilities(version="0.25", languages=("C", "Lua"), missing=("Go",)),
        position_encoding="utf-8",
        folders=(),
        snapshots=(),
        snapshots_bytes=0,
        processes=(),
        problems=more.pop("problems", ()),
    )


def test_a_report_says_when_all_is_well() -> None:
    assert list(health_lines(health())) == [
        "signal-grep 1.2.3, Python 3.11, Linux",
        "rg     ripgrep 15 (/usr/bin/rg, by path)",
        "ctags  not found",
        "tree-sitter 0.25: C, Lua; no grammar for Go",
        "Everything is in place.",
    ]


def test_a_report_ends_with_what_to_do() -> None:
    problem = Problem(code="rg-failed", message="it broke", hint="Install it.")
    report = health(rg=Program(path="/x/rg", found="option"), problems=(problem,))
    assert list(health_lines(report))[1:] == [
        "rg     cannot be used (/x/rg, by option)",
        "ctags  not found",
        "tree-sitter 0.25: C, Lua; no grammar for Go",
        "",
        "rg-failed: it broke",
        "  Install it.",
    ]


def inspected(*targets: Inspection, text: Sequence[str]) -> InspectResult:
    shown = all(each.outcome == "returned" for each in targets)
    status: Literal["complete", "partial"] = "complete" if shown else "partial"
    return InspectResult(status=status, text="\n".join(text), inspections=targets, blocks=())


def target(outcome: Literal["returned", "deferred", "error"], **more: Any) -> Inspection:
    return Inspection(
        input=0, path="it's a.py", uri="file:///a.py", line=7, outcome=outcome, structure="available", **more
    )


def test_source_is_shown_and_what_is_missing_is_told_apart() -> None:
    result = inspected(
        target("returned"),
        target("error"),
        text=[
            "PARTIAL: 1 of 2 targets are shown.",
            "",
            "a.py:7  function f (ctags, lines 7-8)",
            "7> def f():",
            "8      pass",
            "b.py:9  not shown (source-unavailable): gone",
        ],
    )
    assert list(inspection_lines(result, PLAIN)) == [
        "a.py:7  function f (ctags, lines 7-8)",
        "7> def f():",
        "8      pass",
    ]
    assert list(inspection_lines(result, Palette("P", "N", "O", "E"))) == [
        "Pa.py:7E  function f (ctags, lines 7-8)",
        "N7EO>E def f():",
        "N8E      pass",
    ]
    assert list(inspection_notes(result)) == ["b.py:9  not shown (source-unavailable): gone"]


def test_nothing_is_shown_where_everything_is_missing() -> None:
    result = inspected(target("error"), text=["PARTIAL: 0 of 1 targets are shown.", "a.py:7  not shown"])
    assert list(inspection_lines(result, PLAIN)) == []
    assert list(inspection_notes(result)) == ["a.py:7  not shown"]


def test_a_request_for_more_is_told_as_a_command_of_the_shell() -> None:
    retry: dict[str, Any] = {"uri": "file:///a.py", "line": 90}
    text = ["a.py:7  no symbol", "7> x", f"  … 0 lines before, 99 after. More: {call('sg.inspect', **retry)}"]
    shown = list(inspection_lines(inspected(target("returned", retry=retry), text=text), PLAIN))
    assert shown[-1] == """  … 0 lines before, 99 after. More: sg-server inspect 'it'"'"'s a.py:90'"""
