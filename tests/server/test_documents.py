from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pytest_lsp import LanguageClient

from tests.searching import refused
from tests.server.conftest import Start
from tests.server.editing import Buffer, origins, search, shown
from tests.server.wire import command, write_files

BOM = "\ufeff"


async def test_an_open_document_with_unsaved_text_hides_its_file(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "needle on disk\n", "b.txt": "needle on disk\n"})
    Buffer(client, project / "a.txt", "\n\n  needle unsaved", version=7)
    answer = await search(client)
    assert shown(answer) == [("a.txt", 3, "  needle unsaved"), ("b.txt", 1, "needle on disk")]
    first, second = answer["matches"]
    assert (first["source"], first["documentVersion"], first["verified"]) == ("document", 7, True)
    assert first["location"] == {
        "uri": (project / "a.txt").as_uri(),
        "range": {"start": {"line": 2, "character": 2}, "end": {"line": 2, "character": 8}},
    }
    assert (second["source"], "documentVersion" in second) == ("disk", False)
    assert answer["totals"] == {
        "matches": 2,
        "occurrences": 2,
        "files": 2,
        "filesSearched": 2,
        "retained": 2,
    }


async def test_a_match_that_only_the_file_has_is_not_found(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n"})
    Buffer(client, project / "a.txt", "nothing here\n")
    answer = await search(client)
    assert answer["mode"] == "empty"
    assert answer["totals"]["filesSearched"] == 1


async def test_without_unsaved_text_the_disk_is_searched(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.txt": "needle on disk\n"})
    Buffer(client, project / "a.txt", "needle unsaved\n")
    Buffer(client, "untitled:Untitled-1", "needle\n")
    assert shown(await search(client, includeUnsaved=False)) == [("a.txt", 1, "needle on disk")]


async def test_a_document_as_it_is_on_disk_is_searched_there(client: LanguageClient, project: Path) -> None:
    files = {
        "lf.txt": b"needle\n",
        "crlf.txt": b"needle\r\n",
        "bom.txt": b"\xef\xbb\xbfneedle\n",
        "utf16.txt": "\ufeffneedle\n".encode("utf-16-le"),
    }
    write_files(project, files)
    for name in files:
        Buffer(client, project / name, "needle\n")
    assert origins(await search(client)) == dict.fromkeys(sorted(files))


async def test_a_document_whose_file_changed_on_disk_is_searched_as_it_is_shown(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "needle one\n"})
    Buffer(client, project / "a.txt", "needle one\n")
    assert origins(await search(client)) == {"a.txt": None}
    write_files(project, {"a.txt": "needle two\n"})
    answer = await search(client)
    assert (origins(answer), shown(answer)) == ({"a.txt": 1}, [("a.txt", 1, "needle one")])


async def test_a_document_is_unsaved_from_its_first_change_until_it_is_saved(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "needle\n"})
    buffer = Buffer(client, project / "a.txt", "needle\n")
    buffer.edit((0, 0), (0, 0), "x")
    buffer.edit((0, 0), (0, 1), "")
    assert origins(await search(client)) == {"a.txt": 3}
    buffer.save()
    assert origins(await search(client)) == {"a.txt": None}
    buffer.write("needle again\n")
    assert origins(await search(client)) == {"a.txt": 4}
    write_files(project, {"a.txt": "needle again\n"})
    buffer.save()
    assert shown(await search(client)) == [("a.txt", 1, "needle again")]
    buffer.write("nothing\n")
    buffer.close()
    assert shown(await search(client)) == [("a.txt", 1, "needle again")]


async def test_a_latin1_file_is_searched_as_the_client_decoded_it(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": b"caf\xe9 needle\n"})
    Buffer(client, project / "a.txt", "caf\xe9 needle\n")
    answer = await search(client, "café needle")
    assert (shown(answer), origins(answer)) == ([("a.txt", 1, "café needle")], {"a.txt": 1})
    assert (await search(client, "needle", encoding="latin1"))["matches"][0]["text"] == "café needle"


async def test_which_documents_that_are_no_file_of_a_folder_are_searched(client: LanguageClient) -> None:
    for uri, is_found in {
        "untitled:Untitled-1": True,
        "untitled:///tmp//x.txt": True,
        "file://": True,
        "git:/p/a.txt?ref": False,
        "output:tasks": False,
        "file:///elsewhere/a.txt": False,
        "file:///elsewhere/a%00.txt": True,
    }.items():
        buffer = Buffer(client, uri, "needle\n")
        answer = await search(client)
        assert [match["uri"] for match in answer.get("matches") or ()] == [uri] * is_found
        assert answer["totals"]["filesSearched"] == is_found
        if is_found:
            page = await command(client, "sg.page", {"snapshot": answer["snapshot"], "uri": uri})
            assert page["matches"] == answer["matches"]
        buffer.close()


async def test_an_untitled_document_is_left_out_where_paths_or_globs_decide(client: LanguageClient) -> None:
    Buffer(client, "untitled:Untitled-1", "needle\n")
    for scope in ({"path": "."}, {"glob": "*"}, {"glob": "*.txt"}):
        assert (await search(client, **scope))["totals"]["files"] == 0


async def test_documents_without_a_file_are_searched_when_they_are_named(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"a.txt": "needle\n"})
    Buffer(client, "untitled:Untitled-1", "one needle\n")
    Buffer(client, project / "new.txt", "two needle\n")
    Buffer(client, project / "other.txt", "three needle\n")
    named: list[tuple[dict[str, Any], list[tuple[str, int, str]]]] = [
        ({"uri": "untitled:Untitled-1"}, [("untitled:Untitled-1", 1, "one needle")]),
        ({"uri": (project / "new.txt").as_uri()}, [("new.txt", 1, "two needle")]),
        ({"path": "new.txt"}, [("new.txt", 1, "two needle")]),
        ({"path": str(project / "new.txt"), "exclude": "*.txt"}, [("new.txt", 1, "two needle")]),
        (
            {"path": ["a.txt", "./new.txt"], "uri": "untitled:Untitled-1"},
            [("a.txt", 1, "needle"), ("new.txt", 1, "two needle"), ("untitled:Untitled-1", 1, "one needle")],
        ),
    ]
    for scope, rows in named:
        answer = await search(client, **scope)
        assert shown(answer) == rows
        assert answer["totals"]["filesSearched"] == len(rows)
    assert (await refused(client, "sg.search", {"pattern": "needle", "path": "gone.txt"}))[
        0
    ] == "path-not-found"
    without = {"pattern": "needle", "path": "new.txt", "includeUnsaved": False}
    assert (await refused(client, "sg.search", without))[0] == "path-not-found"


@pytest.mark.parametrize(
    ("field", "value"), [("glob", "*.txt"), ("exclude", "*.py"), ("fileType", "py"), ("maxFileSize", 9)]
)
async def test_without_a_folder_rules_on_paths_are_refused(field: str, value: Any, start: Start) -> None:
    client = await start(folders=())
    Buffer(client, "untitled:Untitled-1", "needle\n")
    code, message = await refused(client, "sg.search", {"pattern": "needle", field: value})
    assert (code, message.partition(":")[0]) == ("invalid-params", field)


async def test_without_a_folder_a_document_can_be_named(start: Start) -> None:
    client = await start(folders=())
    for number in (1, 2):
        Buffer(client, f"untitled:Untitled-{number}", "needle\n")
    answer = await search(client, uri="untitled:Untitled-2")
    assert shown(answer) == [("untitled:Untitled-2", 1, "needle")]
    named = {"pattern": "needle", "path": "a.txt"}
    assert (await refused(client, "sg.search", named))[0] == "no-workspace"


async def test_without_a_folder_the_open_documents_are_what_is_searched(start: Start, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needle\n"})
    client = await start(folders=())
    assert (await refused(client, "sg.search", {"pattern": "needle"}))[0] == "no-workspace"
    Buffer(client, project / "a.txt", "needle\n")
    Buffer(client, "untitled:Untitled-1", "needle\n")
    answer = await search(client)
    assert shown(answer) == [(str(project / "a.txt"), 1, "needle"), ("untitled:Untitled-1", 1, "needle")]
    assert [match["uri"] for match in answer["matches"]] == [
        (project / "a.txt").as_uri(),
        "untitled:Untitled-1",
    ]
    assert answer["totals"]["filesSearched"] == 2
    page = await command(
        client, "sg.page", {"snapshot": answer["snapshot"], "path": str(project / "a.txt"), "context": 1}
    )
    assert shown(page) == shown(answer)[:1]
    code, _ = await refused(client, "sg.search", {"pattern": "needle", "includeUnsaved": False})
    assert code == "no-workspace"
    assert (await refused(client, "sg.search", {"pattern": "needle", "path": "a.txt"}))[0] == "no-workspace"


async def test_a_wrong_request_is_refused_even_where_there_is_no_text(start: Start) -> None:
    client = await start(folders=())
    for text in ("", "needle"):
        Buffer(client, "untitled:Untitled-1", text)
        for wrong in ({"pattern": "("}, {"pattern": "x", "fileType": "none"}, {"pattern": "x", "glob": "{"}):
            assert (await refused(client, "sg.search", wrong))[0] == "invalid-params"


SCOPES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "an ignored file": ("ignored.txt", {}, False),
    "an ignored file, named": ("ignored.txt", {"path": "ignored.txt"}, True),
    "an ignored file, wanted": ("ignored.txt", {"ignored": True}, True),
    "an ignored folder": ("out/a.txt", {}, False),
    "an ignored folder, with a glob": ("out/a.txt", {"glob": "out/*.txt"}, False),
    "an ignored folder, named": ("out/a.txt", {"path": "out"}, True),
    "a hidden folder": (".hidden/a.txt", {}, True),
    "a hidden folder, left out": (".hidden/a.txt", {"hidden": False}, False),
    "a glob that names it": ("src/a.txt", {"glob": "*.txt"}, True),
    "a glob that does not": ("src/a.txt", {"glob": "*.py"}, False),
    "a glob with a slash that names it": ("src/a.txt", {"glob": "src/*.txt"}, True),
    "a glob with a slash that does not": ("src/a.txt", {"glob": "lib/*.txt"}, False),
    "an exclude": ("src/a.txt", {"exclude": "src"}, False),
    "a type": ("src/a.py", {"fileType": "py"}, True),
    "a wrong type": ("src/a.txt", {"fileType": "py"}, False),
    "a glob and a type": ("src/a.py", {"fileType": "py", "glob": "src/*"}, True),
    "another folder": ("src/a.txt", {"path": "lib"}, False),
    "its folder": ("src/a.txt", {"path": "src"}, True),
    "its folder and an exclude": ("src/deep/a.txt", {"path": "src", "exclude": "src/deep/**"}, False),
    "too large": ("src/a.txt", {"maxFileSize": 3}, False),
    "its repository": (".git/a.txt", {"ignored": True}, False),
    "a repository below": ("lib/.git/a.txt", {"ignored": True}, False),
}


@pytest.mark.parametrize("on_disk", ["needle\n", "nothing\n", None], ids=["matching", "other", "new"])
async def test_rules_keep_out_a_document_as_they_would_its_file(
    client: LanguageClient, project: Path, on_disk: str | None
) -> None:
    write_files(project, {".gitignore": "out/\nignored.txt\n", "lib/b.txt": "", "out/b.txt": ""})
    write_files(project, {"src/b.txt": "b", "src/deep/b.txt": ""})
    for case, (name, scope, is_found) in SCOPES.items():
        if on_disk is not None:
            write_files(project, {name: on_disk})
        elif scope.get("path") == name:
            continue  # what is named has to exist
        before = await search(client, **scope)
        buffer = Buffer(client, project / name, "a needle\n", version=3)
        answer = await search(client, **scope)
        assert origins(answer) == ({name: 3} if is_found else {}), case
        more = answer["totals"]["filesSearched"] - before["totals"]["filesSearched"]
        assert more == (is_found and on_disk is None), case
        buffer.close()
        if on_disk is not None:
            (project / name).unlink()


async def test_a_document_over_a_binary_file_is_searched(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.bin": b"needle\0needle"})
    Buffer(client, project / "a.bin", "needle\0needle\n")
    answer = await search(client)
    assert (origins(answer), answer["status"]) == ({"a.bin": 1}, "complete")


async def test_a_document_in_nested_folders_is_found_once(start: Start, project: Path) -> None:
    write_files(project, {"in/a.txt": "needle\n", "in/.gitignore": "", ".gitignore": "in\n"})
    client = await start(folders=[project, project / "in"])
    Buffer(client, project / "in/a.txt", "unsaved needle\n")
    Buffer(client, project / "in/new.txt", "new needle\n")
    assert shown(await search(client)) == [
        ("in/a.txt", 1, "unsaved needle"),
        ("in/new.txt", 1, "new needle"),
    ]


async def test_a_folder_opened_through_a_link_keeps_its_spelling(
    start: Start, project: Path, tmp_path: Path
) -> None:
    write_files(project, {"a.txt": "needle\n"})
    (tmp_path / "link").symlink_to(project)
    client = await start(folders=[tmp_path / "link"])
    Buffer(client, project / "a.txt", "needle unsaved\n")
    Buffer(client, project / "new/b.txt", "needle unsaved\n")
    answer = await search(client)
    assert shown(answer) == [("a.txt", 1, "needle unsaved"), ("new/b.txt", 1, "needle unsaved")]
    for match in answer["matches"]:
        page = await command(client, "sg.page", {"snapshot": answer["snapshot"], "uri": match["uri"]})
        assert page["matches"] == [match]


async def test_a_document_hides_its_file_however_either_is_reached(
    client: LanguageClient, project: Path
) -> None:
    write_files(project, {"real/a.txt": "needle on disk\n"})
    (project / "link").symlink_to("real")
    (project / "a-link.txt").symlink_to("real/a.txt")
    names = ("link/a.txt", "real/a.txt", "a-link.txt")
    for opened in names:
        buffer = Buffer(client, project / opened, "needle unsaved\n")
        for path, follow in product((".", "link", "real", *names), (True, False)):
            answer = await search(client, path=path, follow=follow)
            assert shown(answer) == [(opened, 1, "needle unsaved")], (opened, path, follow)
        buffer.close()


async def test_a_link_out_of_every_folder_leads_to_no_document(
    client: LanguageClient, project: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, {"outside/a.txt": "needle\n"})
    (project / "link").symlink_to(tmp_path / "outside")
    Buffer(client, project / "link/a.txt", "needle\n")
    Buffer(client, project / "link/new.txt", "needle\n")
    assert (await search(client, follow=True))["mode"] == "empty"


async def kept_out(client: LanguageClient, **scope: Any) -> tuple[int, list[str]]:
    answer = await search(client, **scope)
    assert answer["mode"] == "empty"
    kept = answer["keptOut"]
    return kept["files"], [file["path"] for file in kept["matching"]]


async def test_what_was_kept_out_is_told_by_unsaved_text(client: LanguageClient, project: Path) -> None:
    write_files(project, {".gitignore": "*.log\n", "a.log": "needle\n", "b.log": "other\n"})
    assert await kept_out(client) == (2, ["a.log"])
    Buffer(client, project / "a.log", "other\n")
    Buffer(client, project / "b.log", "needle\n")
    assert await kept_out(client) == (2, ["b.log"])
    assert await kept_out(client, includeUnsaved=False) == (2, ["a.log"])


async def test_a_document_over_a_binary_file_is_not_kept_out(client: LanguageClient, project: Path) -> None:
    write_files(project, {"a.bin": b"\0needle", "b.bin": b"\0needle"})
    Buffer(client, project / "a.bin", "other\n")
    assert await kept_out(client) == (1, ["b.bin"])


async def test_explain_tells_of_a_document_what_a_search_does(client: LanguageClient, project: Path) -> None:
    write_files(project, {".gitignore": "out/\nignored.txt\n", "lib/b.txt": "", "src/b.bin": "\0"})
    for case, (name, scope, is_found) in SCOPES.items():
        if "path" in scope:
            continue  # what is named is all that is explained
        buffer = Buffer(client, project / name, "a needle\n")
        for named in ({"path": name}, {"uri": (project / name).as_uri()}):
            explained = await command(client, "sg.explain", {**named, **scope})
            assert explained["searched"] is is_found, case
        buffer.close()
    missing = await command(client, "sg.explain", {"path": "src/a.txt"})
    assert [reason["rule"] for reason in missing["reasons"]] == ["missing"]
    Buffer(client, project / "src/b.bin", "text\n")
    assert (await command(client, "sg.explain", {"path": "src/b.bin"}))["searched"] is True
    on_disk = await command(client, "sg.explain", {"path": "src/b.bin", "includeUnsaved": False})
    assert [reason["rule"] for reason in on_disk["reasons"]] == ["binary"]
