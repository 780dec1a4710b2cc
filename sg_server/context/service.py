"""What a session or a terminal can do with stored text."""

import logging

import msgspec

from sg_server.context import entry_answers
from sg_server.context.addresses import id_in
from sg_server.context.bounds import ContextBounds
from sg_server.context.entries import Entry
from sg_server.context.grep import Grep
from sg_server.context.grep_request import normalise
from sg_server.context.navigate import navigate
from sg_server.context.options import ContextOptions
from sg_server.context.outlines import outline_of
from sg_server.context.params import (
    ContextDeleteParams,
    ContextGetParams,
    ContextGrepParams,
    ContextListParams,
    ContextNavigateParams,
    ContextPutParams,
    ContextReadParams,
)
from sg_server.context.read import check_address, read
from sg_server.context.results import (
    ContextDeleteResult,
    ContextGetResult,
    ContextGrepResult,
    ContextListResult,
    ContextNavigateResult,
    ContextPutResult,
    ContextReadResult,
)
from sg_server.context.standing import ContextHealth
from sg_server.context.store.interface import NodeSummary, Store
from sg_server.context.store.opening import is_there, open_store
from sg_server.context.summaries import Summariser
from sg_server.context.texts import NamedText, document_text, entry_named, entry_text
from sg_server.engines.structure import StructureReader
from sg_server.errors import StoreUnavailable
from sg_server.text.positions import TextView
from sg_server.text.sections import walk
from sg_server.workspace.documents import OpenDocuments
from sg_server.workspace.folders import Workspace

logger = logging.getLogger(__name__)


class ContextService:
    """One caller's stored text. The store opens when something is asked of it."""

    def __init__(
        self,
        options: ContextOptions,
        *,
        view: TextView,
        documents: OpenDocuments,
        structures: StructureReader,
    ) -> None:
        self.bounds = ContextBounds()
        """May be replaced; holds from the next request on."""
        self._options = options
        self._view = view
        self._documents = documents
        self._structures = structures
        self._grep = Grep(view)
        self._summariser = None if options.summaries is None else Summariser(options.summaries)
        self._opened: Store | None = None

    @property
    def missing_file(self) -> str | None:
        """The file that entries are to be kept in, where it is not there yet."""
        return None if is_there(self._options.location) else self._options.location

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = open_store(self._options.location)
        return self._opened

    async def grep(self, params: ContextGrepParams) -> ContextGrepResult:
        """Where entries, or the open documents, have a pattern."""
        request = normalise(params, self.bounds)
        store = self._store if request.in_store else None
        return await self._grep.grep(request, store, self._documents.all())

    async def navigate(self, params: ContextNavigateParams, workspace: Workspace) -> ContextNavigateResult:
        """The outline of an entry or a document."""
        named = await self._named(params.id, params.uri, workspace)
        summaries: tuple[NodeSummary, ...] = ()
        if params.include_node_summaries and named.id is not None:
            summaries = await self._store.node_summaries(named.id)
        return await navigate(named, params, self._structures, summaries, self._view)

    async def read(self, params: ContextReadParams, workspace: Workspace) -> ContextReadResult:
        """A part of an entry or a document."""
        check_address(params)
        named = await self._named(params.id, params.uri, workspace)
        return await read(named, params, self._structures, self._view)

    async def _named(self, id_: str | None, uri: str | None, workspace: Workspace) -> NamedText:
        entry = entry_named(id_, uri)
        if entry is not None:
            return await entry_text(entry, self._store)
        return await document_text(uri or "", workspace, self._documents.all(), self._view)

    async def put(self, params: ContextPutParams) -> ContextPutResult:
        """Store a text; then have it summarised. What becomes of that never undoes the first."""
        new = entry_answers.entry_in(params)
        entry = await self._store.put(new, id=params.id, expected_version=params.expected_version)
        return entry_answers.told_put(await self._summarised(entry))

    async def _summarised(self, entry: Entry) -> Entry:
        """`entry` with the summary that it has got, if any; those of its sections are kept beside it."""
        bounds = self.bounds.summaries
        if self._summariser is None or bounds is None:
            return entry
        outline = await outline_of(NamedText(text=entry.text, id=entry.id, entry=entry), self._structures)
        sections = list(walk(outline.root))[1:]
        # A summary of blanks counts as none.
        with_own = not (entry.summary or "").strip()
        written = await self._summariser.summarise(entry.text, sections, bounds, with_own=with_own)
        nodes = [
            NodeSummary(
                node_id=section.node_id,
                char_start=section.start,
                char_end=section.end,
                summary=written.sections[section.node_id],
            )
            for section in sections
            if section.node_id in written.sections
        ]
        if written.own is None and not nodes:
            return entry
        try:
            is_kept = await self._store.keep_summaries(
                entry.id, version=entry.version, summary=written.own, nodes=nodes
            )
        except StoreUnavailable as error:
            logger.warning("the summaries of an entry were not kept: %s", error.message)
            return entry
        return msgspec.structs.replace(entry, summary=written.own) if is_kept and written.own else entry

    async def get(self, params: ContextGetParams) -> ContextGetResult:
        """One entry. Raises EntryNotFound."""
        return entry_answers.told_get(await self._store.get(params.id))

    async def list(self, params: ContextListParams) -> ContextListResult:
        """Entries, newest first."""
        return await entry_answers.list_entries(params, self._store)

    async def delete(self, params: ContextDeleteParams) -> ContextDeleteResult:
        """Delete entries, all that are named or none."""
        return await entry_answers.delete_entries(params, self._store)

    async def document(self, uri: str) -> str:
        """The text of the entry that is opened as a document. Raises EntryNotFound."""
        return (await self._store.get(id_in(uri))).text

    async def health(self, *, expected: bool) -> ContextHealth:
        """What is there. A store that nobody uses yet is opened only if it is `expected` to be there."""
        store, unavailable = None, None
        if expected or self._opened is not None or is_there(self._options.location):
            try:
                store = await self._store.health()
            except StoreUnavailable as error:
                unavailable = error
        return ContextHealth(
            store=store,
            unavailable=unavailable,
            provider=None if self._options.summaries is None else self._options.summaries.shown(),
            provider_problem=None if self._summariser is None else self._summariser.problem,
        )

    async def close(self) -> None:
        """Let go of the store. It opens again when it is used again."""
        if self._opened is not None:
            await self._opened.close()
