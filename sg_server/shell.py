"""The subcommands that answer in a terminal: `search`, `inspect` and `doctor`."""

import argparse
from collections.abc import AsyncIterator, Iterable, Sequence

from sg_server import console, limits, terminal
from sg_server.oneshot import OneShot, shown_path, spot_of
from sg_server.search.params import SearchParams
from sg_server.search.results import ContextProblem, Match

_META = frozenset("\\.+*?()|[]{}^$#&-~")
"""Characters that mean something in a regex, as regex-syntax has them."""


def doctor(parsed: argparse.Namespace) -> int:
    """Print what is installed, and what to do about the rest. Returns the exit code."""
    return console.run(_examine(parsed))


async def _examine(parsed: argparse.Namespace) -> int:
    report = await _one_shot(parsed, ()).health(parsed.store)
    console.write(terminal.health_lines(report))
    return console.FOUND if report.rg.version else console.NOTHING


def search(parsed: argparse.Namespace) -> int:
    """Print what is found. Returns the exit code."""
    patterns = parsed.regexp or parsed.words[:1]
    if parsed.regexp is None:
        del parsed.words[:1]
    if not patterns or not all(patterns):
        console.complain("a pattern is required: sg-server search PATTERN [PATH ...]")
        return console.ERROR
    _make_one(patterns, parsed)
    parsed.heading = parsed.heading and not parsed.vimgrep
    return console.run(_search_and_print(parsed))


def _make_one(patterns: Sequence[str], parsed: argparse.Namespace) -> None:
    """Let `parsed` look for any of `patterns`, which one regex can say where there are several."""
    if len(patterns) == 1:
        (parsed.regexp,) = patterns
        return
    as_regex = _escaped if parsed.fixed_strings else "(?:{})".format
    parsed.regexp = "|".join(map(as_regex, patterns))
    parsed.fixed_strings = False


def _escaped(literal: str) -> str:
    """A regex, of ripgrep's or PCRE2, for just `literal`."""
    return "".join(f"\\{character}" if character in _META else character for character in literal)


async def _search_and_print(parsed: argparse.Namespace) -> int:
    one_shot = OneShot(
        parsed.words,
        rg_path=parsed.rg,
        ctags_path=parsed.ctags,
        invalid_utf8="latin1" if parsed.vimgrep else "replace",
    )
    result = await one_shot.search(_search_params(parsed, one_shot.uris))
    matches = one_shot.matches(result, parsed.limit)
    problems = await (_print_json(matches) if parsed.json else _print_files(matches, parsed))
    if parsed.json:
        console.write_json(
            {"totals": result.totals, "status": result.status, "partialReasons": result.partial_reasons}
        )
    for note in terminal.notes(result, problems):
        console.complain(note)
    if result.totals.matches:
        return console.FOUND
    # Where not everything could be read, that nothing matches is not known.
    return console.ERROR if result.partial_reasons else console.NOTHING


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
        console.write_json(match)
    return []


async def _print_files(matches: AsyncIterator[Match], parsed: argparse.Namespace) -> list[ContextProblem]:
    """Print file by file. Returns why context was left out, where it was."""
    colors = console.colors(parsed)
    problems: list[ContextProblem] = []
    separator: list[str] = []
    of_file: list[Match] = []

    def print_file() -> None:
        path = shown_path(of_file[0].uri)
        console.write([*separator, *terminal.file_lines(path, of_file, colors, heading=parsed.heading)])
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


def inspect(parsed: argparse.Namespace) -> int:
    """Print the source around some places. Returns the exit code."""
    if not parsed.words:
        console.complain("a place is required: sg-server inspect PATH:LINE ...")
        return console.ERROR
    return console.run(_inspect_and_print(parsed))


async def _inspect_and_print(parsed: argparse.Namespace) -> int:
    spots = [spot_of(word) for word in parsed.words]
    result = await _one_shot(parsed, [spot.path for spot in spots]).inspect(spots)
    if parsed.json:
        console.write_json(result)
    else:
        console.write(terminal.inspection_lines(result, console.colors(parsed)))
    for note in terminal.inspection_notes(result):
        console.complain(note)
    return console.FOUND if result.status == "complete" else console.NOTHING


def _one_shot(parsed: argparse.Namespace, paths: Iterable[str]) -> OneShot:
    return OneShot(paths, rg_path=parsed.rg, ctags_path=parsed.ctags)
