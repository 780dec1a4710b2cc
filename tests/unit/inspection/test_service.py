import asyncio
import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sg_server import limits
from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from sg_server.engines.treesitter import TreeSitter
from sg_server.errors import InvalidParams, OutsideWorkspace, PathNotFound
from sg_server.inspection.request import InspectParams, PlaceAsk, asks
from sg_server.inspection.results import InspectResult
from sg_server.inspection.service import InspectionService
from sg_server.inspection.targets import Evidence, Subject, Target, subject_of, target_at
from sg_server.text.positions import Position, Range, TextView
from sg_server.workspace.documents import Document, DocumentRevision
from sg_server.workspace.folders import Workspace
from sg_server.workspace.revisions import look
from sg_server.workspace.uris import uri_of

SOURCE = """import os

class App:
    def handle(self):
        first = 1
        return first

def other():
    pass
"""


class Place:
    """A folder with files, and an inspection service without ctags."""

    def __init__(self, folder: Path, view: TextView | None = None) -> None:
        self.folder = folder
        self.workspace = Workspace.of([(folder.as_uri(), None)])
        self.documents: list[Document] = []
        tree_sitter = TreeSitter(limits.TREE_SITTER_SECONDS)
        self._service = InspectionService(Ctags(ProcessOwner(), None), tree_sitter, view or TextView())

    def write(self, name: str, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        (self.folder / name).write_bytes(data)

    def open(self, uri: str, text: str, *, version: int = 1, is_touched: bool = True) -> Document:
        revision = DocumentRevision(uri=uri, version=version, opened=1)
        self.documents = [Document(revision=revision, text=text, is_touched=is_touched)]
        return self.documents[0]

    def uri(self, name: str) -> str:
        return uri_of(str(self.folder / name))

    def inspect(self, **params: Any) -> InspectResult:
        found = [
            target_at(ask, self.workspace, self.documents)
            for ask in asks(msgspec.convert(params, InspectParams, strict=True))
            if isinstance(ask, PlaceAsk)
        ]
        return self.show(*found)

    def show(self, *targets: Target) -> InspectResult:
        result = asyncio.run(self._service.inspect(targets))
        assert len(result.text.encode()) <= limits.RESPONSE_BYTES
        return result

    def match(self, name: str, line: int, text: str, start: int = 0, end: int = 1) -> Target:
        """A target as a search of the file as it is now would have kept it."""
        path = str(self.folder / name)
        hashed = hashlib.blake2b(text.encode()).digest()
        return Target(
            subject=Subject(path=path, display=name, uri=self.uri(name)),
            request={"snapshot": "s", "matchIndex": 1},
            line=line,
            match_index=1,
            expected=Evidence(
                revision=look(path),
                is_line=lambda content: hashlib.blake2b(content).digest() == hashed,
                occurrence=Range(
                    start=Position(line=0, character=start), end=Position(line=0, character=end)
                ),
                columns=(start, end),
                encoding="auto",
            ),
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def replaced(target: Target, **evidence: Any) -> Target:
    assert target.expected is not None
    return msgspec.structs.replace(target, expected=msgspec.structs.replace(target.expected, **evidence))


def outcomes(result: InspectResult) -> list[tuple[str, str]]:
    return [(each.outcome, each.structure) for each in result.inspections]


def test_the_whole_enclosing_symbol_is_shown(place: Place) -> None:
    place.write("app.py", SOURCE)
    result = place.inspect(path="app.py", line=5)
    assert result.text.splitlines() == [
        "app.py:5  method handle in App (tree-sitter, lines 4-6)",
        "4      def handle(self):",
        "5>         first = 1",
        "6          return first",
    ]
    assert result.status == "complete"
    (inspection,), (block,) = result.inspections, result.blocks
    assert (inspection.input, inspection.outcome, inspection.structure) == (0, "returned", "available")
    assert (inspection.lines_omitted_before, inspection.lines_omitted_after) == (0, 0)
    assert inspection.clipped_lines is None
    assert inspection.retry is None
    assert inspection.symbol is not None
    assert (inspection.symbol.name, inspection.symbol.provider) == ("handle", "tree-sitter")
    assert inspection.range == inspection.symbol.range
    assert inspection.range == Range(start=Position(line=3, character=0), end=Position(line=5, character=20))
    assert (block.path, block.start_line, block.source) == ("app.py", 4, "disk")
    assert block.lines == tuple(SOURCE.splitlines()[3:6])


def test_a_position_is_a_line_too(place: Place) -> None:
    place.write("app.py", SOURCE)
    result = place.inspect(uri=place.uri("app.py"), position={"line": 4, "character": 2})
    assert result.inspections[0].line == 5


def test_without_a_symbol_lines_either_side_are_shown_and_the_rest_is_counted(place: Place) -> None:
    place.write("notes.txt", "".join(f"line {number}\n" for number in range(1, 201)))
    result = place.inspect(path="notes.txt", line=100)
    (inspection,), (block,) = result.inspections, result.blocks
    assert (block.start_line, len(block.lines)) == (60, 81)
    assert (inspection.lines_omitted_before, inspection.lines_omitted_after) == (59, 60)
    assert inspection.retry == {"uri": place.uri("notes.txt"), "line": 181}
    assert inspection.retry_before == {"uri": place.uri("notes.txt"), "line": 19}
    lines = result.text.splitlines()
    assert lines[1].startswith("  … 59 lines of the text before: left out. More: sg.inspect {")
    assert lines[-1].startswith("  … 60 lines of the text after: left out. More: sg.inspect {")


@pytest.mark.parametrize("line", [1, 2, 500, 1000, 1001])
def test_the_requests_in_the_text_lead_to_every_line_of_a_long_symbol(place: Place, line: int) -> None:
    body = "".join(f"    value_{number} = {number:050}\n" for number in range(1000))
    place.write("long.py", f"def long():\n{body}")
    shown: set[int] = set()
    for side in ("before", "after"):
        result = place.inspect(path="long.py", line=line)
        for _ in range(10):
            shown.update(int(number) for number in re.findall(r"^ *(\d+)[> ] ", result.text, re.MULTILINE))
            more = re.search(rf" {side}: left out\. More: sg\.inspect (.*)$", result.text, re.MULTILINE)
            if more is None:
                break
            result = place.inspect(**json.loads(more[1]))
        else:
            pytest.fail("there is always more")
    assert shown == set(range(1, 1002))


def test_requests_for_what_follows_come_to_the_end_of_a_long_symbol(place: Place) -> None:
    body = "".join(f"    value_{number} = {number:050}\n" for number in range(1000))
    place.write("long.py", f"def long():\n{body}")
    result = place.inspect(path="long.py", line=1)
    shown: set[int] = set()
    requests = 0
    while (retry := result.inspections[0].retry) is not None and result.inspections[0].lines_omitted_after:
        block = result.blocks[0]
        shown.update(range(block.start_line, block.start_line + len(block.lines)))
        result = place.inspect(**retry)
        requests += 1
    block = result.blocks[0]
    shown.update(range(block.start_line, block.start_line + len(block.lines)))
    assert shown == set(range(1, 1002))
    assert requests < 10


def test_a_long_symbol_is_cut_around_the_target(place: Place) -> None:
    place.write("long.py", "def long():\n" + "    value = 'something'\n" * 2000)
    result = place.inspect(path="long.py", line=1000)
    inspection = result.inspections[0]
    assert (inspection.lines_omitted_before or 0) > 0
    assert abs((inspection.lines_omitted_before or 0) - (inspection.lines_omitted_after or 0)) <= 3
    assert "1000>" in result.text
    assert len(result.text.encode()) > limits.RESPONSE_BYTES * 0.9


def test_targets_in_one_symbol_share_its_lines(place: Place) -> None:
    place.write("app.py", SOURCE)
    targets = [{"path": "app.py", "line": line} for line in (6, 4, 6)]
    result = place.inspect(targets=targets)
    assert [inspection.block for inspection in result.inspections] == [0, 0, 0]
    assert len(result.blocks) == 1
    assert result.text.count("first = 1") == 1
    assert [line[1] for line in result.text.splitlines()[3:]] == [">", " ", ">"]


def test_lines_that_touch_make_one_block_and_keep_their_own_ranges(place: Place) -> None:
    place.write("two.py", "def a():\n    pass\ndef b():\n    pass\n")
    result = place.inspect(targets=[{"path": "two.py", "line": 3}, {"path": "two.py", "line": 1}])
    assert [(block.start_line, len(block.lines)) for block in result.blocks] == [(1, 4)]
    first, second = (inspection.range for inspection in result.inspections)
    assert first is not None
    assert second is not None
    assert (first.start.line, first.end.line, second.start.line, second.end.line) == (2, 3, 0, 1)


def test_a_long_line_is_cut_around_the_occurrence(place: Place) -> None:
    line = "x" * 3000 + "needle" + "y" * 3000
    place.write("long.txt", f"a\n{line}\nb\n")
    result = place.show(place.match("long.txt", 2, line, 3000, 3006))
    (inspection,), (block,) = result.inspections, result.blocks
    assert inspection.clipped_lines == (2,)
    assert len(block.lines[1]) == limits.LINE_CHARACTERS
    assert "needle" in block.lines[1]
    assert "…xxx" in result.text
    assert "yyy…" in result.text
    assert inspection.location is not None
    assert inspection.location.range.start == Position(line=1, character=3000)


def test_control_characters_do_not_break_lines_of_the_text(place: Place) -> None:
    place.write("odd.txt", b"a\x0cb\rc\x1b[0m\n")
    assert (
        place.inspect(path="odd.txt", line=1).text.splitlines()[1].startswith("1> a\N{SYMBOL FOR FORM FEED}b")
    )


@pytest.mark.parametrize(
    ("name", "text", "structure"),
    [
        ("a.py", "x = 1\ny = 2\n", "available"),
        ("a.py", "import os\n", "no-enclosing-symbol"),
        ("a.go", "package p\nfunc F() {\n", "parse-error"),
        ("a.unknown", "x\n", "provider-unavailable"),
        ("a.py", "#\n" * 600_000, "oversized"),
    ],
)
def test_what_is_known_of_the_structure_is_named(place: Place, name: str, text: str, structure: str) -> None:
    place.write(name, text)
    result = place.inspect(path=name, line=1)
    assert outcomes(result) == [("returned", structure)]
    assert result.status == "complete"
    assert structure == "available" or f"no symbol ({structure}" in result.text


def test_a_match_in_the_file_that_was_searched_is_shown(place: Place) -> None:
    place.write("app.py", SOURCE)
    result = place.show(place.match("app.py", 5, "        first = 1", 8, 13))
    (inspection,) = result.inspections
    assert inspection.match_index == 1
    assert inspection.location is not None
    assert inspection.location.range == Range(
        start=Position(line=4, character=8), end=Position(line=4, character=13)
    )
    assert result.text.startswith("app.py:5 [1]  method handle")


def test_a_file_that_has_changed_since_the_search_is_refused(place: Place) -> None:
    place.write("app.py", SOURCE)
    target = place.match("app.py", 5, "        first = 1")
    place.write("app.py", SOURCE.replace("os", "re") + "\n")
    result = place.show(target)
    assert outcomes(result) == [("error", "source-changed")]
    assert result.status == "partial"
    assert result.blocks == ()
    assert "app.py changed since the search; search again" in result.text


def test_a_line_that_is_not_the_retained_one_is_refused_even_at_the_same_revision(place: Place) -> None:
    place.write("app.py", SOURCE)
    assert outcomes(place.show(place.match("app.py", 5, "        first = 2"))) == [
        ("error", "source-changed")
    ]
    assert outcomes(place.show(place.match("app.py", 99, "x"))) == [("error", "source-changed")]


def test_a_file_that_was_never_verified_is_refused(place: Place) -> None:
    place.write("app.py", SOURCE)
    target = replaced(place.match("app.py", 5, "        first = 1"), revision=None)
    result = place.show(target)
    assert outcomes(result) == [("error", "source-changed")]
    assert "could not be proven unchanged" in (result.inspections[0].message or "")


def test_a_file_that_is_gone_is_unavailable(place: Place) -> None:
    place.write("app.py", SOURCE)
    target = place.match("app.py", 5, "        first = 1")
    (place.folder / "app.py").unlink()
    assert outcomes(place.show(target)) == [("error", "source-unavailable")]


def test_a_file_over_the_bound_is_not_read(place: Place) -> None:
    place.write("big.txt", "")
    os.truncate(place.folder / "big.txt", limits.SOURCE_BYTES + 1)
    assert outcomes(place.inspect(path="big.txt", line=1)) == [("error", "oversized")]


def test_a_line_past_the_end_fails_alone(place: Place) -> None:
    place.write("app.py", SOURCE)
    result = place.inspect(targets=[{"path": "app.py", "line": 10}, {"path": "app.py", "line": 9}])
    assert outcomes(result) == [("error", "source-unavailable"), ("returned", "available")]
    assert result.status == "partial"
    assert result.text.startswith("PARTIAL: 1 of 2 targets are shown.\n\napp.py:9")
    assert "app.py has no line 10; its last is 9" in result.text


def test_an_empty_file_has_a_first_line(place: Place) -> None:
    place.write("empty.py", "")
    assert place.inspect(path="empty.py", line=1).blocks[0].lines == ("",)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"path": "gone.py", "line": 1}, PathNotFound),
        ({"path": "../a.py", "line": 1}, OutsideWorkspace),
        ({"targets": [{"path": ".git/config", "line": 1}]}, InvalidParams),
        ({"uri": "untitled:x", "line": 1}, InvalidParams),
    ],
)
def test_a_place_that_cannot_be_inspected_fails_the_request(
    place: Place, params: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        place.inspect(**params)


def test_an_unsaved_document_stands_for_its_file(place: Place) -> None:
    place.write("app.py", SOURCE)
    place.open(place.uri("app.py"), "def unsaved():\n    pass\n", version=7)
    for named in ({"path": "app.py"}, {"uri": place.uri("app.py")}):
        result = place.inspect(**named, line=2)
        assert result.text.startswith("app.py:2 (unsaved, version 7)  function unsaved")
        assert (result.blocks[0].source, result.blocks[0].document_version) == ("document", 7)


def test_a_document_without_changes_gives_way_to_its_file(place: Place) -> None:
    place.write("app.py", SOURCE)
    place.open(place.uri("app.py"), SOURCE, is_touched=False)
    assert place.inspect(path="app.py", line=5).blocks[0].source == "disk"


@pytest.mark.parametrize("uri", ["untitled:Untitled-1.py", "new"])
def test_a_document_without_a_file_can_be_inspected(place: Place, uri: str) -> None:
    uri = place.uri("new.py") if uri == "new" else uri
    place.open(uri, "def f():\n    pass\n")
    result = place.inspect(uri=uri, position={"line": 1, "character": 0})
    assert result.inspections[0].symbol is not None
    assert result.blocks[0].uri == uri


def test_a_document_can_be_inspected_without_a_folder(place: Place) -> None:
    place.workspace = Workspace.of([])
    place.open(place.uri("app.py"), SOURCE)
    assert outcomes(place.inspect(uri=place.uri("app.py"), line=5)) == [("returned", "available")]


def test_a_match_in_a_document_needs_the_same_document_at_the_same_version(place: Place) -> None:
    document = place.open(place.uri("app.py"), SOURCE)
    place.write("app.py", SOURCE)
    kept = replaced(place.match("app.py", 5, "        first = 1"), revision=document.revision)

    def now(document: Document | None) -> Target:
        subject = kept.subject if document is None else subject_of(document, place.workspace)
        return msgspec.structs.replace(kept, subject=subject)

    assert outcomes(place.show(now(document))) == [("returned", "available")]
    later = place.open(place.uri("app.py"), SOURCE, version=2)
    assert outcomes(place.show(now(later))) == [("error", "source-changed")]
    assert outcomes(place.show(now(None))) == [("error", "source-changed")]


def test_what_does_not_fit_is_deferred_with_its_own_request(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(5)]
    folder = tmp_path.joinpath(*(["\U0001d11e" * 57] * 4))
    folder.mkdir(parents=True)
    place = Place(tmp_path)
    line = "\U0001d11e" * 600
    for name in names:
        (folder / name).write_text(f"{line}\n")
    paths = [os.path.relpath(folder / name, tmp_path) for name in names]
    result = place.inspect(targets=[{"path": path, "line": 1} for path in paths])
    deferred = [each for each in result.inspections if each.outcome == "deferred"]
    assert deferred
    assert result.inspections[0].outcome == "returned"
    for inspection in deferred:
        assert inspection.retry == {"path": paths[inspection.input], "line": 1}
        assert outcomes(place.inspect(**inspection.retry)) == [("returned", inspection.structure)]


texts = st.lists(
    st.text(alphabet="ab\U0001d11e\t\x1b(){}", max_size=700) | st.sampled_from(["def f():", "    pass", ""]),
    min_size=1,
    max_size=120,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts, st.lists(st.integers(1, 120), min_size=1, max_size=5))
def test_every_target_is_in_its_block_and_no_line_is_shown_twice(
    place: Place, lines: Sequence[str], wanted: Sequence[int]
) -> None:
    place.write("a.py", "\n".join(lines))
    numbers = [min(number, len(lines)) for number in wanted]
    numbers = [max(1, number - (number == len(lines) and lines[-1] == "")) for number in numbers]
    result = place.inspect(targets=[{"path": "a.py", "line": number} for number in numbers])
    shown = [block.start_line + offset for block in result.blocks for offset in range(len(block.lines))]
    assert len(shown) == len(set(shown))
    for inspection, number in zip(result.inspections, numbers, strict=True):
        assert inspection.outcome == "returned"
        assert inspection.block is not None
        assert inspection.range is not None
        block = result.blocks[inspection.block]
        assert block.start_line <= number < block.start_line + len(block.lines)
        assert inspection.range.start.line <= number - 1 <= inspection.range.end.line


async def test_what_fails_in_one_of_several_texts_is_raised_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(SOURCE)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sg_server.inspection.findings.smallest_enclosing", fail)
    workspace = Workspace.of([(tmp_path.as_uri(), None)])
    places = [*asks(InspectParams(path="a.py", line=1)), *asks(InspectParams(path="b.py", line=1))]
    targets = [target_at(place, workspace, ()) for place in places if isinstance(place, PlaceAsk)]
    service = InspectionService(Ctags(ProcessOwner(), None), TreeSitter(20.0), TextView())
    with pytest.raises(ZeroDivisionError):
        await service.inspect(targets)
