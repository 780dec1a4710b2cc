"""A plain model of grep, and short ways to run the real one."""

import re
from typing import Any

import regex

from sg_server.context.bounds import ContextBounds
from sg_server.context.entries import Entry, new_entry
from sg_server.context.grep import Grep
from sg_server.context.grep_request import normalise
from sg_server.context.params import ContextGrepParams
from sg_server.context.results import ContextGrepResult
from sg_server.context.store.interface import Store
from sg_server.text.positions import Span, TextView
from sg_server.workspace.documents import Document, DocumentRevision


def line_by_line(compiled: "regex.Pattern[str]", text: str) -> list[Span]:
    """Cut at every LF, drop one CR before it, match each line alone."""
    spans: list[Span] = []
    start = 0
    for piece in re.split("(?<=\n)", text):
        line = piece.removesuffix("\n").removesuffix("\r") if piece.endswith("\n") else piece
        matches = list(compiled.finditer(line))
        if compiled.flags & regex.REVERSE:
            matches.reverse()
        spans += [(start + match.start(), start + match.end()) for match in matches]
        start += len(piece)
    return spans


async def put(store: Store, text: str, **fields: Any) -> Entry:
    given = {"thread_id": "t", "source": "user", "text": text} | fields
    return await store.put(new_entry(**given))


def document(uri: str, text: str, *, version: int = 1) -> Document:
    revision = DocumentRevision(uri=uri, version=version, opened=1)
    return Document(revision=revision, text=text, is_touched=True)


class Session:
    """One session's greps, over a store and documents that tests may change in between."""

    def __init__(
        self,
        store: Store | None = None,
        *documents: Document,
        bounds: ContextBounds | None = None,
        view: TextView | None = None,
    ) -> None:
        self.documents = list(documents)
        self._store = store
        self._bounds = bounds or ContextBounds()
        self._grep = Grep(view or TextView())

    async def grep(self, pattern: str, **params: Any) -> ContextGrepResult:
        """One page. Looks in the store if there is one, and in the documents if there are any."""
        places = (["store"] if self._store is not None else []) + (["documents"] if self.documents else [])
        asked = ContextGrepParams(pattern=pattern, in_=tuple(params.pop("in_", places)), **params)
        return await self._grep.grep(normalise(asked, self._bounds), self._store, self.documents)

    async def pages(self, pattern: str, **params: Any) -> list[ContextGrepResult]:
        """All pages, by their cursors."""
        answers = [await self.grep(pattern, **params)]
        while answers[-1].cursor is not None:
            assert len(answers) < 1_000, "the pages have no end"
            answers.append(await self.grep(pattern, cursor=answers[-1].cursor, **params))
        return answers
