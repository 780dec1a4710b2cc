"""The outline of a text: the headings of Markdown, or the definitions of another language."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from sg_server import limits
from sg_server.context.results import OutlineProvider
from sg_server.context.texts import NamedText
from sg_server.engines.grammars import GRAMMARS
from sg_server.engines.structure import StructureReader
from sg_server.engines.symbols import Structure, Symbol
from sg_server.text.entry_lines import line_starts
from sg_server.text.outline import outline
from sg_server.text.sections import Part, Section, section_tree

_MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".mdown", ".mkd", ".txt", ".text")
_MARKDOWN: Final = frozenset({"markdown", "md", "text", "txt", "plain", "plaintext"})
_SUFFIX: Final = re.compile(r"[a-z0-9_+#-]{1,20}")
_OTHER_NAMES: Final = {
    "c++": "cpp",
    "c#": "cs",
    "golang": "go",
    "shell": "sh",
    "perl": "pl",
    "makefile": "mk",
}


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """The tree of a text, who found it, and why it is not all there is to know; None when it is."""

    root: Section
    provider: OutlineProvider
    problem: str | None = None


async def outline_of(named: NamedText, structures: StructureReader) -> Outline:
    """The outline of `named`. A text whose language is not known is taken for Markdown."""
    basename = _basename(named)
    if basename is not None and not basename.lower().endswith(_MARKDOWN_SUFFIXES):
        structure = await structures.structure_of(basename, named.text.encode(), path=None)
        if not _may_be_markdown(named, structure):
            provider = structure.symbols[0].provider if structure.symbols else "ctags"
            root = await asyncio.to_thread(_of_symbols, named.text, structure.symbols)
            return Outline(root=root, provider=provider, problem=structure.detail)
    if len(named.text) > limits.OUTLINE_CHARACTERS:
        most = limits.OUTLINE_CHARACTERS
        return Outline(
            root=section_tree((), len(named.text)),
            provider="markdown",
            problem=f"it has {len(named.text):,} characters; headings are looked for in {most:,} at most",
        )
    return Outline(root=await asyncio.to_thread(_of_headings, named.text), provider="markdown")


def _may_be_markdown(named: NamedText, structure: Structure) -> bool:
    """Whether no provider knows the language of `named`, and nothing says that it has one."""
    if structure.status == "provider-unavailable":
        return named.entry is not None or "." not in (named.basename or "").lstrip(".")
    return not structure.knows_language


def _basename(named: NamedText) -> str | None:
    """A name that tells the language of `named`; None for Markdown and for what nobody tells."""
    if named.entry is None:
        return named.basename
    language = named.entry.metadata.get("language")
    if not isinstance(language, str):
        return None
    language = language.strip().lower()
    if language in _MARKDOWN:
        return None
    for grammar in GRAMMARS:
        if language == grammar.language.lower():
            return f"entry.{min(grammar.extensions, key=len)}"
    suffix = _OTHER_NAMES.get(language, language)
    return f"entry.{suffix}" if _SUFFIX.fullmatch(suffix) else None


def _of_headings(text: str) -> Section:
    headings = outline(text, lone_cr_ends_line=False)
    parts = (
        Part(
            level=heading.level,
            title=text[heading.title_start : heading.title_end].strip(),
            start=heading.start,
            end=heading.end,
        )
        for heading in headings
    )
    return section_tree(parts, len(text))


def _of_symbols(text: str, symbols: Sequence[Symbol]) -> Section:
    return section_tree(_parts(symbols, [*line_starts(text), len(text)]), len(text))


def _parts(symbols: Sequence[Symbol], starts: Sequence[int]) -> Iterator[Part]:
    """The lines of each symbol. One that begins inside another lies in it, down to where that ends."""
    last = len(starts) - 2
    ends: list[int] = []
    for symbol in sorted(symbols, key=lambda each: (each.start_line, -each.end_line)):
        start = starts[min(symbol.start_line - 1, last)]
        end = starts[min(symbol.end_line, last + 1)]
        while ends and start >= ends[-1]:
            ends.pop()
        end = min([end, *ends[-1:]])
        yield Part(level=len(ends) + 1, title=symbol.name, start=start, end=end)
        ends.append(end)
