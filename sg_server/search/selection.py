"""Which files of a snapshot a page is to show."""

import os
import posixpath

from sg_server.errors import InvalidParams
from sg_server.search.params import PageParams
from sg_server.search.scope import strings
from sg_server.search.snapshots import Snapshot
from sg_server.workspace import uris
from sg_server.workspace.folders import Workspace

_SHOWN_CHARACTERS = 200


def selected(params: PageParams, snapshot: Snapshot, workspace: Workspace) -> str | None:
    """The signature of the files that `params` name; None when they name none.

    Nothing is looked up on disk: a file may be gone and its matches are still in the snapshot.
    """
    wanted = [("path", path, path) for path in strings(params.path, "path")]
    wanted += [("uri", uri, uris.path_of(uri) or uri) for uri in strings(params.uri, "uri")]
    if not wanted:
        return None
    known: dict[str, list[int]] = {}
    for position, (file, display) in enumerate(zip(snapshot.files, snapshot.displays, strict=True)):
        # Names that are not UTF-8 may look the same; their paths tell them apart.
        for name in {file.path, display}:
            known.setdefault(name, []).append(position)
    chosen: list[int] = []
    for field, given, path in wanted:
        names = _names_of(path, workspace)
        found = next((known[name] for name in names if name in known), None)
        if found is None:
            shown = uris.display(given)[:_SHOWN_CHARACTERS]
            raise InvalidParams(field, f"{shown!r} has no match in this snapshot")
        chosen += found
    return snapshot.select(chosen)


def _names_of(path: str, workspace: Workspace) -> tuple[str, ...]:
    """What a file of a snapshot may be called where a client calls it `path`."""
    if os.path.isabs(path):
        normal = os.path.normpath(path)
        return normal, workspace.display_of(normal)
    return (posixpath.normpath(path.replace(os.sep, "/")),)
