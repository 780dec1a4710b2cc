import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from sg_server.engines.binaries import find_rg
from sg_server.errors import InvalidParams
from sg_server.search.results import SearchResult
from tests.searching import Searcher, matches, refused, utf8, write_numbered
from tests.server.conftest import Start
from tests.server.wire import command, require_tool, write_files, write_program


async def test_more_than_is_kept_is_counted_and_said(start: Start, project: Path) -> None:
    write_numbered(project, files=40, lines=1_500)
    client = await start()
    summary = await command(client, "sg.search", {"pattern": "needle"})
    assert summary["status"] == "partial"
    assert summary["partialReasons"] == ["retention-limit"]
    assert summary["totals"] == {
        "matches": 60_000,
        "occurrences": 60_000,
        "files": 40,
        "filesSearched": 40,
        "retained": limits.RETAINED_ROWS,
    }
    assert "PARTIAL (retention-limit): 50,000 of 60,000 matches" in summary["text"]
    rest = await command(client, "sg.page", {"cursor": summary["cursor"]})
    rows = [*summary["files"], *rest["files"]]
    assert "cursor" not in rest
    assert {row["path"] for row in rows} == {f"f{number:03}.txt" for number in range(40)}
    assert {row["matches"] for row in rows} == {1_500}
    assert sum(row["retained"] for row in rows) == limits.RETAINED_ROWS
    cut = next(row for row in rows if row["retained"] == 0)
    detail = await command(client, "sg.page", {"snapshot": summary["snapshot"], "path": cut["path"]})
    assert detail["matches"] == []
    assert detail["status"] == "partial"
    assert "No match is kept here." in detail["text"]
    last = await command(client, "sg.page", {"snapshot": summary["snapshot"], "view": "items", "limit": 1000})
    assert [row["index"] for row in last["matches"]] == list(range(1, 1_001))


async def test_an_old_snapshot_pages_on_whatever_happens_to_the_files(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=4, lines=4)
    searcher = Searcher(tmp_path)
    first = await searcher.search("needle", limit=6)
    (tmp_path / "f001.txt").unlink()
    (tmp_path / "f002.txt").write_text("gone\n")
    (tmp_path / "f000a.txt").write_text("needle\n")
    await searcher.search("needle")
    rows = matches(await searcher.pages(first))
    assert [row.path for row in rows] == [f"f00{number}.txt" for number in range(4) for _ in range(4)]


@pytest.mark.parametrize(
    ("view", "asked", "given_rows"),
    [
        ("both", None, 20),
        ("both", 0, 1),
        ("both", -7, 1),
        ("both", 100_000, 100),
        ("text", 1_000, 100),
        ("items", 0, 1),
        ("items", None, 20),
        ("items", 10**30, 1_000),
    ],
)
async def test_a_limit_is_clamped_to_its_bounds(
    tmp_path: Path, view: str, asked: int | None, given_rows: int
) -> None:
    write_numbered(tmp_path, files=1, lines=1_200)
    answer = await Searcher(tmp_path).search("needle", mode="matches", limit=asked, view=view)
    assert f"Matches 1-{given_rows} of 1,200" in (
        answer.text or f"Matches 1-{len(matches([answer]))} of 1,200"
    )


async def test_items_stop_before_they_take_too_many_bytes(tmp_path: Path) -> None:
    line = "needle " * 20 + "\x01" * 400
    write_files(tmp_path, {"a.txt": f"{line}\n" * 1_000})
    searcher = Searcher(tmp_path)
    answers = await searcher.pages(
        await searcher.search("needle", mode="matches", limit=1000, view="items", context=20),
        lambda: {"limit": 1000, "view": "items"},
    )
    assert len(answers) > 1
    assert [row.index for row in matches(answers)] == list(range(1, 1_001))
    encoded = (json.dumps(json_of(answer)).encode() for answer in answers)
    assert all(len(data) <= limits.ITEMS_BYTES_MAX + 10_000 for data in encoded)


def json_of(answer: SearchResult) -> Any:
    return msgspec.to_builtins(answer)


async def test_a_view_leaves_the_other_half_out(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=2, lines=2)
    both = await command(client, "sg.search", {"pattern": "needle"})
    text = await command(client, "sg.search", {"pattern": "needle", "view": "text"})
    items = await command(client, "sg.search", {"pattern": "needle", "view": "items"})
    assert {"text", "matches", "locations"} <= both.keys()
    assert text.keys() == both.keys() - {"matches", "locations"}
    assert items.keys() == both.keys() - {"text"}
    assert items["matches"] == both["matches"]
    for mode in ({"mode": "summary"}, {"mode": "summary", "view": "items"}):
        summary = await command(client, "sg.search", {"pattern": "needle", **mode})
        assert len(summary["locations"]) == len(summary["files"]) == 2
        assert ("text" in summary) == ("view" not in mode)


async def test_a_summary_leaves_out_previews_and_then_files_where_its_bytes_end(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{number:02}": "𝄞" * 150 + " needle\n" for number in range(40)})
    searcher = Searcher(tmp_path)
    short = await searcher.search("needle", mode="summary")
    assert utf8(short.text) <= limits.RESPONSE_BYTES
    assert len(short.files or ()) == limits.SUMMARY_ROWS
    shown = [row.preview for row in short.files or () if row.preview]
    assert 0 < len(shown) < limits.SUMMARY_ROWS
    assert short.omitted.previews == limits.SUMMARY_ROWS - len(shown)
    write_files(
        tmp_path, {f"{'漢' * 80}/{'字' * 80}/{'名' * 80}{number}": "needle\n" * 9 for number in range(40)}
    )
    long = await searcher.search("needle", mode="summary")
    assert utf8(long.text) <= limits.RESPONSE_BYTES
    assert 0 < len(long.files or ()) < limits.SUMMARY_ROWS
    rows = [row.path for answer in await searcher.pages(long) for row in answer.files or ()]
    assert len(rows) == len(set(rows)) == 80


async def test_an_answer_says_what_it_leaves_out(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=35, lines=1)
    write_files(tmp_path, {"many.txt": "needle " * 25 + "\n"})
    searcher = Searcher(tmp_path)
    summary = await searcher.search("needle", mode="summary")
    assert (summary.omitted.files, summary.omitted.previews) == (6, 0)
    page = await searcher.page(snapshot=summary.snapshot, path="many.txt")
    assert page.omitted.occurrence_ranges == 5
    (row,) = matches([page])
    assert (len(row.ranges), row.ranges_omitted) == (20, 5)
    assert "(+5 more occurrences)" in (page.text or "")
    some = await searcher.search("needle", limit=10)
    assert some.omitted.files == 26


async def test_all_that_fits_is_shown_at_once_and_more_is_summed_up(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=1, lines=100)
    assert (await Searcher(tmp_path).search("needle")).mode == "matches"
    write_numbered(tmp_path, files=1, lines=101)
    assert (await Searcher(tmp_path).search("needle")).mode == "summary"
    write_files(tmp_path, {"f000.txt": f"needle {'x' * 480}\n" * 30})
    assert (await Searcher(tmp_path).search("needle")).mode == "summary"
    assert (await Searcher(tmp_path).search("needle", limit=5)).mode == "matches"
    assert (await Searcher(tmp_path).search("needle", mode="matches")).mode == "matches"


@pytest.mark.parametrize(
    ("percent", "tier", "tokens"),
    [
        (100, "full", 2_000),
        (40.1, "full", 2_000),
        (40, "tight", 1_000),
        (12, "tight", 1_000),
        (11.9, "critical", 500),
        (0, "critical", 500),
        (-1, None, 2_000),
        (101, None, 2_000),
        (None, None, 2_000),
        (float("nan"), None, 2_000),
        (float("inf"), None, 2_000),
    ],
)
async def test_the_remaining_context_decides_what_fits(
    tmp_path: Path, percent: float | None, tier: str | None, tokens: int
) -> None:
    searcher = Searcher(tmp_path)

    async def mode(lines: int) -> str:
        write_files(tmp_path, {"a.txt": f"needle {'x' * 180}\n" * lines})
        answer = await searcher.search("needle", remainingContextPercent=percent)
        assert (answer.budget.tier if answer.budget else None) == tier
        if tier in ("tight", "critical"):
            assert f"this answer aims at {tokens:,} tokens" in (answer.text or "")
        if answer.mode == "matches":
            assert len(answer.text or "") <= 4 * tokens
        return answer.mode

    fitting = (4 * tokens - 600) // 210
    assert [await mode(fitting), await mode(fitting + 5)] == ["matches", "summary"]


@pytest.mark.parametrize(("percent", "tokens"), [(5, 500), (20, 1_000), (80, 2_000)])
async def test_a_summary_keeps_to_what_it_says_it_aims_at_and_loses_nothing(
    tmp_path: Path, percent: int, tokens: int
) -> None:
    write_files(tmp_path, {f"folder/file_{number:03}.txt": "needle " * 80 + "\n" for number in range(101)})
    searcher = Searcher(tmp_path)
    first = await searcher.search("needle", remainingContextPercent=percent)
    assert first.mode == "summary"
    assert utf8(first.text) <= 4 * tokens
    rows = [row for page in await searcher.pages(first) for row in page.files or ()]
    assert len(rows) == len({row.path for row in rows}) == 101


async def test_an_explicit_wish_is_not_cut_by_the_remaining_context(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=3, lines=60)
    searcher = Searcher(tmp_path)
    for wish in ({"limit": 100}, {"mode": "matches", "limit": 100}):
        answer = await searcher.search("needle", remainingContextPercent=1, **wish)
        assert len(matches([answer])) == 100
        assert answer.budget is None


@pytest.fixture
def rg_without_privileges(tmp_path: Path) -> str:
    """ripgrep as somebody runs it who may not read everything, as root may."""
    rg = find_rg()
    assert rg is not None
    if os.geteuid() != 0:
        return rg.path
    setpriv = require_tool("setpriv")
    script = f'exec {setpriv} --bounding-set=-dac_override,-dac_read_search -- {rg.path} "$@"'
    return str(write_program(tmp_path / "rg", script))


async def test_a_line_too_long_for_a_record_is_counted_without_a_row(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "ok needle\n" + "needle " * 200_000 + "\n", "b.txt": "needle\n"})
    answer = await Searcher(tmp_path).search("needle")
    assert (answer.status, answer.partial_reasons) == ("partial", ("oversized-line",))
    assert (answer.totals.matches, answer.totals.occurrences) == (3, 200_002)
    assert answer.totals.retained == 2
    assert "PARTIAL (oversized-line)" in (answer.text or "")
    assert {(row.path, row.matches, row.retained) for row in answer.files or ()} == {
        ("a.txt", 2, 1),
        ("b.txt", 1, 1),
    }


async def test_a_multiline_record_that_is_too_long_is_counted_without_rows(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "needle\n" * 200_000, "b.txt": "needle\n"})
    answer = await Searcher(tmp_path).search(r"needle\n", multiline=True)
    assert answer.partial_reasons == ("oversized-line",)
    assert (answer.totals.matches, answer.totals.occurrences, answer.totals.retained) == (200_001, 200_001, 1)


async def test_a_pattern_that_pcre2_gives_up_on_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"re.txt": "a" * 40 + "b\n", "ok.txt": "aa\n"})
    searcher = Searcher(tmp_path)
    with pytest.raises(InvalidParams, match=r"^pattern: PCRE2: .*, in .*re\.txt"):
        await searcher.search("(a|aa)+$", engine="pcre2", path="re.txt")
    answer = await searcher.search("(a|aa)+$", engine="pcre2")
    assert (answer.partial_reasons, answer.unreadable_paths) == (("unreadable-path",), ("re.txt",))
    assert answer.totals.matches == 1


async def test_of_a_line_with_very_many_occurrences_the_first_are_kept(tmp_path: Path) -> None:
    write_files(tmp_path, {"min.js": "a(b,c);x=[1,2];" * 14_000 + "\n"})
    searcher = Searcher(tmp_path)
    answer = await searcher.search(",", multiline=True, mode="matches", limit=100)
    assert (answer.partial_reasons, answer.totals.occurrences) == (("retention-limit",), 28_000)
    assert 20_000 < answer.totals.retained < 28_000
    starts = [match.ranges[0].start.character for match in answer.matches or ()]
    assert starts == [15 * number + offset for number in range(14_000) for offset in (3, 11)][: len(starts)]


async def test_a_file_that_ends_at_a_nul_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"late.bin": b"needle\n" * 20_000 + b"\0" + b"needle\n" * 5, "b.txt": "needle\n"})
    searcher = Searcher(tmp_path)
    answer = await searcher.search("needle")
    assert (answer.status, answer.partial_reasons) == ("partial", ("binary-file",))
    assert answer.binary_files == ("late.bin",)
    assert "late.bin" in (answer.text or "")
    whole = await searcher.search("needle", binary=True)
    assert (whole.status, whole.totals.matches) == ("complete", 20_006)


async def test_a_path_that_cannot_be_read_makes_an_answer_partial(
    start: Start, project: Path, rg_without_privileges: str
) -> None:
    write_files(project, {"a.txt": "needle\n", "locked.txt": "needle\n", "folder/b.txt": "needle\n"})
    (project / "locked.txt").chmod(0)
    (project / "folder").chmod(0)
    client = await start(options={"rgPath": rg_without_privileges})
    answer = await command(client, "sg.search", {"pattern": "needle"})
    assert (answer["status"], answer["partialReasons"]) == ("partial", ["unreadable-path"])
    assert answer["unreadablePaths"] == ["folder", "locked.txt"]
    assert "PARTIAL (unreadable-path): 2 paths" in answer["text"]
    empty = await command(client, "sg.search", {"pattern": "absent"})
    assert (empty["mode"], empty["status"]) == ("empty", "partial")
    assert "PARTIAL (unreadable-path)" in empty["text"]
    beside = await start(folders=[project, project / "folder"], options={"rgPath": rg_without_privileges})
    answer = await command(beside, "sg.search", {"pattern": "needle"})
    assert answer["unreadablePaths"] == ["folder", "project/locked.txt"]
    for root in ("folder", "locked.txt"):
        code, message = await refused(client, "sg.search", {"pattern": "needle", "path": root})
        assert code == "path-not-found"
        assert root in message
    (project / "folder").chmod(0o755)
