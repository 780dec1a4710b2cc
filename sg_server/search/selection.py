"""Which files of a snapshot a page is to show."""

import os
import posixpath

from sg_server.errors import InvalidParams
from sg_server.search.params import PageParams
from sg_server.search.scope import strings
from sg_server.search.snapshots import Snapshot
from sg_server.text.plain import plain
from sg_server.workspace import uris
from sg_server.workspace.folders import Workspace

_SHOWN_CHARACTERS = 200


def selected(params: PageParams, snapshot: Snapshot, workspace: Workspace) -> str | None:
    """The signature of the files that `params` name; None when they name none.

    Nothing is looked up on disk: a file may be gone and its matches are still in the snapshot.
    """
    given = [("path", path, _names_of(path, workspace)) for path in strings(params.path, "path")]
    given += [
        ("uri", uri, (uri, *_names_of(uris.path_of(uri) or uri, workspace)))
        for uri in strings(params.uri, "uri")
    ]
    if not given:
        return None
    wanted = {name for _, _, names in given for name in names}
    known: dict[str, list[int]] = {}
    for position, (file, display) in enumerate(zip(snapshot.files, snapshot.displays, strict=True)):
        # Names that are not UTF-8 may look the same; their paths tell them apart.
        if file.path in wanted:
            known.setdefault(file.path, []).append(position)
        if display in wanted and display != file.path:
            known.setdefault(display, []).append(position)
        # As a text shows it, with control characters as pictures.
        if not display.isprintable() and (shown := plain(display)) in wanted:
            known.setdefault(shown, []).append(position)
        # A document may be spelled unlike its folder.
        if file.document and file.document.uri in wanted and file.document.uri != file.path:
            known.setdefault(file.document.uri, []).append(position)
    chosen: list[int] = []
    for field, word, names in given:
        found = next((known[name] for name in names if name in known), None)
        if found is None:
            shown = uris.display(word)[:_SHOWN_CHARACTERS]
            raise InvalidParams(field, f"{shown!r} is no file with a match in this snapshot")
        chosen += found
    return snapshot.select(chosen)


def _names_of(path: str, workspace: Workspace) -> tuple[str, ...]:
    """What a file of a snapshot may be called where a client calls it `path`."""
    if os.path.isabs(path):
        normal = os.path.normpath(path)
        return normal, workspace.display_of(normal)
    return (posixpath.normpath(path.replace(os.sep, "/")),)
