"""The rules that hold for the package as a whole, read from its sources."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import pytest

from sg_server import errors, limits
from sg_server.lsp.commands import COMMANDS
from sg_server.messages import MESSAGES

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "sg_server"
MODULES = sorted(PACKAGE.rglob("*.py"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

FOUNDATION = {"__init__", "limits", "errors"}
CORE = {"text", "engines", "workspace"}
MAY_IMPORT = {
    "__init__": set(),
    "limits": set(),
    "errors": set(),
    "messages": set(),
    "userfile": {"messages"},
    "modes": {"messages"},
    "settings": set(),
    "text": set(),
    "engines": {"text"},
    "workspace": {"text", "engines"},
    "search": CORE,
    "inspection": CORE,
    "symbols": CORE,
    "context": CORE,
    "health": CORE | {"search", "inspection", "context", "settings", "messages", "modes"},
    "terminal": CORE | {"search", "inspection", "context", "health"},
    "lsp": CORE
    | {"search", "inspection", "symbols", "context", "health", "settings"}
    | {"messages", "userfile", "modes"},
    "terminal_stored": CORE | {"context", "terminal"},
    "console": {"terminal"},
    "oneshot": CORE | {"search", "inspection", "context", "health", "userfile"},
    "shell": CORE | {"search", "oneshot", "terminal", "console"},
    "shell_stored": CORE | {"context", "health", "oneshot", "terminal_stored", "console"},
    "arguments_stored": set(),
    "cli": {"shell", "shell_stored", "arguments_stored", "lsp"},
    "__main__": {"cli"},
}

PROTOCOL_LIBRARIES = {"pygls", "lsprotocol"}
PROCESS_LIBRARIES = {"subprocess", "multiprocessing", "pty"}
STARTS_A_PROCESS = re.compile(
    r"os\.(exec|spawn|posix_spawn|system|popen|fork)\w*|.*\b(create_)?subprocess_(exec|shell)"
)
WORLD = {"asyncio", "logging", "os", "pathlib", "random", "shutil", "tempfile", "threading", "time"}
MODULE_LINES = 600


def layer_of(module: Path) -> str:
    first = module.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def name_of(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts)


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text("utf-8"))


def imported(node: ast.AST, module: Path) -> Iterator[str]:
    """Dotted names that one statement imports, relative ones made absolute."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = name_of(module).rpartition(".")[0]
        base = resolve_name("." * node.level + (node.module or ""), package)
        yield from (f"{base}.{alias.name}" for alias in node.names)


def imports(module: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(module)):
        yield from imported(node, module)


def imports_when_loaded(module: Path) -> Iterator[str]:
    """What importing the module imports: statements inside functions wait until they run."""
    waiting: list[ast.AST] = [tree_of(module)]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imported(node, module)
            waiting.extend(ast.iter_child_nodes(node))


def own_layers(names: Iterator[str]) -> set[str]:
    """The layers of the package among dotted names."""
    parts = [name.split(".") for name in names]
    return {part[1] for part in parts if part[0] == "sg_server" and part[1] in MAY_IMPORT}


def libraries(names: Iterator[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def every_error() -> Iterator[type[errors.SignalGrepError]]:
    waiting = [errors.SignalGrepError]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if "code" in vars(kind):
            yield kind


def property_names(schema: Any) -> Iterator[str]:
    """Names of all fields in a JSON Schema, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from property_names(part)


each_module = pytest.mark.parametrize("module", MODULES, ids=name_of)


@each_module
def test_imports_point_inwards(module: Path) -> None:
    layer = layer_of(module)
    assert layer in MAY_IMPORT, f"MAY_IMPORT does not say what {layer} is"
    allowed = MAY_IMPORT[layer] | FOUNDATION | {layer}
    if layer in FOUNDATION:
        allowed = FOUNDATION
    assert own_layers(imports(module)) <= allowed


@each_module
def test_only_the_lsp_layer_knows_the_protocol_library(module: Path) -> None:
    if layer_of(module) != "lsp":
        assert not libraries(imports(module)) & PROTOCOL_LIBRARIES


def test_the_command_line_loads_the_server_only_to_serve() -> None:
    assert "lsp" not in own_layers(imports_when_loaded(PACKAGE / "cli.py"))


@each_module
def test_only_the_process_owner_starts_processes(module: Path) -> None:
    if name_of(module) == "sg_server.engines.process":
        return
    assert not libraries(imports(module)) & PROCESS_LIBRARIES
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Attribute):
            assert not STARTS_A_PROCESS.fullmatch(ast.unparse(node)), ast.unparse(node)


@pytest.mark.parametrize("module", sorted((PACKAGE / "text").rglob("*.py")), ids=name_of)
def test_text_functions_see_nothing_but_their_arguments(module: Path) -> None:
    assert not libraries(imports(module)) & WORLD
    for node in ast.walk(tree_of(module)):
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await)
        assert not (isinstance(node, ast.Name) and node.id in {"open", "print", "input"})


@each_module
def test_a_module_says_what_it_owns_and_stays_readable(module: Path) -> None:
    assert ast.get_docstring(tree_of(module))
    assert len(module.read_text("utf-8").splitlines()) <= MODULE_LINES


@each_module
def test_a_large_bound_is_written_once(module: Path) -> None:
    if name_of(module) == "sg_server.limits":
        return
    large = {value for value in vars(limits).values() if isinstance(value, int) and value >= 10_000}
    constants = [node for node in ast.walk(tree_of(module)) if isinstance(node, ast.Constant)]
    again = [f"{node.value}, line {node.lineno}" for node in constants if node.value in large]
    assert not again


def test_every_failure_has_a_word_of_its_own() -> None:
    words = [kind.code for kind in every_error()]
    assert len(words) == len(set(words))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in words)


def test_every_failure_is_in_the_reference_with_its_number() -> None:
    reference = (ROOT / "docs/protocol.md").read_text("utf-8")
    for kind in every_error():
        assert re.search(rf"^\| `{kind.code}` \| {kind.jsonrpc_code} \|", reference, re.MULTILINE), kind.code


def test_every_failure_is_said_in_every_language() -> None:
    for messages in MESSAGES.values():
        assert {kind.code for kind in every_error()} <= set(messages.failures)


def test_every_command_has_its_section_in_the_reference() -> None:
    reference = (ROOT / "docs/protocol.md").read_text("utf-8")
    sections = set(re.findall(r"^## (sg\.[\w.]+)$", reference, re.MULTILINE))
    assert {command.id for command in COMMANDS} <= sections


def test_every_field_is_in_the_reference() -> None:
    reference = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("protocol.md", "settings.md"))
    schema = json.loads((ROOT / "docs/protocol.schema.json").read_bytes())
    missing = {name for name in property_names(schema) if not re.search(rf"\b{name}\b", reference)}
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text("utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^"]+)"', text)
    for target in targets:
        if "://" not in target:
            assert (document.parent / target).exists(), target
