import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from pytest_lsp import LanguageClient

from sg_server.lsp.commands import COMMANDS
from sg_server.lsp.handlers import types_of
from sg_server.lsp.schema import schema
from tests.server.wire import command

FILE = Path(__file__).resolve().parents[2] / "docs" / "protocol.schema.json"


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if "$ref" in value else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_the_published_schema_is_current() -> None:
    assert json.loads(FILE.read_text("utf-8")) == schema()
    checked = subprocess.run([sys.executable, "-m", "sg_server.lsp.schema", "--check"], check=False)
    assert checked.returncode == 0


def test_every_command_is_in_the_schema_and_every_reference_leads_somewhere() -> None:
    made = schema()
    assert list(made["commands"]) == [command.id for command in COMMANDS]
    assert references(made) <= {f"#/$defs/{name}" for name in made["$defs"]}


async def test_an_answer_is_what_the_table_says(client: LanguageClient) -> None:
    (health,) = (entry for entry in COMMANDS if entry.id == "sg.health")
    answer = await command(client, health.id)
    _, result = types_of(health)
    decoded = msgspec.convert(answer, result, strict=True)
    assert json.loads(msgspec.json.encode(decoded)) == answer
