"""What one client works with after `initialize`: its folders, and everything made for its view of text."""

from collections.abc import Iterable, Sequence

from sg_server.health import Programs
from sg_server.search.service import SearchService
from sg_server.text.positions import TextView
from sg_server.workspace.folders import Workspace


class Session:
    """The objects behind the commands, built once; only the folders change."""

    def __init__(
        self,
        *,
        rg_path: str | None,
        ctags_path: str | None,
        view: TextView,
        folders: Iterable[tuple[str, str | None]],
    ) -> None:
        self.view = view
        self._folders = dict(folders)
        self.workspace = Workspace.of(self._folders.items())
        self.programs = Programs(rg_path=rg_path, ctags_path=ctags_path, workspace=self.workspace)
        self.search = SearchService(self.programs.ripgrep, view)

    def change_folders(self, *, added: Iterable[tuple[str, str | None]], removed: Sequence[str]) -> None:
        """Open and close folders, given by their URIs and names."""
        for uri in removed:
            self._folders.pop(uri, None)
        self._folders.update(added)
        self.workspace = Workspace.of(self._folders.items())
