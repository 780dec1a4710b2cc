"""Definitions whose names fit a query: the best of them, and as symbols of the workspace."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import msgspec

from sg_server.engines.definitions import Definition
from sg_server.symbols.placing import place
from sg_server.symbols.results import SymbolInformation
from sg_server.symbols.source import SourceText
from sg_server.text.positions import Location, TextView, shown
from sg_server.workspace.folders import Workspace
from sg_server.workspace.source import SourceError, read_source

UnsavedTexts = Mapping[str, bytes]
"""Texts of unsaved documents as ripgrep searches them, by path in the spelling of their folder."""


class Hit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A definition in the file at `path` whose name fits as well as `rank` says."""

    rank: int
    path: str
    definition: Definition


class Best:
    """The first `limit` hits of all that were added; `total` counts them all."""

    def __init__(self, limit: int) -> None:
        self.total = 0
        self._limit = limit
        self._hits: list[Hit] = []

    def add(self, hits: Iterable[Hit]) -> None:
        """Take more hits, in any order."""
        for hit in hits:
            self.total += 1
            self._hits.append(hit)
            if len(self._hits) > 2 * self._limit:
                self._hits = self.in_order()

    def in_order(self) -> list[Hit]:
        """The hits that count so far: the better ranks first, then by path and line."""
        return sorted(self._hits, key=_order)[: self._limit]


def located(
    hits: Sequence[Hit], documents: UnsavedTexts, workspace: Workspace, view: TextView
) -> list[SymbolInformation]:
    """The symbols of `hits` in their order, each at its name; those of unreadable files left out. Blocks."""
    symbols: dict[int, SymbolInformation] = {}
    by_path = sorted(enumerate(hits), key=lambda numbered: numbered[1].path)
    for path, numbered in groupby(by_path, key=lambda numbered: numbered[1].path):
        text = _text_of(path, documents, view)
        if text is None:
            continue
        source, uri = SourceText(text, view), workspace.uri_of(path)
        for number, hit in numbered:
            placed = place(hit.definition, source)
            symbols[number] = SymbolInformation(
                name=placed.name,
                kind=placed.kind,
                location=Location(uri=uri, range=placed.selection_range),
                container_name=placed.container,
            )
    return [symbols[number] for number in sorted(symbols)]


def _text_of(path: str, documents: UnsavedTexts, view: TextView) -> str | None:
    if path in documents:
        return shown(documents[path])
    try:
        source = read_source(path)
    except SourceError:
        return None
    return shown(source.text, latin1=view.invalid_utf8 == "latin1" and not source.valid_utf8)


def _order(hit: Hit) -> tuple[int, str, int]:
    return hit.rank, hit.path, hit.definition.line
