"""What every answer of a search says first and last: totals, completeness, rules, how to go on."""

from collections.abc import Callable

from sg_server import limits
from sg_server.search.results import Budget, KeptOut, PartialReason, Rules
from sg_server.search.snapshots import Snapshot
from sg_server.text.plain import counted, plain

_NAMED_IN_TEXT = 5
_NAME_CHARACTERS = 200


def totals_line(snapshot: Snapshot) -> str:
    """The exact counts in a sentence, and whether they are all there is."""
    totals = snapshot.totals
    occurrences = (
        f" ({counted(totals.occurrences, 'occurrence')})" if totals.occurrences != totals.matches else ""
    )
    found = f"{counted(totals.matches, 'match')}{occurrences} in {counted(totals.files, 'file')}"
    complete = "" if snapshot.partial_reasons else "; complete"
    return f"{found}; {counted(totals.files_searched, 'file')} searched{complete}."


def completeness_lines(snapshot: Snapshot) -> list[str]:
    """What keeps this from being everything, or from being proven."""
    lines = [_PARTIAL[reason](snapshot) for reason in snapshot.partial_reasons]
    if snapshot.unverified_files:
        files = counted(snapshot.unverified_files, "file")
        lines.append(
            f"Unverified: {files} could not be proven unchanged since the search; "
            "matches and counts stand, context and source are refused."
        )
    return lines


def budget_lines(budget: Budget | None) -> list[str]:
    """What a scarce context window changed."""
    if budget is None or budget.tier == "full":
        return []
    left = f"Context is {budget.tier} ({budget.remaining_percent:g} % left)"
    return [f"{left}: this answer aims at {budget.token_target:,} tokens."]


def rules_line(rules: Rules) -> str:
    """The rules in force, for an answer that found nothing."""
    parts = [
        f"{rules.case} case",
        "hidden files searched" if rules.hidden else "hidden files skipped",
        "ignored files searched" if rules.ignored else "ignore files respected",
        "binary files searched as text" if rules.binary else "binary files skipped",
        "symbolic links followed" if rules.follow else "symbolic links not followed",
        ".git left out",
    ]
    if rules.max_file_size is not None:
        parts.append(f"files over {counted(rules.max_file_size, 'byte')} skipped")
    parts += [
        f"{kind}: {names(values)}"
        for kind, values in (
            ("globs", rules.globs),
            ("excludes", rules.excludes),
            ("file types", rules.file_types),
        )
        if values
    ]
    return f"Rules: {'; '.join(parts)}."


def kept_out_lines(kept_out: KeptOut | None) -> list[str]:
    """What an empty search's rules kept out."""
    if kept_out is None:
        return []
    lines: list[str] = []
    more = "" if kept_out.complete else " or more: there was no time to look at all"
    if kept_out.files or not kept_out.complete:
        files = counted(kept_out.files, "file")
        lines.append(f"Kept out by ignore, hidden and binary rules: {files}{more}.")
    if kept_out.matching:
        paths = tuple(file.path for file in kept_out.matching)
        lines += [
            f"The pattern is in files that were kept out: {names(paths)}.",
            'Search them with "ignored":true, "hidden":true or "binary":true, or name them in "path".',
        ]
    return lines


def names(paths: tuple[str, ...], total: int | None = None) -> str:
    """The first of `paths`, and how many more there are."""
    shown = [plain(path)[:_NAME_CHARACTERS] for path in paths[:_NAMED_IN_TEXT]]
    more = (len(paths) if total is None else total) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _retention(snapshot: Snapshot) -> str:
    totals = snapshot.totals
    return (
        f"PARTIAL (retention-limit): {totals.retained:,} of {totals.matches:,} matches are kept "
        "and can be shown; the counts are exact. Narrow the search to see the rest."
    )


def _unreadable(snapshot: Snapshot) -> str:
    at_least = "at least " if len(snapshot.unreadable_paths) == limits.NAMED_PATHS else ""
    paths = counted(len(snapshot.unreadable_paths), "path")
    return (
        f"PARTIAL (unreadable-path): {at_least}{paths} could not be read: {names(snapshot.unreadable_paths)}."
    )


def _oversized(snapshot: Snapshot) -> str:
    del snapshot
    return (
        "PARTIAL (oversized-line): some lines are too long to keep; they are counted, but have no row. "
        f"One record may take {limits.RECORD_BYTES // limits.MIB} MiB."
    )


def _binary(snapshot: Snapshot) -> str:
    return (
        "PARTIAL (binary-file): the search of these files ended at a NUL byte: "
        f'{names(snapshot.binary_files)}. Search with "binary":true to go on.'
    )


_PARTIAL: dict[PartialReason, Callable[[Snapshot], str]] = {
    "retention-limit": _retention,
    "unreadable-path": _unreadable,
    "oversized-line": _oversized,
    "binary-file": _binary,
}
