"""ripgrep: its arguments, its runs, its exit codes."""

import errno
import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from sg_server import limits
from sg_server.engines.binaries import Binary
from sg_server.engines.events import EventReader, EventSink
from sg_server.engines.process import Finished, ProcessOwner
from sg_server.engines.records import CappedRecords, Oversized
from sg_server.errors import InvalidParams, PathNotFound, RgFailed, RgMissing, SignalGrepError

Case = Literal["smart", "sensitive", "insensitive"]

_FOUND, _NOTHING, _ERROR = 0, 1, 2
_ALWAYS = ("--no-config", "--no-mmap", "--crlf", "--no-require-git", "--no-ignore-messages", "--color=never")
_CASE_FLAGS: dict[Case, str] = {
    "smart": "smart-case",
    "sensitive": "case-sensitive",
    "insensitive": "ignore-case",
}
_MISSING_HINT = "Install ripgrep, or name its path in initializationOptions.rgPath, --rg or SG_RG."
_NOT_RG_HINT = "Check that it is ripgrep 13 or newer."
_BAD_ARGUMENTS = (
    (("regex parse error", "is not allowed in a regex", "PCRE2: error", "exceeds size limit"), "pattern"),
    (("impossible to match",), "pattern"),
    (("unknown encoding",), "encoding"),
    (("unrecognized file type",), "fileType"),
    (("error parsing glob '!", "invalid glob '!"), "exclude"),
    (("error parsing glob", "invalid glob"), "glob"),
)
_REMEDIES = (
    ("--multiline", '"multiline": true'),
    ("--pcre2", '"engine": "pcre2"'),
    ("--text", '"binary": true'),
)
"""Flags that rg advises, and what they are in a request."""
_MESSAGES = re.compile(r"\n(?=rg: )")
"""Between two messages on standard error; the name of a path may hold line ends."""
_NOT_READ = re.compile(
    r"rg: (?P<path>.+?)(: IO error for operation on (?P=path))?: (?P<reason>[^:\n]+ \(os error \d+\))$",
    re.DOTALL,
)
_NOT_SEARCHED = re.compile(r"rg: (?P<path>(?:[A-Za-z]:)?[/\\].*?): (?P<reason>.+)$", re.DOTALL)
"""For instance PCRE2 giving up on a file; the roots of a run are absolute, and so are these paths."""
_LOOP = re.compile(r"rg: File system loop found: .+ points to an ancestor", re.DOTALL)


class Matching(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for, and how."""

    pattern: str
    literal: bool = False
    case: Case = "smart"
    whole_word: bool = False
    multiline: bool = False
    engine: Literal["default", "pcre2", "auto"] = "default"
    encoding: str = "auto"

    def arguments(self) -> list[str]:
        """Everything that decides what matches in a given text, the pattern included."""
        arguments = [f"--{_CASE_FLAGS[self.case]}", f"--engine={self.engine}"]
        if self.literal:
            arguments.append("--fixed-strings")
        if self.whole_word:
            arguments.append("--word-regexp")
        if self.multiline:
            arguments.append("--multiline")
        if self.encoding != "auto":
            arguments.append(f"--encoding={self.encoding}")
        return [*arguments, "-e", self.pattern]


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Which files below the roots are looked at. Globs are relative to the working folder of the run."""

    globs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    type_globs: tuple[str, ...] = ()
    """Include globs without a slash, as a file type of their own: those never bring back ignored files."""
    hidden: bool = True
    ignored: bool = False
    follow: bool = False
    max_file_size: int | None = None
    text: bool = False

    def arguments(self) -> list[str]:
        """The flags, with the exclusion of `.git`, in any case, last so that nothing overrides it."""
        arguments = [
            flag
            for flag, wanted in (
                ("--hidden", self.hidden),
                ("--no-ignore", self.ignored),
                ("--follow", self.follow),
                ("--text", self.text),
            )
            if wanted
        ]
        if self.max_file_size is not None:
            arguments.append(f"--max-filesize={self.max_file_size}")
        arguments += [f"--type={name}" for name in self.file_types]
        if self.type_globs:
            arguments += [f"--type-add=sg:{glob}" for glob in self.type_globs]
            arguments.append("--type=sg")
        arguments += [f"--glob={_as_rule(glob)}" for glob in self.globs]
        arguments += [f"--glob=!{_as_rule(glob)}" for glob in self.excludes]
        if not self.hidden:
            # An include glob or a type would bring hidden files back.
            arguments.append("--glob=!.*")
        return [*arguments, "--iglob=!**/.git"]


def _as_rule(glob: str) -> str:
    """`glob` as a line of an ignore file, which is what rg takes its globs for.

    There `#` begins a comment, and white space at the end is nothing unless a backslash is before it.
    """
    if glob.startswith("#"):
        return f"[#]{_as_rule(glob[1:])}"
    kept = glob.rstrip()
    if glob.endswith("\\ ") or kept == glob:
        return glob
    return kept + "".join(f"[{character}]" for character in glob[len(kept) :])


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A path that rg could not read, or not search to its end, for people, and why."""

    path: str
    reason: str

    @property
    def is_of_pattern(self) -> bool:
        """Whether the pattern is to blame: PCRE2 gives up where it would take too long."""
        return self.reason.startswith("PCRE2: ")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a finished run says beside its events."""

    files_searched: int
    unreadable: tuple[Unreadable, ...] = ()


class Ripgrep:
    """Runs one ripgrep binary."""

    def __init__(self, owner: ProcessOwner, binary: Binary | None) -> None:
        self._owner = owner
        self.binary = binary
        self.threads: int | None = None
        """Of each run; None leaves them to rg."""

    async def version(self) -> str:
        """The first line of `rg --version`. Raises RgMissing, RgFailed."""
        output = bytearray()
        finished = await self._run(["--version"], output.extend, cwd=None)
        if finished.returncode != _FOUND:
            raise _failure(finished)
        return output.decode("utf-8", "replace").partition("\n")[0].strip()

    async def search(
        self,
        matching: Matching,
        filters: Filters | None,
        roots: Sequence[str],
        sink: EventSink,
        *,
        cwd: str,
        stdin: bytes | None = None,
    ) -> Outcome:
        """Search `roots`, absolute paths, or `stdin` where the only root is `-`, giving the events to `sink`.

        Without `filters` the roots are files that are searched as they are.
        Raises InvalidParams when rg refuses the pattern or a filter, PathNotFound when `cwd` is gone, and
        RgMissing and RgFailed.
        """
        reader = EventReader(sink)
        arguments = [
            "--json",
            *matching.arguments(),
            *(filters.arguments() if filters else ()),
            "--",
            *roots,
        ]
        finished = await self._run(arguments, reader.feed, cwd=cwd, stdin=stdin)
        summary = reader.summary()
        unreadable = _unreadable(finished)
        if summary is None:
            raise _failure(finished)
        return Outcome(files_searched=summary.searches, unreadable=unreadable)

    async def files(
        self,
        filters: Filters,
        roots: Sequence[str],
        take: Callable[[list[bytes]], None],
        *,
        cwd: str,
        holding: Matching | None = None,
    ) -> tuple[Unreadable, ...]:
        """Give `take` the raw paths of the files that would be searched, or that hold a match.

        Raises as `search`.
        """
        names = CappedRecords(b"\0", limits.RECORD_BYTES)

        def feed(chunk: bytes) -> None:
            take([name for name in names.feed(chunk) if not isinstance(name, Oversized)])

        what = ["--files"] if holding is None else ["--files-with-matches", *holding.arguments()]
        arguments = [*what, "--null", *filters.arguments(), "--", *roots]
        return _unreadable(await self._run(arguments, feed, cwd=cwd))

    async def _run(
        self,
        arguments: Sequence[str],
        consume: Callable[[bytes], None],
        *,
        cwd: str | None,
        stdin: bytes | None = None,
    ) -> Finished:
        if self.binary is None:
            raise RgMissing("ripgrep was not found", _MISSING_HINT)
        threads = () if self.threads is None else (f"--threads={self.threads}",)
        argv = [self.binary.path, *_ALWAYS, *threads, *arguments]
        try:
            return await self._owner.run(argv, consume, cwd=cwd, stdin=stdin)
        except OSError as error:
            if error.errno == errno.E2BIG:
                message = "the request is too long for one command line"
                raise RgFailed(message, "Name fewer paths or globs.") from error
            if cwd is not None and error.filename == cwd:
                message = f"the folder is gone: {error.strerror}"
                raise PathNotFound(message, "Open a folder that exists, then search again.") from error
            message = f"{self.binary.path} could not be started: {error.strerror}"
            raise RgMissing(message, _MISSING_HINT) from error
        except msgspec.DecodeError as error:
            message = f"{self.binary.path} wrote what is not ripgrep's JSON: {error}"
            raise RgFailed(message, _NOT_RG_HINT) from error


def _failure(finished: Finished) -> SignalGrepError:
    """What a run without a result means for the client."""
    said = finished.stderr.strip().removeprefix("rg: ")
    if finished.returncode == _ERROR:
        for marks, field in _BAD_ARGUMENTS:
            if any(mark in said for mark in marks):
                remedy = next((f" In a request: {ours}." for flag, ours in _REMEDIES if flag in said), "")
                return InvalidParams(field, said + remedy)
    if finished.returncode < 0:
        return RgFailed(
            f"ripgrep was ended by signal {-finished.returncode}. {said}".strip(), "Search again."
        )
    said = said or f"it ended with code {finished.returncode} and without a result"
    return RgFailed(f"ripgrep failed: {said}", _NOT_RG_HINT)


def _unreadable(finished: Finished) -> tuple[Unreadable, ...]:
    """The paths that a finished run could not read. Raises when the run failed otherwise."""
    if finished.returncode in (_FOUND, _NOTHING):
        return ()
    messages = _MESSAGES.split(finished.stderr.removesuffix("\n"))
    # What a loop leads to is searched already.
    others = [said for said in messages if not _LOOP.match(said)]
    named = [_NOT_READ.match(said) or _NOT_SEARCHED.match(said) for said in others]
    unreadable = tuple(Unreadable(path=found["path"], reason=found["reason"]) for found in named if found)
    if finished.returncode != _ERROR or (others and not unreadable):
        raise _failure(finished)
    return unreadable
