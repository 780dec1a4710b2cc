"""Numbers from repeated runs: how they are taken and how they are summed up."""

import math
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

Timed = Callable[[], Awaitable[object]]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the report. `goal` is the most that `value` should be."""

    name: str
    value: float
    unit: str
    goal: float
    spread: tuple[float, float]
    """Least and most that one repetition gave."""
    detail: str

    @property
    def met(self) -> bool:
        return self.value <= self.goal


async def seconds(run: Timed) -> float:
    started = time.perf_counter()
    await run()
    return time.perf_counter() - started


async def pairs(ours: Timed, theirs: Timed, repetitions: int) -> list[tuple[float, float]]:
    """Seconds of both, turn about, after one unmeasured round that warms caches."""
    await theirs()
    await ours()
    taken = []
    for _ in range(repetitions):
        reference = await seconds(theirs)
        taken.append((await seconds(ours), reference))
    return taken


def ratio(name: str, taken: Sequence[tuple[float, float]], goal: float, detail: str) -> Line:
    """Our median time against the reference's; the spread is of the single pairs."""
    ours, reference = (statistics.median(side) for side in zip(*taken, strict=True))
    each = [mine / other for mine, other in taken]
    return Line(
        name=name,
        value=ours / reference,
        unit="x",
        goal=goal,
        spread=(min(each), max(each)),
        detail=f"{ours:.3f} s against {reference:.3f} s; {detail}",
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest of `values` that `percent` per cent of them do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def latency(name: str, taken: Sequence[float], goal: float, detail: str) -> Line:
    """The 95th percentile, in milliseconds; `taken` is in seconds."""
    milliseconds = [1000 * value for value in taken]
    middle = statistics.median(milliseconds)
    return Line(
        name=name,
        value=percentile(milliseconds, 95),
        unit="ms",
        goal=goal,
        spread=(min(milliseconds), max(milliseconds)),
        detail=f"p95; p50 {middle:.1f} ms, {len(taken)} times; {detail}",
    )


HEADING = f"{'measured':<32} {'value':>9} {'goal':>9}      {'spread':^17}  how"


def row(line: Line) -> str:
    """One line of the report for a terminal, under HEADING."""
    value, goal = (f"{number:>6.2f} {line.unit:<2}" for number in (line.value, line.goal))
    spread = f"{line.spread[0]:.2f} to {line.spread[1]:.2f}"
    return f"{line.name:<32} {value} {goal} {'ok' if line.met else 'MISS':<4} {spread:>17}  {line.detail}"
