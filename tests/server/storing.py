"""Entries in a store of a test's own, put and read over the wire."""

from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.server.wire import command


async def put(client: LanguageClient, text: str, **more: Any) -> Any:
    """Store a text; the answer."""
    return await command(client, "sg.context.put", {"threadId": "t", "source": "user", "text": text, **more})


class Failed(NamedTuple):
    """How a command failed: the number and the word of its kind, and what people are told."""

    number: int
    code: str
    message: str
    hint: str | None


async def failure(client: LanguageClient, name: str, argument: dict[str, Any]) -> Failed:
    """How a command fails."""
    try:
        answer = await command(client, name, argument)
    except JsonRpcException as error:
        data: Any = error.data
        return Failed(error.code, data["code"], error.message, data.get("hint"))
    raise AssertionError(f"it answered {answer}")


async def opened(client: LanguageClient, uri: str) -> str:
    """The text of an entry as an editor opens it."""
    params = types.TextDocumentContentParams(uri=uri)
    return (await client.workspace_text_document_content_async(params)).text
