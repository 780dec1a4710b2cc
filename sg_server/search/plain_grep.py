"""A search as the usual grep tool of coding agents answers it: the first matches, each line with its path.

The form, its bounds and its notices are those of the tool `grep` of pi's coding agent, which is typical. Made
from a snapshot, for comparison; nothing is searched or read for it.
"""

import os
from collections.abc import Callable, Iterator, Sequence

from sg_server import limits
from sg_server.search.evidence import Row
from sg_server.search.reading import ShownRow
from sg_server.search.snapshots import Snapshot
from sg_server.text.excerpts import utf8_size
from sg_server.workspace import uris

NOTHING = "No matches found"
_CUT = "... [truncated]"
_ENOUGH = (
    f"{limits.PLAIN_GREP_ROWS} matches limit reached. "
    f"Use limit={2 * limits.PLAIN_GREP_ROWS} for more, or refine pattern"
)


def plain_grep(rows: Sequence[ShownRow], path_of: Callable[[int], str]) -> str:
    """The answer for `rows`, the first `limits.PLAIN_GREP_ROWS` at most of all that matched.

    `path_of` gives the path of a file by its position in the snapshot.
    """
    if not rows:
        return NOTHING
    lines: list[str] = []
    some_cut = False
    for shown in rows:
        for separator, number, text, is_cut in _block(shown):
            lines.append(f"{path_of(shown.position)}{separator}{number}{separator} {text}{_CUT * is_cut}")
            some_cut = some_cut or is_cut
    kept = _within(lines, limits.PLAIN_GREP_BYTES)
    notices = [
        notice
        for notice, applies in (
            (_ENOUGH, len(rows) >= limits.PLAIN_GREP_ROWS),
            (f"{limits.PLAIN_GREP_BYTES / limits.KIB:.1f}KB limit reached", len(kept) < len(lines)),
            (
                f"Some lines truncated to {limits.LINE_CHARACTERS} chars. Use read tool to see full lines",
                some_cut,
            ),
        )
        if applies
    ]
    return "\n".join(kept) + (f"\n\n[{'. '.join(notices)}]" if notices else "")


def shown_path(snapshot: Snapshot, roots: Sequence[str], position: int) -> str:
    """The path of the file at `position`: from the folder that is searched, or its name where it is named.

    The usual tool searches one folder or file; where there are more, paths are those of every other answer.
    """
    if len(roots) == 1:
        path, root = snapshot.files[position].path, roots[0]
        if path == root:
            return uris.display(os.path.basename(path))
        if path.startswith(os.path.join(root, "")):
            return uris.display(os.path.relpath(path, root)).replace(os.sep, "/")
    return snapshot.displays[position]


def _block(shown: ShownRow) -> Iterator[tuple[str, int, str, bool]]:
    """A match with its context: the mark of each line, its number, its text, whether that is cut."""
    row, context = shown.row, shown.context
    before = context.before if context else ()
    for number, text in enumerate(before, row.line - len(before)):
        yield "-", number, text, len(text) >= limits.LINE_CHARACTERS
    yield ":", row.line, _head(row), row.clipped
    for number, text in enumerate(context.after if context else (), row.line + 1):
        yield "-", number, text, len(text) >= limits.LINE_CHARACTERS


def _head(row: Row) -> str:
    """The line from its start on. Raises ValueError where that was not kept."""
    if not row.text_start:
        return row.text
    if row.head is None:
        raise ValueError("the start of a long line was not kept")
    return row.head


def _within(lines: Sequence[str], room: int) -> list[str]:
    """The first of `lines` that fit `room` bytes, joined by line feeds."""
    kept: list[str] = []
    for line in lines:
        room -= utf8_size(line) + bool(kept)
        if room < 0:
            break
        kept.append(line)
    return kept
