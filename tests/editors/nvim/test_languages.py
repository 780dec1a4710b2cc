import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.neovim import PLUGIN, Neovim
from tests.server.wire import write_files

LITERAL = re.compile(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"")
COMMENT = re.compile(r"--.*")
PLACEHOLDER = re.compile(r"\{(\w+)\}")
NAMES = {"Signal Grep", " Signal Grep ", "Library/Application Support", "botright copen"}
# Told by Neovim itself, where it lists commands and autocommands: as its own help, in English.
DESCRIPTION = re.compile(r"\bdesc = '[^']*'|^end, '[^']*'\)$", re.MULTILINE)


def texts(catalogue: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, text in catalogue.items():
        if isinstance(text, str):
            yield prefix + name, text
        else:
            yield from texts(text, f"{name}.")


def catalogues(nvim: Neovim) -> tuple[dict[str, str], dict[str, str]]:
    english, chinese = (
        dict(texts(nvim.lua(f"return require('signal_grep.languages.{name}')"))) for name in ("en", "zh_CN")
    )
    return english, chinese


def sources() -> list[Path]:
    files = sorted(PLUGIN.rglob("*.lua"))
    return [file for file in files if file.parent.name != "languages"]


def test_both_languages_say_the_same_with_the_same_values(nvim: Neovim) -> None:
    english, chinese = catalogues(nvim)
    assert english.keys() == chinese.keys()
    for name, text in english.items():
        assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(chinese[name])), name
        assert text.strip()
    same = {name for name in english if english[name] == chinese[name]}
    assert {
        name for name in same if any(character in string.ascii_letters for character in english[name])
    } == set()


def test_every_text_is_used_and_every_used_text_is_there(nvim: Neovim) -> None:
    english, _ = catalogues(nvim)
    code = "".join(file.read_text("utf-8") for file in sources())
    used = set(re.findall(r"\btext\('(\w+)'", code))
    assert used <= english.keys()
    groups = set(re.findall(r"\bmeaning\('(\w+)'", code))
    counted = {
        f"{noun}_{number}" for noun in re.findall(r"\bcount\('(\w+)'", code) for number in ("one", "many")
    }
    assert {name for name in english if name.partition(".")[0] not in groups} == used | counted


def test_no_words_stand_outside_the_languages() -> None:
    for file in sources():
        code = DESCRIPTION.sub("", COMMENT.sub("", file.read_text("utf-8")))
        for match in LITERAL.finditer(code):
            literal = match[1] or match[2] or ""
            is_name = literal in NAMES
            assert is_name or not re.search(r"[a-z]{2,} +[a-z]{2,}", literal, re.IGNORECASE), (file, literal)


def test_people_are_spoken_to_in_the_language_they_chose(start: Start, project: Path) -> None:
    write_files(project, {"a.txt": "needle\n", "b.txt": "needle\n"})
    nvim = start(chosen={"locale": "zh-CN"})
    nvim.command("SignalGrep needle")
    nvim.until("vim.fn.getqflist({ size = 0 }).size == 2")
    assert nvim.title.endswith("needle · 2 个文件中有 2 处匹配")
    nvim.command("SignalGrep (")
    nvim.until("vim.fn.execute('messages'):find('请求无效', 1, true)")
    nvim.command("checkhealth signal_grep")
    assert "搜索范围" in nvim.lua("return table.concat(vim.fn.getline(1, '$'))")
    nvim.command("SignalGrepLanguage en")
    nvim.until("vim.fn.execute('messages'):find('people are spoken to in English', 1, true)")
    nvim.command("SignalGrep needle")
    nvim.until("vim.fn.getqflist({ title = 0 }).title == 'Signal Grep: needle · 2 matches in 2 files'")
    assert '"locale":"en"' in Path(nvim.lua("return vim.env.SG_CONFIG")).read_text("utf-8").replace(" ", "")


def test_the_first_words_are_in_the_chosen_language_without_a_server(start: Start) -> None:
    nvim = start(["no-such-server"], chosen={"locale": "zh-CN"})
    nvim.lua("pcall(vim.cmd, 'SignalGrep needle')")
    assert "无法运行 no-such-server" in nvim.messages
