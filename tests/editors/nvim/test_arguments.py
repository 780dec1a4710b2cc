from typing import Any

import pytest

from tests.editors.nvim.neovim import Neovim


@pytest.fixture
def parse(nvim: Neovim) -> Any:
    return lambda typed: nvim.lua("return { require('signal_grep.arguments').parse(...) }", typed)


@pytest.mark.parametrize(
    ("typed", "params"),
    [
        ("needle", {"pattern": "needle"}),
        (r'two  words, "quotes" and \(regex\|', {"pattern": r'two  words, "quotes" and \(regex\|'}),
        ("-i -w needle", {"pattern": "needle", "ignoreCase": True, "wholeWord": True}),
        ("-Fws needle -i", {"pattern": "needle -i", "literal": True, "wholeWord": True, "ignoreCase": False}),
        ("-iS needle", {"pattern": "needle"}),
        ("-tpy -t lua x", {"pattern": "x", "fileType": ["py", "lua"]}),
        ("-g *.py --glob=a/** x", {"pattern": "x", "glob": ["*.py", "a/**"]}),
        ("-g!*_test.py x", {"pattern": "x", "exclude": ["!*_test.py"]}),
        (r"-g a\ b.txt x", {"pattern": "x", "glob": ["a b.txt"]}),
        ("-- -i", {"pattern": "-i"}),
        ("--  x", {"pattern": " x"}),
        ("-", {"pattern": "-"}),
        ("--no-hidden --no-ignore x", {"pattern": "x", "hidden": False, "ignored": True}),
        ("--no-unsaved x", {"pattern": "x", "includeUnsaved": False}),
        ("-aL x", {"pattern": "x", "binary": True, "follow": True}),
        ("-UP -E gbk x", {"pattern": "x", "multiline": True, "engine": "pcre2", "encoding": "gbk"}),
    ],
)
def test_flags_come_first_and_the_rest_is_the_pattern(parse: Any, typed: str, params: Any) -> None:
    assert parse(typed) == [{"params": params, "loclist": False}]


def test_a_path_is_one_of_the_working_folder(parse: Any, nvim: Neovim) -> None:
    (nvim.folder / "src/deep").mkdir(parents=True)
    nvim.open("src/deep/x.py")
    nvim.command("cd src")
    (request,) = parse("--loclist --in deep --in ../src/. --in % x")
    assert request["loclist"] is True
    paths = [str(nvim.folder / path) for path in ("src/deep", "src", "src/deep/x.py")]
    assert request["params"]["path"] == paths


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("--nope x", "--nope is no flag; a pattern that begins with a dash goes after --"),
        ("-iq x", "-q is no flag; a pattern that begins with a dash goes after --"),
        ("--hidden=1 x", "--hidden=1 is no flag; a pattern that begins with a dash goes after --"),
        ("-g", "-g: what?"),
    ],
)
def test_what_is_no_flag_is_refused(parse: Any, typed: str, problem: str) -> None:
    assert parse(typed)[1] == problem


def test_flags_and_values_are_completed_and_patterns_are_not(nvim: Neovim) -> None:
    (nvim.folder / "source").mkdir()

    def completed(line: str) -> Any:
        return nvim.call("call_function", "getcompletion", [line, "cmdline"])

    assert completed("SignalGrep --no-h") == ["--no-hidden"]
    assert completed("SignalGrepWord! -i --mul") == ["--multiline"]
    assert completed("SignalGrep -E lat") == ["latin1"]
    assert completed("SignalGrep --in sou") == ["source/"]
    assert completed("SignalGrep needle -") == []
    assert completed("SignalGrep -- -") == []
    assert completed("SignalGrep --nope -") == []
