"""What a user says about stored text outside every workspace: where it is kept, and who summarises it."""

import os
import re
from collections.abc import Mapping
from typing import Self

import msgspec

_FOLDER = "signal-grep"
_FILE = "entries.sqlite3"
_USER = re.compile(r"^([a-z][a-z0-9+.-]*://)?[^/]*@", re.IGNORECASE)


class Provider(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Where summaries come from."""

    url: str
    """The endpoint's base, such as `http://localhost:11434/v1`."""
    model: str
    key_variable: str | None = None
    """Name of the environment variable with the key; an endpoint on this machine seldom wants one."""
    prompt: str | None = None
    """The system prompt; default a short one of the server's own."""

    def shown(self) -> Self:
        """The same without the name and the password that a URL may have before its host."""
        return msgspec.structs.replace(self, url=_USER.sub(r"\1", self.url))


class ContextOptions(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Never taken from settings, which a workspace may bring: it must choose neither a file nor a server."""

    store: str | None = None
    """Path of an SQLite file, or a `postgresql://` address; default a file of the user's own."""
    summaries: Provider | None = None
    """Default none: nothing is summarised, and nothing sent."""

    def completed(self, environment: Mapping[str, str] = os.environ) -> "ContextOptions":
        """These options, with the environment's where they are silent."""
        return ContextOptions(
            store=self.store or environment.get("SG_STORE") or None,
            summaries=self.summaries or _provider(environment),
        )

    @property
    def location(self) -> str:
        """Where the entries are: as `store`, or the default file in the platform's folder for data."""
        if self.store:
            return self.store
        from platformdirs import user_data_path  # noqa: PLC0415 - only for those who name no store

        return str(user_data_path(_FOLDER, appauthor=False) / _FILE)


def _provider(environment: Mapping[str, str]) -> Provider | None:
    url, model = environment.get("SG_SUMMARIES_URL"), environment.get("SG_SUMMARIES_MODEL")
    if not url or not model:
        return None
    return Provider(
        url=url,
        model=model,
        key_variable=environment.get("SG_SUMMARIES_KEY_VARIABLE") or None,
        prompt=environment.get("SG_SUMMARIES_PROMPT") or None,
    )
