"""The command table: what is registered, put in the schema and documented comes from here."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sg_server import health
from sg_server.health import Health, HealthParams
from sg_server.lsp.params import decode
from sg_server.lsp.session import Session
from sg_server.search.params import ClearParams, ClearResult, ExplainParams, PageParams, SearchParams
from sg_server.search.results import ExplainResult, SearchResult


class Command(msgspec.Struct, frozen=True):
    """One command: its id, what it takes, what it answers, what it does."""

    id: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    handle: Callable[[Session, Any], Awaitable[msgspec.Struct]]

    async def run(self, session: Session, raw: Any) -> msgspec.Struct:
        """Decode the client's JSON object and answer. Raises SignalGrepError."""
        return await self.handle(session, decode(self.params, raw))


async def _search(session: Session, params: SearchParams) -> SearchResult:
    return await session.search.search(params, session.workspace)


async def _page(session: Session, params: PageParams) -> SearchResult:
    return await session.search.page(params, session.workspace)


async def _explain(session: Session, params: ExplainParams) -> ExplainResult:
    return await session.search.explain(params, session.workspace)


async def _clear(session: Session, params: ClearParams) -> ClearResult:
    return session.search.clear(params)


async def _health(session: Session, _: HealthParams) -> Health:
    return await health.examine(
        session.programs,
        workspace=session.workspace,
        encoding=session.view.encoding,
        snapshots=session.search.snapshots_held(),
        settings=session.settings,
    )


COMMANDS = (
    Command("sg.search", SearchParams, SearchResult, _search),
    Command("sg.page", PageParams, SearchResult, _page),
    Command("sg.explain", ExplainParams, ExplainResult, _explain),
    Command("sg.clear", ClearParams, ClearResult, _clear),
    Command("sg.health", HealthParams, Health, _health),
)
