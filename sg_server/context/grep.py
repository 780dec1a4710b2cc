"""`sg.context.grep`: a pattern in the lines of many texts, page by page."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Final

from sg_server.context.addresses import is_entry_uri
from sg_server.context.cursors import GrepCursor, GrepCursors
from sg_server.context.grep_page import GrepPage, GrepText
from sg_server.context.grep_request import GrepRequest
from sg_server.context.grep_text import answer
from sg_server.context.patterns import Matcher, compile_literal, compile_regex
from sg_server.context.results import ContextGrepResult
from sg_server.context.store.interface import Store
from sg_server.context.timing import Timer, in_thread
from sg_server.text.positions import TextView
from sg_server.workspace.documents import Document

_AT_ONCE: Final = 2
"""Greps that match at the same time; more wait in order."""


class Grep:
    """Greps for one session."""

    def __init__(self, view: TextView) -> None:
        self._view = view
        self._cursors = GrepCursors()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def grep(
        self, request: GrepRequest, store: Store | None, documents: Sequence[Document]
    ) -> ContextGrepResult:
        """One page of what `request` finds: in `documents` by URI, then in `store`, newest entry first.

        The store is only looked at when the request says so; then it must be given. Raises InvalidParams,
        CursorUnknown, CursorMismatch, CursorExpired, and what the store raises.
        """
        mark = self._cursors.request_mark(request.identity)
        start = None if request.cursor is None else self._cursors.decode(request.cursor, mark)
        async with self._turns:
            stop = threading.Event()
            timer = Timer(text_seconds=request.text_seconds, scan_seconds=request.seconds, stop=stop)
            matcher = await in_thread(partial(_compiled, request), stop)
            page = GrepPage(request, matcher, start, self._view)
            has_room = True
            if request.in_documents and (start is None or start.kind == "document"):
                texts = _from_documents(documents, start)
                has_room = await in_thread(partial(page.take, texts, timer), stop)
            if request.in_store and store is not None and has_room:
                narrows = store.narrows(matcher.required)
                page.entries_left = request.narrowed_entries if narrows else request.entries
                scan = store.scan(
                    request.filters,
                    required=matcher.required,
                    before=_before(start),
                    batch_bytes=request.batch_bytes,
                )
                async with aclosing(scan):
                    async for batch in scan:
                        texts = [GrepText.of_entry(stored) for stored in batch]
                        if not await in_thread(partial(page.take, texts, timer), stop):
                            break
            page.check_begun()
            encode: Callable[[GrepCursor], str] = partial(self._cursors.encode, mark=mark)
            return await in_thread(partial(answer, request, page, encode), stop)


def _compiled(request: GrepRequest) -> Matcher:
    compile_pattern = compile_regex if request.is_regex else compile_literal
    return compile_pattern(request.pattern, case_sensitive=request.case_sensitive)


def _before(start: GrepCursor | None) -> str | None:
    """The id below which the scan begins. An entry that a page ended in the middle of is still to come."""
    if start is None or start.kind == "document":
        return None
    return start.key if not start.state else f"{int(start.key, 16) + 1:032x}"


def _from_documents(documents: Sequence[Document], start: GrepCursor | None) -> list[GrepText]:
    # An entry that is open in an editor is the store's to tell.
    own = [document for document in documents if not is_entry_uri(document.uri)]
    texts = [GrepText.of_document(document) for document in sorted(own, key=lambda document: document.uri)]
    if start is None:
        return texts
    return [text for text in texts if text.key > start.key or (start.state and text.key == start.key)]
