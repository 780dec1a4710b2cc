import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from examples.picture import COLUMNS, picture

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    """One of the examples, from the root of the checkout, as its documentation says."""
    command = [sys.executable, "-m", *argv]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60)


def test_the_example_searches_pages_and_inspects(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("def greet(name):\n    hello = 'hello ' + name\n    return hello\n")
    done = run("examples.search_page_inspect", tmp_path, "hello")
    assert (done.returncode, done.stderr) == (0, "")
    assert "app.py" in done.stdout
    assert "greet" in done.stdout


def test_the_example_ends_well_when_nothing_matches(tmp_path: Path) -> None:
    done = run("examples.search_page_inspect", tmp_path, "hello")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_shows_every_step() -> None:
    done = run("examples.demo")
    assert (done.returncode, done.stderr) == (0, "")
    for command in ("sg.search", "sg.page", "sg.inspect", "sg.health"):
        assert command in done.stdout


def test_the_demo_can_be_drawn() -> None:
    demo = run("examples.demo").stdout
    drawn = ET.fromstring("\n".join(picture(demo.splitlines(keepends=True))))  # noqa: S314 - our own
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0].startswith("▸ sg.search")
    assert any(re.match(r" *\d+> ", text) for text in texts)
    assert max(map(len, texts)) <= COLUMNS
