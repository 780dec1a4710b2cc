import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sg_server.search.results import Match
from sg_server.text.positions import TextView
from sg_server.workspace.documents import Document, DocumentRevision
from tests.searching import Searcher, let_time_pass, matches
from tests.server.wire import write_files
from tests.strategies import CHARACTERS, LINE_ENDS, views

LONG = "≈"
"""Stands in an example for what would be long to read."""
pieces = st.sampled_from([*CHARACTERS, *LINE_ENDS, "a", "b\n", "a\r\n", "漢" * 300, LONG])
texts = st.lists(st.lists(pieces, max_size=8).map("".join), min_size=1, max_size=6)
patterns = st.sampled_from(
    [
        "a",
        "^",
        "$",
        "^a",
        "a$",
        "^$",
        "b*",
        r"\b",
        r"\Aa",
        r"a\z",
        r"(?-m:^a)",
        r"(?-m)a$",
        r"(?i-m)a$",
        "a.",
        "[^ab]",
        r"\s",
        r"\s\s",
        "a|$",
        "é",
        "\ufeff",
        r"\x00",
    ]
)
engines = st.sampled_from(["default", "pcre2", "auto"])


class Texts:
    """Open documents that have all been changed."""

    def __init__(self, folder: Path, texts: list[str]) -> None:
        self._documents = tuple(
            Document(
                revision=DocumentRevision(uri=(folder / f"{number:02}").as_uri(), version=1, opened=number),
                text=text,
                is_touched=True,
            )
            for number, text in enumerate(texts)
        )

    def all(self) -> tuple[Document, ...]:
        return self._documents


def on_disk_and_unsaved(texts: list[str], view: TextView, **request: Any) -> list[list[Match]]:
    """What is found in `texts` as files and as documents, without that by which these two differ."""

    async def both() -> list[list[Match]]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(folder, {f"{number:02}": text for number, text in enumerate(texts)})
            let_time_pass(folder)
            searcher = Searcher(folder, view=view, documents=Texts(folder, texts))
            found = []
            for include_unsaved in (False, True):
                # The only difference by design: of a file a byte order mark is no part of its text.
                answer = await searcher.search(
                    binary=True, encoding="none", includeUnsaved=include_unsaved, view="items", **request
                )
                pages = await searcher.pages(answer, lambda: {"view": "items", "limit": 1000})
                found.append(matches(pages))
                assert {match.source for match in found[-1]} <= {"document" if include_unsaved else "disk"}
            return found

    return [
        [replace(match, source="disk", document_version=None) for match in found]
        for found in asyncio.run(both())
    ]


@settings(max_examples=80)
@given(texts, patterns, engines, st.booleans(), views())
@example(["a\r", "\na"], "^a", "default", False, TextView())  # noqa: FBT003
@example(["a", "a"], r"a\z", "default", False, TextView())  # noqa: FBT003
@example(["a", "a"], r"\b", "default", False, TextView())  # noqa: FBT003
@example(["a", "a"], r"\s", "pcre2", False, TextView())  # noqa: FBT003
def test_a_document_is_searched_as_a_file_with_its_text_would_be(
    texts: list[str],
    pattern: str,
    engine: str,
    multiline: bool,  # noqa: FBT001
    view: TextView,
) -> None:
    texts = [text.replace(LONG, "b" * 70_000) for text in texts]
    disk, unsaved = on_disk_and_unsaved(
        texts, view, pattern=pattern, engine=engine, multiline=multiline, mode="matches", context=1
    )
    assert unsaved == disk
