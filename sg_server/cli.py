"""The command line: `sg-server serve | search | inspect | doctor`."""

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from typing import Any, get_args

import msgspec

from sg_server import __version__, limits, terminal
from sg_server.errors import SignalGrepError
from sg_server.oneshot import OneShot, shown_path, spot_of
from sg_server.search.params import SearchParams
from sg_server.search.results import ContextProblem, Match

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LOG_LEVELS = ("debug", "info", "warning", "error")

FOUND, NOTHING, ERROR, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; without one, serve. Returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = "serve"
    if given and (given[0] in {"-h", "--help", "--version"} or not given[0].startswith("-")):
        name = _overview().parse_args(given[:1]).command
        del given[0]
    # What follows `--` are words: argparse would lose track of that among flags and words in any order.
    flags_end = given.index("--") if "--" in given else len(given)
    parsed = _parser(name).parse_intermixed_args(given[:flags_end])
    parsed.words = [*parsed.words, *given[flags_end + 1 :]]
    logging.basicConfig(filename=parsed.log_file, level=parsed.log_level.upper(), format=_LOG_FORMAT)
    return int(parsed.run(parsed))


def _overview() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<8} {about}" for name, (about, _) in _COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="sg-server",
        usage=f"sg-server [{' | '.join(_COMMANDS)}] [options]",
        description=f"Search you can trust.\n\n{listed}\n\nWithout a command it serves.",
        epilog="sg-server COMMAND --help lists the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"signal-grep {__version__}")
    parser.add_argument("command", choices=_COMMANDS, help=argparse.SUPPRESS)
    return parser


def _parser(name: str) -> argparse.ArgumentParser:
    about, define = _COMMANDS[name]
    parser = argparse.ArgumentParser(prog=f"sg-server {name}", description=about, allow_abbrev=False)
    parser.set_defaults(words=())
    define(parser)
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
    parser.set_defaults(run=_doctor)


def _define_search(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_search)
    add = parser.add_argument
    parser.usage = "sg-server search [options] PATTERN [PATH ...]"
    add("words", metavar="PATTERN, PATH", nargs="*", help="a regex, and folders or files to search in")
    add("-e", "--regexp", metavar="PATTERN", help="the pattern; all words are paths then")
    add("-i", "--ignore-case", dest="ignore_case", action="store_true", default=None, help="a is A")
    add("-s", "--case-sensitive", dest="ignore_case", action="store_false", default=None, help="a is not A")
    smart = "case matters if PATTERN has an upper case letter (default)"
    add("-S", "--smart-case", dest="ignore_case", action="store_const", const=None, help=smart)
    add("-F", "--fixed-strings", action="store_true", help="take PATTERN literally")
    add("-w", "--word-regexp", action="store_true", help="match whole words only")
    add("-U", "--multiline", action="store_true", help="let a match span lines")
    add("-P", "--pcre2", action="store_true", help="look-around and backreferences")
    add("-E", "--encoding", help="of files without a byte order mark, such as latin1")
    add("-g", "--glob", action="append", default=[], help="files to search; !GLOB leaves files out")
    add("-t", "--type", action="append", default=[], help="kinds of files to search, such as py")
    add("-A", "--after-context", type=_count, metavar="N", help="show N lines after each match")
    add("-B", "--before-context", type=_count, metavar="N", help="show N lines before each match")
    add("-C", "--context", type=_count, metavar="N", help="show N lines on either side")
    add("--hidden", action=argparse.BooleanOptionalAction, help="hidden files too (default)")
    add("--no-ignore", action="store_true", help="also what ignore files leave out")
    add("--limit", type=_count, metavar="N", help="show the first N matches; all are counted")
    add("--json", action="store_true", help="one JSON object a match, then one with the totals")
    add("--heading", action=argparse.BooleanOptionalAction, default=True, help="paths above their matches")
    _add_color(parser)


def _define_inspect(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_inspect)
    parser.usage = "sg-server inspect [options] PATH:LINE[:COLUMN] ..."
    most = limits.INSPECT_TARGETS
    parser.add_argument("words", metavar="PATH:LINE", nargs="*", help=f"up to {most} places, counted from 1")
    parser.add_argument("--json", action="store_true", help="one JSON object, as over LSP")
    _add_color(parser)


def _add_color(parser: argparse.ArgumentParser) -> None:
    choices = get_args(terminal.ColorChoice)
    parser.add_argument("--color", choices=choices, default="auto", help="auto: on a terminal only (default)")


_COMMANDS = {
    "serve": ("serve editors and agents over the Language Server Protocol", _define_serve),
    "search": ("search files: everything is counted, whatever is shown", _define_search),
    "inspect": ("show source around lines, with the symbol that encloses each", _define_inspect),
    "doctor": ("say what is installed, what is missing, and how to get it", _define_doctor),
}


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
    options = ServerOptions(rg_path=parsed.rg, ctags_path=parsed.ctags, watch_client=not parsed.tcp)
    if not parsed.tcp:
        return serve_stdio(options)
    try:
        return serve_tcp(options, parsed.host, parsed.port)
    except OSError as error:
        _complain(f"cannot listen at {parsed.host}:{parsed.port}: {error.strerror or error}")
        return ERROR


def _doctor(parsed: argparse.Namespace) -> int:
    return _run(_examine(parsed))


async def _examine(parsed: argparse.Namespace) -> int:
    report = await _one_shot(parsed, ()).health()
    _write(terminal.health_lines(report))
    return FOUND if report.rg.version else NOTHING


def _search(parsed: argparse.Namespace) -> int:
    if parsed.regexp is None:
        parsed.regexp = parsed.words.pop(0) if parsed.words else ""
    if not parsed.regexp:
        _complain("a pattern is required: sg-server search PATTERN [PATH ...]")
        return ERROR
    return _run(_search_and_print(parsed))


async def _search_and_print(parsed: argparse.Namespace) -> int:
    one_shot = _one_shot(parsed, parsed.words)
    result = await one_shot.search(_search_params(parsed, one_shot.uris))
    matches = one_shot.matches(result, parsed.limit)
    problems = await (_print_json(matches) if parsed.json else _print_files(matches, parsed))
    if parsed.json:
        _write_json(
            {"totals": result.totals, "status": result.status, "partialReasons": result.partial_reasons}
        )
    for note in terminal.notes(result, problems):
        _complain(note)
    if result.totals.matches:
        return FOUND
    # Where not everything could be read, that nothing matches is not known.
    return ERROR if result.partial_reasons else NOTHING


def _search_params(parsed: argparse.Namespace, roots: tuple[str, ...]) -> SearchParams:
    globs = parsed.glob
    return SearchParams(
        pattern=parsed.regexp,
        uri=roots or None,
        glob=tuple(glob for glob in globs if not glob.startswith("!")) or None,
        exclude=tuple(glob for glob in globs if glob.startswith("!")) or None,
        file_type=tuple(parsed.type) or None,
        hidden=parsed.hidden,
        ignored=parsed.no_ignore,
        literal=parsed.fixed_strings,
        ignore_case=parsed.ignore_case,
        whole_word=parsed.word_regexp,
        multiline=parsed.multiline,
        engine="pcre2" if parsed.pcre2 else None,
        encoding=parsed.encoding,
        context=parsed.context,
        before=parsed.before_context,
        after=parsed.after_context,
        mode="matches",
        view="items",
        limit=parsed.limit or limits.ITEMS_ROWS_MAX,
        explain_empty=not parsed.json,
    )


async def _print_json(matches: AsyncIterator[Match]) -> list[ContextProblem]:
    async for match in matches:
        _write_json(match)
    return []


async def _print_files(matches: AsyncIterator[Match], parsed: argparse.Namespace) -> list[ContextProblem]:
    """Print file by file. Returns why context was left out, where it was."""
    colors = _colors(parsed)
    problems: list[ContextProblem] = []
    separator: list[str] = []
    of_file: list[Match] = []

    def print_file() -> None:
        path = shown_path(of_file[0].uri)
        _write([*separator, *terminal.file_lines(path, of_file, colors, heading=parsed.heading)])
        separator[:] = [""] if parsed.heading else []

    async for match in matches:
        if of_file and match.uri != of_file[0].uri:
            print_file()
            of_file.clear()
        of_file.append(match)
        if match.context_unavailable is not None:
            problems.append(match.context_unavailable)
    if of_file:
        print_file()
    return problems


def _inspect(parsed: argparse.Namespace) -> int:
    if not parsed.words:
        _complain("a place is required: sg-server inspect PATH:LINE ...")
        return ERROR
    return _run(_inspect_and_print(parsed))


async def _inspect_and_print(parsed: argparse.Namespace) -> int:
    spots = [spot_of(word) for word in parsed.words]
    result = await _one_shot(parsed, [spot.path for spot in spots]).inspect(spots)
    if parsed.json:
        _write_json(result)
    else:
        _write(terminal.inspection_lines(result, _colors(parsed)))
    for note in terminal.inspection_notes(result):
        _complain(note)
    return FOUND if result.status == "complete" else NOTHING


def _one_shot(parsed: argparse.Namespace, paths: Iterable[str]) -> OneShot:
    return OneShot(paths, rg_path=parsed.rg, ctags_path=parsed.ctags)


def _colors(parsed: argparse.Namespace) -> terminal.Palette:
    return terminal.palette(parsed.color, os.environ, is_terminal=sys.stdout.isatty())


def _run(work: Coroutine[Any, Any, int]) -> int:
    """Run `work` to its end or to a signal, leaving no program running. Returns the exit code."""
    try:
        return asyncio.run(_until_terminated(work))
    except SignalGrepError as error:
        _complain(error.message.removeprefix("uri: "))
        if error.hint:
            _complain(error.hint)
        return ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    except asyncio.CancelledError:
        return TERMINATED
    except BrokenPipeError:
        # Whoever read has seen enough. What is still buffered would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND


async def _until_terminated(work: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(work)
    with contextlib.suppress(NotImplementedError):  # Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def _write(lines: Iterable[str]) -> None:
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
    sys.stdout.buffer.flush()


def _write_json(value: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")


def _complain(message: str) -> None:
    sys.stderr.write(f"sg-server: {message}\n")
