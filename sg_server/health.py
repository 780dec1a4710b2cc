"""What the server runs on, and what is wrong with it: for `sg.health` and `sg-server doctor`."""

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from sg_server import __version__, limits
from sg_server.context.options import Provider
from sg_server.context.standing import ContextHealth, StoreHealth
from sg_server.engines.binaries import Binary, find_ctags, find_rg
from sg_server.engines.ctags import Ctags
from sg_server.engines.process import ProcessOwner
from sg_server.engines.ripgrep import Ripgrep
from sg_server.engines.treesitter import TreeSitter, TreeSitterCapabilities
from sg_server.errors import RequestFailed
from sg_server.messages import ENGLISH, Messages, failure
from sg_server.modes import ModeResult
from sg_server.search.snapshots import HeldSnapshot
from sg_server.settings import Settings
from sg_server.text.positions import PositionEncoding
from sg_server.workspace import uris
from sg_server.workspace.folders import Workspace


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An answer, or a part of one. Optional fields are left out, never null."""


class HealthParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`sg.health` takes nothing."""


class Problem(_Wire, frozen=True, kw_only=True):
    """Something to put right: a stable word, one sentence, and what to do."""

    code: str
    message: str
    hint: str


class Program(_Wire, frozen=True, kw_only=True):
    """A program that is run. Without `version` there is a problem that says why."""

    path: str | None = None
    found: Literal["option", "environment", "package", "path"] | None = None
    version: str | None = None


class FolderHealth(_Wire, frozen=True, kw_only=True):
    """An open folder. Its name begins paths when there are several."""

    name: str
    uri: str
    path: str


class ProcessHealth(_Wire, frozen=True, kw_only=True):
    """A program that is running now."""

    pid: int
    name: str


class Health(_Wire, frozen=True, kw_only=True):
    """The answer of `sg.health`."""

    version: Literal[1]
    server: str
    python: str
    platform: str
    rg: Program
    ctags: Program
    tree_sitter: TreeSitterCapabilities
    position_encoding: PositionEncoding
    folders: tuple[FolderHealth, ...]
    snapshots: tuple[HeldSnapshot, ...]
    snapshots_bytes: int
    processes: tuple[ProcessHealth, ...]
    problems: tuple[Problem, ...]
    store: StoreHealth | None = None
    """Where stored text is; none before there is any."""
    summaries: Provider | None = None
    """Who summarises stored text."""
    settings: Settings | None = None
    """Those that differ from their defaults; none without a client to make them."""
    mode: ModeResult | None = None
    """Who answers the editor's own grep, and why; none where that is not known."""


class Programs:
    """The programs that a server or one run of the command line works with."""

    def __init__(self, *, rg_path: str | None, ctags_path: str | None, workspace: Workspace) -> None:
        outside = tuple(folder.real for folder in workspace.folders)
        self.processes = ProcessOwner()
        self.ripgrep = Ripgrep(self.processes, find_rg(rg_path, outside=outside))
        self.ctags_binary = find_ctags(ctags_path, outside=outside)
        self.ctags = Ctags(self.processes, self.ctags_binary.path if self.ctags_binary else None)
        self.tree_sitter = TreeSitter(limits.TREE_SITTER_SECONDS)


async def examine(
    programs: Programs,
    *,
    workspace: Workspace,
    encoding: PositionEncoding,
    snapshots: Sequence[HeldSnapshot] = (),
    settings: Settings | None = None,
    context: ContextHealth | None = None,
    mode: ModeResult | None = None,
    mode_failure: RequestFailed | None = None,
    messages: Messages = ENGLISH,
) -> Health:
    """Ask every program for its version and collect what is wrong, in words of `messages`.

    Without a `mode` there is a `mode_failure`, or nobody for whom there could be one.
    """
    problems: list[Problem] = []
    rg = await _rg(programs.ripgrep, problems, messages)
    ctags = await _ctags(programs, problems, messages)
    problems += _missing_folders(workspace, messages)
    if mode_failure is not None:
        hint = mode_failure.hint or ""
        problems.append(_problem(messages, mode_failure.code, mode_failure.message, hint))
    if context is not None:
        problems += _context_problems(context, messages)
    return Health(
        version=1,
        server=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        rg=rg,
        ctags=ctags,
        tree_sitter=programs.tree_sitter.capabilities(),
        position_encoding=encoding,
        folders=tuple(_folders(workspace)),
        snapshots=tuple(snapshots),
        snapshots_bytes=sum(snapshot.bytes for snapshot in snapshots),
        processes=tuple(ProcessHealth(pid=pid, name=name) for pid, name in programs.processes.running),
        problems=tuple(problems),
        store=context.store if context else None,
        summaries=context.provider if context else None,
        settings=settings,
        mode=mode,
    )


def _problem(messages: Messages, code: str, detail: str, hint: str) -> Problem:
    message, remedy = failure(messages, code, detail, hint)
    return Problem(code=code, message=message, hint=remedy or "")


def _context_problems(context: ContextHealth, messages: Messages) -> Iterable[Problem]:
    if context.unavailable is not None:
        error = context.unavailable
        hint = error.hint or "Name another with --store, SG_STORE, or the option context.store."
        yield _problem(messages, error.code, error.message, hint)
    if context.provider_problem is not None:
        yield _problem(
            messages,
            "summaries-unavailable",
            f"{context.provider_problem}; stored text gets no summaries",
            "Check context.summaries and its variable; signal-grep[summaries] brings the package.",
        )


def _missing_folders(workspace: Workspace, messages: Messages) -> Iterable[Problem]:
    for folder in workspace.folders:
        if not os.path.isdir(folder.real):
            message = f"{uris.display(folder.path)} is open as a folder and is not there"
            yield _problem(messages, "path-not-found", message, "Close it in the editor, or restore it.")


def _folders(workspace: Workspace) -> Iterable[FolderHealth]:
    for folder in workspace.folders:
        yield FolderHealth(name=folder.name, uri=folder.uri, path=uris.display(folder.path))


async def _rg(ripgrep: Ripgrep, problems: list[Problem], messages: Messages) -> Program:
    version = None
    try:
        version = await ripgrep.version()
    except RequestFailed as error:
        problems.append(_problem(messages, error.code, error.message, how_to_install("rg", messages)))
    return _program(ripgrep.binary, version)


async def _ctags(programs: Programs, problems: list[Problem], messages: Messages) -> Program:
    capabilities = await programs.ctags.probe()
    if capabilities.problem is not None:
        code = "ctags-missing" if programs.ctags_binary is None else "ctags-unusable"
        message = f"{capabilities.problem}; what encloses a line is found with tree-sitter alone"
        problems.append(_problem(messages, code, message, how_to_install("ctags", messages)))
    return _program(programs.ctags_binary, None if capabilities.problem else capabilities.version)


def _program(binary: Binary | None, version: str | None) -> Program:
    if binary is None:
        return Program()
    return Program(path=uris.display(binary.path), found=binary.found, version=version)


_INSTALL = {
    "rg": {
        "linux": "apt install ripgrep, dnf install ripgrep, pacman -S ripgrep or apk add ripgrep",
        "darwin": "brew install ripgrep",
        "win32": "winget install BurntSushi.ripgrep.MSVC, choco install ripgrep or scoop install ripgrep",
    },
    "ctags": {
        "linux": "apt install universal-ctags, dnf install ctags, pacman -S ctags or apk add ctags",
        "darwin": "brew install universal-ctags",
        "win32": "winget install UniversalCtags.Ctags or choco install universal-ctags",
    },
}


def how_to_install(
    program: Literal["rg", "ctags"], messages: Messages = ENGLISH, platform_name: str = sys.platform
) -> str:
    """The command that installs a program here, and how to name one that is somewhere else."""
    names = {"program": program, "variable": f"SG_{program.upper()}", "option": f"{program}Path"}
    commands = _INSTALL[program].get(platform_name)
    if commands is None:
        return messages.install.format(**names)
    return messages.install_with.format(commands=commands, **names)
