"""Entries as the commands take and tell them: put, get, list and delete."""

from datetime import UTC, datetime
from typing import Any

from sg_server import limits
from sg_server.context.addresses import entry_uri
from sg_server.context.entries import Entry, EntryHead, NewEntry, new_entry
from sg_server.context.filters import Filters, normalise_filters
from sg_server.context.ids import id_prefix
from sg_server.context.params import ContextDeleteParams, ContextListParams, ContextPutParams
from sg_server.context.results import (
    ContextDeleteResult,
    ContextGetResult,
    ContextListResult,
    ContextPutResult,
    EntryRow,
)
from sg_server.context.store.interface import Store
from sg_server.errors import CursorUnknown, InvalidParams

_WHOLE_ID = 32


def entry_in(params: ContextPutParams) -> NewEntry:
    """What is to be stored. Raises InvalidParams."""
    return new_entry(
        thread_id=params.thread_id,
        source=params.source,
        text=params.text,
        content_type=params.content_type or "text",
        tags=params.tags or (),
        metadata=params.metadata,
        summary=params.summary,
        readers=params.readers or (),
    )


def told_put(entry: EntryHead) -> ContextPutResult:
    """The answer of `sg.context.put`."""
    return ContextPutResult(**_fields(entry), created=entry.version == 1)


def told_get(entry: Entry) -> ContextGetResult:
    """The answer of `sg.context.get`."""
    return ContextGetResult(**_fields(entry), text=entry.text)


async def list_entries(params: ContextListParams, store: Store) -> ContextListResult:
    """The answer of `sg.context.list`. Its cursor is the last id shown: entries never change their order."""
    filters = normalise_filters(params)
    limit = params.limit if params.limit is not None else limits.LIST_ENTRIES_DEFAULT
    limit = min(max(limit, 1), limits.LIST_ENTRIES_MAX)
    found = await store.page(filters, limit=limit + 1, before=_before(params.cursor))
    shown = found[:limit]
    return ContextListResult(
        entries=tuple(EntryRow(**_fields(head)) for head in shown),
        cursor=shown[-1].id if len(found) > limit else None,
    )


def _before(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    try:
        before = id_prefix(cursor, "cursor")
    except InvalidParams as error:
        raise _unknown_cursor() from error
    if len(before) != _WHOLE_ID:
        raise _unknown_cursor()
    return before


def _unknown_cursor() -> CursorUnknown:
    return CursorUnknown("this is no cursor of a list", "Copy it whole from the answer before, or list anew.")


async def delete_entries(params: ContextDeleteParams, store: Store) -> ContextDeleteResult:
    """The answer of `sg.context.delete`. Raises InvalidParams unless one form is given."""
    filters = normalise_filters(params)
    named = [params.id] if params.id is not None else params.ids
    if params.id is not None and params.ids is not None:
        raise InvalidParams("ids", "give it, or id, not both")
    if named is not None:
        if filters != Filters() or params.confirm is not None:
            raise InvalidParams(
                "confirm" if filters == Filters() else "ids", "ids and filters exclude each other"
            )
        return ContextDeleteResult(deleted=await store.delete(named))
    if filters == Filters():
        raise InvalidParams("arguments", "name entries by id, by ids, or by a filter")
    if params.confirm is None:
        raise InvalidParams(
            "confirm", "missing, and it is required with filters: how many entries they mean; 0 has it told"
        )
    return ContextDeleteResult(deleted=await store.delete_matching(filters, confirm=params.confirm))


def _fields(head: EntryHead) -> dict[str, Any]:
    return {
        "id": head.id,
        "thread_id": head.thread_id,
        "source": head.source,
        "content_type": head.content_type,
        "tags": head.tags,
        "metadata": head.metadata,
        "owner": head.owner,
        "readers": head.readers,
        "version": head.version,
        "created_at": _moment(head.created_at),
        "updated_at": _moment(head.updated_at),
        "total_chars": head.characters,
        "uri": entry_uri(head.id),
        "summary": head.summary,
    }


def _moment(milliseconds: int) -> str:
    """RFC 3339 in UTC, such as `2031-05-04T03:02:01.999Z`."""
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
