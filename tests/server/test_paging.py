import asyncio
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_lsp import LanguageClient

from sg_server import limits
from sg_server.errors import CursorExpired, CursorMismatch, CursorUnknown, InvalidParams
from tests.searching import Searcher, let_time_pass, matches, paths, refused, utf8, write_numbered
from tests.server.wire import command, write_files

line_texts = st.sampled_from(
    ["needle", "x needle needle", "nothing", "needle " + "漢" * 700, "\tneedle\x1b[0m\x85"]
)
trees = st.dictionaries(
    st.sampled_from(["a.txt", "b/c.txt", "b/d e.txt", "ä.txt", "z" * 200]),
    st.lists(line_texts, max_size=30).map("\n".join),
    min_size=1,
)


@settings(max_examples=40)
@given(trees, st.data())
def test_pages_put_together_are_the_snapshot_however_they_are_asked_for(
    tree: dict[str, str], data: st.DataObject
) -> None:
    def style() -> dict[str, Any]:
        return {
            "limit": data.draw(st.integers(1, 12)),
            "before": data.draw(st.integers(0, 3)),
            "after": data.draw(st.integers(0, 3)),
            "view": data.draw(st.sampled_from(["both", "items"])),
        }

    async def run() -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(folder, tree)
            let_time_pass(folder)
            searcher = Searcher(folder)
            whole = await searcher.search("needle", mode="matches", view="items", limit=1000)
            answers = await searcher.pages(await searcher.search("needle", mode="matches", **style()), style)
            rows = matches(answers)
            assert [row.index for row in rows] == list(range(1, whole.totals.retained + 1))
            assert [(row.path, row.line, row.ranges) for row in rows] == [
                (row.path, row.line, row.ranges) for row in matches([whole])
            ]
            expected = [
                (path, number)
                for path in sorted(tree, key=str.encode)
                for number, line in enumerate(tree[path].split("\n"), 1)
                if "needle" in line
            ]
            assert [(row.path, row.line) for row in rows] == expected
            assert all(utf8(answer.text) <= limits.RESPONSE_BYTES for answer in answers)
            assert all(answer.totals == whole.totals for answer in answers)

    asyncio.run(run())


async def test_the_text_of_pages_has_each_match_once_and_each_file_of_a_page_once(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=7, lines=9)
    searcher = Searcher(tmp_path)
    answers = await searcher.pages(await searcher.search("needle", limit=5))
    text = "".join(answer.text or "" for answer in answers)
    shown = re.findall(r"^ (\d+):1-7 \[(\d+)\] needle$", text, re.MULTILINE)
    assert [int(index) for _, index in shown] == list(range(1, 64))
    for answer in answers:
        headings = re.findall(r"^f\d+\.txt$", answer.text or "", re.MULTILINE)
        assert headings == sorted({row.path for row in matches([answer])})


async def test_a_page_of_text_stops_where_its_bytes_end_and_the_next_goes_on(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": ("漢" * 450 + " needle\n") * 60})
    searcher = Searcher(tmp_path)
    answers = await searcher.pages(await searcher.search("needle", limit=100), lambda: {"limit": 100})
    assert len(answers) > 3
    assert all(utf8(answer.text) <= limits.RESPONSE_BYTES for answer in answers)
    assert [row.index for row in matches(answers)] == list(range(1, 61))


async def test_every_text_names_its_cursor_and_how_to_go_on(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=40, lines=5)
    searcher = Searcher(tmp_path)
    summary = await searcher.search("needle")
    assert summary.text is not None
    assert f'sg.page {{"cursor":"{summary.cursor}"}}' in summary.text
    assert f'sg.page {{"snapshot":"{summary.snapshot}","path":["f000.txt"]}}' in summary.text
    page = await searcher.search("needle", limit=3)
    assert f'sg.page {{"cursor":"{page.cursor}"}}' in (page.text or "")
    assert f'sg.inspect {{"snapshot":"{page.snapshot}","matchIndex":1}}' in (page.text or "")
    later = await searcher.page(cursor=page.cursor, limit=3)
    assert f'sg.inspect {{"snapshot":"{page.snapshot}","matchIndex":4}}' in (later.text or "")


async def test_what_a_text_says_to_send_can_be_sent(tmp_path: Path) -> None:
    write_files(tmp_path, {'"\\ \x85\u2028\n.txt': "needle\n" * 101})
    searcher = Searcher(tmp_path)
    summary = await searcher.search("needle")
    calls = re.findall(r"sg\.page (\{.*\})$", summary.text or "", re.MULTILINE)
    assert len(calls) == 2
    for call in calls:
        assert (await searcher.page(**json.loads(call))).totals == summary.totals


async def test_a_file_is_found_by_its_name_as_a_text_shows_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"a\nb.txt": "needle\n", "c.txt": "needle\n", "d\x1b.txt": "needle\n" * 2})
    searcher = Searcher(tmp_path)
    summary = await searcher.search("needle", mode="summary")
    names = re.findall(r"^ *\d+  (.*)$", summary.text or "", re.MULTILINE)
    assert names == ["d\N{SYMBOL FOR ESCAPE}.txt", "a\N{SYMBOL FOR LINE FEED}b.txt", "c.txt"]
    for row, name in zip(summary.files or (), names, strict=True):
        assert paths(await searcher.page(snapshot=summary.snapshot, path=name)) == [row.path]


async def test_a_row_is_one_line_of_text_whatever_is_in_names_and_lines(tmp_path: Path) -> None:
    write_files(tmp_path, {"a\n\x1b[31m\u2029.txt": "\x1b]0;x\x07 a\x0b\x0c\x1c\x85\u2028\r needle\n"})
    answer = await Searcher(tmp_path).search("needle")
    assert answer.text is not None
    rows = [line for line in answer.text.splitlines() if "needle" in line]
    assert len(answer.text.splitlines()) == len(answer.text.split("\n")) - 1
    assert len(rows) == 1
    assert "\x1b" not in answer.text
    assert answer.matches is not None
    assert answer.matches[0].text == "\x1b]0;x\x07 a\x0b\x0c\x1c\x85\u2028\r needle"


async def test_context_lines_are_those_of_the_search_unless_a_page_asks_for_others(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 41)]
    lines[9] = lines[29] = "needle"
    write_files(tmp_path, {"a.txt": "\n".join(lines)})
    let_time_pass(tmp_path)
    searcher = Searcher(tmp_path)
    first = await searcher.search("needle", limit=1, context=2, after=1)
    (row,) = matches([first])
    assert (row.before, row.after) == (("line 8", "line 9"), ("line 11",))
    (row,) = matches([await searcher.page(cursor=first.cursor)])
    assert (row.before, row.after) == (("line 28", "line 29"), ("line 31",))
    (row,) = matches([await searcher.page(cursor=first.cursor, before=0)])
    assert (row.before, row.after) == ((), ("line 31",))
    (row,) = matches([await searcher.page(cursor=first.cursor, context=99)])
    assert row.before == tuple(lines[9:29])
    assert row.after == tuple(lines[30:])
    (row,) = matches([await searcher.page(cursor=first.cursor, context=0, after=-4)])
    assert (row.before, row.after) == (None, None)


async def test_text_folds_context_that_matches_share_and_never_shows_a_later_match_early(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"a.txt": "1\nneedle 2\n3\nneedle 4\n5\nneedle 6\n7\n"})
    let_time_pass(tmp_path)
    searcher = Searcher(tmp_path)
    first = await searcher.search("needle", limit=2, context=3)
    lines = [line.strip() for line in (first.text or "").splitlines() if line.startswith(" ")]
    assert lines == ["1- 1", "2:1-7 [1] needle 2", "3- 3", "4:1-7 [2] needle 4", "5- 5"]
    rows = matches([first])
    assert rows[0].after == ("3", "needle 4", "5")
    assert rows[1].before == ("1", "needle 2", "3")
    last = await searcher.page(cursor=first.cursor)
    assert "6:1-7 [3] needle 6" in (last.text or "")


async def test_context_of_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "above\nneedle\n"})
    let_time_pass(tmp_path)
    searcher = Searcher(tmp_path)
    answer = await searcher.search("needle", context=1)
    assert matches([answer])[0].before == ("above",)
    (tmp_path / "a.txt").write_text("other\nneedle\n")
    page = await searcher.page(snapshot=answer.snapshot)
    (row,) = matches([page])
    assert (row.before, row.context_unavailable, row.text) == (None, "changed", "needle")
    assert "context refused: changed" in (page.text or "")


async def test_context_that_does_not_fit_is_left_out_and_the_match_is_shown(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": ("漢" * 500 + "\n") * 20 + "needle\n" + ("漢" * 500 + "\n") * 20})
    let_time_pass(tmp_path)
    answer = await Searcher(tmp_path).search("needle", mode="matches", context=20)
    assert utf8(answer.text) <= limits.RESPONSE_BYTES
    assert "needle" in (answer.text or "")
    assert "context left out" in (answer.text or "")
    (row,) = matches([answer])
    assert row.before is not None
    assert len(row.before) == 20


async def test_a_summary_cursor_serves_as_often_as_it_is_asked(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=70, lines=2)
    summary = await command(client, "sg.search", {"pattern": "needle", "mode": "summary"})
    assert len(summary["files"]) == limits.SUMMARY_ROWS
    assert summary["text"].count("needle") == limits.SUMMARY_ROWS
    cursor = {"cursor": summary["cursor"]}
    for _ in range(3):
        page = await command(client, "sg.page", cursor)
        assert [row["path"] for row in page["files"]] == [f"f{number:03}.txt" for number in range(30, 60)]
        detail = await command(client, "sg.page", {**cursor, "path": "f069.txt"})
        assert [row["index"] for row in detail["matches"]] == [139, 140]
    assert all(name not in page for name in ("budget", "keptOut"))
    assert (page["totals"], page["rules"]) == (summary["totals"], summary["rules"])
    last = await command(client, "sg.page", {"cursor": page["cursor"]})
    assert len(last["files"]) == 10
    assert "cursor" not in last


async def test_detail_is_of_exactly_the_files_that_are_named(project: Path, client: LanguageClient) -> None:
    write_numbered(project, files=5, lines=2)
    summary = await command(client, "sg.search", {"pattern": "needle", "mode": "summary"})
    snapshot = {"snapshot": summary["snapshot"]}
    uri = (project / "f003.txt").as_uri()
    wanted: list[tuple[dict[str, Any], list[int]]] = [
        ({"path": "f003.txt"}, [3]),
        ({"path": ["f003.txt", "./f001.txt", "f003.txt"]}, [1, 3]),
        ({"path": str(project / "f003.txt")}, [3]),
        ({"uri": uri}, [3]),
        ({"uri": [uri], "path": ["f000.txt"]}, [0, 3]),
        ({}, [0, 1, 2, 3, 4]),
    ]
    for name, chosen in wanted:
        detail = await command(client, "sg.page", {**snapshot, **name})
        assert [row["path"] for row in detail["matches"]] == [
            f"f00{number}.txt" for number in chosen for _ in range(2)
        ]
    for path in ("f009.txt", "..", "/etc/passwd", "F003.TXT"):
        code, message = await refused(client, "sg.page", {**snapshot, "path": path})
        assert code == "invalid-params"
        assert message.startswith("path: ")
        assert path in message


async def test_a_match_cursor_continues_its_own_files_only(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=3, lines=5)
    searcher = Searcher(tmp_path)
    summary = await searcher.search("needle", mode="summary")
    detail = await searcher.page(snapshot=summary.snapshot, path=["f000.txt", "f002.txt"], limit=7)
    rest = await searcher.page(cursor=detail.cursor)
    assert [(row.index, row.path) for row in matches([rest])] == [
        (number, "f002.txt") for number in (13, 14, 15)
    ]
    same = await searcher.page(cursor=detail.cursor, path=["f002.txt", "f000.txt"])
    assert matches([same]) == matches([rest])
    for path in ("f000.txt", ["f001.txt", "f002.txt"]):
        with pytest.raises(CursorMismatch):
            await searcher.page(cursor=detail.cursor, path=path)


async def test_a_limit_is_not_remembered_by_a_cursor(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=1, lines=50)
    searcher = Searcher(tmp_path)
    first = await searcher.search("needle", limit=3)
    assert len(matches([await searcher.page(cursor=first.cursor)])) == limits.PAGE_ROWS_DEFAULT


async def test_a_released_snapshot_has_expired(client: LanguageClient, project: Path) -> None:
    write_numbered(project, files=1, lines=30)
    first = await command(client, "sg.search", {"pattern": "needle", "limit": 5})
    assert await command(client, "sg.clear", {"cursor": first["cursor"]}) == {"cleared": 1}
    assert await command(client, "sg.clear", {"cursor": first["cursor"]}) == {"cleared": 0}
    for word in ({"cursor": first["cursor"]}, {"snapshot": first["snapshot"]}):
        code, _ = await refused(client, "sg.page", word)
        assert code == "cursor-expired"
    second = await command(client, "sg.search", {"pattern": "needle", "limit": 5})
    assert await command(client, "sg.clear", {}) == {"cleared": 1}
    assert (await refused(client, "sg.page", {"snapshot": second["snapshot"]}))[0] == "cursor-expired"


async def test_the_oldest_of_too_many_snapshots_expires(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=1, lines=2)
    searcher = Searcher(tmp_path)
    first, second = [await searcher.search("needle") for _ in range(2)]
    for _ in range(limits.SNAPSHOTS - 2):
        await searcher.search("needle")
    await searcher.page(snapshot=first.snapshot)
    await searcher.search("needle")
    assert matches([await searcher.page(snapshot=first.snapshot)])
    with pytest.raises(CursorExpired):
        await searcher.page(snapshot=second.snapshot)


async def test_a_word_this_session_never_gave_is_unknown(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=1, lines=30)
    here, there = Searcher(tmp_path), Searcher(tmp_path)
    answer, other = await here.search("needle", limit=5), await there.search("needle", limit=5)
    assert answer.cursor is not None
    changed = [
        answer.cursor[:at] + ("A" if character != "A" else "B") + answer.cursor[at + 1 :]
        for at, character in enumerate(answer.cursor)
    ]
    for cursor in (other.cursor, "", "c", "é", "9" * 6_000, answer.cursor[:-1], answer.snapshot, *changed):
        with pytest.raises(CursorUnknown):
            await here.page(cursor=cursor)
    for snapshot in (
        other.snapshot,
        f"{answer.snapshot}0",
        "s",
        f"{answer.snapshot}{'9' * 6_000}",
        answer.cursor,
    ):
        with pytest.raises(CursorUnknown):
            await here.page(snapshot=snapshot)


async def test_one_of_cursor_and_snapshot_is_taken(tmp_path: Path) -> None:
    searcher = Searcher(tmp_path)
    for words in ({}, {"cursor": "c", "snapshot": "s"}):
        with pytest.raises(InvalidParams) as caught:
            await searcher.page(**words)
        assert caught.value.field == "cursor"


async def test_a_complete_answer_that_is_not_to_be_kept_leaves_nothing(tmp_path: Path) -> None:
    write_numbered(tmp_path, files=1, lines=30)
    searcher = Searcher(tmp_path)
    whole = await searcher.search("needle", keep=False, limit=100)
    assert (whole.snapshot, whole.cursor) == (None, None)
    assert "sg.inspect" not in (whole.text or "")
    assert searcher.service.snapshots_held() == ()
    part = await searcher.search("needle", keep=False, limit=10)
    assert part.snapshot is not None
    assert len(searcher.service.snapshots_held()) == 1
