from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sg_server import limits
from sg_server.context.entries import EntryHead
from sg_server.context.navigate import navigate
from sg_server.context.params import ContextNavigateParams, ContextReadParams
from sg_server.context.read import read
from sg_server.context.results import ContextNavigateResult, ContextReadResult, OutlineNode
from sg_server.context.store.interface import NodeSummary
from sg_server.context.texts import NamedText
from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from sg_server.engines.structure import StructureReader
from sg_server.engines.treesitter import TreeSitter
from sg_server.errors import InvalidParams
from sg_server.text.edits import EditedText
from sg_server.text.entry_lines import EntryLines
from sg_server.text.positions import Position, Range, TextView
from tests.server.wire import require_tool
from tests.strategies import CHARACTERS

NOTES = "intro\n# A\none\n### Deep\nd\n## B \u00e9\ntwo\n# A\r\nlast"
ID = "0" * 32
PYTHON = (
    "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\n\ndef h():\n    pass\n"
)


@pytest.fixture
def structures() -> StructureReader:
    ctags = Ctags(ProcessOwner(), require_tool("ctags"))
    return StructureReader(ctags, TreeSitter(limits.TREE_SITTER_SECONDS))


def without_programs() -> StructureReader:
    return StructureReader(Ctags(ProcessOwner(), None), TreeSitter(limits.TREE_SITTER_SECONDS))


def entry(text: str, *, summary: str | None = None, **metadata: str) -> NamedText:
    head = EntryHead(
        id=ID,
        thread_id="t",
        source="user",
        content_type="text",
        tags=(),
        metadata=dict(metadata),
        summary=summary,
        owner="me",
        readers=(),
        version=1,
        created_at=0,
        updated_at=0,
        characters=len(text),
    )
    return NamedText(text=text, id=ID, entry=head)


async def outlined(
    named: NamedText,
    structures: StructureReader | None = None,
    summaries: tuple[NodeSummary, ...] = (),
    view: TextView | None = None,
    **params: Any,
) -> ContextNavigateResult:
    asked = ContextNavigateParams(id=named.id, uri=named.uri, **params)
    return await navigate(named, asked, structures or without_programs(), summaries, view or TextView())


async def read_of(named: NamedText, **params: Any) -> ContextReadResult:
    asked = ContextReadParams(id=named.id, uri=named.uri, **params)
    return await read(named, asked, without_programs(), TextView())


def nodes(root: OutlineNode) -> list[OutlineNode]:
    return [root, *(node for child in root.children for node in nodes(child))]


async def test_a_text_is_outlined_by_its_headings() -> None:
    result = await outlined(entry(NOTES, summary="All of it"))
    assert (result.id, result.uri, result.provider) == (ID, None, "markdown")
    assert (result.total_chars, result.node_count) == (len(NOTES), 4)
    root = result.root
    assert (root.node_id, root.level, root.ordinal, root.title, root.summary) == (
        "root",
        0,
        1,
        "",
        "All of it",
    )
    told = [
        (node.node_id, node.level, node.title, NOTES[node.char_start : node.char_end]) for node in nodes(root)
    ]
    assert told[1:] == [
        ("a", 1, "A", "# A\none\n### Deep\nd\n## B \u00e9\ntwo\n"),
        ("a/deep", 3, "Deep", "### Deep\nd\n"),
        ("a/b-\u00e9", 2, "B \u00e9", "## B \u00e9\ntwo\n"),
        ("a-2", 1, "A", "# A\r\nlast"),
    ]
    assert nodes(root)[-1].range == Range(
        start=Position(line=7, character=0), end=Position(line=8, character=4)
    )


async def test_the_text_lists_the_sections_and_says_how_to_read_one() -> None:
    text = (await outlined(entry(NOTES))).text
    assert text.splitlines() == [
        (
            f"4 sections in {len(NOTES)} characters (markdown), as [start-end] nodeId  title; "
            "offsets count code points from 0, ends are exclusive."
        ),
        "  [6-36] a  A",
        "    [14-25] a/deep  Deep",
        "    [25-36] a/b-\u00e9  B \u00e9",
        "  [36-45] a-2  A",
        f'Read one: sg.context.read {{"id":"{ID}","nodeId":"a"}}',
    ]


async def test_a_blank_summary_of_an_entry_is_none() -> None:
    assert (await outlined(entry("x", summary=" \n"))).root.summary is None


async def test_a_greatest_depth_hides_deeper_headings() -> None:
    result = await outlined(entry(NOTES), max_depth=2)
    assert [node.node_id for node in nodes(result.root)] == ["root", "a", "a/b-\u00e9", "a-2"]
    assert result.node_count == 3


async def test_a_summary_is_shown_only_where_its_section_still_is() -> None:
    summaries = (
        NodeSummary(node_id="a", char_start=6, char_end=36, summary="about A"),
        NodeSummary(node_id="a-2", char_start=36, char_end=44, summary="of a former text"),
        NodeSummary(node_id="gone", char_start=25, char_end=36, summary="of another"),
    )
    result = await outlined(entry(NOTES), summaries=summaries)
    assert [node.summary for node in nodes(result.root)] == [None, "about A", None, None, None]


async def test_a_lone_carriage_return_begins_no_heading() -> None:
    result = await outlined(entry("a\r# b\n# c\r"))
    assert [node.title for node in nodes(result.root)] == ["", "c"]


async def test_an_outline_of_many_sections_is_cut_with_words() -> None:
    text = "# a\n" + "## b\n" * (limits.OUTLINE_NODES)
    result = await outlined(entry(text))
    assert result.node_count == 1
    assert "PARTIAL: sections of level 2 and deeper are left out: they would be 10,001 nodes." in result.text


async def test_a_long_list_of_sections_stays_within_its_room() -> None:
    result = await outlined(entry(f"# {'n' * 300}\n" * 300))
    assert len(result.text.encode()) <= limits.RESPONSE_BYTES
    assert result.node_count == 300
    assert "more sections follow; the field root has them all." in result.text


async def test_a_text_too_long_for_an_outline_says_so() -> None:
    result = await outlined(entry("# a\n" + "x" * limits.OUTLINE_CHARACTERS))
    assert result.root.children == ()
    assert (
        "PARTIAL: it has 4,194,308 characters; headings are looked for in 4,194,304 at most." in result.text
    )


@pytest.mark.parametrize("language", ["python", "Python", "py", " PYTHON "])
async def test_an_entry_in_another_language_is_outlined_by_its_definitions(
    structures: StructureReader, language: str
) -> None:
    result = await outlined(entry(PYTHON, language=language), structures)
    assert result.provider == "ctags"
    told = [
        (node.node_id, node.level, PYTHON[node.char_start : node.char_end]) for node in nodes(result.root)
    ]
    assert told[1:] == [
        ("a", 1, PYTHON.partition("\ndef h")[0]),
        ("a/f", 2, "    def f(self):\n        return 1\n"),
        ("a/g", 2, "    def g(self):\n        pass\n"),
        ("h", 1, "def h():\n    pass\n"),
    ]


async def test_tree_sitter_outlines_what_ctags_gives_no_ends_for(structures: StructureReader) -> None:
    rust = NamedText(text="fn a() {\n}\n", uri="file:///x/a.rs", basename="a.rs")
    result = await outlined(rust, structures)
    assert (result.uri, result.provider) == ("file:///x/a.rs", "tree-sitter")
    assert [node.node_id for node in nodes(result.root)] == ["root", "a"]


@pytest.mark.parametrize("language", ["markdown", "en", "text", "\U0001d11e"])
async def test_a_language_that_nobody_knows_is_taken_for_markdown(
    structures: StructureReader, language: str
) -> None:
    for each in (structures, without_programs()):
        result = await outlined(entry("# a\n", language=language), each)
        assert (result.provider, result.node_count) == ("markdown", 1)


async def test_comments_of_a_language_without_ends_are_no_headings(structures: StructureReader) -> None:
    result = await outlined(
        NamedText(text="# a\n[s]\nkey = 1\n", uri="file:///x/a.ini", basename="a.ini"), structures
    )
    assert (result.provider, result.node_count) == ("ctags", 0)
    assert "PARTIAL: ctags gives no end lines for this Iniconf file." in result.text


@pytest.mark.parametrize(
    ("params", "text", "chars", "lines"),
    [
        ({"start_char": 2, "end_char": 7}, "tro\n#", (2, 7), (1, 2)),
        ({"start_char": 2}, NOTES[2:], (2, 45), (1, 9)),
        ({"end_char": 6}, "intro\n", (0, 6), (1, 1)),
        ({"start_char": -5, "end_char": 999}, NOTES, (0, 45), (1, 9)),
        ({"start_char": 7, "end_char": 3}, "", (7, 7), (2, 2)),
        ({"start_char": 6, "end_char": 6}, "", (6, 6), (2, 2)),
        ({"start_line": 2, "end_line": 3}, "# A\none", (6, 13), (2, 3)),
        ({"start_line": 8, "end_line": 8}, "# A", (36, 39), (8, 8)),
        ({"start_line": 8}, "# A\r\nlast", (36, 45), (8, 9)),
        ({"end_line": 1}, "intro", (0, 5), (1, 1)),
        ({"start_line": 0, "end_line": 99}, NOTES, (0, 45), (1, 9)),
        ({"start_line": 99}, "last", (41, 45), (9, 9)),
        ({"start_line": 3, "end_line": 2}, "one", (10, 13), (3, 3)),
        ({"node_id": "a/deep"}, "### Deep\nd\n", (14, 25), (4, 5)),
        ({"node_id": "root"}, NOTES, (0, 45), (1, 9)),
    ],
)
async def test_a_span_is_read_in_one_of_three_ways(
    params: dict[str, Any], text: str, chars: tuple[int, int], lines: tuple[int, int]
) -> None:
    result = await read_of(entry(NOTES), **params)
    assert (result.text, result.truncated, result.next) == (text, False, None)
    assert (result.start_char, result.end_char) == chars
    assert (result.start_line, result.end_line) == lines
    edited = EditedText(NOTES, TextView())
    edited.replace(result.range, "")
    assert edited.text == NOTES[: chars[0]] + NOTES[chars[1] :]


async def test_the_last_line_of_a_text_may_be_empty() -> None:
    result = await read_of(entry("a\n"), start_line=2)
    assert (result.text, result.start_char, result.end_char) == ("", 2, 2)
    assert (result.start_line, result.end_line) == (2, 2)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"node_id": "a", "start_line": 1},
        {"start_char": 1, "end_line": 1},
        {"end_char": 1, "node_id": "a"},
    ],
)
async def test_a_span_is_addressed_in_one_way_only(params: dict[str, Any]) -> None:
    with pytest.raises(
        InvalidParams, match="give one of nodeId, startChar and endChar, startLine and endLine"
    ):
        await read_of(entry(NOTES), **params)


async def test_an_unknown_node_names_the_nearest() -> None:
    with pytest.raises(InvalidParams, match=r"nodeId: there is no 'deep'; the nearest are a/deep, "):
        await read_of(entry(NOTES), node_id="deep")
    with pytest.raises(InvalidParams, match=r"the nearest are root"):
        await read_of(entry(""), node_id="x")


async def test_a_long_span_is_cut_and_names_the_request_that_goes_on() -> None:
    text = "# a\n" + "\u6f22\n" * 30_000 + "# b\nend"
    whole = entry(text)
    result = await read_of(whole, node_id="a")
    parts = [result.text]
    while result.next is not None:
        assert result.truncated
        assert len(result.text.encode()) <= limits.READ_BYTES
        result = await read(whole, result.next, without_programs(), TextView())
        parts.append(result.text)
    assert len(parts) == 2
    assert "".join(parts) == text.partition("# b")[0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from((*CHARACTERS, "\n", "\r\n", "\r", "# ", "## a\n", "a\n===\n")), max_size=30).map(
        "".join
    )
)
async def test_each_node_reads_as_its_span(text: str) -> None:
    result = await outlined(entry(text))
    lines = EntryLines(text)
    for node in nodes(result.root):
        section = await read_of(entry(text), node_id=node.node_id)
        assert section.text == text[node.char_start : node.char_end]
        assert (section.start_char, section.end_char, section.range) == (
            node.char_start,
            node.char_end,
            node.range,
        )
        assert section.start_line == lines.number_at(node.char_start)
