"""What each command does. Requests are decoded, and answers described, by the annotations of its handler."""

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

import msgspec

from sg_server import health as programs_health
from sg_server.health import Health, HealthParams
from sg_server.inspection.request import InspectParams
from sg_server.inspection.results import InspectResult
from sg_server.lsp.commands import Command
from sg_server.lsp.inspecting import targets_of
from sg_server.lsp.params import decode
from sg_server.lsp.progress import RequestProgress
from sg_server.lsp.session import Session
from sg_server.search.params import ClearParams, ClearResult, ExplainParams, PageParams, SearchParams
from sg_server.search.results import ExplainResult, SearchResult

Handler = Callable[[Session, Any, RequestProgress], Awaitable[msgspec.Struct]]


async def search(session: Session, params: SearchParams, progress: RequestProgress) -> SearchResult:
    """`sg.search`."""
    watch = progress.watch(params.partial_result_token)
    return await session.search.search(params, session.workspace, watch)


async def page(session: Session, params: PageParams, _: RequestProgress) -> SearchResult:
    """`sg.page`."""
    return await session.search.page(params, session.workspace)


async def inspect(session: Session, params: InspectParams, _: RequestProgress) -> InspectResult:
    """`sg.inspect`."""
    targets = await targets_of(params, session.search, session.workspace, session.documents)
    return await session.inspection.inspect(targets)


async def explain(session: Session, params: ExplainParams, _: RequestProgress) -> ExplainResult:
    """`sg.explain`."""
    return await session.search.explain(params, session.workspace)


async def clear(session: Session, params: ClearParams, _: RequestProgress) -> ClearResult:
    """`sg.clear`."""
    return session.search.clear(params)


async def health(session: Session, params: HealthParams, _: RequestProgress) -> Health:  # noqa: ARG001
    """`sg.health`."""
    return await programs_health.examine(
        session.programs,
        workspace=session.workspace,
        encoding=session.view.encoding,
        snapshots=session.search.snapshots_held(),
        settings=session.settings,
    )


def handler_of(command: Command) -> Handler:
    """The function of this module that the command table names."""
    handler: Handler = globals()[command.handler]
    return handler


def types_of(command: Command) -> tuple[type[msgspec.Struct], type[msgspec.Struct]]:
    """What a command takes and what it answers."""
    hints = get_type_hints(handler_of(command))
    return hints["params"], hints["return"]


async def run(session: Session, command: Command, raw: Any, progress: RequestProgress) -> msgspec.Struct:
    """Decode the client's JSON object and answer. Raises SignalGrepError."""
    params, _ = types_of(command)
    return await handler_of(command)(session, decode(params, raw), progress)
