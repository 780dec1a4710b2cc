"""The command line: `sg-server serve | search | inspect | context | doctor`."""

import argparse
import gc
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sg_server import __version__, limits
from sg_server import arguments_stored as options

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LOG_LEVELS = ("debug", "info", "warning", "error")

_ANY_VALUE = {"-e": "--regexp", "--regexp": "--regexp", "-g": "--glob", "--glob": "--glob"}
"""What follows these is their value even where it begins with `-`, which argparse would refuse."""
_GIVEN = "\0"
"""Before such a value: argparse takes `--` for no value even after `=`."""

_Define = Callable[[argparse.ArgumentParser], None]
"""Gives the parser of a subcommand its options."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; without one, serve. Returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = "serve"
    if given and (given[0] in {"-h", "--help", "--version"} or not given[0].startswith("-")):
        listed = {**{name: about for name, (about, _) in _COMMANDS.items()}, _CONTEXT: _CONTEXT_ABOUT}
        name = _overview("sg-server", listed, "Without a command it serves.").parse_args(given[:1]).command
        del given[0]
    if name == _CONTEXT:
        listed = {name: about for name, (about, _) in _CONTEXT_COMMANDS.items()}
        name += " " + _overview("sg-server context", listed, "").parse_args(given[:1]).command
        del given[0]
    if name == "search":
        given = list(_with_values(given))
    # What follows `--` are words: argparse would lose track of that among flags and words in any order.
    flags_end = given.index("--") if "--" in given else len(given)
    parsed = _parser(name).parse_intermixed_args(given[:flags_end])
    parsed.words = [*parsed.words, *given[flags_end + 1 :]]
    logging.basicConfig(filename=parsed.log_file, level=parsed.log_level.upper(), format=_LOG_FORMAT)
    return int(parsed.run(parsed))


def _with_values(arguments: Iterable[str]) -> Iterator[str]:
    """`arguments` with some flags and their values in one."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            yield from (argument, *rest)
        elif argument in _ANY_VALUE and (value := next(rest, None)) is not None:
            yield f"{_ANY_VALUE[argument]}={_GIVEN}{value}"
        else:
            yield argument


def _overview(program: str, commands: Mapping[str, str], more: str) -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<8} {about}" for name, about in commands.items())
    parser = argparse.ArgumentParser(
        prog=program,
        usage=f"{program} [{' | '.join(commands)}] [options]",
        description=f"Search you can trust.\n\n{listed}\n\n{more}",
        epilog=f"{program} COMMAND --help lists the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"signal-grep {__version__}")
    parser.add_argument("command", choices=commands, help=argparse.SUPPRESS)
    return parser


def _parser(name: str) -> argparse.ArgumentParser:
    group, _, inner = name.rpartition(" ")
    about, define = (_CONTEXT_COMMANDS if group else _COMMANDS)[inner]
    parser = argparse.ArgumentParser(prog=f"sg-server {name}", description=about, allow_abbrev=False)
    parser.set_defaults(words=())
    define(parser)
    about_store = "where stored text is: a file, or postgresql://... (default: a file of your own)"
    parser.add_argument("--store", metavar="PATH", help=about_store)
    parser.add_argument("--rg", metavar="PATH", help="the ripgrep to run")
    parser.add_argument("--ctags", metavar="PATH", help="the Universal Ctags to run")
    parser.add_argument("--log-file", metavar="FILE", help="log to FILE instead of standard error")
    parser.add_argument("--log-level", choices=_LOG_LEVELS, default="warning", help="(default: %(default)s)")
    return parser


def _define_serve(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_serve)
    parser.add_argument("--stdio", action="store_true", help="serve on standard input and output (default)")
    parser.add_argument("--tcp", action="store_true", help="serve every client that connects")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="the port to listen at (default: any free one)")


def _define_doctor(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_in_shell("doctor"))


def _define_search(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_in_shell("search"))
    add = parser.add_argument
    parser.usage = "sg-server search [options] PATTERN [PATH ...]"
    add("words", metavar="PATTERN, PATH", nargs="*", help="a regex, and folders or files to search in")
    add(
        "-e",
        "--regexp",
        action="append",
        type=_value,
        metavar="PATTERN",
        help="a pattern, one of several; all words are paths then",
    )
    add("-i", "--ignore-case", dest="ignore_case", action="store_true", default=None, help="a is A")
    add("-s", "--case-sensitive", dest="ignore_case", action="store_false", default=None, help="a is not A")
    smart = "case matters if PATTERN has an upper case letter (default)"
    add("-S", "--smart-case", dest="ignore_case", action="store_const", const=None, help=smart)
    add("-F", "--fixed-strings", action="store_true", help="take PATTERN literally")
    add("-w", "--word-regexp", action="store_true", help="match whole words only")
    add("-U", "--multiline", action="store_true", help="let a match span lines")
    add("-P", "--pcre2", action="store_true", help="look-around and backreferences")
    add("-E", "--encoding", help="of files without a byte order mark, such as latin1")
    add(
        "-g",
        "--glob",
        action="append",
        type=_value,
        default=[],
        help="files to search; !GLOB leaves files out",
    )
    add("-t", "--type", action="append", default=[], help="kinds of files to search, such as py")
    add("-A", "--after-context", type=_count, metavar="N", help="show N lines after each match")
    add("-B", "--before-context", type=_count, metavar="N", help="show N lines before each match")
    add("-C", "--context", type=_count, metavar="N", help="show N lines on either side")
    add("--hidden", action=argparse.BooleanOptionalAction, help="hidden files too (default)")
    add("--no-ignore", action="store_true", help="also what ignore files leave out")
    add("--limit", type=_count, metavar="N", help="show the first N matches; all are counted")
    add("--json", action="store_true", help="one JSON object a match, then one with the totals")
    add("--heading", action=argparse.BooleanOptionalAction, default=True, help="paths above their matches")
    vimgrep = (
        "as --no-heading, and what is not UTF-8 as Vim reads it: PATH:LINE:COLUMN:TEXT for its 'grepprg'"
    )
    add("--vimgrep", action="store_true", help=vimgrep)
    _add_color(parser)


def _define_inspect(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_in_shell("inspect"))
    parser.usage = "sg-server inspect [options] PATH:LINE[:COLUMN] ..."
    most = limits.INSPECT_TARGETS
    parser.add_argument("words", metavar="PATH:LINE", nargs="*", help=f"up to {most} places, counted from 1")
    parser.add_argument("--json", action="store_true", help="one JSON object, as over LSP")
    _add_color(parser)


def _add_color(parser: argparse.ArgumentParser) -> None:
    choices = ("auto", "always", "never")
    parser.add_argument("--color", choices=choices, default="auto", help="auto: on a terminal only (default)")


def _value(value: str) -> str:
    return value.removeprefix(_GIVEN)


def _count(value: str) -> int:
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{value!r} is not a number")
    return int(value)


def _serve(parsed: argparse.Namespace) -> int:
    # LSP's types are thousands of classes that stay for good. Collecting garbage among them takes a fifth
    # of the start, and later stops the server for 20 ms every now and then.
    gc.disable()
    from sg_server.lsp.server import ServerOptions  # noqa: PLC0415 - only a server needs pygls
    from sg_server.lsp.stdio import serve_stdio  # noqa: PLC0415
    from sg_server.lsp.tcp import serve_tcp  # noqa: PLC0415

    gc.freeze()
    gc.enable()
    options = ServerOptions(
        rg_path=parsed.rg, ctags_path=parsed.ctags, store=parsed.store, watch_client=not parsed.tcp
    )
    if not parsed.tcp:
        return serve_stdio(options)
    try:
        return serve_tcp(options, parsed.host, parsed.port)
    except OSError as error:
        sys.stderr.write(
            f"sg-server: cannot listen at {parsed.host}:{parsed.port}: {error.strerror or error}\n"
        )
        return 2


def _in_shell(name: str) -> Callable[[argparse.Namespace], int]:
    def run(parsed: argparse.Namespace) -> int:
        from sg_server import shell  # noqa: PLC0415 - a server's client would wait for what only this needs

        return int(getattr(shell, name)(parsed))

    return run


def _stored(name: str, define: _Define) -> _Define:
    """The options of a subcommand on stored text, and what runs it."""

    def run(parsed: argparse.Namespace) -> int:
        from sg_server import shell_stored  # noqa: PLC0415 - as above

        return int(getattr(shell_stored, name)(parsed))

    def define_with_run(parser: argparse.ArgumentParser) -> None:
        parser.set_defaults(run=run)
        define(parser)

    return define_with_run


_COMMANDS: Mapping[str, tuple[str, _Define]] = {
    "serve": ("serve editors and agents over the Language Server Protocol", _define_serve),
    "search": ("search files: everything is counted, whatever is shown", _define_search),
    "inspect": ("show source around lines, with the symbol that encloses each", _define_inspect),
    "doctor": ("say what is installed, what is missing, and how to get it", _define_doctor),
}
_CONTEXT = "context"
_CONTEXT_ABOUT = "keep text, and find, outline and read it"
_CONTEXT_COMMANDS: Mapping[str, tuple[str, _Define]] = {
    "put": ("store what comes on standard input, and print its id", _stored("put", options.define_put)),
    "list": ("list what is stored, newest first", _stored("list_entries", options.define_list)),
    "grep": ("find a pattern in what is stored", _stored("grep", options.define_grep)),
    "outline": ("show the headings of an entry or a file", _stored("outline", options.define_outline)),
    "read": ("print an entry or a file, or a part of it", _stored("read", options.define_read)),
    "delete": ("delete entries", _stored("delete", options.define_delete)),
}
