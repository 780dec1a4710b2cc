"""The parts of the documentation that are made from the code: the JSON Schema and the table of settings.

`python -m sg_server.lsp.schema` writes them into `docs/` of a checkout; with `--check` it only says whether
they are current.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from sg_server.lsp.commands import COMMANDS
from sg_server.lsp.handlers import types_of
from sg_server.lsp.initialization import InitializationOptions
from sg_server.lsp.params import described
from sg_server.settings import Settings

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE = "#/$defs/{name}"
_TABLE_BEGINS = "<!-- made from sg_server/settings.py by `make schema` -->\n"
_TABLE_ENDS = "<!-- end -->\n"


def schema() -> dict[str, Any]:
    """Every command's argument and answer, the initialization options and the settings."""
    structs: list[type[msgspec.Struct]] = [InitializationOptions, Settings]
    for command in COMMANDS:
        structs += types_of(command)
    references, definitions = msgspec.json.schema_components(structs, ref_template=_REFERENCE)
    options, settings, *rest = references
    pairs = zip(COMMANDS, rest[::2], rest[1::2], strict=True)
    made = {
        "$schema": _DIALECT,
        "title": "Signal Grep",
        "initializationOptions": options,
        "settings": settings,
        "commands": {
            command.id: {"argument": argument, "answer": answer} for command, argument, answer in pairs
        },
        "$defs": dict(sorted(definitions.items())),
    }
    return dict(json.loads(msgspec.json.encode(made)))  # defaults may be tuples


def settings_table() -> str:
    """Every setting in Markdown: its name, type, bounds, default and description."""
    head = "| name | type | default | |\n|---|---|---|---|\n"
    return head + "".join(_rows("", inspect.type_info(Settings)))


def _rows(prefix: str, section: Any) -> Iterator[str]:
    for field in section.fields:
        name = f"{prefix}{field.encode_name}"
        if isinstance(field.type, inspect.StructType):
            yield from _rows(f"{name}.", field.type)
        else:
            default = msgspec.json.encode(field.default).decode()
            about = field.type.extra_json_schema["description"]
            yield f"| `{name}` | {described(field.type)} | `{default}` | {about} |\n"


def _documents() -> Iterator[tuple[Path, str]]:
    """Each file with what should be in it."""
    yield _DOCS / "protocol.schema.json", json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    page = _DOCS / "settings.md"
    before, _, rest = page.read_text("utf-8").partition(_TABLE_BEGINS)
    _, _, after = rest.partition(_TABLE_ENDS)
    yield page, f"{before}{_TABLE_BEGINS}{settings_table()}{_TABLE_ENDS}{after}"


def main() -> int:
    """Write or check the files. Returns the exit code: 1 where one is out of date."""
    parser = argparse.ArgumentParser(prog="python -m sg_server.lsp.schema", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    only_check = parser.parse_args().check
    exit_code = 0
    for path, text in _documents():
        if not only_check:
            path.write_text(text, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != text:
            sys.stderr.write(f"{path.name} is out of date: make schema\n")
            exit_code = 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
