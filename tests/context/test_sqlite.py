"""What a file must survive: being killed, locked, full, damaged, or somebody else's."""

import asyncio
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sg_server import limits
from sg_server.context.entries import Entry, NewEntry, new_entry
from sg_server.context.filters import Filters
from sg_server.context.store.sqlite import SqliteStore
from sg_server.context.store.sqlite_file import APPLICATION_ID, MIGRATIONS, open_file
from sg_server.errors import StoreUnavailable

EVERY = Filters()
WRITER = """
import asyncio, sys
from sg_server.context.entries import new_entry
from sg_server.context.store.sqlite import SqliteStore

async def main():
    store = SqliteStore(sys.argv[1])
    for number in range(1000):
        text = f"entry {number} " + "body " * 500
        entry = await store.put(new_entry(thread_id="t", source="agent", text=text, tags=["a", "b"]))
        print(entry.id, flush=True)

asyncio.run(main())
"""


def note(text: str) -> NewEntry:
    return new_entry(thread_id="t", source="user", text=text)


async def refused(call: object) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as failure:
        await call  # type: ignore[misc]
    assert failure.value.hint
    return failure.value


async def texts(store: SqliteStore, literal: str) -> list[str]:
    batches = store.scan(EVERY, required=((literal,),), before=None)
    return [found.text async for batch in batches for found in batch]


def path_of(store: SqliteStore) -> Path:
    return Path(store._path)


@contextmanager
def small_disk(at: Path, size: str = "600k") -> Iterator[None]:
    """A file system of its own at a folder. Skips where mounting is not allowed."""
    at.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", at],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip(f"mounting is not allowed here: {mounted.stderr.decode(errors='replace').strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", at], check=True)


async def test_the_file_is_its_owners_alone(sqlite_store: SqliteStore) -> None:
    await sqlite_store.put(note("private"))
    path = path_of(sqlite_store)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["entries.db", "entries.db-shm", "entries.db-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_file_that_others_can_open_is_closed_to_them(sqlite_store: SqliteStore) -> None:
    await sqlite_store.put(note("private"))
    await sqlite_store.close()
    path_of(sqlite_store).chmod(0o644)
    await sqlite_store.health()
    assert stat.S_IMODE(path_of(sqlite_store).stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_a_file_of_another_user_is_left_alone(sqlite_store: SqliteStore) -> None:
    await sqlite_store.close()
    path = path_of(sqlite_store)
    path.parent.mkdir()
    path.touch()
    os.chown(path, 65534, 65534)
    assert "belongs to another user" in (await refused(sqlite_store.health())).message
    assert path.stat().st_size == 0


async def test_killing_a_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline().strip() for _ in range(100)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in writer.stdout if line.endswith("\n")]
    assert len(acknowledged) < 1000
    store = SqliteStore(str(path))
    kept = await store.page(EVERY, limit=1001, before=None)
    assert set(acknowledged) <= {head.id for head in kept}
    assert len(kept) - len(acknowledged) <= 1
    for head in kept:
        assert head.tags == ("a", "b")
        assert len((await store.get(head.id)).text) == head.characters
    assert len(await texts(store, "body")) == len(await texts(store, "entry")) == len(kept)
    assert len(await store.page(Filters(tags=("b",)), limit=1001, before=None)) == len(kept)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.execute("INSERT INTO trigrams (trigrams) VALUES ('integrity-check')")


async def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    few = WRITER.replace("range(1000)", "range(20)")
    writers = [
        subprocess.Popen([sys.executable, "-c", few, path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ids = [line.strip() for writer in writers for line in writer.communicate()[0].splitlines()]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    store = SqliteStore(str(path))
    kept = [head.id for head in await store.page(EVERY, limit=100, before=None)]
    assert kept == sorted(ids, reverse=True)
    assert len(set(kept)) == 60
    await store.close()


async def test_a_locked_file_is_said_so_and_used_again_later(
    sqlite_store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STORE_WAIT_SECONDS", 0.05)
    first = await sqlite_store.put(note("first"))
    with closing(sqlite3.connect(path_of(sqlite_store), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "another program has it locked" in (await refused(sqlite_store.put(note("second")))).message
        assert (await sqlite_store.get(first.id)).text == "first"
        other.execute("COMMIT")
    await sqlite_store.put(note("second"))
    assert (await sqlite_store.health()).entries == 2


async def test_a_writer_waits_for_another(sqlite_store: SqliteStore) -> None:
    await sqlite_store.health()
    with closing(sqlite3.connect(path_of(sqlite_store), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        put = asyncio.create_task(sqlite_store.put(note("patient")))
        await asyncio.sleep(0)
        assert not put.done()
        other.execute("COMMIT")
        assert (await put).text == "patient"


async def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small"):
        store = SqliteStore(str(tmp_path / "small" / "entries.db"))
        kept: list[Entry] = []
        full = None
        while full is None:
            try:
                kept.append(await store.put(note(f"entry {len(kept)} {os.urandom(5000).hex()}")))
            except StoreUnavailable as error:
                full = error
        assert "the disk is full" in full.message
        assert kept
        for entry in kept:
            assert await store.get(entry.id) == entry
        assert len(await texts(store, "entry")) == len(kept)
        await store.close()


async def test_a_file_on_a_read_only_disk_is_said_so(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "4m"):
        store = SqliteStore(str(disk / "entries.db"))
        await store.put(note("before"))
        await store.close()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert "cannot be" in (await refused(store.put(note("after")))).message
        fresh = SqliteStore(str(disk / "sub" / "entries.db"))
        assert "Read-only file system" in (await refused(fresh.health())).message
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        await store.put(note("after"))
        assert (await store.health()).entries == 2
        await store.close()
        await fresh.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_file_that_may_not_be_written_is_said_so(sqlite_store: SqliteStore) -> None:
    await sqlite_store.put(note("before"))
    await sqlite_store.close()
    path_of(sqlite_store).chmod(0o400)
    path_of(sqlite_store).parent.chmod(0o500)
    assert "cannot be" in (await refused(sqlite_store.put(note("after")))).message
    path_of(sqlite_store).parent.chmod(0o700)


@pytest.mark.parametrize(
    "damage", [b"this is a letter and no database " * 100, b"SQLite format 3\0" + b"\xff" * 4096]
)
async def test_what_is_no_database_is_left_as_it_is(sqlite_store: SqliteStore, damage: bytes) -> None:
    path = path_of(sqlite_store)
    path.parent.mkdir()
    path.write_bytes(damage)
    assert "no database" in (await refused(sqlite_store.put(note("x")))).message
    assert path.read_bytes() == damage
    path.unlink()
    await sqlite_store.put(note("x"))


async def test_a_damaged_file_is_said_so(sqlite_store: SqliteStore) -> None:
    for number in range(50):
        await sqlite_store.put(note(f"entry {number} " + "body " * 200))
    await sqlite_store.close()
    path = path_of(sqlite_store)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    failure = await refused(sqlite_store.page(EVERY, limit=100, before=None))
    assert "it is damaged" in failure.message
    assert ".recover" in str(failure.hint)
    path.write_bytes(whole)
    assert len(await sqlite_store.page(EVERY, limit=100, before=None)) == 50


async def test_the_database_of_another_program_is_left_alone(sqlite_store: SqliteStore) -> None:
    path = path_of(sqlite_store)
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    assert "database of another program" in (await refused(sqlite_store.health())).message
    assert path.read_bytes() == before


async def test_a_folder_is_no_store(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    assert "no file" in (await refused(store.health())).message
    await store.close()


async def test_a_file_of_a_newer_server_is_left_alone(sqlite_store: SqliteStore) -> None:
    entry = await sqlite_store.put(note("kept"))
    await sqlite_store.close()
    path = path_of(sqlite_store)
    longer = (*MIGRATIONS, "ALTER TABLE entries ADD COLUMN more TEXT;\nCREATE TABLE extra (x TEXT) STRICT;\n")
    with closing(open_file(str(path), longer)) as connection:
        assert connection.execute("SELECT text, more FROM entries JOIN texts USING (number)").fetchall() == [
            ("kept", None)
        ]
        assert connection.execute("PRAGMA user_version").fetchall() == [(2,)]
    before = path.read_bytes()
    failure = await refused(sqlite_store.get(entry.id))
    assert "newer server" in failure.message
    assert path.read_bytes() == before


async def test_a_migration_that_fails_leaves_nothing_behind(sqlite_store: SqliteStore) -> None:
    entry = await sqlite_store.put(note("kept"))
    await sqlite_store.close()
    broken = (*MIGRATIONS, "CREATE TABLE half (x TEXT) STRICT;\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(sqlite3.OperationalError):
        open_file(str(path_of(sqlite_store)), broken)
    assert (await sqlite_store.get(entry.id)).text == "kept"
    assert (await sqlite_store.health()).schema_version == 1


async def test_a_file_that_was_put_aside_is_made_anew(sqlite_store: SqliteStore, tmp_path: Path) -> None:
    await sqlite_store.put(note("old"))
    path = path_of(sqlite_store)
    for file in list(path.parent.iterdir()):
        file.rename(tmp_path / file.name)
    await sqlite_store.put(note("new"))
    assert await texts(sqlite_store, "old") == []
    assert await texts(sqlite_store, "new") == ["new"]
    aside = SqliteStore(str(tmp_path / path.name))
    assert await texts(aside, "old") == ["old"]
    await aside.close()


async def test_an_id_is_greater_than_any_before_though_the_clock_goes_back(sqlite_store: SqliteStore) -> None:
    first = await sqlite_store.put(note("first"))
    ahead = f"{int(first.id, 16) + (60_000 << 80):032x}"
    with closing(sqlite3.connect(path_of(sqlite_store))) as connection, connection:
        connection.execute("UPDATE entries SET id = ?", (ahead,))
    second = await sqlite_store.put(note("second"))
    assert second.id > ahead
    assert [head.id for head in await sqlite_store.page(EVERY, limit=2, before=None)] == [second.id, ahead]


async def test_the_file_says_whose_it_is(sqlite_store: SqliteStore) -> None:
    await sqlite_store.put(note("x"))
    with closing(sqlite3.connect(path_of(sqlite_store))) as connection:
        assert connection.execute("PRAGMA application_id").fetchall() == [(APPLICATION_ID,)]
        assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert json.dumps((await sqlite_store.health()).place) == json.dumps(str(path_of(sqlite_store)))
