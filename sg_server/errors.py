"""The failures a client can meet, each with its JSON-RPC code and its stable word.

SignalGrepError
├── InvalidParams        -32602  the request is wrong: the message names the field and the remedy
│   ├── GitInternal              what is named is inside `.git`
│   └── AmbiguousPrefix          several entries have an id that begins so
└── RequestFailed        -32803  the request is right and still failed: `code` says how
    ├── RgMissing, RgFailed, CleanupFailed
    ├── PathNotFound, OutsideWorkspace, NoWorkspace
    ├── CursorUnknown, CursorExpired, CursorMismatch
    ├── CommandDisabled, StoreUnavailable, EntryNotFound, EntryChanged
    └── ConfigInvalid, ConfigUnavailable, ModeConflict
"""

from typing import ClassVar


class SignalGrepError(Exception):
    """A failure that is told to the client as it stands.

    `message` is one sentence for people; `hint` is what to do next.
    """

    jsonrpc_code: ClassVar[int]
    code: ClassVar[str]

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidParams(SignalGrepError):
    """The request is wrong. Nothing was started. Remedy: correct the named field."""

    jsonrpc_code = -32602
    code = "invalid-params"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class GitInternal(InvalidParams):
    """A named path is inside `.git`, which is never searched. Remedy: name another."""


class AmbiguousPrefix(InvalidParams):
    """A prefix that begins the ids of several readable entries. Remedy: give more of it."""


class RequestFailed(SignalGrepError):
    """The request is right and still failed; `code` is a stable word."""

    jsonrpc_code = -32803


class RgMissing(RequestFailed):
    """No ripgrep to run. Remedy: install it or name its path."""

    code = "rg-missing"


class RgFailed(RequestFailed):
    """ripgrep ended without a result. Remedy: see its own words in the message."""

    code = "rg-failed"


class CleanupFailed(RequestFailed):
    """A process did not end after it was killed. Remedy: end it by hand."""

    code = "cleanup-failed"


class PathNotFound(RequestFailed):
    """A named path does not exist or cannot be read. Remedy: check it."""

    code = "path-not-found"


class OutsideWorkspace(RequestFailed):
    """A named path, symbolic links followed, is outside every folder. Remedy: open its folder."""

    code = "outside-workspace"


class NoWorkspace(RequestFailed):
    """No folder is open. Remedy: open one."""

    code = "no-workspace"


class CursorUnknown(RequestFailed):
    """A cursor or snapshot id that this session never gave. Remedy: copy it whole or search again."""

    code = "cursor-unknown"


class CursorExpired(RequestFailed):
    """The snapshot behind a cursor is gone. Remedy: search again."""

    code = "cursor-expired"


class CursorMismatch(RequestFailed):
    """A cursor used for something else than it was given for. Remedy: start from the summary cursor."""

    code = "cursor-mismatch"


class CommandDisabled(RequestFailed):
    """A command that the settings switch off. Remedy: change the setting that the message names."""

    code = "command-disabled"


class StoreUnavailable(RequestFailed):
    """The store of entries cannot be opened or does not answer. Remedy: see the reason in the message."""

    code = "store-unavailable"


class EntryNotFound(RequestFailed):
    """No entry has that id, or none that the caller may read. Remedy: list the entries."""

    code = "entry-not-found"

    def __init__(self, given: str) -> None:
        super().__init__(f"Context entry not found: {given}")


class EntryChanged(RequestFailed):
    """The entry has another version than the one expected. Nothing was stored. Remedy: get it first."""

    code = "entry-changed"


class ConfigInvalid(RequestFailed):
    """The user-global file is not what it has to be. Remedy: correct or delete it."""

    code = "config-invalid"


class ConfigUnavailable(RequestFailed):
    """The user-global file cannot be read, locked or written. Remedy: check its permissions."""

    code = "config-unavailable"


class ModeConflict(RequestFailed):
    """Another plug-in owns the editor's grep, or may. Remedy: remove it, or stay additive."""

    code = "mode-conflict"
