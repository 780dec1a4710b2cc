"""How an entry is named as a document: `sg-context://entry/ID.md`, which editors can open.

The authority keeps both editors from changing the spelling: VS Code drops an empty one, and Neovim takes a
name without `://` for a path.
"""

import re
from typing import Final

SCHEME: Final = "sg-context"

_ADDRESS: Final = re.compile(rf"{SCHEME}:(?://(?:entry)?)?/?(?P<id>[^/?#.]+)(?:\.md)?", re.IGNORECASE)


def entry_uri(id_: str) -> str:
    """The address of the entry with this whole id. Its suffix has editors show headings as such."""
    return f"{SCHEME}://entry/{id_}.md"


def is_entry_uri(uri: str) -> bool:
    """Whether an address is meant to be an entry's."""
    return uri.lower().startswith(f"{SCHEME}:")


def id_in(uri: str) -> str:
    """The id, or what stands in its place, in an entry's address. What follows `?` or `#` is not part of it.

    An address in another form is taken for an id as a whole, which no entry has.
    """
    found = _ADDRESS.fullmatch(re.split(r"[?#]", uri, maxsplit=1)[0])
    return uri if found is None else found["id"]
