import os
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from sg_server.engines.binaries import find_rg
from sg_server.errors import InvalidParams
from tests.searching import Searcher, let_time_pass, matches, paths, refused
from tests.server.conftest import Start
from tests.server.wire import command, write_files, write_program

SEARCH = ("sg.search", {"pattern": "needle"})
PAGE = ("sg.page", {"snapshot": "s"})
EXPLAIN = ("sg.explain", {"path": "a.txt"})

BAD_FIELDS: tuple[tuple[tuple[str, dict[str, Any]], dict[str, Any], str, str], ...] = (
    # command, bad fields, the field that the message begins with, what it also says
    (SEARCH, {"patern": "x"}, "patern", "did you mean pattern?"),
    (SEARCH, {"pattern": None}, "pattern", "given null"),
    (SEARCH, {"pattern": ""}, "pattern", "at least 1 character)"),
    (SEARCH, {"pattern": 7}, "pattern", "given 7 (a number), accepted is a string"),
    (SEARCH, {"pattern": "a\0b"}, "pattern", r"holds a NUL character; in a regex write \x00"),
    (SEARCH, {"pattern": "a\ud800b"}, "pattern", "surrogate"),
    (SEARCH, {"pattern": "x" * (limits.PATTERN_BYTES + 1)}, "pattern", "at most 65536 bytes"),
    (SEARCH, {"pattern": "a\nb"}, "pattern", '"multiline": true'),
    (SEARCH, {"pattern": "a\nb", "literal": True}, "pattern", '"multiline": true'),
    (SEARCH, {"pattern": r"a\nb"}, "pattern", "multiline"),
    (SEARCH, {"pattern": "a("}, "pattern", "error: unclosed group"),
    (SEARCH, {"pattern": "a(", "engine": "pcre2"}, "pattern", "missing closing parenthesis"),
    (SEARCH, {"pattern": "a(", "engine": "auto"}, "pattern", "unclosed group"),
    (SEARCH, {"pattern": "(?<=a)b"}, "pattern", "look-around"),
    (SEARCH, {"pattern": "((a{1000}){1000}){100}"}, "pattern", "size limit"),
    (SEARCH, {"literal": "yes"}, "literal", 'given "yes" (a string), accepted is true or false'),
    (SEARCH, {"ignoreCase": 1}, "ignoreCase", "true or false"),
    (SEARCH, {"engine": "re2"}, "engine", 'accepted is "auto" or "default" or "pcre2"'),
    (SEARCH, {"mode": "all"}, "mode", '"auto" or "matches" or "summary"'),
    (SEARCH, {"view": "html"}, "view", '"both" or "items" or "text"'),
    (SEARCH, {"limit": "5"}, "limit", "an integer"),
    (SEARCH, {"limit": 2.5}, "limit", "an integer"),
    (SEARCH, {"limit": "\ud800"}, "limit", "surrogate"),
    (SEARCH, {"engine": "\ud800"}, "engine", "surrogate"),
    (SEARCH, {"\ud800": 1}, "arguments", "surrogate"),
    (PAGE, {"path": [{"\ud800": 1}]}, "path[0]", "surrogate"),
    (SEARCH, {"context": True}, "context", "an integer"),
    (SEARCH, {"maxFileSize": -1}, "maxFileSize", "0 to 9223372036854775807"),
    (SEARCH, {"maxFileSize": 2**63}, "maxFileSize", "0 to 9223372036854775807"),
    (SEARCH, {"remainingContextPercent": "40"}, "remainingContextPercent", "a number"),
    (SEARCH, {"encoding": "utf8000"}, "encoding", "'utf8000'"),
    (SEARCH, {"encoding": ""}, "encoding", "`auto`"),
    (SEARCH, {"fileType": "nope"}, "fileType", "nope"),
    (SEARCH, {"fileType": "nope", "path": "a.txt"}, "fileType", "nope"),
    (SEARCH, {"fileType": ["py", ""]}, "fileType", "empty string"),
    (SEARCH, {"glob": "{"}, "glob", "unclosed alternate group"),
    (SEARCH, {"glob": "a/["}, "glob", "unclosed character class"),
    (SEARCH, {"glob": "a/[", "path": "a.txt"}, "glob", "unclosed character class"),
    (SEARCH, {"exclude": "["}, "exclude", "unclosed character class"),
    (SEARCH, {"exclude": "a/[", "path": "a.txt"}, "exclude", "unclosed character class"),
    (SEARCH, {"glob": "!*.py"}, "glob", "`exclude`"),
    (SEARCH, {"glob": ["*.py", 3]}, "glob[1]", "given 3"),
    (SEARCH, {"glob": {"a": 1}}, "glob", "an object"),
    (SEARCH, {"glob": "a\0"}, "glob", "NUL"),
    (SEARCH, {"exclude": ["x"] * 1_001}, "exclude", "1001 entries given; at most 1000"),
    (SEARCH, {"path": ""}, "path", "empty string"),
    (SEARCH, {"path": "a\0"}, "path", "NUL"),
    (SEARCH, {"path": ".git/config"}, "path", "inside .git"),
    (SEARCH, {"uri": "https://example.com/a"}, "uri", "https://example.com/a"),
    (SEARCH, {"uri": "a.txt"}, "uri", "not the URI of a file"),
    (PAGE, {"cursor": "c"}, "cursor", "exactly one of `cursor` and `snapshot`"),
    (PAGE, {"snapshot": None}, "cursor", "exactly one of `cursor` and `snapshot`"),
    (PAGE, {"pattern": "x"}, "pattern", "unknown field"),
    (PAGE, {"limit": "all"}, "limit", "an integer"),
    (EXPLAIN, {"path": ["a.txt", "b.txt"]}, "path", "exactly one file"),
    (EXPLAIN, {"pattern": "x"}, "pattern", "unknown field"),
    (("sg.clear", {}), {"cursor": "c", "snapshot": "s"}, "cursor", "only one of"),
)


async def test_what_is_wrong_with_a_request_is_told_by_field(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needle\n"})
    for (name, fields), bad, field, said in BAD_FIELDS:
        code, message = await refused(client, name, {**fields, **bad})
        assert (code, message.partition(": ")[0]) == ("invalid-params", field), message
        assert said in message
        assert "rg: " not in message


async def test_a_bad_regex_is_shown_with_a_caret_under_its_fault(client: LanguageClient) -> None:
    _, message = await refused(client, "sg.search", {"pattern": "needle["})
    assert re.search(r"\(\?:needle\[\)\n +\^", message)


@pytest.mark.parametrize("pattern", ["-e", "--files", "-", "--", "--pre=sh", "-needle"])
async def test_a_pattern_that_looks_like_an_option_is_a_pattern(project: Path, pattern: str) -> None:
    write_files(project, {"a.txt": f"x {pattern}\n"})
    answer = await Searcher(project).search(pattern)
    assert [row.ranges[0].start.character for row in matches([answer])] == [2]


async def test_names_that_look_like_options_are_names(project: Path) -> None:
    write_files(project, {"-e": "needle\n", "--files": "needle\n", "src/--pre=sh": "needle\n"})
    searcher = Searcher(project)
    assert paths(await searcher.search("needle", path=["-e", "--files"])) == ["--files", "-e"]
    assert paths(await searcher.search("needle", glob="--*")) == ["--files", "src/--pre=sh"]
    assert paths(await searcher.search("needle", exclude=["-e", "--files"])) == ["src/--pre=sh"]


async def test_null_means_that_a_field_is_left_out(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    fields = ("path", "uri", "glob", "literal", "context", "limit", "mode", "view", "maxFileSize", "encoding")
    answer = await command(client, "sg.search", {"pattern": "needle", **dict.fromkeys(fields)})
    assert answer["totals"]["matches"] == 1


@pytest.mark.parametrize(
    "label", ["auto", "none", "utf-8", "UTF-16LE", "latin1", "shift_jis", "x-user-defined"]
)
async def test_the_labels_of_encodings_are_taken(project: Path, label: str) -> None:
    write_files(project, {"a.txt": "needle\n"})
    assert (await Searcher(project).search("x", encoding=label)).mode == "empty"


async def test_an_encoding_is_that_of_files_without_a_mark(project: Path) -> None:
    write_files(
        project, {"a.txt": "é needle".encode("latin-1"), "b.txt": "\ufeffé needle".encode("utf-16-le")}
    )
    let_time_pass(project)
    answer = await Searcher(project).search("é", encoding="latin1", context=1)
    assert [(row.path, row.text, row.lossy, row.verified) for row in matches([answer])] == [
        ("a.txt", "é needle", None, True),
        ("b.txt", "é needle", None, True),
    ]
    lossy = await Searcher(project).search("needle", path="a.txt")
    assert [(row.text, row.lossy) for row in matches([lossy])] == [("\ufffd needle", True)]


# How matches are made.


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"pattern": "needle"}, ["needle", "Needle", "NEEDLES"]),
        ({"pattern": "Needle"}, ["Needle"]),
        ({"pattern": "needle", "ignoreCase": False}, ["needle"]),
        ({"pattern": "NEEDLE", "ignoreCase": True}, ["needle", "Needle", "NEEDLES"]),
        ({"pattern": "needle", "wholeWord": True}, ["needle", "Needle"]),
        ({"pattern": "n.*e", "literal": True}, ["n.*e"]),
        ({"pattern": " ", "literal": True}, ["a b"]),
        ({"pattern": "(?<=a )b", "engine": "pcre2"}, ["a b"]),
        ({"pattern": "(?<=a )b", "engine": "auto"}, ["a b"]),
        ({"pattern": r"b\nneedle$", "multiline": True}, ["a b"]),
        ({"pattern": "b\nneedle", "multiline": True, "literal": True}, ["a b"]),
    ],
)
async def test_options_decide_what_matches(project: Path, fields: dict[str, Any], found: list[str]) -> None:
    write_files(project, {"a.txt": "a b\nneedle\nNeedle\nNEEDLES\nn.*e\n"})
    answer = await Searcher(project).search(**fields)
    assert [row.text for row in matches([answer])] == found


async def test_the_end_of_a_last_line_without_a_line_feed_is_found(project: Path) -> None:
    write_files(project, {"a.txt": "abc\ndéf", "b.txt": "abc\r\n"})
    for multiline, rows in (
        (False, [("a.txt", 1), ("a.txt", 2), ("b.txt", 1)]),
        (True, [("a.txt", 1), ("b.txt", 1)]),
    ):
        answer = await Searcher(project).search("$", multiline=multiline)
        assert [(row.path, row.line) for row in matches([answer])] == rows
        assert answer.totals.occurrences == answer.totals.matches == len(rows)
        assert all(row.ranges[0].start == row.ranges[0].end for row in matches([answer]))
        assert {row.ranges[0].end.character for row in matches([answer])} == {3}


async def test_an_empty_match_that_ripgrep_does_not_count_is_counted(project: Path) -> None:
    write_files(project, {"a.txt": "aa\ndef"})
    answer = await Searcher(project).search("a|$")
    assert [len(row.ranges) for row in matches([answer])] == [2, 1]
    assert (answer.totals.matches, answer.totals.occurrences) == (2, 3)


async def test_an_empty_match_at_the_end_of_a_text_is_a_row(project: Path) -> None:
    write_files(project, {"a.txt": "abc\ndef"})
    answer = await Searcher(project).search(r"\z", multiline=True)
    assert (answer.totals.matches, answer.totals.occurrences, answer.totals.retained) == (1, 1, 1)
    (row,) = matches([answer])
    assert (row.line, row.byte_ranges, row.text) == (2, ((7, 7),), "def")


async def test_a_file_on_which_pcre2_gives_up_is_named_and_the_rest_is_searched(project: Path) -> None:
    write_files(project, {"hard.txt": "a" * 60 + "b\n", "easy.txt": "xc\n"})
    answer = await Searcher(project).search(r"(a+)+$|(x+x+)+y|(a|aa|b)+c\1|xc", engine="pcre2")
    assert paths(answer) == ["easy.txt"]
    assert (answer.status, answer.partial_reasons) == ("partial", ("unreadable-path",))
    assert answer.unreadable_paths == ("hard.txt",)


# Names and files.


async def test_a_path_of_thousands_of_characters_is_found_and_fits_the_text(project: Path) -> None:
    depth = 15
    here = os.open(project, os.O_RDONLY)
    for name in [f"{'d' * 240}{number:02}" for number in range(depth)]:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    file = os.open("a.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here)
    os.write(file, b"needle\n")
    os.close(file)
    os.close(here)
    searcher = Searcher(project)
    (row,) = matches([await searcher.search("needle")])
    assert len(row.path) > 3_600
    summary = await searcher.search("needle", mode="summary")
    assert len((summary.text or "").encode()) <= limits.RESPONSE_BYTES
    detail = await searcher.page(snapshot=summary.snapshot, path=row.path)
    assert matches([detail]) == [row]
    with pytest.raises(Exception, match="name too long"):
        await searcher.search("needle", path="x" * 4_000)


async def test_a_file_that_vanishes_during_a_search_is_no_reason_to_fail(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needle\n"})
    rg = find_rg()
    assert rg is not None
    script = f'{rg.path} "$@"; code=$?; rm -f {project}/b.txt; exit $code'
    client = await start(options={"rgPath": str(write_program(tmp_path / "rg", script))})
    answer = await command(client, "sg.search", {"pattern": "needle", "context": 1})
    assert [(match["path"], match["verified"]) for match in answer["matches"]] == [
        ("a.txt", True),
        ("b.txt", False),
    ]
    assert answer["status"] == "complete"
    assert answer["unverifiedFiles"] == 1
    assert answer["matches"][1]["contextUnavailable"] == "unverified"


async def test_nothing_starts_before_a_request_is_right(project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    searcher = Searcher(project)
    searcher.service._ripgrep.binary = None
    for wrong in ({"encoding": "nope"}, {"path": ".git"}, {"glob": "!x"}, {"exclude": ""}):
        with pytest.raises(InvalidParams):
            await searcher.search("needle", **wrong)
