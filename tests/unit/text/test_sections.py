import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.outline import outline
from sg_server.text.sections import Part, Section, section_tree, shown_to_level, walk


def tree(*parts: tuple[int, str]) -> Section:
    starts = range(len(parts))
    return section_tree(
        [
            Part(level=level, title=title, start=start, end=end_of(parts, start))
            for start, (level, title) in zip(starts, parts, strict=True)
        ],
        len(parts),
    )


def end_of(parts: tuple[tuple[int, str], ...], at: int) -> int:
    level = parts[at][0]
    return next((after for after in range(at + 1, len(parts)) if parts[after][0] <= level), len(parts))


def ids(root: Section) -> list[str]:
    return [section.node_id for section in walk(root)][1:]


def test_equal_names_are_numbered_from_the_second_on_until_one_is_free() -> None:
    names = [(1, "Notes"), (1, "Notes"), (1, "Notes 2"), (1, "Notes")]
    assert ids(tree(*names)) == ["notes", "notes-2", "notes-2-2", "notes-3"]
    assert ids(tree((1, "Notes 2"), (1, "Notes"), (1, "Notes"))) == ["notes-2", "notes", "notes-3"]


def test_root_is_taken_at_the_top_only() -> None:
    assert ids(tree((1, "Root"), (2, "Root"), (1, "ROOT"))) == ["root-2", "root-2/root", "root-3"]


def test_an_id_tells_the_way_from_the_top_and_skipped_levels_add_nothing() -> None:
    assert ids(tree((1, "A"), (4, "B"), (6, "C"), (2, "D"), (1, "A"), (3, "B"))) == [
        "a",
        "a/b",
        "a/b/c",
        "a/d",
        "a-2",
        "a-2/b",
    ]


@pytest.mark.parametrize(
    ("title", "segment"),
    [
        ("  Set  up: it's `x`!  ", "set-up-it-s-x"),
        ("\u00c9t\u00e9_1", "\u00e9t\u00e9_1"),
        ("***", "section"),
        ("", "section"),
        ("x" * 63 + " y", "x" * 63),
        ("y" * 80, "y" * 64),
        ("a\r\nb", "a-b"),
    ],
)
def test_a_segment_is_made_of_the_words_of_a_title(title: str, segment: str) -> None:
    assert ids(tree((1, title))) == [segment]


def test_ordinals_count_the_children_of_one_parent() -> None:
    root = tree((1, "a"), (2, "b"), (2, "c"), (1, "d"))
    assert [section.ordinal for section in walk(root)] == [1, 1, 1, 2, 2]


def test_a_greatest_level_hides_and_does_not_rename() -> None:
    root = tree((1, "a"), (3, "x"), (2, "x"), (3, "y"), (1, "b"))
    assert ids(root) == ["a", "a/x", "a/x-2", "a/x-2/y", "b"]
    assert ids(shown_to_level(root, 2)) == ["a", "a/x-2", "b"]
    assert ids(shown_to_level(root, 1)) == ["a", "b"]


@given(
    st.lists(st.sampled_from(["# a\n", "## b\n", "### a 2\n", "a\n===\n", "text\n", "\r\n", "x\r"])).map(
        "".join
    )
)
def test_sections_tile_the_text_and_children_lie_in_their_parents(text: str) -> None:
    headings = outline(text, lone_cr_ends_line=False)
    parts = [Part(level=each.level, title=each.title, start=each.start, end=each.end) for each in headings]
    root = section_tree(parts, len(text))
    assert (root.node_id, root.level, root.start, root.end) == ("root", 0, 0, len(text))
    sections = list(walk(root))
    assert [section.start for section in sections[1:]] == [part.start for part in parts]
    assert len({section.node_id for section in sections}) == len(sections)
    for parent in sections:
        own_end = parent.children[0].start if parent.children else parent.end
        assert parent.start <= own_end
        for one, other in pairwise(parent.children):
            assert one.end == other.start
        if parent.children:
            assert parent.children[-1].end == parent.end


def test_many_sections_of_one_name_take_time_in_proportion() -> None:
    began = time.process_time()
    assert ids(tree(*[(1, "Notes")] * 1_000))[-1] == "notes-1000"
    parts = [Part(level=1, title="Notes", start=at, end=at + 1) for at in range(30_000)]
    assert section_tree(parts, 30_000).children[-1].node_id == "notes-30000"
    assert time.process_time() - began < 3
