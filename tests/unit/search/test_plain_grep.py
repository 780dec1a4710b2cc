from typing import Any

import msgspec
import pytest

from sg_server.search.evidence import rows_of
from sg_server.search.plain_grep import NOTHING, plain_grep, shown_path
from sg_server.search.reading import Context, ShownRow
from sg_server.text.positions import TextView
from tests.evidence import match_record, snapshot_of


def shown(text: str, line: int = 1, position: int = 0, **context: Any) -> ShownRow:
    """A row that matches `needle` in a line of `text`."""
    start = text.encode().index(b"needle")
    record = match_record(text.encode() + b"\n", [(start, start + 6)], line_number=line)
    (row,) = rows_of(record, TextView(), multiline=False, latin1=None)
    return ShownRow(
        index=1,
        position=position,
        row=row,
        lone_crs_before=0,
        context=Context(**context) if context else None,
        next_line=None,
    )


def answer(*rows: ShownRow) -> str:
    return plain_grep(rows, lambda position: f"f{position}.py")


def test_each_match_is_a_line_with_its_path_and_number() -> None:
    assert answer(shown("a needle"), shown("needle b", 7, 1)) == "f0.py:1: a needle\nf1.py:7: needle b"


def test_no_match_is_said() -> None:
    assert answer() == NOTHING


def test_context_is_repeated_around_each_match() -> None:
    rows = [
        shown("needle 2", 2, before=("one",), after=("needle 3",), after_line=3),
        shown("needle 3", 3, before=("needle 2",), after=(), after_line=4),
    ]
    assert answer(*rows).splitlines() == [
        "f0.py-1- one",
        "f0.py:2: needle 2",
        "f0.py-3- needle 3",
        "f0.py-2- needle 2",
        "f0.py:3: needle 3",
    ]


def test_a_long_line_is_cut_after_its_first_500_characters_wherever_it_matches() -> None:
    early = f"needle {'漢' * 600}"
    late = f"start {'漢' * 10_000} needle"
    for text in (early, late):
        first, notice = answer(shown(text)).split("\n\n")
        assert first == f"f0.py:1: {text[:500]}... [truncated]"
        assert notice == "[Some lines truncated to 500 chars. Use read tool to see full lines]"


def test_a_line_of_500_characters_is_whole() -> None:
    text = f"{'x' * 494}needle"
    assert answer(shown(text)) == f"f0.py:1: {text}"


def test_the_hundredth_match_brings_the_notice_of_its_limit() -> None:
    rows = [shown("needle", line) for line in range(1, 101)]
    assert answer(*rows[:99]).count("\n") == 98
    *lines, _, notice = answer(*rows).split("\n")
    assert len(lines) == 100
    assert notice == "[100 matches limit reached. Use limit=200 for more, or refine pattern]"


def test_whole_lines_fill_50_kib_and_no_more() -> None:
    rows = [shown(f"needle {'é' * 490}", line) for line in range(1, 101)]
    body, notice = answer(*rows).split("\n\n")
    kept = body.split("\n")
    size = len(kept[0].encode()) + 1
    assert len(body.encode()) <= 50 * 1024 < len(body.encode()) + size + 3
    assert (
        notice
        == "[100 matches limit reached. Use limit=200 for more, or refine pattern. 50.0KB limit reached]"
    )


def test_a_start_that_was_not_kept_is_an_error_and_not_another_text() -> None:
    row = shown(f"{'x' * 10_000} needle")
    lost = msgspec.structs.replace(row, row=msgspec.structs.replace(row.row, head=None))
    with pytest.raises(ValueError, match="was not kept"):
        answer(lost)


@pytest.mark.parametrize(
    ("roots", "path"),
    [
        (("/src",), "deep/a.py"),
        (("/src/deep",), "a.py"),
        (("/src/deep/a.py",), "a.py"),
        (("/src", "/other"), "root/src/deep/a.py"),
        (("/sr",), "root/src/deep/a.py"),
    ],
)
def test_paths_begin_where_the_search_does(roots: tuple[str, ...], path: str) -> None:
    snapshot = snapshot_of({"src/deep/a.py": b"needle\n"})
    display = snapshot.displays[0]
    assert shown_path(snapshot, roots, 0) == (path if not path.startswith("root/") else display)
