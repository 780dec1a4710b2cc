"""What a search found, made up: ripgrep's records for texts, and snapshots of them."""

import base64
import json
import re
from collections.abc import Mapping

from sg_server.search.evidence import FileEvidence, Records
from sg_server.search.params import SearchParams
from sg_server.search.request import normalise
from sg_server.search.scan import Scan
from sg_server.search.snapshots import Snapshot, make_snapshot
from sg_server.workspace.folders import Workspace

ROOT = Workspace.of([("file:///", "root")])


def match_record(
    lines: bytes, spans: list[tuple[int, int]], *, line_number: int = 1, offset: int = 0
) -> bytes:
    """A match event as ripgrep writes it, LF included."""
    data = {
        "path": {"text": "/f"},
        "lines": text_of(lines),
        "line_number": line_number,
        "absolute_offset": offset,
        "submatches": [
            {"match": text_of(lines[start:end]), "start": start, "end": end} for start, end in spans
        ],
    }
    return (
        json.dumps({"type": "match", "data": data}, ensure_ascii=False, separators=(",", ":")).encode()
        + b"\n"
    )


def text_of(data: bytes) -> dict[str, str]:
    """ripgrep's way with text: base64 where it is not UTF-8."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(data).decode()}


def file_of(path: str, text: bytes, pattern: bytes = b"needle") -> FileEvidence:
    """What a search for `pattern` finds in `text`."""
    records: list[bytes] = []
    occurrences = offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        spans = [match.span() for match in re.finditer(pattern, line)]
        if spans:
            records.append(match_record(line, spans, line_number=number, offset=offset))
            occurrences += len(spans)
        offset += len(line)
    return FileEvidence(
        path=path,
        kept=[Records(b"".join(records), len(records))] if records else [],
        retained=len(records),
        matches=len(records),
        occurrences=occurrences,
    )


def snapshot_of(files: Mapping[str, bytes], *, size: int = 0) -> Snapshot:
    """A snapshot of a search for `needle` in texts, by their paths below the root folder."""
    found = Scan(
        files=tuple(file_of(f"/{path}", text) for path, text in files.items()),
        files_searched=len(files),
        unreadable=(),
        bytes=size,
        is_cut=False,
    )
    return make_snapshot(normalise(SearchParams(pattern="needle"), ROOT), ROOT, found)
