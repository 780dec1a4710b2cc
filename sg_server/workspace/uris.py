"""File URIs and paths, without losing a byte of a name.

A path is a `str` as `os` gives it: bytes that do not decode are lone surrogates (PEP 383). A URI holds the
bytes percent-encoded, text for people shows them as U+FFFD; no lone surrogate ever leaves through either.
`windows` says whose rules hold, so that both can be tested anywhere.
"""

import os
import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

WINDOWS: Final = os.name == "nt"

_FILE_URI = re.compile(r"file:(?://([^/?#]*))?(/[^?#]*)?(?:[?#].*)?", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"\\?([A-Za-z]:)(.*)", re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def path_of(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """Return the absolute path that a file URI names; None when it names no path of this machine.

    Takes RFC 8089's forms: an empty authority, `localhost`, or none at all. Another host is a share on
    Windows and None elsewhere. A query or fragment is not part of the path. `..` is kept as it stands.
    """
    found = _FILE_URI.fullmatch(uri)
    if found is None or found[2] is None:
        return None
    host = "" if (found[1] or "").lower() == "localhost" else found[1] or ""
    raw = unquote_to_bytes(found[2].encode("utf-8", "surrogatepass"))
    if not windows:
        return None if host else os.fsdecode(raw)
    try:
        text = raw.decode("utf-8", "surrogatepass").replace("/", "\\")
    except UnicodeDecodeError:
        return None
    if host:
        return f"\\\\{host}{text}"
    if text.startswith("\\\\"):
        return text
    drive = _DRIVE.fullmatch(text)
    return None if drive is None else drive[1] + (drive[2] or "\\")


def uri_of(path: str, *, windows: bool = WINDOWS) -> str:
    """Return the file URI of an absolute path.

    Raises UnicodeEncodeError for a `str` that is no path of this machine (a lone surrogate that stands for no
    byte).
    """
    encoded = _encoded(path, windows=windows)
    if not windows:
        return f"file://{encoded}"
    if encoded.startswith("//"):
        return f"file:{encoded}"
    drive = _DRIVE.fullmatch(path)
    return (
        f"file:///{encoded}" if drive is None else f"file:///{drive[1]}{_encoded(drive[2], windows=windows)}"
    )


def child_uri(folder_uri: str, relative: str, *, windows: bool = WINDOWS) -> str:
    """Return the URI of `relative` below a folder whose own URI keeps the spelling the client gave it.

    `relative` is a path below the folder, or empty for the folder itself.
    """
    if not relative:
        return folder_uri
    separator = "" if folder_uri.endswith("/") else "/"
    return f"{folder_uri}{separator}{_encoded(relative, windows=windows)}"


def display(path: str, *, windows: bool = WINDOWS) -> str:
    """Return a path as text for people: `/` between names, U+FFFD for what does not decode."""
    if not path.isascii():
        path = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", path)
    return path.replace("\\", "/") if windows else path


def _encoded(path: str, *, windows: bool) -> str:
    if windows:
        return quote_from_bytes(path.replace("\\", "/").encode("utf-8", "surrogatepass"))
    return quote_from_bytes(os.fsencode(path))
