import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from sg_server import limits
from tests.server.conftest import Start
from tests.server.wire import (
    DEADLINE_SECONDS,
    children,
    plain,
    require_tool,
    server_process,
    until,
    write_files,
    write_program,
)

CANCELLED = -32800
METHOD_NOT_FOUND = -32601

Kind = types.SymbolKind


def capabilities(
    *,
    trees: bool = True,
    dynamic: bool = False,
    kinds: Sequence[Kind] | None = tuple(Kind),
    encoding: str = "utf-16",
) -> types.ClientCapabilities:
    known = None if kinds is None else types.ClientSymbolKindOptions(value_set=kinds)
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[encoding]),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            symbol=types.WorkspaceSymbolClientCapabilities(dynamic_registration=dynamic, symbol_kind=known),
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(),
        ),
        text_document=types.TextDocumentClientCapabilities(
            document_symbol=types.DocumentSymbolClientCapabilities(
                dynamic_registration=dynamic,
                hierarchical_document_symbol_support=trees,
                symbol_kind=known,
            )
        ),
    )


async def begin(client: LanguageClient, project: Path, **options: Any) -> types.InitializeResult:
    document_symbols = options.pop("document_symbols", None)
    return await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities(**options),
            workspace_folders=[types.WorkspaceFolder(uri=project.as_uri(), name="project")],
            initialization_options=None
            if document_symbols is None
            else {"documentSymbols": document_symbols},
        )
    )


@pytest_asyncio.fixture
async def editor(start: Start, project: Path) -> LanguageClient:
    """A client that knows every kind of symbol and shows trees of them."""
    require_tool("ctags")
    client = await start(initialize=False)
    await begin(client, project)
    return client


async def find(client: LanguageClient, query: str, **tokens: Any) -> list[Any]:
    params = types.WorkspaceSymbolParams(query=query, **tokens)
    async with asyncio.timeout(DEADLINE_SECONDS):
        return list(await client.workspace_symbol_async(params) or ())


async def outline(client: LanguageClient, uri: str) -> list[Any]:
    params = types.DocumentSymbolParams(text_document=types.TextDocumentIdentifier(uri=uri))
    async with asyncio.timeout(DEADLINE_SECONDS):
        return list(await client.text_document_document_symbol_async(params) or ())


def open_document(client: LanguageClient, uri: str, text: str, language: str = "python") -> None:
    item = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def change_document(client: LanguageClient, uri: str, text: str) -> None:
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(version=2, uri=uri),
            content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )


def follow_progress(client: LanguageClient) -> defaultdict[int | str, list[Any]]:
    """What is reported from now on, by token: pytest-lsp's own record takes work-done progress only."""
    reports: defaultdict[int | str, list[Any]] = defaultdict(list)

    def take(params: types.ProgressParams) -> None:
        reports[params.token].append(plain(params.value))

    client.protocol.fm.features[types.PROGRESS] = take
    return reports


def names(symbols: Sequence[Any]) -> list[str]:
    return [symbol.name for symbol in symbols]


def span(range_: types.Range) -> tuple[int, int, int, int]:
    return range_.start.line, range_.start.character, range_.end.line, range_.end.character


def tree(symbols: Sequence[Any]) -> list[Any]:
    """Names, each followed by those below it."""
    return [(symbol.name, tree(symbol.children)) if symbol.children else symbol.name for symbol in symbols]


async def test_a_symbol_is_found_at_its_name(editor: LanguageClient, project: Path) -> None:
    write_files(
        project, {"a.py": "x = 1\n\nclass Basket:\n    def fill(self):\n        pass\n", "b.py": "fill()\n"}
    )
    (symbol,) = await find(editor, "fill")
    assert (symbol.name, symbol.kind, symbol.container_name) == ("fill", Kind.Method, "Basket")
    assert symbol.location.uri == (project / "a.py").as_uri()
    assert span(symbol.location.range) == (3, 8, 3, 12)


async def test_the_better_a_name_fits_the_earlier_it_comes(editor: LanguageClient, project: Path) -> None:
    functions = ("unpack_row", "row_pack", "pack", "packing", "pack_row")
    write_files(project, {f"{name}.py": f"def {name}(): ...\n" for name in functions})
    assert names(await find(editor, "pack")) == ["pack", "pack_row", "packing", "row_pack", "unpack_row"]


async def test_humps_stand_for_words_of_other_spellings(editor: LanguageClient, project: Path) -> None:
    write_files(
        project, {"a.py": "def foo_bar(): ...\ndef fooBar(): ...\ndef foobar(): ...\ndef bar_foo(): ...\n"}
    )
    assert names(await find(editor, "fooBar")) == ["fooBar", "foo_bar"]
    assert names(await find(editor, "foo bar")) == ["foo_bar", "fooBar", "foobar"]


@pytest.mark.parametrize("query", ["", "  ", "\0", "x" * 1000])
async def test_a_query_that_no_name_fits_finds_nothing(
    editor: LanguageClient, project: Path, query: str
) -> None:
    write_files(project, {"a.py": "def x(): ...\n"})
    assert await find(editor, query) == []


async def test_ignored_files_have_no_symbols_and_hidden_ones_do(
    editor: LanguageClient, project: Path
) -> None:
    write_files(
        project,
        {".gitignore": "out\n", "out/a.py": "def built(): ...\n", ".tools/b.py": "def built_by(): ...\n"},
    )
    assert names(await find(editor, "built")) == ["built_by"]


async def test_a_link_out_of_the_folder_is_not_followed(
    editor: LanguageClient, project: Path, tmp_path: Path
) -> None:
    write_files(tmp_path, {"outside.py": "def secret(): ...\n"})
    (project / "link.py").symlink_to(tmp_path / "outside.py")
    assert await find(editor, "secret") == []


async def test_tree_sitter_reads_what_ctags_does_not_know(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.tsx": "export function Button() {\n  return <b>{1}</b>;\n}\n"})
    (symbol,) = await find(editor, "button")
    assert (symbol.name, span(symbol.location.range)) == ("Button", (0, 16, 0, 22))


async def test_without_ctags_tree_sitter_reads_everything(
    start: Start, project: Path, tmp_path: Path
) -> None:
    client = await start("--ctags", str(write_program(tmp_path / "no-ctags", "exit 1")), initialize=False)
    await begin(client, project)
    write_files(project, {"a.py": "class Basket:\n    def fill(self): ...\n"})
    assert names(await find(client, "fill")) == ["fill"]
    assert any("tree-sitter alone" in message.message for message in client.log_messages)


async def test_names_that_are_no_utf_8_in_paths_and_texts_do_no_harm(
    editor: LanguageClient, project: Path
) -> None:
    (project / "x").mkdir()
    path = bytes(project / "x") + b"/caf\xe9.py"
    with open(path, "wb") as file:
        file.write(b"# caf\xe9\ndef drink(): ...\n")
    (symbol,) = await find(editor, "drink")
    assert symbol.location.uri.endswith("/x/caf%E9.py")
    assert span(symbol.location.range) == (1, 4, 1, 9)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-16", 13), ("utf-32", 12)])
async def test_columns_are_in_the_clients_encoding(
    start: Start, project: Path, encoding: str, column: int
) -> None:
    require_tool("ctags")
    client = await start(initialize=False)
    await begin(client, project, encoding=encoding)
    write_files(project, {"a.c": "/* 𝄞 */ int wide(void)\n{ return 1; }\n"})
    (symbol,) = await find(client, "wide")
    assert symbol.location.range.start.character == column


async def test_a_lone_cr_moves_the_lines_that_follow(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.c": "int a;\rint b;\nint moved;\n"})
    (symbol,) = await find(editor, "moved")
    assert span(symbol.location.range) == (2, 4, 2, 9)
    (one,) = await find(editor, "b")
    assert span(one.location.range) == (1, 4, 1, 5)


async def test_an_unsaved_document_counts_as_it_is(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.py": "def old_name(): ...\n", ".gitignore": "no\n", "no/b.py": "pass\n"})
    for name in ("a.py", "no/b.py"):
        open_document(editor, (project / name).as_uri(), "pass\n")
        change_document(editor, (project / name).as_uri(), "\n\ndef new_name(): ...\n")
    (symbol,) = await find(editor, "name")
    assert (symbol.name, symbol.location.uri) == ("new_name", (project / "a.py").as_uri())
    assert span(symbol.location.range) == (2, 4, 2, 12)


async def test_a_document_that_is_no_file_yet_has_symbols(editor: LanguageClient, project: Path) -> None:
    uri = (project / "new.py").as_uri()
    open_document(editor, uri, "def brand_new(): ...\n")
    assert [symbol.location.uri for symbol in await find(editor, "brand")] == [uri]


async def test_where_not_every_file_is_read_likely_definitions_are(
    editor: LanguageClient, project: Path
) -> None:
    uses = {f"a/{number}.py": "call(target)\n" for number in range(limits.SYMBOL_FILES)}
    write_files(project, {**uses, "z/z.py": "def target(): ...\n"})
    assert names(await find(editor, "target")) == ["target"]
    await until(lambda: editor.log_messages)
    read, total = limits.SYMBOL_FILES, limits.SYMBOL_FILES + 1
    assert f"{read} of the {total} files" in editor.log_messages[-1].message


async def test_partial_results_are_the_whole_answer(editor: LanguageClient, project: Path) -> None:
    write_files(
        project,
        {f"{number}.py": f"def part_{number}(): ...\n" for number in range(2 * limits.SYMBOL_BATCH_FILES)},
    )
    progress = follow_progress(editor)
    assert await find(editor, "part", partial_result_token=1, work_done_token=2) == []
    batches = progress[1]
    assert len(batches) > 1
    found = [symbol["name"] for batch in batches for symbol in batch]
    assert sorted(found) == sorted(f"part_{number}" for number in range(2 * limits.SYMBOL_BATCH_FILES))
    assert [report["kind"] for report in progress[2]] == ["begin", "end"]


@pytest.mark.parametrize("tokens", [{}, {"partial_result_token": 1}])
async def test_an_answer_that_is_cut_off_says_so_in_the_log(
    editor: LanguageClient, project: Path, tokens: dict[str, Any]
) -> None:
    lines = (f"def many_{number}(): ...\n" for number in range(limits.SYMBOLS + 5))
    write_files(project, {"a.py": "".join(lines)})
    progress = follow_progress(editor)
    found = await find(editor, "many", **tokens)
    assert len(found) + sum(map(len, progress[1])) == limits.SYMBOLS
    await until(lambda: editor.log_messages)
    assert "1,000 of 1,005 symbols are listed" in editor.log_messages[-1].message


async def test_a_cancelled_query_leaves_no_process(start: Start, project: Path, tmp_path: Path) -> None:
    script = (
        f'case "$*" in *--version*|*--list-fields*) exec {require_tool("ctags")} "$@";; esac\nexec sleep 600'
    )
    client = await start("--ctags", str(write_program(tmp_path / "slow-ctags", script)), initialize=False)
    await begin(client, project)
    write_files(project, {"a.py": "def slow(): ...\n"})
    future = client.protocol.send_request(
        types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams(query="slow"), msg_id="s"
    )
    await until(lambda: any("sleep" in command_of(pid) for pid in running(client)))
    client.cancel_request(types.CancelParams(id="s"))
    with pytest.raises(JsonRpcException) as caught:
        await asyncio.wrap_future(future)
    assert caught.value.code == CANCELLED
    assert running(client) == []


def running(client: LanguageClient) -> list[int]:
    return children(server_process(client).pid)


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


async def test_the_symbols_of_a_document_make_a_tree(editor: LanguageClient, project: Path) -> None:
    text = "class Basket:\n    size = 3\n\n    def fill(self):\n        pass\n\n\ndef main():\n    pass\n"
    write_files(project, {"a.py": text})
    symbols = await outline(editor, (project / "a.py").as_uri())
    assert tree(symbols) == [("Basket", ["size", "fill"]), "main"]
    basket = symbols[0]
    assert span(basket.range)[:3] == (0, 0, 4)
    assert span(basket.selection_range) == (0, 6, 0, 12)


async def test_a_document_is_outlined_as_it_is_in_the_editor(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.py": "def saved(): ...\n"})
    uri = (project / "a.py").as_uri()
    open_document(editor, uri, "def \u2028opened(): ...\n")
    change_document(editor, uri, "# \u2028 \x0c 𝄞\ndef edited(): ...\n")
    (symbol,) = await outline(editor, uri)
    assert (symbol.name, span(symbol.selection_range)) == ("edited", (1, 4, 1, 10))


async def test_ends_that_only_tree_sitter_proves_make_the_tree(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.ts": "class Basket {\n  fill(): void {\n  }\n}\n"})
    symbols = await outline(editor, (project / "a.ts").as_uri())
    assert tree(symbols) == [("Basket", ["fill"])]
    assert span(symbols[0].range) == (0, 0, 3, 1)


async def test_without_a_proven_end_the_range_is_the_names_line(
    editor: LanguageClient, project: Path
) -> None:
    write_files(project, {"build.mk": "all: a b\n\techo\n\tdone\n"})
    (symbol,) = await outline(editor, (project / "build.mk").as_uri())
    assert (symbol.name, span(symbol.range), span(symbol.selection_range)) == (
        "all",
        (0, 0, 0, 8),
        (0, 0, 0, 3),
    )


async def test_markdown_is_outlined_by_its_headings(editor: LanguageClient) -> None:
    uri = "untitled:/notes.md"
    open_document(editor, uri, "# One\n\n```\n# no\n```\n\nTwo\n---\ntext\n\n# \n\n# Three", "markdown")
    symbols = await outline(editor, uri)
    assert tree(symbols) == [("One", ["Two"]), "#", "Three"]
    assert span(symbols[0].range) == (0, 0, 9, 0)
    assert span(symbols[0].children[0].selection_range) == (6, 0, 6, 3)


@pytest.mark.parametrize(
    ("uri", "language", "text"),
    [
        ("untitled:Untitled-1", "python", "def main():\n    pass\n"),
        ("untitled:Untitled-1", "shellscript", "main() {\n  true\n}\n"),
        ("untitled:notes", "markdown", "# main\n"),
        ("untitled:Untitled-1", "plaintext", "# main\n"),
    ],
)
async def test_a_document_without_a_name_is_of_the_language_that_the_client_says(
    uri: str, language: str, text: str, editor: LanguageClient
) -> None:
    open_document(editor, uri, text, language)
    assert names(await outline(editor, uri)) == ([] if language == "plaintext" else ["main"])


async def test_a_client_without_trees_gets_a_list(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    await begin(client, project, trees=False, kinds=None)
    write_files(project, {"a.go": "package a\n\ntype Box struct {\n\tsize int\n}\n"})
    symbols = await outline(client, (project / "a.go").as_uri())
    box = next(symbol for symbol in symbols if symbol.name == "Box")
    assert (box.kind, span(box.location.range)[0]) == (Kind.Class, 2)
    assert {symbol.container_name for symbol in symbols if symbol.name == "size"} == {"a.Box"}


async def test_a_document_that_nobody_knows_has_no_symbols(editor: LanguageClient, project: Path) -> None:
    write_files(project, {"a.unknown": "text\n"})
    assert await outline(editor, (project / "a.unknown").as_uri()) == []


async def test_a_document_outside_the_folders_is_refused_unless_it_is_open(
    editor: LanguageClient, tmp_path: Path
) -> None:
    write_files(tmp_path, {"a.py": "def secret(): ...\n"})
    uri = (tmp_path / "a.py").as_uri()
    with pytest.raises(JsonRpcException, match="outside"):
        await outline(editor, uri)
    open_document(editor, uri, "def shown(): ...\n")
    assert names(await outline(editor, uri)) == ["shown"]


async def test_document_symbols_can_be_left_out(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    result = await begin(client, project, document_symbols=False)
    assert result.capabilities.document_symbol_provider is None
    assert result.capabilities.workspace_symbol_provider is not None
    with pytest.raises(JsonRpcException) as caught:
        await outline(client, project.as_uri())
    assert caught.value.code == METHOD_NOT_FOUND


async def test_a_client_is_told_when_symbols_are_switched_off_and_on(start: Start, project: Path) -> None:
    client = await start(initialize=False)
    registered: dict[str, str] = {}

    def register(params: types.RegistrationParams) -> None:
        registered.update((registration.id, registration.method) for registration in params.registrations)

    def unregister(params: types.UnregistrationParams) -> None:
        for gone in params.unregisterations:
            del registered[gone.id]

    client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
    client.feature(types.CLIENT_UNREGISTER_CAPABILITY)(unregister)

    def switch(*, on: bool) -> None:
        client.set_configuration(on, section="signalGrep.symbols.enabled")
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))

    result = await begin(client, project, dynamic=True)
    assert result.capabilities.workspace_symbol_provider is None
    assert result.capabilities.document_symbol_provider is None
    methods = {types.WORKSPACE_SYMBOL, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL}
    await until(lambda: set(registered.values()) == methods)
    write_files(project, {"a.py": "def thing(): ...\n"})
    assert names(await find(client, "thing")) == ["thing"]
    switch(on=False)
    await until(lambda: not registered)
    assert await find(client, "thing") == []
    switch(on=True)
    await until(lambda: set(registered.values()) == methods)
    assert names(await find(client, "thing")) == ["thing"]


async def test_a_client_that_cannot_be_told_gets_nothing_while_symbols_are_off(
    start: Start, project: Path
) -> None:
    client = await start(initialize=False)
    client.set_configuration(item=False, section="signalGrep.symbols.enabled")
    await begin(client, project)
    write_files(project, {"a.py": "def thing(): ...\n"})
    assert await find(client, "thing") == []
