"""Entries: what is put, checked once, and what is kept."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from sg_server import limits
from sg_server.context.params import ContentType, Source
from sg_server.errors import InvalidParams

Readers = Literal["*"] | tuple[str, ...]
"""Who may read an entry beside its owner: names, or everybody."""


class NewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry to be put. `new_entry` makes them."""

    thread_id: str
    source: Source
    content_type: ContentType
    text: str
    tags: tuple[str, ...]
    """Trimmed, lower-cased, each once, in the order given."""
    metadata: str
    """JSON of an object, compact."""
    summary: str | None
    readers: Readers

    @property
    def text_bytes(self) -> int:
        """Length of the text in UTF-8."""
        return len(self.text) if self.text.isascii() else len(self.text.encode())


class EntryHead(msgspec.Struct, frozen=True, kw_only=True):
    """All of an entry but its text."""

    id: str
    """32 lower-case hexadecimal digits."""
    thread_id: str
    source: Source
    content_type: ContentType
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    summary: str | None
    owner: str
    readers: Readers
    version: int
    """1 when first put, one more each time it is replaced."""
    created_at: int
    """Milliseconds since 1970, UTC."""
    updated_at: int
    characters: int
    """Code points of the text."""


class Entry(EntryHead, frozen=True, kw_only=True):
    """An entry as it is stored."""

    text: str


def new_entry(
    *,
    thread_id: str,
    source: Source,
    text: str,
    content_type: ContentType = "text",
    tags: Iterable[str] = (),
    metadata: Mapping[str, Any] | None = None,
    summary: str | None = None,
    readers: Readers = (),
) -> NewEntry:
    """An entry that any store can keep. Raises InvalidParams that names the field."""
    if not 0 < len(thread_id) <= limits.THREAD_ID_CHARACTERS:
        most = limits.THREAD_ID_CHARACTERS
        raise InvalidParams("threadId", f"{len(thread_id)} characters were given; 1 to {most} are taken")
    checked_text("threadId", thread_id)
    if checked_text("text", text) > limits.TEXT_BYTES:
        raise InvalidParams(
            "text", f"more than {limits.TEXT_BYTES:,} bytes of UTF-8; put it as several entries"
        )
    if summary is not None:
        checked_text("summary", summary)
        if len(summary) > limits.SUMMARY_TEXT_CHARACTERS:
            most = limits.SUMMARY_TEXT_CHARACTERS
            raise InvalidParams(
                "summary", f"{len(summary):,} characters were given; at most {most:,} are taken"
            )
    return NewEntry(
        thread_id=thread_id,
        source=source,
        content_type=content_type,
        text=text,
        tags=checked_tags(tags),
        metadata=_checked_metadata(metadata or {}),
        summary=summary,
        readers=_checked_readers(readers),
    )


def checked_text(field: str, text: str) -> int:
    """The length of `text` in bytes of UTF-8. Raises InvalidParams for what no store can keep."""
    if "\0" in text:
        raise InvalidParams(
            field, f"there is a NUL character at {text.index(chr(0))}, which cannot be stored"
        )
    try:
        return len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        message = f"there is half a surrogate pair at {error.start}, which is no character"
        raise InvalidParams(field, message) from error


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are stored and looked for. Raises InvalidParams."""
    kept = tuple(dict.fromkeys(tag.strip().lower() for tag in tags))
    if len(kept) > limits.TAGS:
        raise InvalidParams("tags", f"{len(kept)} were given; at most {limits.TAGS} are taken")
    for tag in kept:
        if not 0 < len(tag) <= limits.TAG_CHARACTERS:
            most = limits.TAG_CHARACTERS
            raise InvalidParams("tags", f"a tag of {len(tag)} characters was given; 1 to {most} are taken")
        checked_text("tags", tag)
    return kept


def _checked_readers(readers: Readers) -> Readers:
    if readers == "*":
        return "*"
    kept = tuple(dict.fromkeys(readers))
    if len(kept) > limits.READERS:
        raise InvalidParams("readers", f"{len(kept)} were given; at most {limits.READERS} are taken")
    for name in kept:
        if name == "*":
            raise InvalidParams("readers", '"*" means everybody: give it alone, not in a list')
        if not 0 < len(name) <= limits.READER_CHARACTERS:
            most = limits.READER_CHARACTERS
            raise InvalidParams(
                "readers", f"a name of {len(name)} characters was given; 1 to {most} are taken"
            )
        checked_text("readers", name)
    return kept


def _checked_metadata(metadata: Mapping[str, Any]) -> str:
    _check_json(metadata)
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise InvalidParams("metadata", f"it cannot be stored as JSON: {error}") from error
    if len(text.encode()) > limits.METADATA_BYTES:
        most = limits.METADATA_BYTES
        raise InvalidParams(
            "metadata", f"it has more than {most:,} bytes as JSON; keep what is long in the text"
        )
    return text


def _check_json(metadata: Mapping[str, Any]) -> None:
    """Look at every name and string, level by level: a deep value must not exhaust the stack."""
    level: list[Any] = [metadata]
    for _ in range(limits.METADATA_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                checked_text("metadata", value)
            elif isinstance(value, Mapping):
                for name in value:
                    checked_text("metadata", name)
                below += value.values()
            elif isinstance(value, list | tuple):
                below += value
        if not below:
            return
        level = below
    raise InvalidParams("metadata", f"objects are nested more than {limits.METADATA_DEPTH} deep")
