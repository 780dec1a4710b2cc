import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sg_server import limits
from sg_server.engines.binaries import Binary, find_rg
from sg_server.engines.events import EndEvent, MatchEvent, decode_match, split_matches
from sg_server.engines.process import ProcessOwner
from sg_server.engines.records import OVERSIZED, Oversized
from sg_server.engines.ripgrep import Filters, Matching, Outcome, Ripgrep
from sg_server.errors import InvalidParams, PathNotFound, RgFailed, RgMissing, SignalGrepError
from tests.server.wire import write_files, write_program

posix = pytest.mark.skipif(sys.platform == "win32", reason="speaks POSIX shell")

BEGIN = '{"type":"begin","data":{"path":{"text":"/a"}}}'
MATCH = (
    '{"type":"match","data":{"path":{"text":"/a"},"lines":{"text":"x"},"line_number":1,'
    '"absolute_offset":0,"submatches":[{"match":{"text":"x"},"start":0,"end":1}]}}'
)
STATS = '"stats":{"searches":1,"matched_lines":1,"matches":1}'
END = '{"type":"end","data":{"path":{"text":"/a"},"binary_offset":null,' + STATS + "}}"
SUMMARY = '{"data":{"elapsed_total":{"secs":0},' + STATS + '},"type":"summary"}'


class Sink:
    """Keeps what a run gives."""

    def __init__(self, *, matches_wanted: int = sys.maxsize) -> None:
        self.found: dict[str, list[MatchEvent | Oversized]] = {}
        self.ends: dict[str, EndEvent] = {}
        self._wanted = matches_wanted

    @property
    def wants_matches(self) -> bool:
        return sum(map(len, self.found.values())) < self._wanted

    def matches(self, path: str, records: bytes, count: int) -> None:
        events = [decode_match(record) for record in split_matches(records)]
        assert len(events) == count
        self.found.setdefault(path, []).extend(events)

    def oversized(self, path: str) -> None:
        self.found.setdefault(path, []).append(OVERSIZED)

    def end(self, path: str, event: EndEvent, records: bytes, count: int) -> None:
        self.matches(path, records, count)
        self.ends[path] = event


def real(owner: ProcessOwner | None = None) -> Ripgrep:
    return Ripgrep(owner or ProcessOwner(), find_rg())


def stand_in(path: Path, script: str) -> Ripgrep:
    """An rg that is a shell script."""
    return Ripgrep(ProcessOwner(), Binary(path=str(write_program(path / "rg", script)), found="option"))


async def search(
    folder: Path,
    matching: Matching,
    filters: Filters | None = None,
    *,
    roots: tuple[str, ...] = (".",),
    sink: Sink | None = None,
    ripgrep: Ripgrep | None = None,
) -> tuple[Sink, Outcome]:
    sink = sink or Sink()
    outcome = await (ripgrep or real()).search(
        matching,
        filters or Filters(),
        [os.path.normpath(folder / root) for root in roots],
        sink,
        cwd=str(folder),
    )
    return sink, outcome


async def found(folder: Path, matching: Matching, filters: Filters | None = None) -> list[str]:
    """The files that match, relative to `folder`."""
    sink, _ = await search(folder, matching, filters)
    return sorted(os.path.relpath(path, folder) for path in sink.ends)


@pytest.mark.parametrize(
    ("fields", "matches"),
    [
        ({"pattern": "a.c"}, ["abc", "ABC", "a.c"]),
        ({"pattern": "a.c", "literal": True}, ["a.c"]),
        ({"pattern": "-e"}, ["-e"]),
        ({"pattern": "abc"}, ["abc", "ABC"]),
        ({"pattern": "Abc"}, []),
        ({"pattern": "abc", "case": "sensitive"}, ["abc"]),
        ({"pattern": "Abc", "case": "insensitive"}, ["abc", "ABC"]),
        ({"pattern": "wor", "whole_word": True}, []),
        ({"pattern": "word", "whole_word": True}, ["word"]),
        ({"pattern": "two\nlines"}, None),
        ({"pattern": "two\nlines", "multiline": True}, ["two\nlines"]),
        ({"pattern": "look(?=ahead)"}, None),
        ({"pattern": "look(?=ahead)", "engine": "pcre2"}, ["look"]),
        ({"pattern": "look(?=ahead)", "engine": "auto"}, ["look"]),
        ({"pattern": "ahead$"}, ["ahead"]),
    ],
)
async def test_what_is_looked_for_reaches_ripgrep(
    fields: Mapping[str, Any], matches: list[str] | None, tmp_path: Path
) -> None:
    write_files(tmp_path, {"file": "abc\nABC\na.c\n-e\nword\ntwo\nlines\nlookahead\r\n"})
    matching = Matching(**fields)
    if matches is None:
        with pytest.raises(InvalidParams, match="pattern: "):
            await search(tmp_path, matching)
        return
    sink, outcome = await search(tmp_path, matching)
    assert outcome.files_searched == 1
    texts = [
        event.lines.raw()[hit.start : hit.end].decode()
        for events in sink.found.values()
        for event in events
        if isinstance(event, MatchEvent)
        for hit in event.submatches
    ]
    assert texts == matches


async def test_an_encoding_is_that_of_files_without_a_mark(tmp_path: Path) -> None:
    write_files(tmp_path, {"latin1": "gr\xfc\xdfe".encode("latin1"), "utf8": "gr\xfc\xdfe"})
    assert await found(tmp_path, Matching(pattern="gr\xfc\xdfe")) == ["utf8"]
    assert await found(tmp_path, Matching(pattern="gr\xfc\xdfe", encoding="latin1")) == ["latin1"]


TREE: dict[str, str | bytes] = {
    ".gitignore": "ignored.py\n",
    ".git/config": "needle",
    ".git/hooks/a.py": "needle",
    "sub/.git": "needle",
    ".hidden.py": "needle",
    "ignored.py": "needle",
    "a.py": "needle",
    "b.txt": "needle",
    "sub/c.py": "needle" + " " * 1_000,
    "sub/deep/d.rs": "needle",
    "late-nul": b"needle\n" + b"x" * 100_000 + b"\0needle\n",
    "early-nul": b"\0needle\n",
}
PLAIN = ["a.py", "b.txt", "late-nul", "sub/c.py", "sub/deep/d.rs"]


@posix
@pytest.mark.parametrize(
    ("fields", "files"),
    [
        ({"hidden": False}, PLAIN),
        ({}, [".hidden.py", *PLAIN]),
        ({"hidden": False, "ignored": True}, sorted([*PLAIN, "ignored.py"])),
        ({"hidden": False, "text": True}, sorted([*PLAIN, "early-nul"])),
        ({"hidden": False, "follow": True}, sorted([*PLAIN, "link.py"])),
        ({"hidden": False, "max_file_size": 500}, ["a.py", "b.txt", "sub/deep/d.rs"]),
        ({"hidden": False, "file_types": ("py",)}, ["a.py", "sub/c.py"]),
        ({"hidden": False, "file_types": ("py", "rust")}, ["a.py", "sub/c.py", "sub/deep/d.rs"]),
        ({"hidden": False, "type_globs": ("*.py",)}, ["a.py", "sub/c.py"]),
        ({"hidden": False, "type_globs": ("*.rs", "b.*")}, ["b.txt", "sub/deep/d.rs"]),
        ({"hidden": False, "globs": ("/sub/*",)}, ["sub/c.py"]),
        ({"hidden": False, "globs": ("**/*.py",)}, ["a.py", "ignored.py", "sub/c.py"]),
        ({"hidden": False, "excludes": ("*.py",)}, ["b.txt", "late-nul", "sub/deep/d.rs"]),
        ({"hidden": False, "excludes": ("/sub/*.py", "late*")}, ["a.py", "b.txt", "sub/deep/d.rs"]),
        ({"globs": ("**/.git/**", "**/.git")}, []),
    ],
)
async def test_which_files_are_looked_at_reaches_ripgrep(
    fields: Mapping[str, Any], files: list[str], tmp_path: Path
) -> None:
    write_files(tmp_path, TREE)
    (tmp_path / "link.py").symlink_to("a.py")
    assert await found(tmp_path, Matching(pattern="needle"), Filters(**fields)) == files


async def test_a_configuration_file_of_the_user_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"rc": "--ignore-case\n--replace=x", "tree/a": "needle\nNEEDLE\n"})
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    sink, _ = await search(tmp_path / "tree", Matching(pattern="needle", case="sensitive"))
    assert [end.stats.matches for end in sink.ends.values()] == [1]


async def test_named_files_are_searched_whatever_the_rules_say(tmp_path: Path) -> None:
    write_files(tmp_path, {".ignore": "*", ".hidden": "needle", ".git/config": "needle"})
    sink, _ = await search(tmp_path, Matching(pattern="needle"), roots=(".hidden", ".git/config"))
    assert len(sink.ends) == 2


async def test_ends_count_exactly_and_say_where_a_binary_file_ended(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": "x x\nx\n", "b": b"x\n" + b"-" * 100_000 + b"\nx\0x\n"})
    sink, outcome = await search(tmp_path, Matching(pattern="x"))
    a, b = (sink.ends[str(tmp_path / name)] for name in "ab")
    assert (a.stats.matched_lines, a.stats.matches, a.binary_offset) == (2, 3, None)
    assert b.binary_offset == 100_004
    assert outcome == Outcome(files_searched=2)


async def test_past_the_wanted_matches_only_ends_are_decoded_and_all_are(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{number}": "x\n" * 1_000 for number in range(500)})
    sink, outcome = await search(tmp_path, Matching(pattern="x"), sink=Sink(matches_wanted=1_500))
    assert len(sink.ends) == outcome.files_searched == 500
    assert sum(end.stats.matched_lines for end in sink.ends.values()) == 500_000
    assert sum(map(bool, sink.found.values())) < 500


@posix
async def test_names_that_are_not_utf8_come_back_as_they_are(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9 \xff: x"
    with open(name, "w") as file:
        file.write("needle\xfc")
    sink, _ = await search(tmp_path, Matching(pattern="needle"))
    assert [os.fsencode(path) for path in list(sink.found)] == [name]
    assert [os.fsencode(path) for path in sink.ends] == [name]


async def test_a_line_that_is_not_utf8_comes_back_as_it_is(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": b"\xff needle \xfe\n"})
    sink, _ = await search(tmp_path, Matching(pattern="needle"))
    ((event,),) = sink.found.values()
    assert isinstance(event, MatchEvent)
    assert event.lines.raw() == b"\xff needle \xfe\n"
    assert event.lines.base64 is not None


async def test_a_record_over_the_cap_is_named_and_the_counts_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RECORD_BYTES", 10_000)
    write_files(tmp_path, {"a": "x" + "-" * 20_000 + "\nx\n"})
    sink, _ = await search(tmp_path, Matching(pattern="x"))
    ((first, second),) = sink.found.values()
    assert first is OVERSIZED
    assert isinstance(second, MatchEvent)
    assert [end.stats.matches for end in sink.ends.values()] == [2]


@posix
@pytest.mark.parametrize(
    "name", ["plain", "a b", "x: y (os error 2)", "line\nend", "form\ffeed", "\u2028", "a\udcff"]
)
async def test_what_cannot_be_read_is_named(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"a": "needle"})
    (tmp_path / name).symlink_to(name)
    (tmp_path / "second").symlink_to("second")
    sink, outcome = await search(tmp_path, Matching(pattern="needle"), Filters(follow=True))
    shown = os.fsencode(str(tmp_path / name)).decode("utf-8", "replace")
    assert {path.path for path in outcome.unreadable} == {shown, str(tmp_path / "second")}
    assert all(path.reason.endswith(")") for path in outcome.unreadable)
    assert len(sink.ends) == 1


@posix
async def test_a_link_that_leads_back_to_its_folder_leaves_nothing_unread(tmp_path: Path) -> None:
    write_files(tmp_path, {"sub/a": "needle"})
    (tmp_path / "sub/back").symlink_to("..")
    sink, outcome = await search(tmp_path, Matching(pattern="needle"), Filters(follow=True))
    assert (list(sink.ends), outcome.unreadable) == ([str(tmp_path / "sub/a")], ())
    (tmp_path / "gone").symlink_to("nowhere")
    _, outcome = await search(tmp_path, Matching(pattern="needle"), Filters(follow=True))
    assert [path.path for path in outcome.unreadable] == [str(tmp_path / "gone")]


async def test_a_root_that_is_missing_is_named_though_others_match(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": "needle"})
    sink, outcome = await search(tmp_path, Matching(pattern="needle"), roots=("missing", "a"))
    assert [path.path for path in outcome.unreadable] == [str(tmp_path / "missing")]
    assert len(sink.ends) == 1


async def test_a_file_that_pcre2_gives_up_on_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": "a" * 60 + "bc", "b": "ac"})
    matching = Matching(pattern="(a+)+c", engine="pcre2")
    sink, outcome = await search(tmp_path, matching)
    assert [path.path for path in outcome.unreadable] == [str(tmp_path / "a")]
    assert list(sink.ends) == [str(tmp_path / "b")]


@pytest.mark.parametrize(
    ("fields", "filters", "field"),
    [
        ({"pattern": "("}, {}, "pattern"),
        ({"pattern": "(", "engine": "pcre2"}, {}, "pattern"),
        ({"pattern": r"\w{5000}{50}"}, {}, "pattern"),
        ({"pattern": "x", "encoding": "klingon"}, {}, "encoding"),
        ({"pattern": "x"}, {"file_types": ("klingon",)}, "fileType"),
        ({"pattern": "x"}, {"globs": ("a/[",)}, "glob"),
    ],
)
async def test_what_ripgrep_refuses_is_told_with_its_field(
    fields: Mapping[str, Any], filters: Mapping[str, Any], field: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidParams) as caught:
        await search(tmp_path, Matching(**fields), Filters(**filters))
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("pattern", "remedy"),
    [(r"a\nb", '"multiline": true'), (r"(?<=a)b", '"engine": "pcre2"'), (r"\x00", '"binary": true')],
)
async def test_what_ripgrep_advises_is_told_as_a_request_has_it(
    tmp_path: Path, pattern: str, remedy: str
) -> None:
    with pytest.raises(InvalidParams, match=r"^pattern: ") as caught:
        await search(tmp_path, Matching(pattern=pattern))
    assert caught.value.message.endswith(f" In a request: {remedy}.")


@posix
async def test_events_that_are_not_known_are_passed_over(tmp_path: Path) -> None:
    unknown = '{"type":"future","data":{}}'
    ripgrep = stand_in(tmp_path, f"echo '{BEGIN}\n{unknown}\n{MATCH}\n{unknown}\n{END}\n{SUMMARY}'")
    sink, outcome = await search(tmp_path, Matching(pattern="x"), ripgrep=ripgrep)
    assert (len(sink.found["/a"]), list(sink.ends)) == (1, ["/a"])
    assert outcome.files_searched == 1


@posix
@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ("echo garbage", RgFailed, "it ended with code 0 and without a result"),
        ("exit 1", RgFailed, "it ended with code 1 and without a result"),
        (f"echo '{BEGIN}\n{MATCH}\n{END}'", RgFailed, "it ended with code 0 and without a result"),
        (f"printf %s '{SUMMARY[:40]}'", RgFailed, "it ended with code 0 and without a result"),
        (f"printf %s '{SUMMARY}'; exit 1", RgFailed, "it ended with code 1 and without a result"),
        (f"echo '{BEGIN[:-3]}'", RgFailed, "wrote what is not ripgrep's JSON"),
        ("echo 'rg: all is lost' >&2; exit 2", RgFailed, "ripgrep failed: all is lost"),
        (f"echo '{SUMMARY}'; echo 'rg: all is lost' >&2; exit 2", RgFailed, "all is lost"),
        (f"echo '{SUMMARY}'; exit 3", RgFailed, "it ended with code 3"),
        ("echo some; kill -9 $$", RgFailed, "ripgrep was ended by signal 9"),
        (f"echo '{SUMMARY}'; kill -9 $$", RgFailed, "ripgrep was ended by signal 9"),
    ],
)
async def test_a_run_that_failed_is_never_an_empty_result(
    script: str, error: type[SignalGrepError], message: str, tmp_path: Path
) -> None:
    ripgrep = stand_in(tmp_path, script)
    with pytest.raises(error) as caught:
        await search(tmp_path, Matching(pattern="x"), ripgrep=ripgrep)
    assert message in caught.value.message
    assert caught.value.hint


@posix
async def test_a_run_of_names_that_failed_is_an_error(tmp_path: Path) -> None:
    ripgrep = stand_in(tmp_path, r"printf '/a\0'; kill -9 $$")
    with pytest.raises(RgFailed):
        await ripgrep.files(Filters(), [str(tmp_path)], lambda _: None, cwd=str(tmp_path))


@posix
@pytest.mark.parametrize("make", [None, lambda path: path.touch(), lambda path: path.mkdir()])
async def test_a_program_that_cannot_be_started_is_missing(
    make: Callable[[Path], None] | None, tmp_path: Path
) -> None:
    path = tmp_path / "rg"
    if make:
        make(path)
    ripgrep = Ripgrep(ProcessOwner(), Binary(path=str(path), found="option"))
    with pytest.raises(RgMissing, match="could not be started"):
        await search(tmp_path, Matching(pattern="x"), ripgrep=ripgrep)


async def test_a_working_folder_that_is_gone_is_no_fault_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        await search(tmp_path / "gone", Matching(pattern="x"))


async def test_without_a_program_it_is_missing(tmp_path: Path) -> None:
    with pytest.raises(RgMissing) as caught:
        await Ripgrep(ProcessOwner(), None).search(
            Matching(pattern="x"), Filters(), [str(tmp_path)], Sink(), cwd=str(tmp_path)
        )
    assert "rgPath" in (caught.value.hint or "")


@posix
async def test_a_command_line_that_is_too_long_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RgFailed) as caught:
        await search(tmp_path, Matching(pattern="x"), Filters(globs=("x" * 1_000_000,) * 3))
    assert caught.value.hint == "Name fewer paths or globs."


async def test_the_version_is_the_first_line(tmp_path: Path) -> None:
    assert (await real().version()).startswith("ripgrep ")
    if sys.platform != "win32":
        with pytest.raises(RgFailed, match="code 3"):
            await stand_in(tmp_path, "exit 3").version()


async def names(folder: Path, filters: Filters, holding: Matching | None = None) -> list[str]:
    listed: list[bytes] = []
    unreadable = await real().files(filters, [str(folder)], listed.extend, cwd=str(folder), holding=holding)
    assert unreadable == ()
    return sorted(os.path.relpath(os.fsdecode(name), folder) for name in listed)


async def test_names_are_listed_by_the_same_rules(tmp_path: Path) -> None:
    write_files(tmp_path, TREE)
    assert await names(tmp_path, Filters(hidden=False)) == sorted([*PLAIN, "early-nul"])
    assert await names(tmp_path, Filters(hidden=False, file_types=("rust",))) == ["sub/deep/d.rs"]
    holding = Matching(pattern=r"needle\s+$")
    assert await names(tmp_path, Filters(hidden=False), holding) == ["sub/c.py"]
