"""What every back end does alike."""

import asyncio
import itertools
from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.entries import Entry, NewEntry, new_entry
from sg_server.context.filters import Filters, MetadataFilter
from sg_server.context.store.interface import NodeSummary, Required, Store, StoredText
from sg_server.errors import AmbiguousPrefix, EntryChanged, EntryNotFound, InvalidParams
from sg_server.text.folding import fold

EVERY = Filters()
NOWHERE = "0" * 32


def note(text: str = "text", *, thread: str = "t", **more: object) -> NewEntry:
    return new_entry(thread_id=thread, source="user", text=text, **more)  # type: ignore[arg-type]


async def put_all(store: Store, texts: Iterable[str]) -> list[Entry]:
    return [await store.put(note(text)) for text in texts]


async def scanned(
    store: Store,
    *,
    required: Required = (),
    filters: Filters = EVERY,
    before: str | None = None,
    batch_bytes: int = limits.STORE_BATCH_BYTES,
) -> list[StoredText]:
    batches = store.scan(filters, required=required, before=before, batch_bytes=batch_bytes)
    return [text async for batch in batches for text in batch]


async def texts_with(store: Store, literal: str) -> list[str]:
    return [found.text for found in await scanned(store, required=((fold(literal),),))]


async def test_what_is_put_comes_back_as_it_was_given(store: Store) -> None:
    given = note(
        "a\r\nb\rc\n\u2028\ufeff e\u0301 é 漢 𝄞 \x01\x7f\uffff",
        thread=" A thread ",
        content_type="multimodal",
        tags=(" Plan ", "plan", "ÄRGER"),
        metadata={"z": [1, 2.5, True, None, {"é": "𝄞"}], "a": 10**30},
        summary="what it is",
        readers=("bob", "Carol Ann"),
    )
    stored = await store.put(given)
    assert await store.get(stored.id) == stored
    assert stored.text == given.text
    assert (stored.thread_id, stored.source, stored.content_type) == (" A thread ", "user", "multimodal")
    assert (stored.tags, stored.readers) == (("plan", "ärger"), ("bob", "Carol Ann"))
    assert list(stored.metadata) == ["z", "a"]
    assert stored.metadata == {"z": [1, 2.5, True, None, {"é": "𝄞"}], "a": 10**30}
    assert (stored.summary, stored.version, stored.characters) == ("what it is", 1, len(given.text))
    assert stored.created_at == stored.updated_at


async def test_an_empty_text_can_be_kept(store: Store) -> None:
    entry = await store.put(note(""))
    assert (await store.get(entry.id)).text == ""
    assert [found.text for found in await scanned(store)] == [""]


async def test_ids_ascend(store: Store) -> None:
    ids = [entry.id for entry in await put_all(store, "abcdefgh")]
    assert ids == sorted(ids)
    assert [head.id for head in await store.page(EVERY, limit=10, before=None)] == ids[::-1]


async def test_replacing_keeps_the_id_and_tells_the_version(store: Store) -> None:
    first = await store.put(note("old text", tags=("old",), readers="*"))
    second = await store.put(note("new", thread="u"), id=first.id, expected_version=1)
    assert (second.id, second.version, second.text, second.tags) == (first.id, 2, "new", ())
    assert (second.created_at, second.owner, second.readers) == (first.created_at, first.owner, ())
    assert second.updated_at >= first.updated_at
    assert await store.get(first.id) == second
    assert await texts_with(store, "old text") == []
    assert await texts_with(store, "new") == ["new"]


async def test_replacing_a_text_by_itself_leaves_it_findable(store: Store) -> None:
    entry = await store.put(note("the same"))
    await store.put(note("the same", tags=("more",)), id=entry.id)
    assert await texts_with(store, "same") == ["the same"]


async def test_a_stale_version_is_refused_and_nothing_lost(store: Store) -> None:
    entry = await store.put(note("one"))
    await store.put(note("two"), id=entry.id, expected_version=1)
    with pytest.raises(EntryChanged) as refused:
        await store.put(note("three"), id=entry.id, expected_version=1)
    assert (await store.get(entry.id)).text == "two"
    assert "version 2, not 1" in refused.value.message


async def test_of_two_writers_with_one_version_one_wins(store: Store) -> None:
    entry = await store.put(note("start"))

    async def write(text: str) -> str | None:
        try:
            await store.put(note(text), id=entry.id, expected_version=1)
        except EntryChanged:
            return None
        return text

    written = [text for text in await asyncio.gather(*(write(f"w{n}") for n in range(8))) if text]
    assert len(written) == 1
    now = await store.get(entry.id)
    assert (now.text, now.version) == (written[0], 2)


async def test_writers_without_a_version_all_count(store: Store) -> None:
    entry = await store.put(note("start"))
    await asyncio.gather(*(store.put(note(f"w{n}"), id=entry.id) for n in range(8)))
    assert (await store.get(entry.id)).version == 9


async def test_an_id_can_be_given_in_several_ways(store: Store) -> None:
    entry = await store.put(note())
    digits = entry.id
    hyphenated = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    for way in (digits, digits.upper(), f"  {hyphenated}\n", digits[:31], digits[:8], digits[:8].upper()):
        assert (await store.get(way)).id == digits
    for wrong in (
        digits[:7],
        digits + "0",
        "g" * 32,
        hyphenated[:-1],
        hyphenated.replace("-", "", 1),
        "",
        "%" * 8,
    ):
        with pytest.raises(InvalidParams) as refused:
            await store.get(wrong)
        assert refused.value.field == "id"


async def test_a_prefix_must_name_one_entry(store: Store) -> None:
    first, second = await put_all(store, "ab")
    common = first.id[:8]
    assert second.id.startswith(common)
    for call in (store.get(common), store.put(note(), id=common), store.delete([common])):
        with pytest.raises(AmbiguousPrefix):
            await call
    await store.delete([first.id])
    assert (await store.get(common)).id == second.id


async def test_what_is_not_there_is_said_so(store: Store) -> None:
    for call in (store.get(NOWHERE), store.put(note(), id=NOWHERE), store.delete([NOWHERE])):
        with pytest.raises(EntryNotFound) as refused:
            await call
        assert refused.value.message == f"Context entry not found: {NOWHERE}"
    assert await store.node_summaries(NOWHERE) == ()


async def test_pages_add_up_to_the_whole(store: Store) -> None:
    ids = [entry.id for entry in await put_all(store, map(str, range(7)))]
    listed: list[str] = []
    before = None
    while heads := await store.page(EVERY, limit=3, before=before):
        listed += [head.id for head in heads]
        before = heads[-1].id
    assert listed == ids[::-1]


async def test_a_page_goes_on_where_its_last_entry_was_deleted(store: Store) -> None:
    ids = [entry.id for entry in await put_all(store, "abcd")]
    await store.delete([ids[2]])
    assert [head.id for head in await store.page(EVERY, limit=9, before=ids[2])] == [ids[1], ids[0]]
    assert [found.id for found in await scanned(store, before=ids[2])] == [ids[1], ids[0]]


async def test_every_filter_narrows_pages_and_scans_alike(store: Store) -> None:
    wanted = await store.put(
        new_entry(
            thread_id="plan",
            source="agent",
            text="needle",
            content_type="multimodal",
            tags=["a", "b"],
            metadata={"status": "Open", "n": {"deep": 3}},
        )
    )
    other = await store.put(note("needle", thread="other", tags=["c"], metadata={"status": "closed"}))
    is_open = MetadataFilter(path=("status",), operator="eq", values=("open",), case_sensitive=False)
    is_deep = MetadataFilter(path=("n", "deep"), operator="gte", values=(3,), case_sensitive=False)
    for filters in (
        Filters(thread_id="plan"),
        Filters(source="agent"),
        Filters(content_type="multimodal"),
        Filters(tags=("x", "b")),
        Filters(tags=("a", "b")),
        Filters(metadata=(is_open, is_deep)),
        Filters(thread_id="plan", source="agent", tags=("a",), metadata=(is_open,)),
    ):
        for required in ((), (("needle",),)):
            assert [found.id for found in await scanned(store, filters=filters, required=required)] == [
                wanted.id
            ]
        assert [head.id for head in await store.page(filters, limit=5, before=None)] == [wanted.id]
    for filters in (
        Filters(thread_id="plan", source="user"),
        Filters(tags=("d",)),
        Filters(thread_id="PLAN"),
    ):
        assert not await scanned(store, filters=filters)
        assert not await store.page(filters, limit=5, before=None)
    assert [found.id for found in await scanned(store)] == [other.id, wanted.id]


async def test_deleting_takes_all_or_nothing(store: Store) -> None:
    first, second = await put_all(store, ["first one", "second one"])
    with pytest.raises(EntryNotFound):
        await store.delete([first.id, NOWHERE])
    assert len(await scanned(store)) == 2
    assert await store.delete([first.id, first.id[:20], second.id]) == 2
    assert await scanned(store) == []
    assert await texts_with(store, "one") == []


async def test_deleting_by_filters_wants_their_number(store: Store) -> None:
    kept = await store.put(note("kept", thread="kept"))
    await put_all(store, "abc")
    with pytest.raises(InvalidParams) as refused:
        await store.delete_matching(Filters(thread_id="t"), confirm=2)
    assert (refused.value.field, len(await scanned(store))) == ("confirm", 4)
    assert await store.delete_matching(Filters(thread_id="t"), confirm=3) == 3
    assert [found.id for found in await scanned(store)] == [kept.id]
    assert await store.delete_matching(Filters(thread_id="t"), confirm=0) == 0


async def test_summaries_of_sections_live_as_long_as_their_version(store: Store) -> None:
    entry = await store.put(note("# A\n"))
    nodes = tuple(
        NodeSummary(node_id=name, char_start=0, char_end=4, summary=f"of {name}") for name in ("b", "a", "é")
    )
    assert await store.keep_summaries(entry.id, version=1, summary="of all", nodes=nodes)
    assert await store.node_summaries(entry.id) == nodes
    assert (await store.get(entry.id)).summary == "of all"
    assert await store.keep_summaries(entry.id, version=1, summary=None, nodes=nodes[:1])
    assert await store.node_summaries(entry.id) == nodes[:1]
    kept = await store.get(entry.id)
    assert (kept.summary, kept.version) == ("of all", 1)
    await store.put(note("# A\n"), id=entry.id)
    assert await store.node_summaries(entry.id) == ()
    assert not await store.keep_summaries(entry.id, version=1, summary="late", nodes=nodes)
    assert await store.node_summaries(entry.id) == ()
    assert (await store.get(entry.id)).summary is None
    assert await store.keep_summaries(entry.id, version=2, summary=None, nodes=nodes)
    await store.delete([entry.id])
    assert await store.node_summaries(entry.id) == ()
    assert not await store.keep_summaries(entry.id, version=2, summary=None, nodes=nodes)


async def test_batches_are_bounded(store: Store) -> None:
    half = "x" * (limits.STORE_BATCH_BYTES // 2 + 1)
    await put_all(store, [half] * 3 + ["small"] * 3)
    batches = [batch async for batch in store.scan(EVERY, required=(), before=None)]
    assert sum(map(len, batches)) == 6
    for batch in batches:
        assert sum(len(found.text) for found in batch[:-1]) <= limits.STORE_BATCH_BYTES
    one_by_one = store.scan(EVERY, required=(), before=None, batch_bytes=1)
    assert [len(batch) async for batch in one_by_one] == [1] * 6


async def test_many_entries_come_in_order_whether_narrowed_or_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STORE_BATCH_ENTRIES", 7)
    entries = await put_all(store, [f"number {n:03}" + "." * (n % 30) for n in range(60)])
    newest_first = [entry.id for entry in entries][::-1]
    find = partial(scanned, store, batch_bytes=100)
    assert [found.id for found in await find()] == newest_first
    assert [found.id for found in await find(required=(("number",),))] == newest_first
    for at in (1, 20, 59):
        expected = newest_first[at + 1 :]
        assert [found.id for found in await find(before=newest_first[at])] == expected
        narrowed = await find(required=(("number",),), before=newest_first[at])
        assert [found.id for found in narrowed] == expected


async def test_a_scan_meets_what_happens_meanwhile(store: Store) -> None:
    is_open = MetadataFilter(path=("open",), operator="eq", values=(True,), case_sensitive=False)
    for filters, required in itertools.product(
        (Filters(thread_id="t"), Filters(metadata=(is_open,))), ((), (("entry",),))
    ):
        entries = [await store.put(note(f"entry {n}", metadata={"open": True})) for n in range(4)]
        seen: list[str] = []
        async for batch in store.scan(filters, required=required, before=None, batch_bytes=1):
            seen += [found.text for found in batch]
            if len(seen) == 1:
                await store.put(note("entry late", metadata={"open": True}))
                await store.delete([entries[2].id])
                await store.put(note("entry moved", thread="other"), id=entries[1].id)
        assert seen == ["entry 3", "entry 0"]
        await store.delete_matching(EVERY, confirm=4)


async def test_the_index_finds_whatever_has_the_literal(store: Store) -> None:
    texts = [
        'say "hi"; -- %_*',
        "STRAẞE und Straße",
        "\u212aelvin \u017furf",
        "iIİ\u0131 stop",
        "漢字かな𝄞𝄞𝄞",
        "a.b(c)",
    ]
    await put_all(store, texts)
    for text in texts:
        for start in range(len(text) - 2):
            assert text in await texts_with(store, text[start : start + 5]), text[start : start + 5]
    assert await texts_with(store, "kelvin surf") == [texts[2]]
    assert await texts_with(store, "IIII STOP") == [texts[3]]
    assert await texts_with(store, "nowhere") == []


async def test_required_literals_are_all_of_any(store: Store) -> None:
    await put_all(store, ["red apple", "green apple", "green pear", "blue plum"])

    async def found(*required: tuple[str, ...]) -> list[str]:
        return sorted(one.text for one in await scanned(store, required=required))

    assert await found(("apple", "pear"), ("green",)) == ["green apple", "green pear"]
    assert await found(("apple",), ("red", "blue")) == ["red apple"]
    assert await found(("apple", "pear", "plum"), ("un",)) == sorted(
        ["red apple", "green apple", "green pear", "blue plum"]
    )
    assert await found(("apple", "pl")) == sorted(["red apple", "green apple", "green pear", "blue plum"])
    assert store.narrows((("apple",), ("un",)))
    assert not store.narrows((("apple", "pl"),))
    assert not store.narrows(())


async def test_what_no_entry_can_hold_is_found_in_none(store: Store) -> None:
    await put_all(store, ["apple", "pear"])
    for impossible in ("app\0le", "app\ud800le"):
        assert await scanned(store, required=((impossible,),)) == []
        assert [found.text for found in await scanned(store, required=((impossible, "pear"),))] == ["pear"]


async def test_a_literal_of_any_length_is_taken(store: Store) -> None:
    long = "".join(map(chr, range(0x4E00, 0x4E00 + limits.GREP_PATTERN_CHARACTERS)))
    await put_all(store, [long, "short"])
    assert await texts_with(store, long) == [long]
    assert await texts_with(store, "short" * 1000) == []


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.text(st.sampled_from("aAbßẞ\"'\\ %\n\r\u017fSk\u212aiİ\u0131漢𝄞"), max_size=12), max_size=6
    ),
    literal=st.text(st.sampled_from("aAbßẞ\"'\\ %\u017fSk\u212aiİ\u0131漢𝄞"), min_size=3, max_size=5),
)
async def test_the_index_never_misses(sqlite_store: Store, texts: list[str], literal: str) -> None:
    present = [*texts, f"x{literal.swapcase()[:5]}y", literal]
    await put_all(sqlite_store, present)
    found = set(await texts_with(sqlite_store, literal))
    assert {text for text in present if fold(literal) in fold(text)} <= found


async def test_health_tells_what_is_there(store: Store) -> None:
    await put_all(store, "ab")
    health = await store.health()
    assert (health.entries, health.schema_version) == (2, 1)
    assert health.caller == (await store.put(note())).owner
    assert health.kind in health.program.lower()


async def test_a_closed_store_opens_again(store: Store) -> None:
    entry = await store.put(note("kept"))
    await store.close()
    await store.close()
    assert (await store.get(entry.id)).text == "kept"
