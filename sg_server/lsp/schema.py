"""The JSON Schema of the commands, made from the command table.

`python -m sg_server.lsp.schema` writes `docs/protocol.schema.json` of a checkout; with `--check` it only says
whether that is current.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from sg_server.lsp.commands import COMMANDS
from sg_server.lsp.initialization import InitializationOptions

_FILE = Path(__file__).resolve().parents[2] / "docs" / "protocol.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """Every command's argument and answer, and the initialization options."""
    structs: list[type[msgspec.Struct]] = [InitializationOptions]
    for command in COMMANDS:
        structs += [command.params, command.result]
    references, definitions = msgspec.json.schema_components(structs, ref_template=_REFERENCE)
    options, *rest = references
    pairs = zip(COMMANDS, rest[::2], rest[1::2], strict=True)
    return {
        "$schema": _DIALECT,
        "title": "Signal Grep",
        "initializationOptions": options,
        "commands": {
            command.id: {"argument": argument, "answer": answer} for command, argument, answer in pairs
        },
        "$defs": dict(sorted(definitions.items())),
    }


def main() -> int:
    """Write or check the file. Returns the exit code: 1 where it is out of date."""
    parser = argparse.ArgumentParser(prog="python -m sg_server.lsp.schema", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    if not parser.parse_args().check:
        _FILE.write_text(text, "utf-8")
    elif not _FILE.exists() or _FILE.read_text("utf-8") != text:
        sys.stderr.write(f"{_FILE.name} is out of date: make schema\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
