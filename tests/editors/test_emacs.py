"""The Emacs commands of the documentation, run in a real Emacs with its own eglot and a real server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.wire import require_tool, write_files, write_program

ROOT = Path(__file__).resolve().parents[2]
SNIPPET = ROOT / "docs/snippets/signal-grep.el"
DEADLINE_SECONDS = 60.0

# Where M-g n leads: the file, the line from 1, the characters before point, and the rest of the line.
JUMP = """
(defun tell (value) (princ (concat (json-encode value) "\n")))
(defun tell-jumps (count)
  (dotimes (index count)
    (next-error 1 (= index 0))
    (with-current-buffer (window-buffer)
      (tell (list (file-name-nondirectory buffer-file-name)
                  (line-number-at-pos nil t)
                  (- (point) (line-beginning-position))
                  (buffer-substring-no-properties (point) (line-end-position)))))))
"""


class Emacs:
    """Runs Emacs Lisp in a project, in the file `here.txt` of it, after the commands are loaded."""

    def __init__(self, program: str, home: Path, project: Path) -> None:
        self.project = project
        self._program = program
        self._environment = {
            **os.environ,
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }
        write_files(project, {".git/HEAD": "ref: refs/heads/main\n", "here.txt": "here\n"})
        for folder in (home / ".emacs.d", home / "bin"):
            folder.mkdir(parents=True)
        write_program(home / "bin/sg-server", f'exec "{sys.executable}" -m sg_server "$@"')

    def run(self, *forms: str) -> tuple[list[Any], str]:
        """What the forms tell, as JSON values, and the messages that people see."""
        argv = [self._program, "--batch", "--eval", "(package-activate-all)", "-l", str(SNIPPET), "here.txt"]
        for form in (JUMP, *forms):
            argv += ["--eval", f"(progn {form})"]
        done = subprocess.run(
            argv,
            cwd=self.project,
            env=self._environment,
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture(scope="module")
def program() -> str:
    """An Emacs that has eglot."""
    found = require_tool("emacs")
    probe = [found, "--batch", "--eval", "(package-activate-all)", "--eval", "(require 'eglot)"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        (pytest.fail if os.environ.get("SG_REQUIRE_TOOLS") == "1" else pytest.skip)("this Emacs has no eglot")
    return found


@pytest.fixture
def emacs(program: str, tmp_path: Path) -> Emacs:
    return Emacs(program, tmp_path / "home", tmp_path / "project")


def test_a_jump_ends_exactly_at_the_match_whatever_comes_before_it(emacs: Emacs) -> None:
    write_files(
        emacs.project,
        {
            "bom.txt": "\ufeffé😀 needle\n",
            "code.py": 'one\n\treturn "😀é\t😀 needle"\n',
            "crlf.txt": "é😀\r\n😀 needle\r\n",
            "lone-cr.txt": "one\rtwo needle\n",
            "no-utf8.txt": "é ".encode() + b"\xff needle\n",
            "ä 1.txt": "needle\n",
        },
    )
    jumps, messages = emacs.run('(my-signal-grep "needle")', "(tell-jumps 6)")
    assert jumps == [
        ["bom.txt", 1, 3, "needle"],
        ["code.py", 2, 14, 'needle"'],
        ["crlf.txt", 2, 2, "needle"],
        ["lone-cr.txt", 1, 8, "needle"],
        ["no-utf8.txt", 1, 5, "needle"],  # as Latin-1, in which é is two characters
        ["ä 1.txt", 1, 0, "needle"],
    ]
    assert "6 of 6 matches in 6 files" in messages


def test_text_that_was_just_typed_is_found(emacs: Emacs) -> None:
    jumps, _ = emacs.run(
        '(my-signal-grep "here")', '(insert "😀 needle ")', '(my-signal-grep "needle")', "(tell-jumps 1)"
    )
    assert jumps == [["here.txt", 1, 2, "needle here"]]
    assert (emacs.project / "here.txt").read_text("utf-8") == "here\n"


def test_a_prefix_lists_all_pages(emacs: Emacs) -> None:
    write_files(emacs.project, {"many.txt": "needle\n" * 1_200})
    _, messages = emacs.run('(my-signal-grep "needle")', '(my-signal-grep "needle" t)')
    assert "1000 of 1200 matches in 1 files" in messages
    assert "1200 of 1200 matches in 1 files" in messages


def test_an_empty_search_names_the_ignored_file_that_matches(emacs: Emacs) -> None:
    write_files(emacs.project, {".ignore": "out.txt\n", "out.txt": "needle\n"})
    _, messages = emacs.run('(my-signal-grep "needle")')
    assert "0 matches" in messages
    assert "out.txt" in messages


def test_the_function_around_point_is_shown(emacs: Emacs) -> None:
    write_files(emacs.project, {"code.py": "def outer():\n    return 1\n"})
    shown, _ = emacs.run(
        '(find-file "code.py")',
        "(forward-line)",
        "(my-signal-grep-inspect)",
        '(tell (with-current-buffer "*Signal Grep*" (buffer-string)))',
    )
    assert "function outer" in shown[0]


def test_the_server_of_a_language_stays(emacs: Emacs) -> None:
    write_files(emacs.project, {"code.py": "needle = 1\n"})
    running, _ = emacs.run(
        '(find-file "code.py")',
        """(let ((eglot-sync-connect t))
             (eglot '(python-mode) (project-current) 'eglot-lsp-server '("sg-server") "python"))""",
        "(defvar of-the-language (eglot-current-server))",
        '(my-signal-grep "needle")',
        '(with-current-buffer "code.py" (tell (eq of-the-language (eglot-current-server))))',
        "(tell (and (jsonrpc-running-p of-the-language) t))",
    )
    assert running == [True, True]
