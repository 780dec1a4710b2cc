"""What the command line prints: matches as ripgrep shows them, source, notes, and a report on health."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from sg_server.engines.treesitter import TreeSitterCapabilities
from sg_server.health import Health, Program
from sg_server.inspection.results import Inspection, InspectResult
from sg_server.search.results import ContextProblem, Match, PartialReason, SearchResult
from sg_server.text.plain import call, plain

ColorChoice = Literal["auto", "always", "never"]

_SOURCE_ROW = re.compile(r"( *[0-9]+)([> ]) (.*)")

_REASONS: Mapping[PartialReason, str] = {
    "retention-limit": "only {retained:,} of {matches:,} matches were kept: narrow the search",
    "unreadable-path": "some paths could not be read",
    "oversized-line": "matches in overlong lines were counted and cannot be shown",
    "binary-file": "some files end, for a search, at a NUL byte",
}


class Palette(msgspec.Struct, frozen=True):
    """Escape sequences before a path, a line number, an occurrence, and after each of them."""

    path: str = ""
    number: str = ""
    occurrence: str = ""
    end: str = ""


PLAIN = Palette()
COLORS = Palette("\x1b[35m", "\x1b[32m", "\x1b[1;31m", "\x1b[0m")


def palette(choice: ColorChoice, environment: Mapping[str, str], *, is_terminal: bool) -> Palette:
    """Colors as `--color` says; `auto` leaves them out of pipes, for `NO_COLOR` and for a dumb terminal."""
    if choice == "auto":
        unwanted = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        return COLORS if is_terminal and not unwanted else PLAIN
    return COLORS if choice == "always" else PLAIN


def file_lines(path: str, matches: Sequence[Match], colors: Palette, *, heading: bool) -> Iterator[str]:
    """All that is shown of one file, of which `matches` are in order, their columns counted in UTF-8.

    Under a heading a match is `line:column:text` and a line of context `line-text`; without one each line
    begins with the path. A source line is shown once; `--` stands where context leaves lines out.
    """
    shown_path = f"{colors.path}{plain(path)}{colors.end}"
    if heading:
        yield shown_path
    context = {number: text for match in matches for number, text in _context(match)}
    hits: dict[int, list[Match]] = {}
    for match in matches:
        hits.setdefault(match.line, []).append(match)
    last = 0
    for number in sorted(context.keys() | hits.keys()):
        if context and 0 < last < number - 1:
            yield "--"
        last = number
        shown_number = f"{colors.number}{number}{colors.end}"
        for match in hits.get(number, ()):
            column = match.location.range.start.character + 1
            yield f"{'' if heading else shown_path + ':'}{shown_number}:{column}:{_painted(match, colors)}"
        if number not in hits:
            yield f"{'' if heading else shown_path + '-'}{shown_number}-{plain(context[number])}"


def _context(match: Match) -> Iterator[tuple[int, str]]:
    """The lines around a match, with their numbers."""
    before, after = match.before or (), match.after or ()
    yield from enumerate(before, match.line - len(before))
    start, end = match.location.range.start, match.location.range.end
    ends_before_its_line = end.character == 0 and end.line > start.line
    yield from enumerate(after, match.line + end.line - start.line + (0 if ends_before_its_line else 1))


def _painted(match: Match, colors: Palette) -> str:
    """The text of a match, its occurrences painted. In a clipped line their places are not known."""
    if match.clipped:
        return f"{plain(match.text)}…"
    text = match.text.encode()
    parts, done = [], 0
    for found in match.ranges:
        start = found.start.character
        end = found.end.character if found.end.line == found.start.line else len(text)
        occurrence = f"{colors.occurrence}{plain(text[start:end].decode())}{colors.end}"
        parts += [plain(text[done:start].decode()), occurrence]
        done = end
    return "".join([*parts, plain(text[done:].decode())])


def notes(result: SearchResult, problems: Iterable[ContextProblem]) -> Iterator[str]:
    """What keeps a search from being everything; `problems` are those of the context that was asked for."""
    for reason in result.partial_reasons:
        yield _REASONS[reason].format(retained=result.totals.retained, matches=result.totals.matches)
    for path in (*(result.unreadable_paths or ()), *(result.binary_files or ())):
        yield f"  {plain(path)}"
    if result.kept_out is not None and result.kept_out.matching:
        yield "nothing matches, but these would that the rules keep out (--no-ignore, or name them):"
        yield from (f"  {plain(file.path)}" for file in result.kept_out.matching)
    for problem in sorted(set(problems)):
        yield f"some context was left out: its file is {problem}"


def inspection_lines(result: InspectResult, colors: Palette) -> Iterator[str]:
    """The source that is shown, as in the answer's text; `inspection_notes` has the rest of that."""
    lines = result.text.split("\n")
    missing = len(_missing(result))
    # Before the source the text counts what is missing, and an empty line follows; after it comes what is.
    for line in lines[2 : len(lines) - missing] if missing else lines:
        row = _SOURCE_ROW.fullmatch(line)
        if row is not None:
            number, mark, source = row.groups()
            shown = f"{colors.occurrence}{mark}{colors.end}" if mark == ">" else mark
            yield f"{colors.number}{number}{colors.end}{shown} {source}"
        elif line and not line.startswith(" "):
            place, _, symbol = line.partition("  ")
            yield f"{colors.path}{place}{colors.end}  {symbol}"
        else:
            yield _with_commands(line, result)


def inspection_notes(result: InspectResult) -> Iterator[str]:
    """Why places are not shown."""
    if missing := _missing(result):
        lines = result.text.split("\n")
        yield from (_with_commands(line, result) for line in lines[-len(missing) :])


def _missing(result: InspectResult) -> list[Inspection]:
    return [inspection for inspection in result.inspections if inspection.outcome != "returned"]


def _with_commands(line: str, result: InspectResult) -> str:
    """`line` with requests of the protocol as they are made in a terminal."""
    for inspection in result.inspections:
        for retry in filter(None, (inspection.retry, inspection.retry_before)):
            place = shlex.quote(f"{inspection.path}:{retry['line']}")
            line = line.replace(call("sg.inspect", **retry), f"sg-server inspect {place}")
    return line


def health_lines(health: Health) -> Iterator[str]:
    """A report for people: versions, then what is wrong and how to put it right."""
    yield f"signal-grep {health.server}, Python {health.python}, {health.platform}"
    yield f"rg     {_program(health.rg)}"
    yield f"ctags  {_program(health.ctags)}"
    yield f"tree-sitter {health.tree_sitter.version or 'not found'}: {_languages(health.tree_sitter)}"
    if health.store is not None:
        store = health.store
        yield f"store  {store.program} at {plain(store.place)}: {store.entries:,} to read"
    if health.summaries is not None:
        yield f"summaries by {plain(health.summaries.model)} at {plain(health.summaries.url)}"
    for problem in health.problems:
        yield ""
        yield f"{problem.code}: {problem.message}"
        yield f"  {problem.hint}"
    if not health.problems:
        yield "Everything is in place."


def _languages(tree_sitter: TreeSitterCapabilities) -> str:
    missing = f"; no grammar for {', '.join(tree_sitter.missing)}" if tree_sitter.missing else ""
    return (", ".join(tree_sitter.languages) or "no language") + missing


def _program(program: Program) -> str:
    if program.path is None:
        return "not found"
    return f"{program.version or 'cannot be used'} ({program.path}, by {program.found})"
