import asyncio
import mmap
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.searching import refused
from tests.server.conftest import Start
from tests.server.editing import Buffer, search
from tests.server.gated import GatedRg
from tests.server.wire import command, require_tool, write_files, write_program

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "import os\n\n\ndef greet(name):\n    needle = name\n    return needle\n"

LANGUAGES = {
    # name: (text, line, (symbol, container), whether ctags 5.9 gives its end)
    "a.py": ("class A:\n    def f(self):\n        x\n", 3, ("f", "A"), True),
    "a.c": ("static int\nf(void)\n{\n\treturn 1;\n}\n", 4, ("f", None), True),
    "a.go": ("package p\n\nfunc F() {\n\tg()\n}\n", 4, ("F", "p"), True),
    "A.java": ("class A {\n  void m() {\n    x();\n  }\n}\n", 3, ("m", "A"), True),
    "a.rb": ("class A\n  def x\n    1\n  end\nend\n", 3, ("x", "A"), True),
    "a.js": ("class A {\n  m() {\n    f();\n  }\n}\n", 3, ("m", "A"), False),
    "a.ts": ("class A {\n  m(): void {\n    f();\n  }\n}\n", 3, ("m", "A"), False),
    "a.tsx": ("function Page() {\n  return <b>x</b>;\n}\n", 2, ("Page", None), False),
    "a.rs": ("impl S {\n    fn f() {\n        g()\n    }\n}\n", 3, ("f", "S"), False),
    "a.sh": ("f() {\n  g\n}\n", 2, ("f", None), False),
    "a.lua": ("function f()\n  g()\nend\n", 2, ("f", None), False),
}


async def inspect(client: LanguageClient, **request: Any) -> Any:
    return await command(client, "sg.inspect", request)


async def only(client: LanguageClient, **request: Any) -> Any:
    """The inspection of a single target."""
    (inspection,) = (await inspect(client, **request))["inspections"]
    return inspection


async def outcome(client: LanguageClient, **request: Any) -> tuple[str, str]:
    inspection = await only(client, **request)
    return inspection["outcome"], inspection["structure"]


def without_ctags(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let `folder` be all there is on PATH."""
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("SG_CTAGS", raising=False)


def write_languages(project: Path) -> None:
    write_files(project, {name: text for name, (text, *_) in LANGUAGES.items()})


async def symbols(client: LanguageClient) -> dict[str, Any]:
    return {
        name: (await only(client, path=name, line=line)).get("symbol")
        for name, (_, line, *_) in LANGUAGES.items()
    }


async def test_with_ctags_every_language_has_its_symbols(client: LanguageClient, project: Path) -> None:
    require_tool("ctags")
    write_languages(project)
    for name, symbol in (await symbols(client)).items():
        _, _, (expected, container), has_ends = LANGUAGES[name]
        assert symbol is not None, name
        assert (symbol["name"], symbol.get("container")) == (expected, container), name
        # Later versions of ctags give more ends.
        assert symbol["provider"] == "ctags" or not has_ends, name


@pytest.mark.parametrize("option", [True, False], ids=["named wrongly", "not on PATH"])
async def test_without_ctags_tree_sitter_knows_the_same(
    start: Start, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, option: bool
) -> None:
    write_languages(project)
    if not option:
        without_ctags(monkeypatch, tmp_path / "empty")
    client = await start(options={"ctagsPath": str(tmp_path / "nowhere")} if option else None)
    for name, symbol in (await symbols(client)).items():
        expected = LANGUAGES[name][2][0]
        assert (symbol["name"], symbol["provider"]) == (expected, "tree-sitter"), name


_WAITING_FOR_ANOTHER = """
case "$*" in *.py) ;; *) exec {ctags} "$@" ;; esac
: > {folder}/$$
for try in $(seq 200); do
  [ $(ls {folder} | wc -l) -ge 2 ] && exec {ctags} "$@"
  sleep 0.05
done
echo "no other came" >&2
exit 1
"""


async def test_several_files_are_looked_into_at_the_same_time(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.py": SOURCE, "b.py": SOURCE})
    folder = tmp_path / "running"
    folder.mkdir()
    script = _WAITING_FOR_ANOTHER.format(ctags=require_tool("ctags"), folder=folder)
    client = await start(options={"ctagsPath": str(write_program(tmp_path / "ctags", script))})
    answer = await inspect(client, targets=[{"path": path, "line": 5} for path in ("b.py", "a.py", "b.py")])
    seen = [(one["path"], one["symbol"]["name"], one["symbol"]["provider"]) for one in answer["inspections"]]
    assert seen == [(path, "greet", "ctags") for path in ("b.py", "a.py", "b.py")]
    assert len(list(folder.iterdir())) == 2


async def test_every_form_of_a_request_shows_the_same(client: LanguageClient, project: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    found = await search(client, limit=1)
    uri, snapshot, cursor = (project / "app.py").as_uri(), found["snapshot"], found["cursor"]
    forms: list[dict[str, Any]] = [
        {"path": "app.py", "line": 5},
        {"path": str(project / "app.py"), "line": 5},
        {"uri": uri, "line": 5},
        {"uri": uri, "position": {"line": 4, "character": 4}},
        {"snapshot": snapshot, "matchIndex": 1},
        {"cursor": cursor, "matchIndex": 1},
        {"snapshot": snapshot, "matchIndices": [1]},
        {"cursor": cursor, "matchIndices": [1]},
        {"targets": [{"path": "app.py", "line": 5}]},
        {"targets": [{"uri": uri, "line": 5}]},
    ]
    for form in forms:
        answer = await inspect(client, **form)
        (inspection,) = answer["inspections"]
        assert (answer["version"], answer["status"]) == (1, "complete")
        assert (inspection["path"], inspection["uri"], inspection["line"]) == ("app.py", uri, 5)
        assert (inspection["outcome"], inspection["symbol"]["name"]) == ("returned", "greet")
        assert answer["blocks"] == [
            {
                "uri": uri,
                "path": "app.py",
                "startLine": 4,
                "lines": SOURCE.splitlines()[3:],
                "source": "disk",
            }
        ]
        assert inspection.get("matchIndex") == (
            1 if snapshot in form.values() or cursor in form.values() else None
        )


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({}, "arguments"),
        ({"path": "app.py"}, "line"),
        ({"line": 5}, "path"),
        ({"path": "app.py", "uri": "file:///app.py", "line": 5}, "uri"),
        ({"path": "app.py", "position": {"line": 0, "character": 0}}, "position"),
        ({"uri": "file:///app.py", "line": 5, "position": {"line": 0, "character": 0}}, "position"),
        ({"path": "app.py", "line": 5, "matchIndex": 1}, "matchIndex"),
        ({"path": "app.py", "line": 5, "targets": [{"path": "app.py", "line": 5}]}, "targets"),
        ({"snapshot": "s", "cursor": "c", "matchIndex": 1}, "cursor"),
        ({"snapshot": "s", "matchIndex": 1, "matchIndices": [1]}, "matchInd"),
        ({"snapshot": "s", "line": 5}, "line"),
        ({"matchIndex": 1}, "cursor"),
        ({"targets": []}, "targets"),
        ({"targets": [{"path": "app.py", "line": 5}] * 6}, "targets"),
        ({"targets": [{"path": "app.py", "uri": "file:///app.py", "line": 5}]}, "targets[0]"),
        ({"targets": [{"line": 5}]}, "targets[0]"),
        ({"snapshot": "s", "matchIndices": []}, "matchIndices"),
        ({"snapshot": "s", "matchIndices": [1] * 6}, "matchIndices"),
        ({"path": "app.py", "line": 0}, "line"),
        ({"path": "app.py", "line": "5"}, "line"),
        ({"path": "app.py", "line": 5, "context": 3}, "context"),
        ({"path": "../app.py", "line": 5}, None),
        ({"path": "missing.py", "line": 5}, None),
        ({"path": ".git/config", "line": 1}, "path"),
    ],
)
async def test_a_wrong_request_is_refused_by_the_name_of_its_field(
    client: LanguageClient, project: Path, request_: dict[str, Any], field: str | None
) -> None:
    write_files(project, {"app.py": SOURCE, ".git/config": "x\n"})
    code, message = await refused(client, "sg.inspect", request_)
    if field is None:
        assert code in {"outside-workspace", "path-not-found"}
    else:
        assert code == "invalid-params"
        assert field in message


async def test_an_index_that_the_snapshot_does_not_have_is_refused(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"app.py": SOURCE})
    snapshot = (await search(client))["snapshot"]
    code, message = await refused(client, "sg.inspect", {"snapshot": snapshot, "matchIndices": [1, 3]})
    assert code == "invalid-params"
    assert message == "matchIndices[1]: 3 was given; this snapshot has 1 to 2"


async def test_a_word_of_another_session_is_unknown(start: Start, project: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    found = await search(await start(), limit=1)
    other = await start()
    for word in ("snapshot", "cursor"):
        code, _ = await refused(other, "sg.inspect", {word: found[word], "matchIndex": 1})
        assert code == "cursor-unknown"


async def test_a_cleared_snapshot_is_expired(client: LanguageClient, project: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    snapshot = (await search(client))["snapshot"]
    await command(client, "sg.clear", {"snapshot": snapshot})
    code, _ = await refused(client, "sg.inspect", {"snapshot": snapshot, "matchIndex": 1})
    assert code == "cursor-expired"


async def test_each_thing_that_is_known_of_a_structure_has_its_word(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(
        project,
        {
            "available.py": SOURCE,
            "none.py": "# nothing\n",
            "unknown.xyz": "x\n",
            "broken.go": "package p\nfunc F() {\n",
            "large.py": "#" * limits.TREE_SITTER_BYTES + "\n",
            "folder/x": "",
        },
    )
    client = await start(options={"ctagsPath": str(tmp_path / "nowhere")})
    assert {
        name: await outcome(client, path=name, line=1)
        for name in ("none.py", "unknown.xyz", "broken.go", "large.py", "folder")
    } == {
        "none.py": ("returned", "no-enclosing-symbol"),
        "unknown.xyz": ("returned", "provider-unavailable"),
        "broken.go": ("returned", "parse-error"),
        "large.py": ("returned", "oversized"),
        "folder": ("error", "source-unavailable"),
    }
    assert await outcome(client, path="available.py", line=4) == ("returned", "available")
    assert await outcome(client, path="available.py", line=99) == ("error", "source-unavailable")


async def test_a_language_whose_ends_nobody_knows_is_unsupported(
    client: LanguageClient, project: Path
) -> None:
    require_tool("ctags")
    write_files(project, {"a.ini": "[s]\nkey = 1\n", "a.xyz": "x\n"})
    for name in ("a.ini", "a.xyz"):
        assert await outcome(client, path=name, line=1) == ("returned", "unsupported-range")


async def test_a_file_over_the_bound_is_refused_as_a_place_and_as_a_match(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"big.txt": "needle\n" + "x\n" * (limits.SOURCE_BYTES // 2)})
    snapshot = (await search(client))["snapshot"]
    for request in ({"path": "big.txt", "line": 1}, {"snapshot": snapshot, "matchIndex": 1}):
        assert await outcome(client, **request) == ("error", "oversized")


async def test_five_targets_share_blocks_and_one_budget_and_what_is_deferred_can_be_asked_for(
    client: LanguageClient, project: Path
) -> None:
    # Lines of maximal length; and names that take as much room as they may.
    folder = "/".join(["\N{GREEK SMALL LETTER ALPHA}" * 120] * 4)
    wide = "\N{MUSICAL SYMBOL G CLEF}" * 600 + "\n"
    write_files(project, {f"{folder}/{number}.txt": wide for number in range(5)})
    targets = [{"path": f"{folder}/{number}.txt", "line": 1} for number in range(5)]
    answer = await inspect(client, targets=targets)
    assert len(answer["text"].encode()) <= limits.RESPONSE_BYTES
    outcomes = [inspection["outcome"] for inspection in answer["inspections"]]
    assert answer["status"] == "partial"
    assert outcomes[0] == "returned"
    assert "deferred" in outcomes
    for inspection in answer["inspections"]:
        if inspection["outcome"] == "deferred":
            again = await only(client, **inspection["retry"])
            assert (again["outcome"], again["path"]) == ("returned", inspection["path"])


async def test_targets_in_one_file_share_its_lines(client: LanguageClient, project: Path) -> None:
    write_files(project, {"app.py": SOURCE, "other.py": "def other():\n    needle\n"})
    snapshot = (await search(client))["snapshot"]
    answer = await inspect(client, snapshot=snapshot, matchIndices=[2, 1, 3, 1])
    assert [inspection["block"] for inspection in answer["inspections"]] == [0, 0, 1, 0]
    assert [inspection["line"] for inspection in answer["inspections"]] == [6, 5, 2, 5]
    assert [block["path"] for block in answer["blocks"]] == ["app.py", "other.py"]
    assert answer["text"].count("needle = name") == 1


async def test_an_occurrence_late_in_a_very_long_line_stays_in_view(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"long.txt": "é" * 200_000 + "needle" + "x" * 1_000 + "\n"})
    snapshot = (await search(client))["snapshot"]
    answer = await inspect(client, snapshot=snapshot, matchIndex=1)
    (line,) = answer["blocks"][0]["lines"]
    assert "needle" in line
    assert len(line) <= limits.LINE_CHARACTERS
    (inspection,) = answer["inspections"]
    assert inspection["clippedLines"] == [1]
    assert inspection["location"]["range"] == {
        "start": {"line": 0, "character": 200_000},
        "end": {"line": 0, "character": 200_006},
    }


def rewrite(path: Path, text: str) -> None:
    """Write another text into a file, its times put back."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def store(path: Path, old: bytes, new: bytes) -> None:
    """Store into a shared mapping, which need not touch the times of the file."""
    with path.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as mapped:
        at = mapped.find(old)
        mapped[at : at + len(new)] = new


@pytest.mark.parametrize(
    ("change", "structure"),
    [
        (lambda path: rewrite(path, SOURCE.replace("name", "eman")), "source-changed"),
        (lambda path: store(path, b"needle = name", b"needle = eman"), "source-changed"),
        (lambda path: path.write_text(SOURCE + "\n"), "source-changed"),
        (
            lambda path: shutil.copy(path, path.with_name("b")) and path.with_name("b").replace(path),
            "source-changed",
        ),
        (lambda path: path.unlink(), "source-unavailable"),
    ],
    ids=["same size and time", "stored into a mapping", "longer", "replaced by its copy", "deleted"],
)
async def test_a_match_in_a_file_that_changed_is_refused_and_the_file_itself_is_shown(
    client: LanguageClient, project: Path, change: Callable[[Path], object], structure: str
) -> None:
    write_files(project, {"app.py": SOURCE})
    found = await search(client)
    assert found["matches"][0]["verified"]
    change(project / "app.py")
    answer = await inspect(client, snapshot=found["snapshot"], matchIndex=1)
    (inspection,) = answer["inspections"]
    assert (inspection["outcome"], inspection["structure"]) == ("error", structure)
    assert (answer["status"], answer["blocks"]) == ("partial", [])
    assert "needle" not in answer["text"]
    if structure == "source-changed":
        assert await outcome(client, path="app.py", line=5) == ("returned", "available")


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes and shell scripts")
async def test_a_match_that_was_never_proven_is_refused(start: Start, project: Path, tmp_path: Path) -> None:
    write_files(project, {"app.py": SOURCE})
    rg = GatedRg(tmp_path / "gated")
    client = await start(options={"rgPath": rg.path})
    (project / "app.py").touch()
    rg.close("before-2")
    searching = asyncio.ensure_future(search(client))
    async with rg.at("before-2"):
        (project / "app.py").write_text(SOURCE + "needle\n")
    found = await searching
    assert not found["matches"][0]["verified"]
    inspection = await only(client, snapshot=found["snapshot"], matchIndex=1)
    assert (inspection["outcome"], inspection["structure"]) == ("error", "source-changed")
    assert "could not be proven" in inspection["message"]


async def test_a_file_in_utf_16_is_shown_as_it_was_searched(client: LanguageClient, project: Path) -> None:
    write_files(project, {"app.py": SOURCE.replace("name", "näme").encode("utf-16")})
    snapshot = (await search(client))["snapshot"]
    answer = await inspect(client, snapshot=snapshot, matchIndex=1)
    assert answer["inspections"][0]["symbol"]["name"] == "greet"
    assert answer["blocks"][0]["lines"][1] == "    needle = näme"


@pytest.mark.parametrize(("option", "shown"), [("replace", "\N{REPLACEMENT CHARACTER}"), ("latin1", "é")])
async def test_invalid_utf_8_is_shown_as_the_editor_shows_it(
    start: Start, project: Path, option: str, shown: str
) -> None:
    write_files(
        project,
        {"app.py": SOURCE.replace("name", "n\N{BULLET}me").encode().replace("\N{BULLET}".encode(), b"\xe9")},
    )
    client = await start(options={"invalidUtf8": option})
    snapshot = (await search(client))["snapshot"]
    answer = await inspect(client, snapshot=snapshot, matchIndex=1)
    assert answer["inspections"][0]["symbol"]["name"] == "greet"
    assert answer["blocks"][0]["lines"][1] == f"    needle = n{shown}me"


async def test_an_encoding_of_the_search_holds_for_its_matches(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle 寿司\n".encode("shift_jis")})
    snapshot = (await search(client, encoding="shift_jis"))["snapshot"]
    answer = await inspect(client, snapshot=snapshot, matchIndex=1)
    assert answer["blocks"][0]["lines"] == ["needle 寿司"]


@pytest.mark.parametrize(("ends_line", "position"), [(True, 5), (False, 4)])
async def test_a_position_counts_lines_as_the_editor_does(
    start: Start, project: Path, position: int, *, ends_line: bool
) -> None:
    write_files(project, {"app.py": SOURCE.replace("import os", "import os\r# more")})
    client = await start(options={"loneCrEndsLine": ends_line})
    place = {"line": position, "character": 0}
    inspection = await only(client, uri=(project / "app.py").as_uri(), position=place)
    assert (inspection["line"], inspection["symbol"]["name"]) == (5, "greet")
    assert inspection["location"]["range"]["start"] == place


@pytest.mark.parametrize("has_ctags", [True, False])
async def test_an_unsaved_document_is_inspected_as_it_is_in_the_editor(
    start: Start, project: Path, tmp_path: Path, *, has_ctags: bool
) -> None:
    if has_ctags:
        require_tool("ctags")
    write_files(project, {"app.py": SOURCE})
    client = await start(options=None if has_ctags else {"ctagsPath": str(tmp_path / "nowhere")})
    buffer = Buffer(client, project / "app.py", SOURCE)
    buffer.write("\n" + SOURCE.replace("greet", "welcome"))
    found = await search(client)
    for request in ({"snapshot": found["snapshot"], "matchIndex": 1}, {"path": "app.py", "line": 6}):
        answer = await inspect(client, **request)
        (inspection,), (block,) = answer["inspections"], answer["blocks"]
        symbol = inspection["symbol"]
        assert symbol["name"] == "welcome"
        assert symbol["provider"] == ("ctags" if has_ctags else "tree-sitter")
        assert symbol["range"]["start"] == {"line": 4, "character": 0}
        assert (block["source"], block["documentVersion"], block["startLine"]) == ("document", 2, 5)
    buffer.write(SOURCE)
    assert await outcome(client, snapshot=found["snapshot"], matchIndex=1) == ("error", "source-changed")
    again = await search(client)
    assert await outcome(client, snapshot=again["snapshot"], matchIndex=1) == ("returned", "available")
    buffer.close()
    assert await outcome(client, snapshot=again["snapshot"], matchIndex=1) == ("error", "source-changed")


async def test_an_untitled_document_is_inspected(client: LanguageClient) -> None:
    Buffer(client, "untitled:Untitled-1", "first\nneedle\n")
    found = await search(client)
    requests: list[dict[str, Any]] = [
        {"snapshot": found["snapshot"], "matchIndex": 1},
        {"uri": "untitled:Untitled-1", "line": 2},
        {"uri": "untitled:Untitled-1", "position": {"line": 1, "character": 3}},
    ]
    for request in requests:
        answer = await inspect(client, **request)
        assert answer["inspections"][0]["line"] == 2
        assert answer["blocks"][0]["lines"] == ["first", "needle"]
        assert answer["blocks"][0]["source"] == "document"


async def test_what_a_workspace_would_have_ctags_do_is_not_done(
    start: Start, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_tool("ctags")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(project)
    client = await start()
    pwned = tmp_path / "PWNED"
    options = f"--langdef=pwn\n--langmap=pwn:.py\n-o {pwned}\n--options-maybe={pwned}\n--append=yes\n"
    write_files(
        project,
        {
            ".ctags.d/pwn.ctags": options,
            ".ctags": options,
            "ctags.d/pwn.ctags": options,
            "app.py": SOURCE,
            f"-o{pwned.name}.py": SOURCE,
        },
    )
    for name in ("app.py", f"-o{pwned.name}.py"):
        inspection = await only(client, path=name, line=5)
        assert inspection["symbol"]["provider"] == "ctags"
    assert not list(tmp_path.rglob("PWNED"))


async def test_paths_begin_with_their_folders_name_where_there_are_several(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, {"project/app.py": SOURCE, "other/app.py": SOURCE})
    client = await start(folders=[project, tmp_path / "other"])
    inspection = await only(client, path="other/app.py", line=5)
    assert (inspection["path"], inspection["uri"]) == ("other/app.py", (tmp_path / "other/app.py").as_uri())
    code, message = await refused(client, "sg.inspect", {"path": "app.py", "line": 5})
    assert (code, "project, other" in message) == ("invalid-params", True)
