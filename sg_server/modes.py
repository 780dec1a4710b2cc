"""Who answers the editor's own grep: what was chosen, what stands against it, and what is in force.

A front end says at `initialize` which plug-ins its editor has. Only where none of them is known to own the
editor's grep is an override in force; what was chosen stays as it is, and holds again once nothing is in its
way.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from sg_server.messages import Messages

Mode = Literal["additive", "override"]
Cause = Literal["plugin-conflict", "detection-failed"]


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A plug-in that takes what an override takes. Each was seen to do so in its own sources."""

    id: str
    """As the editor lists it: an extension's identifier in VS Code, the folder's name in Neovim."""
    name: str
    """As people know it."""
    source: str
    """Where it is seen to."""


KNOWN_OWNERS: Final = (
    # Binds the key of find in files, everywhere, to a search of its own.
    Owner(
        id="ekinertac.better-search",
        name="Better Search",
        source="github.com/ekinertac/vscode-better-search/blob/main/package.json",
    ),
    # Binds the same key in Vue files, to its formatter; its issue 45 is from someone who misses the search.
    Owner(
        id="wscats.vue",
        name="Vue 3 Snippets",
        source="github.com/Wscats/vue-snippets/blob/master/package.json",
    ),
    # Abbreviates :grep, :lgrep, :grepadd and :lgrepadd to commands of its own.
    Owner(
        id="vim-bettergrep",
        name="vim-bettergrep",
        source="github.com/qalshidi/vim-bettergrep/blob/master/plugin/bettergrep.vim",
    ),
)


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """What a front end found out about its editor's plug-ins."""

    plugins: tuple[str, ...] = ()
    failure: str | None = None
    """Why it could not find out, in its own words."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The mode in force, and why it is not the configured one."""

    configured: Mode
    effective: Mode
    cause: Cause | None = None
    detail: str | None = None
    """The owner's name, or how detection failed."""


class ModeParams(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`sg.mode`."""

    action: Literal["additive", "override", "status"]


class ModeResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The answer of `sg.mode`."""

    configured: Mode
    effective: Mode
    cause: Cause | None = None
    plugin: str | None = None
    """With `plugin-conflict`: who owns the editor's grep."""
    reason: str | None = None
    """Why `effective` is not `configured`, for people."""


def decide(configured: Mode, detection: Detection) -> Decision:
    """The mode that is in force where `configured` was chosen."""
    if configured == "override":
        if detection.failure is not None:
            return Decision(
                configured=configured,
                effective="additive",
                cause="detection-failed",
                detail=detection.failure,
            )
        if (owner := owner_among(detection.plugins)) is not None:
            return Decision(
                configured=configured, effective="additive", cause="plugin-conflict", detail=owner.name
            )
    return Decision(configured=configured, effective=configured)


def owner_among(plugins: Iterable[str]) -> Owner | None:
    """The first of `plugins` that is known to own the editor's grep. Case does not matter."""
    known = {owner.id.casefold(): owner for owner in KNOWN_OWNERS}
    return next((known[name.casefold()] for name in plugins if name.casefold() in known), None)


def reason(decision: Decision, messages: Messages) -> str | None:
    """Why the mode in force is not the configured one."""
    match decision.cause:
        case None:
            return None
        case "plugin-conflict":
            return messages.plugin_conflict.format(plugin=decision.detail)
        case "detection-failed":
            return messages.detection_failed.format(failure=decision.detail)


def result(decision: Decision, messages: Messages) -> ModeResult:
    """A decision for a client."""
    return ModeResult(
        configured=decision.configured,
        effective=decision.effective,
        cause=decision.cause,
        plugin=decision.detail if decision.cause == "plugin-conflict" else None,
        reason=reason(decision, messages),
    )
