import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.test_cli import SERVER, environment

PLAN = "# Plan\n\nFirst 😀 needle, then Needle.\n\n## Rollout\n\nneedle\n\n## Rollback\n\nnone\n"


class Shell:
    """`sg-server context` with a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "entries.sqlite3"

    def run(self, *arguments: str, given: str | bytes = "") -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        done = subprocess.run(
            [*SERVER, "context", *arguments, "--store", str(self.store)],
            cwd=self.folder,
            env=environment(),
            input=given.encode() if isinstance(given, str) else given,
            capture_output=True,
            timeout=20,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def __call__(self, *arguments: str, given: str = "") -> str:
        code, output, errors = self.run(*arguments, given=given)
        assert (code, errors) == (0, "")
        return output

    def put(self, text: str, *more: str) -> str:
        return self("put", "--thread", "t", *more, given=text).strip()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_what_is_put_is_read_word_for_word(shell: Shell) -> None:
    text = "a\r\nb\rc\u2028\n\n"
    id_ = shell.put(text, "--tag", "Plan", "--metadata", '{"n": 1}', "--summary", "Short.")
    assert shell("read", id_[:13]) == text
    assert shell("list").startswith(f"{id_}  ")
    assert shell("list").endswith("  t #plan  Short.\n")
    (row,) = map(json.loads, shell("list", "--json").splitlines())
    assert (row["id"], row["metadata"], row["totalChars"]) == (id_, {"n": 1}, len(text))


def test_a_replacement_has_to_know_the_version(shell: Shell) -> None:
    id_ = shell.put("one")
    assert shell.put("two", "--id", id_, "--expect", "1") == id_
    code, output, errors = shell.run("put", "--thread", "t", "--id", id_, "--expect", "1", given="three")
    assert (code, output) == (2, "")
    assert "has version 2, not 1" in errors
    assert shell("read", id_) == "two"


def test_matches_stand_under_their_entries(shell: Shell) -> None:
    one, two = shell.put(PLAN), shell.put("needle\n")
    assert shell("grep", "needle") == (
        f"{two}\n1:1:needle\n{one}\n3:12:First 😀 needle, then Needle.\n"
        "3:25:First 😀 needle, then Needle.\n7:1:needle\n"
    )
    assert shell("grep", "Needle") == f"{one}\n3:25:First 😀 needle, then Needle.\n"
    assert shell("grep", "-c", "needle") == f"{two}:1\n{one}:3\n"
    assert shell("grep", "-l", "needle", "--limit", "1") == f"{two}\n"
    assert shell("grep", "^n..d.*e$", "-C1") == f"{two}\n1:1:needle\n2-\n--\n{one}\n6-\n7:1:needle\n8-\n--\n"
    rows = [json.loads(line) for line in shell("grep", "-F", "needle,", "--json").splitlines()]
    assert rows[0]["matchStart"] == PLAN.index("needle,")
    assert rows[-1] == {"totalMatches": 1, "isComplete": True}


def test_a_store_that_is_not_there_is_no_empty_one(shell: Shell) -> None:
    entry = "0" * 32
    for words in (("grep", "needle"), ("list",), ("delete", entry), ("outline", entry), ("read", entry)):
        code, output, errors = shell.run(*words)
        assert (code, output) == (2, "")
        assert f"nothing has been kept in {shell.store} yet" in errors
    assert not shell.store.exists()


def test_an_outline_that_is_not_whole_says_so(shell: Shell) -> None:
    (shell.folder / "many.md").write_text("# a\n" + "## b\n" * 10_001)
    code, output, errors = shell.run("outline", "many.md")
    assert (code, len(output.splitlines())) == (0, 1)
    assert "sections of level 2 and deeper are left out" in errors


def test_nothing_found_is_one(shell: Shell) -> None:
    shell.put("text", "--tag", "a")
    assert shell.run("grep", "needle") == (1, "", "")
    assert shell.run("grep", "text", "--tag", "b") == (1, "", "")
    assert shell.run("list", "--thread", "other") == (1, "", "")


def test_an_outline_names_sections_that_can_be_read(shell: Shell) -> None:
    id_ = shell.put(PLAN)
    (shell.folder / "plan.md").write_text(PLAN)
    for text in (id_, "plan.md"):
        lines = shell("outline", text).splitlines()
        assert [line.split("  ")[-2:-1] for line in lines] == [
            ["plan"],
            ["plan/rollout"],
            ["plan/rollback"],
        ]
        assert shell("read", text, "--node", "plan/rollout") == "## Rollout\n\nneedle\n\n"
        assert shell("read", text, "--lines", "5-6") == "## Rollout\n"
        assert shell("read", text, "--chars", "2-6") == "Plan"
    assert json.loads(shell("outline", id_, "--depth", "1", "--json"))["nodeCount"] == 1


def test_a_long_text_is_read_whole(shell: Shell) -> None:
    text = "".join(f"{number}: " + "é" * 90 + "\n" for number in range(2_000))
    assert shell("read", shell.put(text)) == text


def test_deleted_is_gone(shell: Shell) -> None:
    one, two = shell.put("1"), shell.put("2")
    assert shell("delete", one, two) == ""
    assert shell.run("list")[0] == 1


def test_an_error_is_two_and_one_message(shell: Shell) -> None:
    shell.put("text")
    wrong: list[tuple[list[str], bytes]] = [
        (["grep", "("], b""),
        (["grep"], b""),
        (["grep", ""], b""),
        (["read", "f" * 32], b""),
        (["read"], b""),
        (["read", "f" * 32, "--lines", "x"], b""),
        (["outline", "a", "b"], b""),
        (["put", "--thread", "t"], b"\xff"),
        (["put", "--thread", "t", "--metadata", "[]"], b"x"),
        (["put", "--thread", ""], b"x"),
        (["delete"], b""),
    ]
    for arguments, given in wrong:
        code, output, errors = shell.run(*arguments, given=given)
        assert (code, output) == (2, ""), arguments
        assert errors.startswith("sg-server: "), arguments
        assert "Traceback" not in errors


def test_help_lists_the_commands_and_their_options(shell: Shell) -> None:
    code, output, _ = shell.run("--help")
    assert code == 0
    assert "outline" in output
    assert "--node" in shell.run("read", "--help")[1]
    assert shell.run("serch")[0] == 2


@pytest.mark.parametrize(
    "url", ["http://me:secret@127.0.0.1:9/v1", "ftp://me:secret@host/", "me:secret@host"]
)
def test_the_doctor_tells_no_password_of_a_provider(url: str, shell: Shell) -> None:
    done = subprocess.run(
        [*SERVER, "doctor", "--store", str(shell.store)],
        env=environment() | {"SG_SUMMARIES_URL": url, "SG_SUMMARIES_MODEL": "m"},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert "secret" not in done.stdout + done.stderr
    assert url.rpartition("@")[2] in done.stdout


def test_the_doctor_names_the_store(shell: Shell) -> None:
    shell.put("text")
    done: Any = subprocess.run(
        [sys.executable, "-m", "sg_server", "doctor", "--store", str(shell.store)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert f"at {shell.store}: 1 to read" in done.stdout
