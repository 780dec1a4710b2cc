"""The command table: what is registered, put in the schema and documented comes from here."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sg_server import health
from sg_server.health import Health, HealthParams
from sg_server.inspection.request import InspectParams
from sg_server.inspection.results import InspectResult
from sg_server.lsp.inspecting import targets_of
from sg_server.lsp.params import decode
from sg_server.lsp.progress import RequestProgress
from sg_server.lsp.session import Session
from sg_server.search.params import ClearParams, ClearResult, ExplainParams, PageParams, SearchParams
from sg_server.search.results import ExplainResult, SearchResult


class Command(msgspec.Struct, frozen=True):
    """One command: its id, what it takes, what it answers, what it does."""

    id: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    handle: Callable[[Session, Any, RequestProgress], Awaitable[msgspec.Struct]]
    title: str
    """What a client shows people while it runs."""

    async def run(self, session: Session, raw: Any, progress: RequestProgress) -> msgspec.Struct:
        """Decode the client's JSON object and answer. Raises SignalGrepError."""
        return await self.handle(session, decode(self.params, raw), progress)


async def _search(session: Session, params: SearchParams, progress: RequestProgress) -> SearchResult:
    watch = progress.watch(params.partial_result_token)
    return await session.search.search(params, session.workspace, watch)


async def _page(session: Session, params: PageParams, _: RequestProgress) -> SearchResult:
    return await session.search.page(params, session.workspace)


async def _inspect(session: Session, params: InspectParams, _: RequestProgress) -> InspectResult:
    targets = await targets_of(params, session.search, session.workspace, session.documents)
    return await session.inspection.inspect(targets)


async def _explain(session: Session, params: ExplainParams, _: RequestProgress) -> ExplainResult:
    return await session.search.explain(params, session.workspace)


async def _clear(session: Session, params: ClearParams, _: RequestProgress) -> ClearResult:
    return session.search.clear(params)


async def _health(session: Session, _params: HealthParams, _: RequestProgress) -> Health:
    return await health.examine(
        session.programs,
        workspace=session.workspace,
        encoding=session.view.encoding,
        snapshots=session.search.snapshots_held(),
        settings=session.settings,
    )


COMMANDS = (
    Command("sg.search", SearchParams, SearchResult, _search, "Searching"),
    Command("sg.page", PageParams, SearchResult, _page, "Reading a page"),
    Command("sg.inspect", InspectParams, InspectResult, _inspect, "Reading source"),
    Command("sg.explain", ExplainParams, ExplainResult, _explain, "Asking ripgrep"),
    Command("sg.clear", ClearParams, ClearResult, _clear, "Clearing"),
    Command("sg.health", HealthParams, Health, _health, "Examining"),
)
