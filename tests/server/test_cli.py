import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sg_server import __version__
from tests.server.wire import children, is_alive, write_files, write_program

SERVER = (sys.executable, "-m", "sg_server")
ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def start(folder: Path, *arguments: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*SERVER, *arguments],
        cwd=folder,
        env=environment(),
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(folder: Path, *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    with start(folder, *arguments) as process:
        output, errors = process.communicate(timeout=20)
    return process.returncode, output, errors


def search(folder: Path, *arguments: str | Path) -> str:
    code, output, errors = run(folder, "search", *arguments)
    assert (code, errors) == (0, "")
    return output


def in_shell(folder: Path, line: str) -> tuple[int, str]:
    """Exit code and standard error of a line of shell, which may redirect them."""
    shell = ["/bin/sh", "-c", line]
    done = subprocess.run(
        shell, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


def test_the_version_is_told(tmp_path: Path) -> None:
    assert run(tmp_path, "--version") == (0, f"signal-grep {__version__}\n", "")


def test_an_unknown_command_is_refused(tmp_path: Path) -> None:
    code, _, errors = run(tmp_path, "serch", "needle")
    assert code == 2
    assert "search" in errors


def test_matches_stand_under_their_files(project: Path) -> None:
    write_files(project, {"b.txt": "one\na needle\n", "a/c.txt": "needle needle\n"})
    assert search(project, "needle") == "a/c.txt\n1:1:needle needle\n\nb.txt\n2:3:a needle\n"


def test_nothing_found_is_one_and_says_what_rules_keep_out(project: Path) -> None:
    write_files(project, {".ignore": "*.log", "app.log": "needle\n"})
    code, output, errors = run(project, "search", "needle")
    assert (code, output) == (1, "")
    assert "app.log" in errors
    assert search(project, "needle", "--no-ignore") == "app.log\n1:1:needle\n"


@pytest.mark.parametrize("arguments", [["("], ["needle", "missing"], [""], [], ["-E", "klingon", "x"]])
def test_an_error_is_two_and_one_message(project: Path, arguments: list[str]) -> None:
    code, output, errors = run(project, "search", *arguments)
    assert (code, output) == (2, "")
    assert errors.startswith("sg-server: ")
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (["needle"], ["A.py", "b.txt", "hidden.py", "latin.txt"]),
        (["-s", "needle"], ["b.txt", "hidden.py", "latin.txt"]),
        (["-s", "-i", "NEEDLE"], ["A.py", "b.txt", "hidden.py", "latin.txt"]),
        (["-i", "-S", "Needle"], ["A.py"]),
        (["-w", "needl"], []),
        (["-F", "n..dle"], []),
        (["n..dle", "-g", "*.py"], ["A.py", "hidden.py"]),
        (["-g", "!*.py", "needle", "-g", "!l*"], ["b.txt"]),
        (["needle", "-t", "py", "--no-hidden"], ["A.py"]),
        (["-P", r"needle(?=\.x)"], ["b.txt"]),
        (["-U", r"needle\.x\nsecond"], ["b.txt"]),
        (["-E", "latin1", "é"], ["latin.txt"]),
        (["needle", "b.txt", ".hidden"], ["b.txt", "hidden.py"]),
        (["-e", "needle", "--", "b.txt"], ["b.txt"]),
        (["--", "-dash"], ["b.txt"]),
        (["-e", "-dash"], ["b.txt"]),
        (["--regexp", "-dash", "-g", "-*.py"], []),
        (["-e", "--"], ["dashes.md"]),
        (["needle", "-g", "--"], []),
    ],
)
def test_flags_mean_what_they_mean_to_ripgrep(project: Path, arguments: list[str], files: list[str]) -> None:
    write_files(
        project,
        {
            "A.py": "Needle\n",
            "b.txt": "needle.x\nsecond -dash\n",
            ".hidden/hidden.py": "needle\n",
            "latin.txt": b"needle \xe9\n",
            "dashes.md": "--\n",
        },
    )
    _, output, _ = run(project, "search", "--no-heading", *arguments)
    assert sorted({line.partition(":")[0].rpartition("/")[2] for line in output.splitlines()}) == files


def test_context_is_shown_as_ripgrep_does(project: Path) -> None:
    write_files(project, {"a.txt": "1\n2\nneedle\n4\n5\n6\n7\nneedle\n"})
    assert search(project, "needle", "-C", "1", "-A2").splitlines() == [
        "a.txt",
        "2-2",
        "3:1:needle",
        "4-4",
        "5-5",
        "--",
        "7-7",
        "8:1:needle",
    ]


def test_every_match_is_printed_over_all_pages_unless_limited(project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 2_345, "b.txt": "needle\n" * 3})
    lines = search(project, "needle", "--no-heading").splitlines()
    assert lines == [*(f"a.txt:{line}:1:needle" for line in range(1, 2_346))] + [
        f"b.txt:{line}:1:needle" for line in (1, 2, 3)
    ]
    assert search(project, "needle", "--vimgrep", "--limit", "1001").splitlines() == lines[:1001]


def test_several_patterns_are_looked_for_at_once(project: Path) -> None:
    write_files(project, {"a.txt": "one\ntwo\n1.5 (x\nthree\n"})
    flags = ("--no-heading", "a.txt")
    assert search(project, "-e", "one", "-e", "t.o", *flags) == "a.txt:1:1:one\na.txt:2:1:two\n"
    literal = search(project, "-F", "-e", "1.5 (", "-e", "thr", *flags)
    assert literal == "a.txt:3:1:1.5 (x\na.txt:4:1:three\n"


def test_vim_gets_the_columns_of_a_file_that_is_not_utf8_as_it_reads_it(project: Path) -> None:
    write_files(project, {"a.txt": b"caf\xe9 needle\n"})
    assert search(project, "needle", "--vimgrep", "a.txt") == "a.txt:1:7:caf\xe9 needle\n"


def test_json_is_a_match_a_line_and_then_the_totals(project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 3})
    *matches, last = map(json.loads, search(project, "needle", "--json", "--limit", "2").splitlines())
    assert [(match["path"], match["line"]) for match in matches] == [("a.txt", 1), ("a.txt", 2)]
    assert last["totals"]["matches"] == 3
    assert last["status"] == "complete"


def test_paths_outside_the_working_folder_are_searched_too(project: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"project/in.txt": "needle", "other/out.txt": "needle", "lone.txt": "needle"})
    output = search(project, "needle", "--no-heading", "in.txt", "../other", tmp_path / "lone.txt")
    assert set(output.splitlines()) == {
        "in.txt:1:1:needle",
        f"{tmp_path}/other/out.txt:1:1:needle",
        f"{tmp_path}/lone.txt:1:1:needle",
    }


@pytest.mark.parametrize(
    ("arguments", "colored"),
    [
        (["search", "needle"], b"\x1b[32m1\x1b[0m:1:\x1b[1;31mneedle\x1b[0m"),
        (["inspect", "a.txt:1"], b"\x1b[32m1\x1b[0m\x1b[1;31m>\x1b[0m needle"),
    ],
)
def test_a_terminal_gets_colors(project: Path, arguments: list[str], colored: bytes) -> None:
    write_files(project, {"a.txt": "needle"})
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    subprocess.run([*SERVER, *arguments], cwd=project, stdout=terminal, env=environment, check=True)
    os.close(terminal)
    shown = os.read(controller, 1_000)
    os.close(controller)
    assert colored in shown
    assert b"\x1b" not in run(project, *arguments)[1].encode()


def test_a_reader_that_has_seen_enough_is_no_error(project: Path) -> None:
    write_files(project, {"a.txt": "needle\n" * 50_000})
    with start(project, "search", "needle") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("command", ["search needle", "inspect a.txt:1", "doctor", "context read a.txt"])
@pytest.mark.parametrize(
    ("where", "said"), [("> /dev/full", "No space left on device"), (">&-", "standard output is closed")]
)
def test_output_that_cannot_be_written_is_an_error(
    project: Path, command: str, where: str, said: str
) -> None:
    write_files(project, {"a.txt": "needle\n"})
    assert in_shell(project, f"{shlex.join(SERVER)} {command} {where}") == (2, f"sg-server: {said}\n")


@pytest.mark.parametrize("where", ["> /dev/full 2> /dev/full", ">&- 2>&-", "none.txt 2>&-"])
def test_an_error_that_nobody_hears_is_one_all_the_same(project: Path, where: str) -> None:
    write_files(project, {"a.txt": "needle\n"})
    assert in_shell(project, f"{shlex.join(SERVER)} search needle a.txt {where}") == (2, "")


def test_a_working_folder_that_is_gone_is_an_error(project: Path) -> None:
    line = f"mkdir gone; cd gone; rmdir ../gone; {shlex.join(SERVER)} search needle"
    assert in_shell(project, line) == (2, "sg-server: No such file or directory\n")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A job that a shell has put in the background ignores SIGINT, and so does what it starts."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_search_leaves_nothing_running(
    project: Path, tmp_path: Path, number: signal.Signals, expected: int
) -> None:
    rg = write_program(tmp_path / "rg", "exec sleep 600")
    with start(project, "search", "needle", "--rg", rg) as process:
        while not (left := children(process.pid)):
            assert process.poll() is None
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (expected, "")
    assert not any(map(is_alive, left))


def test_the_doctor_says_what_is_there(tmp_path: Path) -> None:
    code, output, _ = run(tmp_path, "doctor")
    assert code == 0
    assert "ripgrep " in output


def test_the_doctor_says_what_is_wrong_with_the_file_for_all_editors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "signal-grep.json").write_text("{bad")
    monkeypatch.setenv("SG_CONFIG", str(tmp_path / "signal-grep.json"))
    _, output, _ = run(tmp_path, "doctor")
    assert "signal-grep.json is not JSON" in output


def test_the_doctor_says_how_to_get_what_makes_search_impossible(tmp_path: Path) -> None:
    code, output, _ = run(tmp_path, "doctor", "--rg", tmp_path / "nowhere")
    assert code == 1
    assert "rg-missing" in output
    assert "install ripgrep" in output


def test_the_log_goes_to_a_file(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with start(project, "--log-file", log, "--log-level", "info") as process:
        assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 1
    assert "INFO" in log.read_text()


SOURCE = "import os\n\n\ndef greet(name):\n    hello = name\n    return hello\n"


@pytest.mark.parametrize("command", ["serve", "search", "inspect", "doctor"])
def test_every_command_has_help(tmp_path: Path, command: str) -> None:
    code, output, errors = run(tmp_path, command, "--help")
    assert (code, errors) == (0, "")
    assert output.startswith(f"usage: sg-server {command} ")


def test_a_line_is_shown_with_the_symbol_around_it(project: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    code, output, errors = run(project, "inspect", "app.py:5", "--ctags", "/nowhere/ctags")
    assert (code, errors) == (0, "")
    assert output.splitlines() == [
        "app.py:5  function greet (tree-sitter, lines 4-6)",
        "4  def greet(name):",
        "5>     hello = name",
        "6      return hello",
    ]


def test_places_inside_and_outside_the_working_folder_are_shown(project: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"project/a.py": SOURCE, "project/sub/b.py": SOURCE, "other/c.py": SOURCE})
    places = ["a.py:1", "./sub/../sub/b.py:5", f"{tmp_path}/other/c.py:5:9", "../other/c.py:4"]
    code, output, errors = run(project, "inspect", *places)
    assert (code, errors) == (0, "")
    headings = [line.partition("  ")[0] for line in output.splitlines() if re.match(r"\S+:\d+  ", line)]
    assert headings == ["a.py:1", "sub/b.py:5", f"{tmp_path}/other/c.py:5", f"{tmp_path}/other/c.py:4"]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("odd:3:2", "odd:3:2"),
        ("odd:3:2:1", "odd:3:2"),
        ("odd:3:2:1:1", "odd:3:2:1"),
        ("-dash.py:2", "-dash.py:2"),
        ("a\nb:1", "a\N{SYMBOL FOR LINE FEED}b:1"),
        ("plain:7:1:1", "plain:7:1"),
        ("plain:2:1", "plain:2"),
    ],
)
def test_names_with_colons_and_odd_characters_are_inspected(project: Path, word: str, shown: str) -> None:
    names = ["odd:3", "odd:3:2", "-dash.py", "a\nb", "plain", "plain:7"]
    write_files(project, dict.fromkeys(names, "one\ntwo\nthree\n"))
    code, output, _ = run(project, "inspect", "--", word)
    assert (code, output.partition("  ")[0]) == (0, shown)


def test_an_inspection_as_json_is_what_the_server_answers(project: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    code, output, _ = run(project, "inspect", "--json", "app.py:5", "app.py:99")
    answer = json.loads(output)
    assert (code, answer["version"], answer["status"]) == (1, 1, "partial")
    assert [each["outcome"] for each in answer["inspections"]] == ["returned", "error"]
    assert answer["inspections"][0]["symbol"]["name"] == "greet"
    assert answer["blocks"][0]["startLine"] == 4


def test_what_cannot_be_shown_is_one_and_says_why(project: Path) -> None:
    write_files(project, {"app.py": SOURCE, "other.py": SOURCE})
    code, output, errors = run(project, "inspect", "app.py:5", "other.py:99")
    assert (code, output.count("greet")) == (1, 2)
    assert errors == (
        "sg-server: other.py:99  not shown (source-unavailable): other.py has no line 99; its last is 6\n"
    )
    code, output, errors = run(project, "inspect", ".:1")
    assert (code, output) == (1, "")
    assert "source-unavailable" in errors


def test_more_of_a_long_file_is_had_by_the_command_that_is_told(project: Path) -> None:
    write_files(project, {"it's long.txt": "x" * 200 + "\n" + "line\n" * 500})
    _, output, _ = run(project, "inspect", "it's long.txt:1")
    told = output.splitlines()[-1].partition("More: ")[2]
    program, command, place = shlex.split(told)
    assert (program, command) == ("sg-server", "inspect")
    code, output, _ = run(project, command, place)
    assert (code, "x" * 200 in output) == (0, False)


def test_a_column_keeps_its_part_of_a_long_line_in_view(project: Path) -> None:
    write_files(project, {"a.txt": "é" * 4_000 + "needle" + "x" * 4_000})
    _, output, _ = run(project, "inspect", "a.txt:1:8001")
    assert "needle" in output
    assert len(output.splitlines()[-1]) < 600


@pytest.mark.parametrize(
    "places",
    [
        [],
        ["app.py"],
        ["app.py:0"],
        ["app.py:1:0"],
        ["app.py:x"],
        [":1"],
        ["missing.py:1"],
        ["../missing/x.py:1"],
        ["/missing/x.py:1"],
        [".git/config:1"],
        ["app.py:1"] * 6,
    ],
)
def test_a_wrong_place_is_two_and_one_message(project: Path, places: list[str]) -> None:
    write_files(project, {"app.py": SOURCE, ".git/config": "x\n"})
    code, output, errors = run(project, "inspect", *places)
    assert (code, output) == (2, "")
    assert errors.startswith("sg-server: ")
    assert "Traceback" not in errors
