"""What one client works with after `initialize`: its folders, and everything made for its view of text."""

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sg_server.context.bounds import ContextBounds, SummaryBounds
from sg_server.context.options import ContextOptions
from sg_server.engines.definitions import DefinitionReader
from sg_server.engines.structure import StructureReader
from sg_server.health import Programs
from sg_server.inspection.service import InspectionService
from sg_server.lsp.documents import Documents
from sg_server.lsp.preferences import Preferences
from sg_server.search.defaults import Retention, SearchDefaults
from sg_server.search.service import SearchService
from sg_server.settings import ContextSettings, Settings, SnapshotSettings, SummarySettings
from sg_server.symbols.definitions import Providers
from sg_server.symbols.workspace import WorkspaceSymbols
from sg_server.text.positions import TextView
from sg_server.workspace.folders import Workspace, folder_key

if TYPE_CHECKING:
    from sg_server.context.service import ContextService

_log = logging.getLogger("sg_server")


class Session:
    """The objects behind the commands, built once; only the folders and the settings change."""

    def __init__(
        self,
        *,
        rg_path: str | None,
        ctags_path: str | None,
        view: TextView,
        folders: Iterable[tuple[str, str | None]],
        preferences: Preferences,
        context: ContextOptions,
    ) -> None:
        self.view = view
        self.preferences = preferences
        self._context_options = context
        self._context: ContextService | None = None
        self.settings = Settings()
        self._folders: dict[str, tuple[str, str | None]] = {}
        self.change_folders(added=folders, removed=())
        self.programs = Programs(rg_path=rg_path, ctags_path=ctags_path, workspace=self.workspace)
        self.documents = Documents(view)
        self.search = SearchService(self.programs.ripgrep, view, self.documents)
        self.inspection = InspectionService(self.programs.ctags, self.programs.tree_sitter, view)
        reader = DefinitionReader(self.programs.ctags)
        self.providers = Providers(reader, self.programs.tree_sitter)
        self.symbols = WorkspaceSymbols(self.programs.ripgrep, self.providers, view)

    def change_folders(self, *, added: Iterable[tuple[str, str | None]], removed: Sequence[str]) -> None:
        """Open and close folders, given by their URIs and names."""
        for uri in removed:
            self._folders.pop(folder_key(uri), None)
        for uri, name in added:
            self._folders[folder_key(uri)] = (uri, name)
        self.workspace = Workspace.of(self._folders.values())

    @property
    def context(self) -> "ContextService":
        """Stored text. Most sessions have no use for it, and do not wait for it either."""
        if self._context is None:
            from sg_server.context.service import ContextService  # noqa: PLC0415 - only who uses it waits

            self._context = ContextService(
                self._context_options.completed(),
                view=self.view,
                documents=self.documents,
                structures=StructureReader(self.programs.ctags, self.programs.tree_sitter),
            )
            self._context.bounds = _context_bounds(self.settings.context)
        return self._context

    async def close(self) -> None:
        """Let go of what is open."""
        if self._context is not None:
            await self._context.close()

    @property
    def defaults(self) -> SearchDefaults:
        """What holds where a request says nothing."""
        return _defaults(self.settings)

    def apply(self, settings: Settings) -> None:
        """Let `settings` hold from the next command on."""
        self.settings = settings
        self.programs.ripgrep.threads = settings.threads
        self.search.configure(self.defaults, _retention(settings.snapshots))
        if self._context is not None:
            self._context.bounds = _context_bounds(settings.context)
        # A level of its own goes before the one of the command line, which the root logger has.
        _log.setLevel(logging.NOTSET if settings.log.level is None else settings.log.level.upper())


def _defaults(settings: Settings) -> SearchDefaults:
    return SearchDefaults(
        hidden=settings.hidden,
        follow=settings.follow,
        exclude=settings.exclude,
        max_file_size=settings.max_file_size,
    )


def _retention(settings: SnapshotSettings) -> Retention:
    return Retention(
        snapshots=settings.count,
        bytes=settings.bytes,
        idle_seconds=settings.idle_seconds,
        rows=settings.retained_rows,
    )


def _context_bounds(settings: ContextSettings) -> ContextBounds:
    return ContextBounds(
        matches=settings.max_matches,
        context_lines=settings.max_context_lines,
        entries=settings.max_entries_scanned,
        batch_bytes=settings.scan_bytes,
        entry_seconds=settings.regex_seconds,
        seconds=settings.scan_seconds,
        summaries=_summary_bounds(settings.summaries) if settings.summaries.enabled else None,
    )


def _summary_bounds(settings: SummarySettings) -> SummaryBounds:
    return SummaryBounds(
        min_characters=settings.min_characters,
        seconds=settings.timeout_seconds,
        tokens=settings.max_tokens,
        at_once=settings.concurrency,
    )
