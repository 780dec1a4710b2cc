import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.measure import Line, percentile, ratio, row

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (95, 4), (100, 4)])
def test_a_percentile_is_one_of_the_values(percent: int, value: int) -> None:
    assert percentile([4, 1, 3, 2], percent) == value


def test_a_ratio_is_of_medians_and_its_spread_of_pairs() -> None:
    line = ratio("x", [(2.0, 1.0), (3.0, 1.0), (9.0, 2.0)], goal=3.0, detail="")
    assert (line.value, line.spread, line.met) == (3.0, (2.0, 4.5), True)


def test_a_missed_goal_is_said() -> None:
    line = Line(name="x", value=2, unit="ms", goal=1, spread=(1, 3), detail="how")
    assert "MISS" in row(line)


def test_the_whole_bench_runs_on_a_small_tree(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(3):
        (corpus / f"f{number}.c").write_text(f"static int f{number}(void)\n{{\n\treturn {number};\n}}\n")
    out = tmp_path / "bench.json"
    argv: list[str | Path] = [
        sys.executable,
        "-m",
        "tests.bench",
        "--corpus",
        corpus,
        "--out",
        out,
        "--repeat",
        "1",
    ]
    run = subprocess.run(argv, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    numbers = json.loads(out.read_bytes())
    names = {line["name"] for line in numbers["lines"]}
    assert {"search: no match", "search: 3 files just written", "page of 20", "grep: rare literal"} <= names
    assert all(name in run.stdout for name in names)
