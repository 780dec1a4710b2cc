"""Draw the first steps of the demo as the picture of the README.

Run it as: python -m examples.demo | python -m examples.picture > docs/images/demo.svg
"""

import re
import sys
from collections.abc import Iterable, Iterator
from html import escape

STEP_LINES = (10, 11, 17)
"""How many lines are drawn of each step; what follows is left out."""
COLUMNS = 112

LINE_HEIGHT, GAP_HEIGHT, PADDING, CHARACTER_WIDTH = 18, 10, 18, 7.83
WIDTH = round(COLUMNS * CHARACTER_WIDTH + 2 * PADDING)

PARTS = (
    # What a line is, and the class of each of its groups.
    (re.compile(r"(▸.*)"), ("ask",)),
    (re.compile(r"(\s*[\d,]+)(  \S.*)"), ("number", "path")),
    (re.compile(r"(\s+\d+:[\d,-]+ )(\[\d+\])(.*)"), ("number", "dim", "source")),
    (re.compile(r"(\s*\d+[->] ?)(.*)"), ("number", "source")),
    (re.compile(r"(\s*\d+  )(.*)"), ("dim", "source")),
    (re.compile(r"(\S+\.py\S*)((?: \[\d+\])?  .*)?"), ("path", "note")),
    (re.compile(r"(\s+\(\d+ ms\)|\s*…)"), ("dim",)),
    (re.compile(r"(.*)"), ("note",)),
)
STYLE = """\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.ask { fill: #7ee787; font-weight: 600; } .number { fill: #ffa657; } .path { fill: #79c0ff; }
.source { fill: #e6edf3; } .note { fill: #c9d1d9; } .dim { fill: #8b949e; }"""
BUTTONS = ("#ff5f57", "#febc2e", "#28c840")


def steps(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines of each step, from its request to the time it took."""
    step: list[str] = []
    for line in lines:
        if line.startswith("▸"):
            step = []
        step.append(line.rstrip("\n"))
        if re.fullmatch(r"\s+\(\d+ ms\)\n", line):
            yield step


def shortened(step: list[str], most: int) -> list[str]:
    """A step with at most so many lines before the time it took."""
    *lines, took = step
    return [*lines[:most], *(["     …"] if len(lines) > most else []), took]


def spans(line: str) -> str:
    """A line of a terminal as text of SVG."""
    cut = line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…"
    for pattern, classes in PARTS:
        if found := pattern.fullmatch(cut):
            parts = zip(classes, found.groups(default=""), strict=True)
            return "".join(f'<tspan class="{name}">{escape(part)}</tspan>' for name, part in parts if part)
    return ""


def picture(lines: Iterable[str]) -> Iterator[str]:
    """The lines of an SVG file."""
    body: list[str] = []
    y = PADDING + 34
    for step, most in zip(steps(lines), STEP_LINES, strict=False):
        y += GAP_HEIGHT if body else 0
        for line in shortened(step, most):
            if line:
                body.append(f'<text x="{PADDING}" y="{y}" xml:space="preserve">{spans(line)}</text>')
            y += LINE_HEIGHT if line else GAP_HEIGHT
    size = f'viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    yield "<title>A session with Signal Grep</title>"
    yield f"<style>\n{STYLE}\n</style>"
    yield f'<rect width="{WIDTH}" height="{y}" rx="10" fill="#0d1117"/>'
    yield from (f'<circle cx="{20 + 18 * n}" cy="18" r="5" fill="{fill}"/>' for n, fill in enumerate(BUTTONS))
    yield from body
    yield "</svg>"


if __name__ == "__main__":
    # All of it: the demo must not find its pipe closed.
    sys.stdout.writelines(f"{line}\n" for line in picture(list(sys.stdin)))
