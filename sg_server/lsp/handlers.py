"""What each command does. Requests are decoded, and answers described, by the annotations of its handler."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, get_type_hints

import msgspec

from sg_server import health as programs_health
from sg_server import modes
from sg_server.context.params import (
    ContextDeleteParams,
    ContextGetParams,
    ContextGrepParams,
    ContextListParams,
    ContextNavigateParams,
    ContextPutParams,
    ContextReadParams,
)
from sg_server.context.results import (
    ContextDeleteResult,
    ContextGetResult,
    ContextGrepResult,
    ContextListResult,
    ContextNavigateResult,
    ContextPutResult,
    ContextReadResult,
)
from sg_server.errors import CommandDisabled, ConfigInvalid, ConfigUnavailable
from sg_server.health import Health, HealthParams
from sg_server.inspection.request import InspectParams
from sg_server.inspection.results import InspectResult
from sg_server.lsp.commands import Command
from sg_server.lsp.inspecting import targets_of
from sg_server.lsp.params import decode
from sg_server.lsp.progress import RequestProgress
from sg_server.lsp.session import Session
from sg_server.messages import LocaleParams, LocaleResult, Messages
from sg_server.modes import ModeParams, ModeResult
from sg_server.search import metrics as search_metrics
from sg_server.search.metrics import MetricsParams, MetricsResult, Window
from sg_server.search.params import ClearParams, ClearResult, ExplainParams, PageParams, SearchParams
from sg_server.search.results import ExplainResult, SearchResult
from sg_server.settings import ContextSettings

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
    preferences = session.preferences
    mode_now, mode_failure = None, None
    try:
        mode_now = modes.result(await preferences.mode(), preferences.messages)
    except (ConfigInvalid, ConfigUnavailable) as error:
        mode_failure = error
    return await programs_health.examine(
        session.programs,
        workspace=session.workspace,
        encoding=session.view.encoding,
        snapshots=session.search.snapshots_held(),
        settings=session.settings,
        context=await session.context.health(expected=_is_expected(session.settings.context)),
        mode=mode_now,
        mode_failure=mode_failure,
        messages=preferences.messages,
    )


async def metrics(session: Session, params: MetricsParams, _: RequestProgress) -> MetricsResult:
    """`sg.metrics`."""
    match params.action:
        case "on":
            await session.preferences.check_comparable()
            session.search.start_metrics()
        case "on-next-load":
            await session.preferences.start_metrics_on_next_load()
        case "off":
            session.search.stop_metrics()
    window = session.search.metrics
    return search_metrics.result(window, _metrics_text(window, session.preferences.messages))


def _metrics_text(window: Window | None, messages: Messages) -> str:
    if window is None:
        return messages.metrics_off
    if window.searches == 0:
        return messages.metrics_empty
    saved = window.saved_tokens
    return (messages.metrics_saved if saved >= 0 else messages.metrics_cost).format(
        searches=messages.search(window.searches),
        signal=window.signal.tokens,
        normal=window.normal.tokens,
        difference=abs(saved),
        percent=abs(window.saved_percent),
    )


async def mode(session: Session, params: ModeParams, _: RequestProgress) -> ModeResult:
    """`sg.mode`."""
    preferences = session.preferences
    if params.action == "status":
        decision = await preferences.mode()
    else:
        decision = await preferences.choose_mode(params.action)
    return modes.result(decision, preferences.messages)


async def locale(session: Session, params: LocaleParams, _: RequestProgress) -> LocaleResult:
    """`sg.locale`."""
    if params.action != "status":
        await session.preferences.choose_locale(params.action)
    return LocaleResult(locale=await session.preferences.locale())


async def context_grep(session: Session, params: ContextGrepParams, _: RequestProgress) -> ContextGrepResult:
    """`sg.context.grep`."""
    _require(session, "grep")
    return await session.context.grep(params)


async def context_navigate(
    session: Session, params: ContextNavigateParams, _: RequestProgress
) -> ContextNavigateResult:
    """`sg.context.navigate`."""
    _require(session, "navigate")
    return await session.context.navigate(params, session.workspace)


async def context_read(session: Session, params: ContextReadParams, _: RequestProgress) -> ContextReadResult:
    """`sg.context.read`."""
    _require(session, "read")
    return await session.context.read(params, session.workspace)


async def context_put(session: Session, params: ContextPutParams, _: RequestProgress) -> ContextPutResult:
    """`sg.context.put`."""
    return await session.context.put(params)


async def context_get(session: Session, params: ContextGetParams, _: RequestProgress) -> ContextGetResult:
    """`sg.context.get`."""
    return await session.context.get(params)


async def context_list(session: Session, params: ContextListParams, _: RequestProgress) -> ContextListResult:
    """`sg.context.list`."""
    return await session.context.list(params)


async def context_delete(
    session: Session, params: ContextDeleteParams, _: RequestProgress
) -> ContextDeleteResult:
    """`sg.context.delete`."""
    return await session.context.delete(params)


def _is_expected(settings: ContextSettings) -> bool:
    """Whether the user says that stored text is to be had; `auto` waits for the first use."""
    return True in (settings.grep, settings.navigate, settings.read)


def _require(session: Session, name: Literal["grep", "navigate", "read"]) -> None:
    """Raise CommandDisabled where the settings switch the command off."""
    if getattr(session.settings.context, name) is False:
        raise CommandDisabled(f"sg.context.{name} is switched off", f"The setting context.{name} does that.")


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
