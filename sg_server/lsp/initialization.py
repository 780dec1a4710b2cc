"""What a client says at `initialize`: its folders, its position encoding and our own options."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from lsprotocol import types

from sg_server.context.options import ContextOptions
from sg_server.errors import InvalidParams
from sg_server.lsp.params import decode
from sg_server.workspace import uris


class InitializationOptions(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """`initializationOptions`. `None` means that the client left the choice to the server."""

    rg_path: str | None = None
    ctags_path: str | None = None
    lone_cr_ends_line: bool | None = None
    """Default true: a lone CR ends a line, in documents and in positions. Neovim says false."""
    invalid_utf8: Literal["replace", "latin1"] | None = None
    """What the client makes of a file that is not UTF-8; default `replace`, U+FFFD for each invalid part."""
    document_symbols: bool | None = None
    plugins: tuple[str, ...] | None = None
    """What is installed in the editor, as it lists it: some plug-ins own the editor's grep themselves."""
    plugins_failure: str | None = None
    """Why the front end could not find out, in its own words."""
    context: ContextOptions | None = None
    """Where stored text is kept, and who summarises it."""
    settings: dict[str, Any] | None = None
    """What the section `signalGrep` would hold, from a client that cannot be asked for it."""


def read_options(raw: Any) -> tuple[InitializationOptions, tuple[str, ...]]:
    """The options, and a notice for each that was left out: none of them is worth a failed start."""
    if raw is None:
        return InitializationOptions(), ()
    if not isinstance(raw, dict):
        return InitializationOptions(), ("initializationOptions: ignored, for it is not an object",)
    understood: dict[str, Any] = {}
    notices = []
    for name, value in raw.items():
        try:
            decode(InitializationOptions, {name: value})
        except InvalidParams as error:
            notices.append(f"initializationOptions.{error.message}")
            if name == "plugins":  # nothing is known of them, which is not the same as that there are none
                understood["pluginsFailure"] = error.message
        else:
            understood[name] = value
    return decode(InitializationOptions, understood), tuple(notices)


def folders_of(params: types.InitializeParams) -> Iterator[tuple[str, str | None]]:
    """URI and name of each folder the client has open; older clients name a root without a name."""
    if params.workspace_folders is not None:
        for folder in params.workspace_folders:
            yield folder.uri, folder.name
    elif params.root_uri is not None:
        yield params.root_uri, None
    elif params.root_path is not None:
        yield uris.uri_of(params.root_path), None
