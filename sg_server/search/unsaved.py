"""Which open documents a search has to look into instead of their files."""

import asyncio
import os
from collections.abc import Iterator, Sequence

import msgspec

from sg_server.engines.ripgrep import Ripgrep
from sg_server.search.members import is_below, members_to_be
from sg_server.search.scope import Scope
from sg_server.workspace.documents import Document, unsaved
from sg_server.workspace.folders import Workspace


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """An unsaved document that may be in the scope of a search."""

    document: Document
    path: str
    """In its folder's spelling; the URI of a document that is no file."""
    names: frozenset[str]
    """The paths by which ripgrep may come upon its file: a client may have opened it through a link."""
    real: str | None
    """Where `path` leads; None for a document that is in no folder."""
    is_new: bool
    """There is no file yet that ripgrep could count."""
    is_decided: bool
    """It is in scope; of the others ripgrep tells by their files."""


async def candidates(
    ripgrep: Ripgrep, documents: Sequence[Document], scope: Scope, workspace: Workspace
) -> tuple[Candidate, ...]:
    """The unsaved ones of `documents`, without those of which it is known that they are not in `scope`.

    Raises as `Ripgrep.files`.
    """
    found = await asyncio.to_thread(_looked_up, documents, scope, workspace)
    new = {name: candidate for candidate in found if candidate.is_new for name in candidate.names}
    sizes = {name: len(candidate.document.searched) for name, candidate in new.items()}
    to_be = await members_to_be(ripgrep, scope, sizes)
    left_out = {new[name].document.uri for name in sizes.keys() - to_be}
    return tuple(candidate for candidate in found if candidate.document.uri not in left_out)


def _looked_up(documents: Sequence[Document], scope: Scope, workspace: Workspace) -> list[Candidate]:
    """What the roots of `scope` do not leave out; blocks to look at files."""
    roots = {os.path.realpath(root): root for root in scope.folders}
    named = {os.path.realpath(file): file for file in scope.files}
    # Without a folder nothing on disk is searched, and every document is all there is of it.
    to_search = unsaved(documents) if workspace.folders else documents
    found = (_candidate(document, scope, roots, named, workspace) for document in to_search)
    return [candidate for candidate in found if candidate is not None]


def _candidate(
    document: Document, scope: Scope, roots: dict[str, str], named: dict[str, str], workspace: Workspace
) -> Candidate | None:
    path = document.path_in(workspace)
    if document.uri in scope.documents:
        path = path or document.path or document.uri
        return Candidate(
            document=document, path=path, names=frozenset(), real=None, is_new=True, is_decided=True
        )
    if path is None:
        is_outside = document.path is not None and bool(workspace.folders)
        if is_outside or not scope.is_everything:
            return None
        path = document.path or document.uri
        return Candidate(
            document=document, path=path, names=frozenset(), real=None, is_new=True, is_decided=True
        )
    real = os.path.realpath(path)
    if real in named:
        names = frozenset([named[real]])
        return Candidate(document=document, path=path, names=names, real=real, is_new=False, is_decided=True)
    names = frozenset(_names_below(roots, real))
    if scope.filters.follow and any(is_below(root, path) for root in scope.folders):
        names |= {path}
    if not names:
        return None
    is_new = not os.path.lexists(path)
    return Candidate(document=document, path=path, names=names, real=real, is_new=is_new, is_decided=is_new)


def _names_below(roots: dict[str, str], real: str) -> Iterator[str]:
    for real_root, root in roots.items():
        if is_below(real_root, real):
            yield os.path.join(root, os.path.relpath(real, real_root))
