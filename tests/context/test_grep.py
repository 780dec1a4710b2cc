import asyncio
import time
from typing import Any

import msgspec
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.addresses import entry_uri
from sg_server.context.bounds import ContextBounds
from sg_server.context.entries import new_entry
from sg_server.context.results import ContextGrepResult, GrepRow
from sg_server.context.store.interface import Store
from sg_server.context.store.sqlite import SqliteStore
from sg_server.errors import CursorExpired, CursorMismatch, CursorUnknown, InvalidParams
from sg_server.text.edits import EditedText
from sg_server.text.positions import Position, Range, TextView
from tests.grepping import Session, document, line_by_line, put
from tests.strategies import CHARACTERS

ENDLESS = "(x|xx)+[yz]"
SLOW = "x" * 3_000
SHORT = ContextBounds(entry_seconds=0.2)


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from((*CHARACTERS, *"aaAbB", "\u1e9e", "\n", "\r\n", "\r")), max_size=25).map(
        "".join
    )


def spans(rows: tuple[GrepRow, ...]) -> list[tuple[str | None, int | None, int | None]]:
    return [(row.id or row.uri, row.match_start, row.match_end) for row in rows]


def counts(result: ContextGrepResult) -> list[tuple[str | None, int | None]]:
    return [(row.id or row.uri, row.match_count or row.count) for row in result.results]


@settings(max_examples=100, deadline=None)
@given(
    given_texts=st.lists(texts(), min_size=1, max_size=4),
    pattern=st.sampled_from(["a", "[ab]+", "a*", "^", "$", r"\s", "(?r)a.", "\u00df", r".$", "\r"]),
    most=st.integers(1, 5),
)
async def test_pages_joined_are_what_a_plain_model_finds(
    *, given_texts: list[str], pattern: str, most: int
) -> None:
    documents = [document(f"untitled:{number}", text) for number, text in enumerate(given_texts)]
    compiled = regex.compile(pattern, regex.MULTILINE | regex.IGNORECASE)
    model = [(each.uri, *span) for each in documents for span in line_by_line(compiled, each.text)]
    answers = await Session(None, *documents).pages(
        pattern, is_regex=True, output_mode="content", max_matches=most
    )
    assert [span for answer in answers for span in spans(answer.results)] == model
    assert [answer.total_matches for answer in answers] == [len(answer.results) for answer in answers]
    assert all(len(answer.results) == most for answer in answers[:-1])
    counted = await Session(None, *documents).pages(
        pattern, is_regex=True, output_mode="count", max_matches=most
    )
    assert [each for answer in counted for each in counts(answer)] == [
        (uri, sum(1 for found in model if found[0] == uri))
        for uri in dict.fromkeys(found[0] for found in model)
    ]


@settings(max_examples=100, deadline=None)
@given(text=texts(), view=st.sampled_from(["utf-8", "utf-16", "utf-32"]), lone=st.booleans())
async def test_ranges_lead_an_editor_to_the_match(*, text: str, view: Any, lone: bool) -> None:
    seen = TextView(encoding=view, lone_cr_ends_line=lone)
    session = Session(None, document("untitled:1", text), view=seen)
    for row in (await session.grep("[^ ]+", is_regex=True, output_mode="content")).results:
        assert row.range is not None
        edited = EditedText(text, seen)
        edited.replace(row.range, "")
        assert edited.text == text[: row.match_start] + text[row.match_end :]


async def test_entries_come_newest_first_with_their_matches_by_position(store: Store) -> None:
    old = await put(store, "one needle\ntwo NEEDLE needle\n")
    await put(store, "nothing here")
    new = await put(store, "a needle")
    result = await Session(store).grep("needle", output_mode="content")
    assert spans(result.results) == [
        (new.id, 2, 8),
        (old.id, 4, 10),
        (old.id, 15, 21),
        (old.id, 22, 28),
    ]
    assert (result.mode, result.total_matches, result.truncated, result.cursor) == ("content", 4, False, None)
    second = result.results[2]
    assert (second.line_number, second.line, second.line_clipped) == (2, "two NEEDLE needle", False)
    assert second.range == Range(start=Position(line=1, character=4), end=Position(line=1, character=10))
    assert (second.before, second.after) == ((), ())


async def test_texts_are_listed_with_their_whole_counts(store: Store) -> None:
    old = await put(store, "needle " * 5)
    new = await put(store, "needle")
    session = Session(store)
    listed = await session.grep("needle")
    assert listed.mode == "files_with_matches"
    assert [(row.id, row.match_count, row.count) for row in listed.results] == [
        (new.id, 1, None),
        (old.id, 5, None),
    ]
    counted = await session.grep("needle", output_mode="count", max_matches=2)
    assert [(row.id, row.match_count, row.count) for row in counted.results] == [
        (new.id, None, 1),
        (old.id, None, 5),
    ]
    assert (counted.total_matches, counted.truncated) == (6, False)


async def test_filters_narrow_and_case_can_matter(store: Store) -> None:
    mine = await put(store, "Needle", thread_id="a", tags=["x"], metadata={"n": 1})
    await put(store, "needle", thread_id="a", tags=["y"])
    await put(store, "Needle", thread_id="b", tags=["x"])
    session = Session(store)
    assert counts(await session.grep("Needle", thread_id="a", tags=("X",))) == [(mine.id, 1)]
    assert counts(await session.grep("Needle", thread_id="a", case_sensitive=True)) == [(mine.id, 1)]


async def test_literal_and_regex_agree_whether_the_index_helps_or_not(store: Store) -> None:
    entry = await put(store, "Stra\u1e9ee \u017fet \u212aelvin i\u0307 \u0130stanbul")
    await put(store, "other")
    session = Session(store)
    for pattern in ("stra\u00dfe", "SET", "kelvin", "istanbul", "\u00df", "k"):
        for asked in ({"pattern": pattern}, {"pattern": pattern, "is_regex": True}):
            assert counts(await session.grep(**asked)) == [(entry.id, 1)], pattern
        assert counts(await session.grep(f"(?#no index){pattern}", is_regex=True)) == [(entry.id, 1)]


async def test_an_exact_fit_is_not_truncated(store: Store) -> None:
    await put(store, "no")
    await put(store, "needle needle")
    await put(store, "needle")
    for mode in ("content", "count", "files_with_matches"):
        result = await Session(store).grep("needle", output_mode=mode, max_matches=3)
        assert (result.total_matches, result.truncated, result.truncated_reasons) == (3, False, ())
    cut = await Session(store).grep("needle", output_mode="content", max_matches=2)
    assert (cut.total_matches, cut.truncated, cut.truncated_reasons) == (2, True, ("matches",))
    listed = await Session(store).grep("needle", max_matches=1)
    assert (listed.total_matches, listed.truncated_reasons) == (1, ("matches",))


async def test_a_page_goes_on_where_the_one_before_ended(store: Store) -> None:
    for number in range(4):
        await put(store, f"needle {number}\n" * 3)
    session = Session(store)
    whole = await session.grep("needle", output_mode="content")
    answers = await session.pages("needle", output_mode="content", max_matches=5)
    assert [len(answer.results) for answer in answers] == [5, 5, 2]
    assert tuple(row for answer in answers for row in answer.results) == whole.results
    listed = await session.pages("needle", max_matches=4)
    assert [row for answer in listed for row in answer.results] == list(
        (await session.grep("needle")).results
    )


async def test_what_comes_between_two_pages_is_on_neither(store: Store) -> None:
    await put(store, "needle needle")
    newer = await put(store, "needle")
    session = Session(store)
    first = await session.grep("needle", output_mode="content", max_matches=2)
    await put(store, "needle, newest")
    await store.delete([newer.id])
    second = await session.grep("needle", output_mode="content", max_matches=2, cursor=first.cursor)
    assert [row.match_start for row in (*first.results, *second.results)] == [0, 0, 7]


@pytest.mark.parametrize("change", ["replaced", "deleted"])
async def test_a_page_that_begins_in_a_changed_entry_is_refused(store: Store, change: str) -> None:
    entry = await put(store, "needle needle needle")
    session = Session(store)
    first = await session.grep("needle", output_mode="content", max_matches=2)
    if change == "deleted":
        await store.delete([entry.id])
    else:
        await store.put(new_entry(thread_id="t", source="user", text="a needle needle"), id=entry.id)
    with pytest.raises(CursorExpired, match=entry.id):
        await session.grep("needle", output_mode="content", cursor=first.cursor)


async def test_a_cursor_belongs_to_one_request_of_one_session(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "needle needle needle")
    session = Session(sqlite_store)
    cursor = (await session.grep("needle", output_mode="content", max_matches=1)).cursor
    assert cursor is not None
    assert "needle" not in cursor
    for changed in (
        {"pattern": "needles"},
        {"output_mode": "count"},
        {"case_sensitive": True},
        {"thread_id": "t"},
    ):
        params: dict[str, Any] = {"pattern": "needle", "output_mode": "content"} | changed
        with pytest.raises(CursorMismatch):
            await session.grep(cursor=cursor, **params)
    for broken in (cursor[:-2], "g" + cursor, "", "g", cursor[:8] + "A" + cursor[9:]):
        with pytest.raises(CursorUnknown):
            await session.grep("needle", output_mode="content", cursor=broken)
    with pytest.raises(CursorUnknown):
        await Session(sqlite_store).grep("needle", output_mode="content", cursor=cursor)
    other = await session.grep("needle", output_mode="content", max_matches=9, context_lines=1, cursor=cursor)
    assert [row.match_start for row in other.results] == [7, 14]


async def test_entries_beyond_the_cap_are_for_the_next_page(sqlite_store: SqliteStore) -> None:
    for number in range(5):
        await put(sqlite_store, f"zq {number}")
    session = Session(sqlite_store)
    answers = await session.pages("zq", max_entries_scanned=2)
    assert [answer.truncated_reasons for answer in answers] == [("entries",), ("entries",), ()]
    assert [len(answer.results) for answer in answers] == [2, 2, 1]
    assert "PARTIAL (entries): only 2 texts were looked at, the newest." in answers[0].text
    exact = await session.grep("zq", max_entries_scanned=5)
    assert exact.truncated is False


async def test_an_index_that_narrows_needs_no_cap(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "needle")
    for number in range(3):
        await put(sqlite_store, f"hay {number}")
    session = Session(sqlite_store, bounds=ContextBounds(entries=2))
    assert (await session.grep("needle")).truncated is False
    assert (await session.grep("needle")).total_matches == 1
    assert (await session.grep("n")).truncated_reasons == ("entries",)


async def test_context_lines_and_long_lines_are_cut(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "\n".join(["x" * 700, f"{'y' * 600}needle{'z' * 600}", *"abc"]))
    (row,) = (await Session(sqlite_store).grep("needle", output_mode="content", context_lines=99)).results
    assert row.line is not None
    assert (len(row.line), row.line_clipped) == (limits.LINE_CHARACTERS, True)
    assert "needle" in row.line
    assert (row.before, row.after) == (("x" * limits.LINE_CHARACTERS,), ("a", "b", "c"))


async def test_documents_come_before_entries_by_their_addresses(store: Store) -> None:
    entry = await put(store, "needle")
    session = Session(store, document("untitled:b", "needle"), document("untitled:a", "needle needle"))
    result = await session.grep("needle")
    assert counts(result) == [("untitled:a", 2), ("untitled:b", 1), (entry.id, 1)]
    answers = await session.pages("needle", output_mode="content", max_matches=1)
    assert [row.id or row.uri for answer in answers for row in answer.results] == [
        "untitled:a",
        "untitled:a",
        "untitled:b",
        entry.id,
    ]


async def test_an_entry_that_is_open_in_an_editor_is_told_once(sqlite_store: SqliteStore) -> None:
    entry = await put(sqlite_store, "needle")
    session = Session(sqlite_store, document(entry_uri(entry.id), "needle"))
    assert counts(await session.grep("needle")) == [(entry.id, 1)]


async def test_a_document_that_changed_between_two_pages_is_told() -> None:
    session = Session(None, document("untitled:a", "needle needle"))
    first = await session.grep("needle", output_mode="content", max_matches=1)
    session.documents = [document("untitled:a", "a needle needle", version=2)]
    with pytest.raises(CursorExpired, match="untitled:a has changed since the page before, or is gone"):
        await session.grep("needle", output_mode="content", cursor=first.cursor)


async def test_filters_on_entries_cannot_be_asked_of_documents() -> None:
    with pytest.raises(InvalidParams, match=r"^in: documents have no thread"):
        await Session(None, document("untitled:a", "")).grep("x", thread_id="t")


async def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidParams, match=r"^pattern: there is half a surrogate pair"):
        await Session().grep("a\ud800", in_=("documents",))


async def test_a_regex_that_takes_too_long_leaves_out_that_text(sqlite_store: SqliteStore) -> None:
    after = await put(sqlite_store, "xxy")
    slow = await put(sqlite_store, f"xxy\n{SLOW}")
    session = Session(sqlite_store, bounds=SHORT)
    for mode in ("content", "count"):
        result = await session.grep(ENDLESS, is_regex=True, output_mode=mode)
        assert [row.id for row in result.results] == [after.id]
        assert (result.total_matches, result.timed_out_ids) == (1, (slow.id,))
        assert (result.truncated, result.truncated_reasons) == (True, ("regex-timeout",))
        assert (
            f"PARTIAL (regex-timeout): the pattern took more than 0.2 s in 1 text, left out: {slow.id}."
            in result.text
        )


async def test_when_the_time_of_all_texts_is_up_the_next_page_goes_on(sqlite_store: SqliteStore) -> None:
    last = await put(sqlite_store, "xxy")
    slow = [(await put(sqlite_store, SLOW)).id for _ in range(3)]
    session = Session(sqlite_store, bounds=ContextBounds(entry_seconds=0.2, seconds=0.3))
    answers = await session.pages(ENDLESS, is_regex=True)
    assert answers[0].truncated_reasons[-1] == "scan-timeout"
    assert [row.id for answer in answers for row in answer.results] == [last.id]
    assert {id_ for answer in answers for id_ in answer.timed_out_ids or ()} == set(slow)


async def test_a_text_that_takes_all_time_there_is_does_not_stop_the_pages(sqlite_store: SqliteStore) -> None:
    last = await put(sqlite_store, "xxy")
    slow = await put(sqlite_store, SLOW)
    session = Session(sqlite_store, bounds=ContextBounds(entry_seconds=0.5, seconds=0.2))
    first, second = await session.pages(ENDLESS, is_regex=True)
    assert (first.timed_out_ids, first.truncated_reasons) == ((slow.id,), ("regex-timeout", "scan-timeout"))
    assert [row.id for row in second.results] == [last.id]


async def test_a_cancelled_grep_ends_with_the_text_in_hand(sqlite_store: SqliteStore) -> None:
    for _ in range(5):
        await put(sqlite_store, SLOW)
    session = Session(sqlite_store, bounds=ContextBounds(entry_seconds=0.5))
    began = time.process_time()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await session.grep(ENDLESS, is_regex=True)
    worked = time.process_time()
    assert worked - began < 1
    await asyncio.sleep(0.3)
    assert time.process_time() - worked < 0.2


async def test_two_greps_at_once_and_others_wait(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "needle")
    session = Session(sqlite_store)
    answers = await asyncio.gather(*(session.grep("needle") for _ in range(6)))
    assert [answer.total_matches for answer in answers] == [1] * 6


async def test_the_text_shows_lines_with_context_once(sqlite_store: SqliteStore) -> None:
    entry = await put(sqlite_store, "a\nneedle needle\nb\nc\n\u2028needle\x1b\nd")
    result = await Session(sqlite_store).grep("needle", output_mode="content", context_lines=2)
    assert result.text.splitlines() == [
        "3 matches in 1 text; 1 text looked at; complete.",
        "Matches as line [start-end] text; offsets count code points of the whole text from 0.",
        entry.id,
        "  1- a",
        "  2 [2-8] needle needle",
        "  2 [9-15] on the same line",
        "  3- b",
        "  4- c",
        "  5 [21-27] \ufffdneedle\u241b",
        "  6- d",
        "",
        "No more matches follow.",
        f'Around one: sg.context.read {{"id":"{entry.id}","startLine":1,"endLine":4}}',
    ]


async def test_the_text_lists_texts_and_says_how_to_go_on(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "needle")
    new = await put(sqlite_store, "needle\n" * 1_200)
    session = Session(sqlite_store)
    result = await session.grep("needle")
    assert result.text.splitlines() == [
        "1,200 matches in 1 text; 2 texts looked at.",
        "PARTIAL (matches): there are more matches; maxMatches is 100.",
        "Texts with their matches, counted to the end of each:",
        f" 1,200  {new.id}",
        "",
        f'More: the same request with "cursor":"{result.cursor}"',
        'Their lines: the same request with "outputMode":"content".',
    ]
    second = await session.grep("needle", cursor=result.cursor)
    assert second.text.startswith("From the cursor on: 1 match in 1 text; 1 text looked at; complete.\n")
    nothing = await session.grep("absent")
    assert nothing.text == "0 matches in 0 texts; 0 texts looked at; complete.\n\nNo more matches follow.\n"


async def test_a_text_without_room_names_a_cursor_of_its_own(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "\n".join(f"{number} needle {'h' * 60}" for number in range(1_000)))
    session = Session(sqlite_store)
    result = await session.grep("needle", output_mode="content", max_matches=1_000)
    assert (len(result.results), result.truncated, result.cursor) == (1_000, False, None)
    assert len(result.text.encode()) <= limits.RESPONSE_BYTES
    (rest,) = regex.findall(r"(?m)^([\d,]+) more rows follow in `results`, without room here\.$", result.text)
    (cursor,) = regex.findall(r'(?m)^More: the same request with "cursor":"(.*)"$', result.text)
    second = await session.grep("needle", output_mode="content", max_matches=1_000, cursor=cursor)
    assert second.results == result.results[-int(rest.replace(",", "")) :]


async def test_a_page_of_rows_has_a_bound_and_goes_on(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "\n".join(["needle" + "\u6f22" * 480] * 100))
    session = Session(sqlite_store)
    answers = await session.pages("needle", output_mode="content", context_lines=20)
    assert len(answers) > 1
    assert all(len(msgspec.json.encode(answer.results)) <= limits.GREP_ROWS_BYTES for answer in answers)
    assert answers[0].truncated_reasons == ("rows",)
    assert [row.line_number for answer in answers for row in answer.results] == list(range(1, 101))


async def test_many_matches_in_one_entry_are_counted_and_paged(sqlite_store: SqliteStore) -> None:
    await put(sqlite_store, "ab\n" * 100_000)
    session = Session(sqlite_store)
    assert counts(await session.grep("b", output_mode="count"))[0][1] == 100_000
    first = await session.grep("b", output_mode="content", max_matches=1_000)
    second = await session.grep("b", output_mode="content", max_matches=1_000, cursor=first.cursor)
    assert [row.line_number for row in second.results] == list(range(1_001, 2_001))
