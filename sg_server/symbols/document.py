"""The symbols of one document."""

import asyncio
from collections.abc import Sequence
from typing import Self

import msgspec

from sg_server import limits
from sg_server.engines.definitions import Definition
from sg_server.symbols.definitions import Providers
from sg_server.symbols.placing import Placed, place, place_headings
from sg_server.symbols.source import SourceText
from sg_server.text.outline import outline
from sg_server.text.positions import TextView

_MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd")


class DocumentText(msgspec.Struct, frozen=True, kw_only=True):
    """A document as the client shows it: no BOM, no lone surrogates. `basename` tells its language."""

    basename: str
    text: str
    is_markdown: bool

    @classmethod
    def of(cls, basename: str, text: str) -> Self:
        """A document whose name alone tells the language."""
        return cls(basename=basename, text=text, is_markdown=basename.lower().endswith(_MARKDOWN_SUFFIXES))


class DocumentOutline(msgspec.Struct, frozen=True, kw_only=True):
    """`symbols` in no particular order, and why they are not all there is to know; None when they are."""

    symbols: tuple[Placed, ...]
    problem: str | None = None


async def document_outline(providers: Providers, document: DocumentText, view: TextView) -> DocumentOutline:
    """The headings of a Markdown text, the definitions of any other. Positions are as `view` counts them."""
    text = document.text.encode()
    limit = limits.OUTLINE_BYTES if document.is_markdown else limits.SOURCE_BYTES
    if len(text) > limit:
        return DocumentOutline(symbols=(), problem=f"it has {len(text)} bytes; at most {limit} are looked at")
    if document.is_markdown:
        return DocumentOutline(symbols=await asyncio.to_thread(_headings, document.text, view))
    read = await providers.definitions(document.basename, text)
    cut = read.found[: limits.DOCUMENT_SYMBOLS]
    problem = read.problem
    if len(cut) < len(read.found):
        problem = f"it has {len(read.found)} symbols; the first {len(cut)} are shown"
    symbols = await asyncio.to_thread(_definitions, document.text, cut, view)
    return DocumentOutline(symbols=symbols, problem=problem)


def _headings(text: str, view: TextView) -> tuple[Placed, ...]:
    return tuple(place_headings(outline(text), SourceText(text, view)))


def _definitions(text: str, found: Sequence[Definition], view: TextView) -> tuple[Placed, ...]:
    source = SourceText(text, view)
    return tuple(place(definition, source) for definition in found)
