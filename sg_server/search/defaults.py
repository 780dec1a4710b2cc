"""What holds where a request says nothing: a client's defaults, and how much is kept for it."""

from typing import TypeVar

import msgspec

from sg_server import limits
from sg_server.search.params import ScopeParams

_Scoped = TypeVar("_Scoped", bound=ScopeParams)


class SearchDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """Values for the fields of `ScopeParams` with these names."""

    hidden: bool = True
    follow: bool = False
    exclude: tuple[str, ...] = ()
    max_file_size: int | None = None

    def fill(self, params: _Scoped) -> _Scoped:
        """Return `params` with the defaults in the place of what they leave out."""
        absent = [name for name in self.__struct_fields__ if getattr(params, name) is None]
        return msgspec.structs.replace(params, **{name: getattr(self, name) for name in absent})


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How much of earlier searches is kept."""

    snapshots: int = limits.SNAPSHOTS
    bytes: int = limits.SNAPSHOTS_BYTES
    """Of all snapshots together; the latest is kept even where it takes more."""
    idle_seconds: float = limits.SNAPSHOT_IDLE_SECONDS
    rows: int = limits.RETAINED_ROWS
    """Of one search."""
