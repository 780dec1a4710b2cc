"""The structure of one text: ctags first, tree-sitter where ctags has no answer."""

import asyncio
from typing import Final

from sg_server.engines.ctags import Ctags
from sg_server.engines.symbols import Structure
from sg_server.engines.treesitter import TreeSitter

_NO_ANSWER: Final = frozenset({"provider-unavailable", "unsupported-range"})


class StructureReader:
    """Asks both providers."""

    def __init__(self, ctags: Ctags, tree_sitter: TreeSitter) -> None:
        self._ctags = ctags
        self._tree_sitter = tree_sitter
        self._parsing = asyncio.Lock()
        """Texts parsed at once would take their time from each other, and each has only so much."""

    async def structure_of(self, basename: str, text: bytes, *, path: str | None) -> Structure:
        """What is known of `text`, whose language `basename` tells; `path` is a file that holds just that."""
        tagged = await self._tagged(basename, text, path)
        if tagged.status not in _NO_ANSWER:
            return tagged
        async with self._parsing:
            parsed = await asyncio.to_thread(self._tree_sitter.structure_of, basename, text)
        return tagged if parsed.status in _NO_ANSWER else parsed

    async def _tagged(self, basename: str, text: bytes, path: str | None) -> Structure:
        try:
            if path is not None:
                return await self._ctags.structure(path)
            # ctags leaves out definitions whose names are not UTF-8; a larger one would seem the smallest.
            utf8 = text.decode("utf-8", "replace").encode()
            return await self._ctags.structure_of_text(basename, utf8)
        except OSError as error:
            detail = f"ctags cannot be given this text: {error.strerror or error}"
            return Structure(status="provider-unavailable", detail=detail)
