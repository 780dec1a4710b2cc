"""One search or inspection outside an editor, in the working folder and whatever else is named."""

import os
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final, Literal

import msgspec

from sg_server import limits
from sg_server.context.options import ContextOptions
from sg_server.context.service import ContextService
from sg_server.engines.structure import StructureReader
from sg_server.errors import ConfigInvalid, ConfigUnavailable, InvalidParams, PathNotFound
from sg_server.health import Health, Programs, examine
from sg_server.inspection.request import PlaceAsk
from sg_server.inspection.results import InspectResult
from sg_server.inspection.service import InspectionService
from sg_server.inspection.targets import Target, target_at
from sg_server.search.params import PageParams, SearchParams
from sg_server.search.results import Match, SearchResult
from sg_server.search.service import SearchService
from sg_server.text.positions import Position, TextView
from sg_server.userfile import UserFile, file_path
from sg_server.workspace import uris
from sg_server.workspace.documents import NoDocuments
from sg_server.workspace.folders import Workspace

_VIEW: Final = TextView(encoding="utf-8", lone_cr_ends_line=False)
"""Columns are bytes and only LF ends a line, as ripgrep has it."""

_PLACE: Final = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?", re.DOTALL)
_PLACE_WITHOUT_COLUMN: Final = re.compile(r"(?P<path>.+):(?P<line>[0-9]{1,9})", re.DOTALL)


class Spot(msgspec.Struct, frozen=True):
    """A place in a file: its path, its line (1-based, LF only) and maybe a column (1-based, in bytes)."""

    path: str
    line: int
    column: int | None


def spot_of(word: str) -> Spot:
    """The place that `PATH:LINE` or `PATH:LINE:COLUMN` names. Raises InvalidParams.

    Where a name with a colon makes that ambiguous, the last two numbers are a line and a column if there is
    such a file: with a column any file can be named.
    """
    found = _PLACE.fullmatch(word)
    if found is None:
        raise InvalidParams(uris.display(word), "name a line of a file: PATH:LINE or PATH:LINE:COLUMN")
    path, line, column = found.groups()
    if column is not None and not os.path.lexists(path):
        shorter = _PLACE_WITHOUT_COLUMN.fullmatch(word)
        if shorter is not None and os.path.lexists(shorter["path"]):
            (path, line), column = shorter.groups(), None
    spot = Spot(path, int(line), None if column is None else int(column))
    if 0 in (spot.line, spot.column):
        raise InvalidParams(uris.display(word), "lines and columns count from 1")
    return spot


def stored_text(store: str | None, programs: Programs) -> ContextService:
    """Stored text; `store` is as `ContextOptions.store`."""
    return ContextService(
        ContextOptions(store=store).completed(),
        view=_VIEW,
        documents=NoDocuments(),
        structures=StructureReader(programs.ctags, programs.tree_sitter),
    )


class OneShot:
    """What the command line works with: a workspace of the working folder and every named path."""

    def __init__(
        self,
        paths: Iterable[str],
        *,
        rg_path: str | None,
        ctags_path: str | None,
        invalid_utf8: Literal["replace", "latin1"] = "replace",
    ) -> None:
        self.workspace, self.uris = workspace_of(paths)
        """And the URIs of the paths, in order. Raises PathNotFound."""
        self._programs = Programs(rg_path=rg_path, ctags_path=ctags_path, workspace=self.workspace)
        view = msgspec.structs.replace(_VIEW, invalid_utf8=invalid_utf8)
        self._searches = SearchService(self._programs.ripgrep, view, NoDocuments())

    async def search(self, params: SearchParams) -> SearchResult:
        """Search. Raises as `SearchService.search`."""
        return await self._searches.search(params, self.workspace)

    async def matches(self, result: SearchResult, limit: int | None) -> AsyncIterator[Match]:
        """The first `limit` matches, or all: the page in `result` and those after it."""
        left = limit if limit is not None else result.totals.retained
        while left > 0:
            shown = (result.matches or ())[:left]
            for match in shown:
                yield match
            left -= len(shown)
            if result.cursor is None:
                return
            page = PageParams(cursor=result.cursor, view="items", limit=left)
            result = await self._searches.page(page, self.workspace)

    async def inspect(self, spots: Sequence[Spot]) -> InspectResult:
        """Show the source around `spots`, which lie at the named paths. Raises as `Workspace.place_uri`."""
        if not 0 < len(spots) <= limits.INSPECT_TARGETS:
            message = f"{len(spots)} places were named; 1 to {limits.INSPECT_TARGETS} are shown at once"
            raise InvalidParams("PATH:LINE", message)
        targets = [self._target(spot, uri) for spot, uri in zip(spots, self.uris, strict=True)]
        return await InspectionService(self._programs.ctags, self._programs.tree_sitter, _VIEW).inspect(
            targets
        )

    async def health(self, store: str | None) -> Health:
        """What works here; `store` is where stored text is, as `ContextOptions.store`."""
        context = stored_text(store, self._programs)
        try:
            return await examine(
                self._programs,
                mode_failure=_problem_of_user_file(),
                workspace=self.workspace,
                encoding=_VIEW.encoding,
                context=await context.health(expected=False),
            )
        finally:
            await context.close()

    def _target(self, spot: Spot, uri: str) -> Target:
        column = spot.column
        ask = PlaceAsk(
            kind="uri",
            name=uri,
            field="uri",
            line=spot.line,
            position=None if column is None else Position(line=spot.line - 1, character=column - 1),
            request={"uri": uri, "line": spot.line},
        )
        target = target_at(ask, self.workspace, ())
        subject = msgspec.structs.replace(target.subject, display=shown_path(uri))
        return msgspec.structs.replace(target, subject=subject)


def _problem_of_user_file() -> ConfigInvalid | ConfigUnavailable | None:
    """What every session would say of the file that holds for all editors."""
    try:
        UserFile(file_path(os.environ)).read()
    except (ConfigInvalid, ConfigUnavailable) as error:
        return error
    return None


def shown_path(uri: str) -> str:
    """The path of a file URI below the working folder; whole where it is not below it."""
    path = uris.path_of(uri) or uri
    below = os.path.relpath(path)
    return uris.display(path if below.split(os.sep, 1)[0] == os.pardir else below)


def workspace_of(paths: Iterable[str]) -> tuple[Workspace, tuple[str, ...]]:
    """A workspace that holds the working folder and every path, and the URIs of the paths.

    Raises PathNotFound.
    """
    here = os.path.realpath(os.curdir)
    folders, roots = [], []
    for given in paths:
        if not os.path.exists(given):
            raise PathNotFound(f"{uris.display(given)}: there is no such file or folder")
        path, real = os.path.abspath(given), os.path.realpath(given)
        if os.path.join(real, "").startswith(os.path.join(here, "")):
            folder, root = os.getcwd(), path
        elif os.path.isdir(path):
            folder, root = path, path
        else:
            folder, root = os.path.dirname(real), real
        folders.append(uris.uri_of(folder))
        roots.append(uris.uri_of(root))
    workspace = Workspace.of((folder, None) for folder in folders or [uris.uri_of(os.getcwd())])
    return workspace, tuple(roots)
