"""From what a client names to what is inspected: places as they are, matches as they were searched."""

import asyncio

from sg_server.inspection.request import InspectParams, MatchAsk, PlaceAsk, asks
from sg_server.inspection.targets import Evidence, Subject, Target, target_at
from sg_server.lsp.documents import Documents
from sg_server.search.evidence import hash_line
from sg_server.search.service import RetainedMatch, SearchService
from sg_server.workspace.documents import DocumentRevision
from sg_server.workspace.folders import Workspace


async def targets_of(
    params: InspectParams, search: SearchService, workspace: Workspace, documents: Documents
) -> list[Target]:
    """The targets that `params` name, in order. Raises InvalidParams and RequestFailed."""
    targets: list[Target] = []
    for ask in asks(params):
        if isinstance(ask, PlaceAsk):
            targets.append(await asyncio.to_thread(target_at, ask, workspace, documents.all()))
        else:
            match = await search.retained(ask.cursor, ask.snapshot, ask.match_index, field=ask.field)
            targets.append(_target_of(ask, match, workspace, documents))
    return targets


def _target_of(ask: MatchAsk, match: RetainedMatch, workspace: Workspace, documents: Documents) -> Target:
    row, revision = match.row, match.revision
    if isinstance(revision, DocumentRevision):
        # One that was closed is gone: then its file is read, and is not what was searched.
        uri, document = revision.uri, documents.get(revision.uri)
    else:
        uri, document = workspace.uri_of(match.path), None
    return Target(
        subject=Subject(
            path=match.path,
            display=workspace.display_of(match.path),
            uri=uri,
            document=document,
        ),
        request=ask.request,
        line=row.line,
        match_index=match.index,
        expected=Evidence(
            revision=revision,
            is_line=lambda content: hash_line(content) == row.line_hash,
            occurrence=row.primary,
            columns=row.columns[0],
            encoding=match.encoding,
        ),
    )
