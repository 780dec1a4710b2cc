"""The schema in a PostgreSQL database: made, brought up to date, or refused; and who may see what of it.

Rows are guarded by the database itself, by the role that connected (`session_user`, which no client can
change). A condition that is not leakproof never reaches an index behind row-level security, so the index of
trigrams has a table of its own, which no role has rights on: two functions that run as its owner are the only
way in, and they look at `session_user` themselves.
"""

from collections.abc import Sequence
from typing import Final

import psycopg

from sg_server.errors import StoreUnavailable

READABLE: Final = "(owner = session_user::text OR everybody OR session_user::text = ANY (readers))"
OWN: Final = "owner = session_user::text"

_CREATE: Final = f"""
CREATE SCHEMA signal_grep;
GRANT USAGE ON SCHEMA signal_grep TO PUBLIC;

CREATE TABLE signal_grep.schema_version (version integer NOT NULL);
INSERT INTO signal_grep.schema_version VALUES (0);
GRANT SELECT ON signal_grep.schema_version TO PUBLIC;

CREATE TABLE signal_grep.entries (
    id uuid PRIMARY KEY,
    thread_id text NOT NULL,
    source text NOT NULL,
    content_type text NOT NULL,
    tags text[] NOT NULL,
    metadata text NOT NULL,
    summary text,
    owner text NOT NULL DEFAULT session_user,
    readers text[] NOT NULL,
    everybody boolean NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    characters integer NOT NULL,
    text text NOT NULL
);
CREATE INDEX entries_by_thread ON signal_grep.entries (thread_id, id);
ALTER TABLE signal_grep.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE signal_grep.entries FORCE ROW LEVEL SECURITY;
CREATE POLICY may_read ON signal_grep.entries FOR SELECT USING {READABLE};
CREATE POLICY may_insert ON signal_grep.entries FOR INSERT WITH CHECK ({OWN});
CREATE POLICY may_update ON signal_grep.entries FOR UPDATE USING ({OWN}) WITH CHECK ({OWN});
CREATE POLICY may_delete ON signal_grep.entries FOR DELETE USING ({OWN});
GRANT SELECT, INSERT, UPDATE, DELETE ON signal_grep.entries TO PUBLIC;

CREATE TABLE signal_grep.node_summaries (
    id uuid NOT NULL REFERENCES signal_grep.entries ON DELETE CASCADE,
    position integer NOT NULL,
    node_id text NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (id, position)
);
ALTER TABLE signal_grep.node_summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE signal_grep.node_summaries FORCE ROW LEVEL SECURITY;
CREATE POLICY may_read ON signal_grep.node_summaries FOR SELECT USING (
    EXISTS (SELECT FROM signal_grep.entries AS e WHERE e.id = node_summaries.id AND {READABLE})
);
CREATE POLICY may_write ON signal_grep.node_summaries USING (
    EXISTS (SELECT FROM signal_grep.entries AS e WHERE e.id = node_summaries.id AND {OWN})
);
GRANT SELECT, INSERT, UPDATE, DELETE ON signal_grep.node_summaries TO PUBLIC;

CREATE TABLE signal_grep.trigrams (
    id uuid PRIMARY KEY REFERENCES signal_grep.entries ON DELETE CASCADE,
    trigrams integer[] NOT NULL
);
ALTER TABLE signal_grep.trigrams ALTER COLUMN trigrams SET STORAGE EXTERNAL;
CREATE INDEX trigrams_of_entries ON signal_grep.trigrams USING gin (trigrams);

CREATE FUNCTION signal_grep.index_entry(uuid, integer[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO signal_grep.trigrams AS t
    SELECT e.id, $2 FROM signal_grep.entries AS e WHERE e.id = $1 AND {OWN}
    ON CONFLICT (id) DO UPDATE SET trigrams = excluded.trigrams
$$;

CREATE FUNCTION signal_grep.holding(integer[]) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 100
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
    SELECT t.id FROM signal_grep.trigrams AS t
    WHERE t.trigrams @> $1
    AND EXISTS (SELECT FROM signal_grep.entries AS e WHERE e.id = t.id AND {READABLE})
$$;
"""

MIGRATIONS: Final = (_CREATE,)
"""Each takes the schema one version further. What has been released is never changed, only added to."""

_LOCK: Final = 0x53_47_52_70
"""The advisory lock under which one server at a time changes the schema."""


async def bring_up_to_date(
    connection: psycopg.AsyncConnection[tuple[object, ...]], migrations: Sequence[str] = MIGRATIONS
) -> int:
    """Make the schema, or take it to the newest version, which is returned. Raises StoreUnavailable."""
    newest = len(migrations)
    if await _version(connection, newest) == newest:
        return newest
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            # Another server may have come first.
            version = await _version(connection, newest)
            if version == newest:
                return newest
            for script in migrations[version:]:
                await connection.execute(script)
            await connection.execute("UPDATE signal_grep.schema_version SET version = %s", (newest,))
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreUnavailable(
            f"{connection.info.user} may not set up the schema signal_grep: {error.diag.message_primary}",
            "Connect once as a role that may create it, or that owns it; after that any role can be used.",
        ) from error
    return newest


async def _version(connection: psycopg.AsyncConnection[tuple[object, ...]], newest: int) -> int:
    """The schema's version, 0 where there is none. Raises StoreUnavailable for what must not be touched."""
    # Asked of a table, which is as it is now; `to_regclass` may answer from before the lock was had.
    cursor = await connection.execute(
        "SELECT getdatabaseencoding(), EXISTS (SELECT FROM pg_catalog.pg_tables"
        " WHERE schemaname = 'signal_grep' AND tablename = 'schema_version')"
    )
    encoding, is_there = await cursor.fetchone() or (None, False)
    if encoding != "UTF8":
        raise StoreUnavailable(
            f"The database {connection.info.dbname} is encoded in {encoding}, which cannot hold every text",
            "Name a database that was created with ENCODING 'UTF8'.",
        )
    if not is_there:
        return 0
    cursor = await connection.execute("SELECT version FROM signal_grep.schema_version")
    (version,) = await cursor.fetchone() or (0,)
    if not isinstance(version, int) or version > newest:
        raise StoreUnavailable(
            f"The schema signal_grep is of a newer server (it is {version}, known are 1 to {newest})",
            "Update the server, or name another database.",
        )
    return version
