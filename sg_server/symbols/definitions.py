"""The definitions in one text, from ctags and tree-sitter together."""

import asyncio
import logging

import msgspec

from sg_server.engines.definitions import Definition, DefinitionReader, DefinitionsUnavailable
from sg_server.engines.symbols import Structure, Symbol
from sg_server.engines.treesitter import TreeSitter

logger = logging.getLogger(__name__)


class Definitions(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a text; `problem` says in one sentence why that is nothing, or None."""

    found: tuple[Definition, ...] = ()
    problem: str | None = None


class Providers:
    """Asks ctags first, and tree-sitter where that knows no such language or not where definitions end."""

    def __init__(self, ctags: DefinitionReader, tree_sitter: TreeSitter) -> None:
        self.ctags = ctags
        self.tree_sitter = tree_sitter

    async def definitions(self, basename: str, text: bytes) -> Definitions:
        """The definitions in `text` (UTF-8), whose language `basename` tells, in no particular order."""
        try:
            tagged = await self.ctags.of_text(basename, text)
        except (DefinitionsUnavailable, OSError) as error:
            tagged = None
            logger.info("no definitions from ctags: %s", error)
        if tagged is not None and (not tagged or any(found.end_line is not None for found in tagged)):
            return Definitions(found=tagged)
        structure = await asyncio.to_thread(self.tree_sitter.structure_of, basename, text)
        found = _together(tagged or (), structure)
        return Definitions(found=found, problem=None if found else structure.detail)


def of_symbol(symbol: Symbol) -> Definition:
    """A symbol of tree-sitter's as a definition."""
    return Definition(
        name=symbol.name,
        kind=symbol.kind,
        container=symbol.container,
        language=symbol.language,
        line=symbol.start_line,
        end_line=symbol.end_line,
    )


def _together(tagged: tuple[Definition, ...], structure: Structure) -> tuple[Definition, ...]:
    """tree-sitter's definitions and, where the text has errors of syntax, those of ctags that it missed."""
    parsed = tuple(map(of_symbol, structure.symbols))
    if structure.status == "available":
        return parsed
    return tuple({(found.name, found.line): found for found in (*tagged, *parsed)}.values())
