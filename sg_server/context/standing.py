"""How stored text is kept, and what is wrong with that: every session loads this, for health, and no more."""

from typing import Literal

import msgspec

from sg_server.context.options import Provider
from sg_server.errors import StoreUnavailable


class StoreHealth(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where entries are kept, and how many the caller can read."""

    kind: Literal["sqlite", "postgresql"]
    place: str
    """A path, or a database without its password."""
    caller: str
    """Whose entries are put here."""
    program: str
    """Name and version of what keeps them."""
    schema_version: int
    entries: int


class ContextHealth(msgspec.Struct, frozen=True, kw_only=True):
    """How stored text is kept, and what is wrong with that."""

    store: StoreHealth | None
    """None for one that was not opened, or could not be."""
    unavailable: StoreUnavailable | None
    provider: Provider | None
    provider_problem: str | None
