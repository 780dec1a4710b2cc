"""Which files a search looks at: roots, filters and globs, as ripgrep takes them."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from sg_server import limits
from sg_server.engines.ripgrep import Filters, Unreadable
from sg_server.errors import GitInternal, InvalidParams, NoWorkspace, PathNotFound, SignalGrepError
from sg_server.search.params import ScopeParams, Strings
from sg_server.workspace import uris
from sg_server.workspace.documents import Document, named_document
from sg_server.workspace.folders import Place, Workspace

_GLOB_SPECIAL = "*?[{}"


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one search, as decided by ripgrep."""

    cwd: str
    """The working folder of rg: what its globs are relative to, symbolic links followed.

    It is the root of the file system, so that the globs hold for paths in any folder's own spelling.
    """
    folders: tuple[str, ...]
    """Roots that are walked. The walk of one does not enter another, whose own walk no rule can prevent."""
    files: tuple[str, ...]
    """Files named by the client: searched even where rules keep them out."""
    unreadable: tuple[Unreadable, ...]
    """Open folders that are left out, since nobody named them and others are there."""
    filters: Filters
    membership: Filters | None
    """The rules without the include globs, where those would bring back files that these leave out."""

    documents: frozenset[str] = frozenset()
    """URIs of the open documents that the client named and that have no file."""
    is_named: bool
    """The client named the roots: all of them have to be readable."""
    is_everything: bool
    """Neither a path nor an include glob narrows it."""
    has_path_rules: bool
    """Globs or file types decide by a file's path."""

    @property
    def roots(self) -> tuple[str, ...]:
        """Everything that was named."""
        return (*self.folders, *self.files)


def normalise_scope(params: ScopeParams, workspace: Workspace, documents: Sequence[Document] = ()) -> Scope:
    """What rg takes for `params`, where `documents` are open ones that may be searched.

    Raises InvalidParams and the errors of `Workspace.place`.
    """
    if not workspace.folders and not documents:
        raise NoWorkspace("no folder is open", "Open a folder, then search again.")
    globs = strings(params.glob, "glob")
    if negated := next((glob for glob in globs if glob.startswith("!")), None):
        raise InvalidParams("glob", f"{negated!r} excludes; put {negated[1:]!r} under `exclude`")
    excludes = tuple(glob.removeprefix("!") for glob in strings(params.exclude, "exclude"))
    if "" in excludes:
        raise InvalidParams("exclude", "'!' alone excludes nothing; put a glob after it")
    file_types = strings(params.file_type, "fileType")
    named = _named(params, workspace, documents)
    places, unreadable = (named.places, ()) if named else _open_folders(workspace)
    folders, files = _roots(places)
    first = workspace.folders[0].path if workspace.folders else os.sep
    cwd = os.path.splitdrive(first)[0] + os.sep
    # A named file is searched on its own, and so is a folder in another one: each is found once however it
    # is reached, and even where that other one's rules would keep it out. rg takes no glob that is not UTF-8:
    # what it then finds twice is kept once.
    apart = filter(_is_utf8, {*_entrances(folders, {**folders, **files}), *files.values()} if folders else ())
    rules = Filters(
        excludes=(
            *_anchored(excludes, workspace, cwd),
            *(f"/{_escaped(os.path.relpath(path, cwd))}" for path in apart),
        ),
        file_types=file_types,
        hidden=params.hidden is not False,
        ignored=params.ignored is True,
        follow=params.follow is True,
        max_file_size=params.max_file_size,
        text=params.binary is True,
    )
    # File types are a union, and a type's glob takes neither a slash nor a colon.
    as_type = globs and not file_types and not any(mark in glob for glob in globs for mark in "/:")
    if as_type:
        filters, membership = msgspec.structs.replace(rules, type_globs=globs), None
    elif globs:
        filters = msgspec.structs.replace(rules, globs=_anchored(globs, workspace, cwd), file_types=())
        membership = rules
    else:
        filters, membership = rules, None
    return Scope(
        cwd=cwd,
        folders=tuple(folders.values()),
        files=tuple(files.values()),
        unreadable=unreadable,
        filters=filters,
        membership=membership,
        documents=named.documents if named else frozenset(),
        is_named=named is not None,
        is_everything=not globs and named is None,
        has_path_rules=bool(globs or excludes or file_types),
    )


def require_folder_for_rules(params: ScopeParams, workspace: Workspace) -> None:
    """Raise InvalidParams for rules on paths where no folder is open: they would be rules on nothing."""
    rules = {
        "glob": params.glob,
        "exclude": params.exclude,
        "fileType": params.file_type,
        "maxFileSize": params.max_file_size,
    }
    given = next((field for field, value in rules.items() if value is not None and value != ()), None)
    if not workspace.folders and given is not None:
        raise InvalidParams(given, "it needs an open folder; without one every open document is searched")


def strings(given: Strings, field: str) -> tuple[str, ...]:
    """One or several strings as a tuple. Raises InvalidParams for an empty one or one no program takes."""
    values = (given,) if isinstance(given, str) else given or ()
    if len(values) > limits.SCOPE_ENTRIES:
        raise InvalidParams(
            field, f"{len(values)} entries given; at most {limits.SCOPE_ENTRIES} are accepted"
        )
    for value in values:
        if not value:
            raise InvalidParams(field, "an empty string was given; leave the field out instead")
        check_argument(value, field)
    return values


def check_argument(value: str, field: str) -> None:
    """Raise InvalidParams for text that cannot be an argument of a program."""
    if "\0" in value:
        hint = "; in a regex write \\x00" if field == "pattern" else ""
        raise InvalidParams(field, f"holds a NUL character{hint}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidParams(field, "holds half of a surrogate pair") from error


def is_within(path: str, workspace: Workspace) -> bool:
    """Whether a file that was reached through symbolic links is inside a folder, and not in `.git`."""
    try:
        workspace.place(path, "path")
    except SignalGrepError:
        return False
    return True


class _Named(NamedTuple):
    places: tuple[Place, ...]
    documents: frozenset[str]


def _named(params: ScopeParams, workspace: Workspace, documents: Sequence[Document]) -> _Named | None:
    """What `params` name; None when that is nothing. Raises the errors of `Workspace.place`."""
    given = [
        *((path, "path", workspace.place) for path in strings(params.path, "path")),
        *((uri, "uri", workspace.place_uri) for uri in strings(params.uri, "uri")),
    ]
    places: list[Place] = []
    without_file: set[str] = set()
    for name, field, place in given:
        try:
            places.append(place(name, field))
        except (NoWorkspace, PathNotFound, InvalidParams) as error:
            # A document can be open without a folder, before its file is there, or as no file at all.
            document = named_document(name, workspace, documents)
            if document is None or isinstance(error, GitInternal):
                raise
            without_file.add(document.uri)
    return _Named(tuple(places), frozenset(without_file)) if given else None


def _open_folders(workspace: Workspace) -> tuple[tuple[Place, ...], tuple[Unreadable, ...]]:
    """The open folders, and those of them that are gone, unless all are."""
    places: list[Place] = []
    gone: dict[str, PathNotFound] = {}
    for folder in workspace.folders:
        try:
            places.append(workspace.place(folder.path, "path"))
        except PathNotFound as error:
            gone[folder.path] = error
    if gone and not places:
        paths = ", ".join(map(uris.display, gone))
        raise PathNotFound(f"no open folder is there any more: {paths}", "Open a folder that is.")
    return tuple(places), tuple(
        Unreadable(path=uris.display(path), reason=error.message) for path, error in gone.items()
    )


def _roots(places: Iterable[Place]) -> tuple[dict[str, str], dict[str, str]]:
    """The folders and the files among `places`, by where they lead, each once."""
    folders: dict[str, str] = {}
    files: dict[str, str] = {}
    for place in places:
        real = os.path.realpath(place.path)
        if os.path.isdir(real):
            folders.setdefault(real, place.path)
        elif os.path.isfile(real):
            files.setdefault(real, place.path)
        else:
            # rg would wait for what a pipe has to say.
            message = f"{place.display} is neither a folder nor a regular file"
            raise PathNotFound(message, "Name a file or a folder.")
    return folders, files


def _entrances(folders: Mapping[str, str], roots: Mapping[str, str]) -> Iterator[str]:
    """The paths at which the walk of one of `folders` would come upon another one of `roots`."""
    for real in roots:
        for parent in map(str, PurePath(real).parents):
            if parent in folders:
                yield os.path.join(folders[parent], os.path.relpath(real, parent))


def _anchored(globs: Iterable[str], workspace: Workspace, cwd: str) -> tuple[str, ...]:
    """`globs` relative to `cwd` where they were relative to each folder."""
    return tuple(
        anchored
        for glob in globs
        for anchored in (
            (f"/{prefix}{glob.removeprefix('./').removeprefix('/')}" for prefix in _prefixes(workspace, cwd))
            if "/" in glob.removesuffix("/") and not glob.startswith("**/")
            else (glob,)
        )
    )


def _prefixes(workspace: Workspace, cwd: str) -> Iterable[str]:
    for folder in workspace.folders:
        relative = os.path.relpath(folder.path, cwd)
        yield "" if relative == os.curdir else f"{_escaped(relative)}/"


def _is_utf8(path: str) -> bool:
    return not any(map(_is_undecodable, path))


def _is_undecodable(character: str) -> bool:
    """Whether it stands for a byte that is not UTF-8."""
    return "\ud800" <= character <= "\udfff"


def _escaped(path: str) -> str:
    """`path` as a glob that matches only itself, but for bytes that are not UTF-8: any byte matches these."""
    return "".join(map(_literal, path.replace(os.sep, "/")))


def _literal(character: str) -> str:
    if character in _GLOB_SPECIAL:
        return f"[{character}]"
    if _is_undecodable(character):
        return "?"
    return "\\\\" if character == "\\" else character
