"""What only a database that several share must do: keep them apart, and come back."""

import asyncio
import os
import signal
import sys

import psycopg
import pytest

from sg_server import limits
from sg_server.context.entries import NewEntry, new_entry
from sg_server.context.filters import Filters
from sg_server.context.store import postgresql
from sg_server.context.store.interface import NodeSummary, Store
from sg_server.context.store.opening import open_store
from sg_server.context.store.postgresql_schema import MIGRATIONS, bring_up_to_date
from sg_server.errors import EntryNotFound, InvalidParams, SignalGrepError, StoreUnavailable
from tests.databases import SUPERUSER, Database, Server

EVERY = Filters()
Shared = tuple[Store, Store]
SECRET = NodeSummary(node_id="secret", char_start=0, char_end=1, summary="of alice alone")


def note(text: str, **more: object) -> NewEntry:
    return new_entry(thread_id="t", source="user", text=text, **more)  # type: ignore[arg-type]


async def refusal(call: object) -> tuple[type, str, str | None]:
    with pytest.raises(SignalGrepError) as refused:
        await call  # type: ignore[misc]
    return type(refused.value), refused.value.message, refused.value.hint


async def texts(store: Store, *literals: str) -> list[str]:
    required = tuple((literal,) for literal in literals)
    return [
        found.text async for batch in store.scan(EVERY, required=required, before=None) for found in batch
    ]


async def test_an_unreadable_entry_does_not_exist(shared: Shared, database: Database) -> None:
    alice, bob = shared
    hidden = await alice.put(note("needle of alice", tags=("x",), metadata={"k": 1}))
    await alice.keep_summaries(hidden.id, version=1, summary=None, nodes=[SECRET])
    assert (await alice.health()).entries == 1
    keeper = open_store(database.address(SUPERUSER))
    for other in (bob, keeper):
        assert (await other.health()).entries == 0
        assert await other.page(EVERY, limit=9, before=None) == ()
        assert (
            await texts(other) == await texts(other, "needle") == await texts(other, "needle", "alice") == []
        )
        assert await other.node_summaries(hidden.id) == ()
        assert not await other.keep_summaries(hidden.id, version=1, summary="mine", nodes=[])
        assert await other.delete_matching(EVERY, confirm=0) == 0
        nobody = "f" * 32
        for given in (hidden.id, hidden.id[:12]):
            for act in (other.get, lambda id_: other.put(note(""), id=id_), lambda id_: other.delete([id_])):  # noqa: B023 - called at once
                missing = await refusal(act(nobody[: len(given)]))
                kind, message, hint = await refusal(act(given))
                assert (kind, message.replace(given, nobody[: len(given)]), hint) == missing
    await keeper.close()
    assert (await alice.get(hidden.id)).text == "needle of alice"
    assert await alice.node_summaries(hidden.id) == (SECRET,)


async def test_prefixes_are_of_readable_entries_only(shared: Shared) -> None:
    alice, bob = shared
    hidden = await alice.put(note("hidden"))
    shown = await alice.put(note("shown", readers=("bob",)))
    prefix = shown.id[:8]
    assert hidden.id.startswith(prefix)
    assert (await bob.get(prefix)).id == shown.id


@pytest.mark.parametrize("readers", ["*", ("carol", "bob")])
async def test_a_reader_reads_and_no_more(shared: Shared, readers: str | tuple[str, ...]) -> None:
    alice, bob = shared
    entry = await alice.put(note("needle for both", readers=readers))
    await alice.keep_summaries(entry.id, version=1, summary=None, nodes=[SECRET])
    assert await bob.get(entry.id) == entry
    assert entry.owner == "alice"
    assert await texts(bob) == await texts(bob, "needle") == ["needle for both"]
    assert [head.id for head in await bob.page(EVERY, limit=9, before=None)] == [entry.id]
    assert await bob.node_summaries(entry.id) == (SECRET,)
    for call in (bob.put(note("mine"), id=entry.id), bob.delete([entry.id])):
        kind, message, _ = await refusal(call)
        assert kind is InvalidParams
        assert "belongs to alice" in message
    assert await bob.delete_matching(EVERY, confirm=0) == 0
    assert not await bob.keep_summaries(entry.id, version=1, summary="mine", nodes=[])
    assert await alice.get(entry.id) == entry
    await alice.put(note("needle for alice"), id=entry.id)
    assert await texts(bob, "needle") == []
    assert (await refusal(bob.get(entry.id)))[0] is EntryNotFound


async def test_no_client_can_claim_to_be_another(shared: Shared, database: Database) -> None:
    alice, _ = shared
    entry = await alice.put(note("needle of alice"))
    await alice.keep_summaries(entry.id, version=1, summary=None, nodes=[SECRET])
    mine = "SELECT count(*) FROM signal_grep.entries"
    assert database.sql(mine, role="alice") == [(1,)]
    for query in (mine, "SELECT count(*) FROM signal_grep.node_summaries"):
        assert database.sql(query, role="bob") == [(0,)]
    attempts = {
        "UPDATE signal_grep.entries SET owner = 'bob' RETURNING id": [],
        "DELETE FROM signal_grep.entries RETURNING id": [],
        "UPDATE signal_grep.node_summaries SET summary = '' RETURNING id": [],
        f"SELECT signal_grep.index_entry('{entry.id}', '{{1}}')": [(None,)],
    }
    for query, answer in attempts.items():
        assert database.sql(query, role="bob") == answer, query
    insert = (
        "INSERT INTO signal_grep.entries SELECT gen_random_uuid(), 't', 'user', 'text', '{}', '{}', NULL,"
        " 'alice', '{}', false, 1, 0, 0, 0, ''"
    )
    for query in (
        insert,
        "SELECT * FROM signal_grep.trigrams",
        "DELETE FROM signal_grep.trigrams",
        "ALTER TABLE signal_grep.entries DISABLE ROW LEVEL SECURITY",
        "SET ROLE alice",
        "UPDATE signal_grep.schema_version SET version = 0",
        "CREATE TABLE signal_grep.other ()",
    ):
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)):
            database.sql(query, role="bob")
    assert await texts(alice, "needle") == ["needle of alice"]


async def test_the_role_that_owns_the_tables_is_a_client_like_any_other(
    shared: Shared, database: Database
) -> None:
    alice, bob = shared
    assert await alice.page(EVERY, limit=1, before=None) == ()
    entry = await bob.put(note("needle of bob"))
    await bob.keep_summaries(entry.id, version=1, summary=None, nodes=[SECRET])
    assert database.sql("SELECT tableowner FROM pg_tables WHERE schemaname = 'signal_grep'")[0] == ("alice",)
    for query in (
        "SELECT id FROM signal_grep.entries",
        "SELECT id FROM signal_grep.node_summaries",
        "DELETE FROM signal_grep.entries RETURNING id",
    ):
        assert database.sql(query, role="alice") == []
    assert await texts(bob, "needle") == ["needle of bob"]


async def test_an_owner_cannot_give_an_entry_away(shared: Shared, database: Database) -> None:
    alice, _ = shared
    await alice.put(note("needle"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.sql("UPDATE signal_grep.entries SET owner = 'bob'", role="alice")


async def test_functions_of_another_schema_are_not_called_for_ours(
    shared: Shared, database: Database
) -> None:
    alice, bob = shared
    await alice.put(note("needle", readers="*"))
    database.sql("CREATE SCHEMA evil AUTHORIZATION bob; GRANT USAGE ON SCHEMA evil TO PUBLIC")
    database.sql(
        "CREATE FUNCTION evil.contains(integer[], integer[]) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        role="bob",
    )
    database.sql(
        "CREATE OPERATOR evil.@> (FUNCTION = evil.contains, LEFTARG = integer[], RIGHTARG = integer[])",
        role="bob",
    )
    query = "SELECT count(*) FROM signal_grep.holding('{1,2,3}')"
    with psycopg.connect(database.address("bob"), options="-c search_path=evil,pg_catalog") as connection:
        assert connection.execute(query).fetchall() == [(0,)]
    assert await texts(bob, "needle") == ["needle"]


async def test_a_reader_cannot_spoil_the_index(shared: Shared, database: Database) -> None:
    alice, bob = shared
    entry = await alice.put(note("needle for all", readers="*"))
    spoil = f"SELECT signal_grep.index_entry('{entry.id}', '{{1}}')"
    assert database.sql(spoil, role="bob") == [(None,)]
    assert await texts(alice, "needle") == await texts(bob, "needle") == ["needle for all"]


async def test_a_literal_is_looked_for_in_the_index(shared: Shared, database: Database) -> None:
    alice, _ = shared
    await alice.put(note("needle in the hay"))
    body = database.sql("SELECT prosrc FROM pg_proc WHERE proname = 'holding'")[0][0]
    with psycopg.connect(database.address("alice"), options="-c enable_seqscan=off") as connection:
        plan = connection.execute("EXPLAIN " + body.replace("$1", "'{1,2,3}'")).fetchall()
    assert any("trigrams_of_entries" in line for (line,) in plan), plan
    settings = database.sql("SELECT proconfig, prosecdef FROM pg_proc WHERE proname = 'holding'")
    assert settings == [(["search_path=pg_catalog, pg_temp", "enable_seqscan=off"], True)]


async def test_several_servers_make_the_schema_at_once(database: Database) -> None:
    stores = [open_store(database.address(role)) for role in ("alice", "bob") * 4]
    entries = await asyncio.gather(*(store.put(note("first words")) for store in stores))
    assert len({entry.id for entry in entries}) == 8
    assert database.sql("SELECT version FROM signal_grep.schema_version") == [(len(MIGRATIONS),)]
    for store in stores:
        await store.close()


async def test_a_role_that_may_not_make_the_schema_is_told_who_may(database: Database) -> None:
    database.sql(f"REVOKE CREATE ON DATABASE {database.name} FROM PUBLIC")
    bob = open_store(database.address("bob"))
    kind, message, hint = await refusal(bob.health())
    assert kind is StoreUnavailable
    assert "bob may not set up the schema" in message
    assert "Connect once as a role that may create it" in str(hint)
    keeper = open_store(database.address(SUPERUSER))
    await keeper.health()
    assert (await bob.put(note("now"))).owner == "bob"
    await bob.close()
    await keeper.close()


async def test_migrations_go_forwards_only(shared: Shared, database: Database) -> None:
    alice, _ = shared
    entry = await alice.put(note("kept"))
    longer = (*MIGRATIONS, "ALTER TABLE signal_grep.entries ADD COLUMN more text")
    for role in (SUPERUSER, "alice"):
        async with await psycopg.AsyncConnection.connect(
            database.address(role), autocommit=True
        ) as connection:
            if role == "alice":
                assert await bring_up_to_date(connection, longer) == 2
    await alice.close()
    kind, message, _ = await refusal(alice.get(entry.id))
    assert kind is StoreUnavailable
    assert "newer server" in message
    assert database.sql("SELECT version FROM signal_grep.schema_version") == [(2,)]


async def test_a_migration_that_fails_leaves_nothing_behind(shared: Shared, database: Database) -> None:
    broken = (*MIGRATIONS, "CREATE TABLE signal_grep.half (); SELECT 1 / 0")
    async with await psycopg.AsyncConnection.connect(
        database.address("alice"), autocommit=True
    ) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            await bring_up_to_date(connection, broken)
    assert database.sql("SELECT to_regclass('signal_grep.half')") == [(None,)]
    assert (await shared[0].health()).schema_version == 1


async def test_a_database_that_cannot_hold_every_text_is_refused(database: Database) -> None:
    database.sql(f"CREATE DATABASE {database.name}_latin ENCODING 'LATIN1' TEMPLATE template0")
    latin = Database(database.server, f"{database.name}_latin")
    store = open_store(latin.address(SUPERUSER))
    kind, message, _ = await refusal(store.health())
    assert (kind, "LATIN1" in message) == (StoreUnavailable, True)
    assert latin.sql("SELECT to_regnamespace('signal_grep')") == [(None,)]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://alice:hunter2@/nowhere?host=/tmp/no-such-folder", "No such file"),
        ("postgresql://alice:hunter2@/nowhere?hunter2", "cannot be read"),
        ("postgresql://alice:hunter2@127.0.0.1:1/nowhere", "refused"),
    ],
)
async def test_an_address_that_leads_nowhere_is_said_without_its_password(address: str, said: str) -> None:
    kind, message, hint = await refusal(open_store(address).health())
    assert kind is StoreUnavailable
    assert said in message
    assert "hunter2" not in f"{message}{hint}"


async def test_without_the_extra_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, postgresql.__name__, None)
    with pytest.raises(StoreUnavailable) as refused:
        open_store("postgresql://alice@/db")
    assert "pip install 'signal-grep[postgres]'" in str(refused.value.hint)


async def test_a_server_that_stops_under_load_loses_nothing(debian_server: Server) -> None:
    database = debian_server.create()
    store = open_store(database.address("alice"))
    acknowledged: list[str] = []
    failures: list[StoreUnavailable] = []
    enough, failed = asyncio.Event(), asyncio.Event()

    async def writer(name: str) -> None:
        number = 0
        while not failed.is_set():
            try:
                entry = await store.put(note(f"{name} {number}"))
            except StoreUnavailable as error:
                failures.append(error)
                failed.set()
            else:
                acknowledged.append(entry.id)
                number += 1
                if len(acknowledged) == 30:
                    enough.set()

    writers = [asyncio.create_task(writer(name)) for name in ("one", "two", "three")]
    await enough.wait()
    await asyncio.to_thread(debian_server.stop)
    try:
        await asyncio.gather(*writers)
        kind, message, hint = await refusal(store.get(acknowledged[0]))
        assert kind is StoreUnavailable
        assert "cannot be used" in message
        assert hint
    finally:
        await asyncio.to_thread(debian_server.start)
    kept = {head.id for head in await store.page(EVERY, limit=10_000, before=None)}
    assert failures
    assert set(acknowledged) <= kept
    assert len(await texts(store)) == len(kept)
    await store.close()


async def test_a_restart_between_two_commands_is_not_noticed(debian_server: Server) -> None:
    store = open_store(debian_server.create().address("alice"))
    entry = await store.put(note("before"))
    await asyncio.to_thread(debian_server.stop)
    await asyncio.to_thread(debian_server.start)
    assert (await store.get(entry.id)).text == "before"
    await store.close()


async def test_a_database_that_stops_answering_is_given_up(
    debian_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = debian_server.create()
    store = open_store(database.address("alice"))
    entry = await store.put(note("before"))
    monkeypatch.setattr(limits, "STORE_ANSWER_SECONDS", 0.2)
    backends = database.sql(
        "SELECT pid FROM pg_stat_activity WHERE usename = 'alice' AND datname = %s", database.name
    )
    for (pid,) in backends:
        os.kill(pid, signal.SIGSTOP)
    try:
        kind, message, _ = await refusal(store.get(entry.id))
    finally:
        for (pid,) in backends:
            os.kill(pid, signal.SIGCONT)
    assert (kind, "did not answer" in message) == (StoreUnavailable, True)
    monkeypatch.undo()
    assert (await store.get(entry.id)).text == "before"
    await store.close()


async def test_a_schema_that_was_dropped_is_made_again(shared: Shared, database: Database) -> None:
    alice, _ = shared
    await alice.put(note("gone"))
    database.sql("DROP SCHEMA signal_grep CASCADE")
    assert (await refusal(alice.health()))[0] is StoreUnavailable
    assert (await alice.health()).entries == 0
    assert (await alice.put(note("new"))).version == 1


async def test_a_cancelled_call_leaves_the_store_in_order(shared: Shared) -> None:
    alice, _ = shared
    entry = await alice.put(note("one"))
    for _ in range(20):
        call = asyncio.create_task(alice.put(note("two" * 1000), id=entry.id))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
    now = await alice.get(entry.id)
    assert now.text in {"one", "two" * 1000}
    assert await texts(alice, now.text[:3]) == [now.text]
