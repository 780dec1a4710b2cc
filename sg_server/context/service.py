"""What a session or a terminal can do with stored text."""

from sg_server.context import entry_answers
from sg_server.context.addresses import id_in
from sg_server.context.bounds import ContextBounds
from sg_server.context.options import ContextOptions
from sg_server.context.params import (
    ContextDeleteParams,
    ContextGetParams,
    ContextListParams,
    ContextPutParams,
)
from sg_server.context.results import (
    ContextDeleteResult,
    ContextGetResult,
    ContextListResult,
    ContextPutResult,
)
from sg_server.context.standing import ContextHealth
from sg_server.context.store.interface import Store
from sg_server.context.store.opening import is_there, open_store
from sg_server.context.summaries import Summariser
from sg_server.errors import StoreUnavailable
from sg_server.text.positions import TextView
from sg_server.workspace.documents import OpenDocuments


class ContextService:
    """One caller's stored text. The store opens when something is asked of it."""

    def __init__(self, options: ContextOptions, view: TextView, documents: OpenDocuments) -> None:
        self.bounds = ContextBounds()
        """May be replaced; holds from the next request on."""
        self._options = options
        self._view = view
        self._documents = documents
        self._summariser = None if options.summaries is None else Summariser(options.summaries)
        self._opened: Store | None = None

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = open_store(self._options.location)
        return self._opened

    async def put(self, params: ContextPutParams) -> ContextPutResult:
        """Store a text; then have it summarised. What becomes of that never undoes the first."""
        new = entry_answers.entry_in(params)
        entry = await self._store.put(new, id=params.id, expected_version=params.expected_version)
        return entry_answers.told_put(entry)

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
            provider=self._options.summaries,
            provider_problem=None if self._summariser is None else self._summariser.problem,
        )

    async def close(self) -> None:
        """Let go of the store. It opens again when it is used again."""
        if self._opened is not None:
            await self._opened.close()
