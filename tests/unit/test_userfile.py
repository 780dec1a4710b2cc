import codecs
import json
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sg_server.errors import ConfigInvalid, ConfigUnavailable
from sg_server.userfile import DEFAULT, UserConfig, UserFile, file_path

OVERRIDE = {"overrideBuiltinGrep": True, "startMetricsOnNextLoad": False}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "signal-grep.json"


def written(path: Path, content: Any) -> UserFile:
    path.parent.mkdir(exist_ok=True)
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return UserFile(str(path))


def chinese(config: UserConfig) -> UserConfig:
    return msgspec.structs.replace(config, locale="zh-CN")


def override(config: UserConfig) -> UserConfig:
    return msgspec.structs.replace(config, override_builtin_grep=True)


def test_without_a_file_the_mode_is_additive_and_the_language_english(path: Path) -> None:
    config = UserFile(str(path)).read()
    assert (config.override_builtin_grep, config.start_metrics_on_next_load, config.locale) == (
        False,
        False,
        "en",
    )
    assert not path.exists()


def test_an_older_file_without_a_locale_is_english(path: Path) -> None:
    assert written(path, OVERRIDE).read() == override(DEFAULT)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("[]", "object"),
        ("null", "object"),
        (b'{"locale": "\xff"}', "JSON"),
        ({}, "overrideBuiltinGrep"),
        ({"overrideBuiltinGrep": True}, "startMetricsOnNextLoad"),
        ({**OVERRIDE, "overrideBuiltinGrep": 1}, "overrideBuiltinGrep"),
        ({**OVERRIDE, "overrideBuiltinGrep": None}, "overrideBuiltinGrep"),
        ({**OVERRIDE, "startMetricsOnNextLoad": "yes"}, "startMetricsOnNextLoad"),
        ({**OVERRIDE, "locale": "fr"}, "fr"),
        ({**OVERRIDE, "locale": None}, "locale"),
        ({**OVERRIDE, "theme": "dark"}, "theme"),
        ({"overrideBuiltinGrep": False, "startMetricsOnNextLoad": True}, "startMetricsOnNextLoad"),
        (f'{{"locale": "{"x" * 70_000}"}}', "too large"),
    ],
)
def test_a_file_that_is_not_valid_is_refused_and_left_alone(path: Path, content: Any, said: str) -> None:
    file = written(path, content)
    before = path.read_bytes()
    for use in (file.read, lambda: file.update(chinese)):
        with pytest.raises(ConfigInvalid, match=said):
            use()
    assert path.read_bytes() == before
    assert not (path.parent / "signal-grep.json.new").exists()


def test_a_byte_order_mark_is_passed_over(path: Path) -> None:
    file = written(path, OVERRIDE)
    path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    assert file.read() == override(DEFAULT)


def test_an_update_changes_one_field_and_keeps_the_others(path: Path) -> None:
    file = UserFile(str(path))
    file.update(override)
    before, after = file.update(chinese)
    assert (before, after) == (override(DEFAULT), chinese(override(DEFAULT)))
    assert json.loads(path.read_text()) == {**OVERRIDE, "locale": "zh-CN"}


def test_an_update_that_changes_nothing_writes_nothing(path: Path) -> None:
    UserFile(str(path)).update(lambda config: config)
    assert not path.exists()


def test_the_permissions_of_the_file_are_kept(path: Path) -> None:
    file = written(path, OVERRIDE)
    path.chmod(0o640)
    file.update(chinese)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_is_for_its_owner_alone(path: Path) -> None:
    UserFile(str(path)).update(chinese)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_one_and_what_it_leads_to_is_written(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "sg.json"
    target.parent.mkdir()
    written(target, OVERRIDE)
    path.parent.mkdir()
    path.symlink_to(target)
    UserFile(str(path)).update(chinese)
    assert path.is_symlink()
    assert json.loads(target.read_text())["locale"] == "zh-CN"
    assert sorted(os.listdir(path.parent)) == ["signal-grep.json"]


def test_writers_that_write_at_once_lose_nothing(path: Path) -> None:
    changes = [override, chinese] * 10
    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda change: UserFile(str(path)).update(change), changes))
    assert UserFile(str(path)).read() == chinese(override(DEFAULT))


def test_a_writer_that_is_killed_before_it_is_done_leaves_the_old_file_and_no_lock(path: Path) -> None:
    file = written(path, OVERRIDE)
    script = (
        "import os, signal, sys, msgspec\n"
        "from sg_server.userfile import UserFile\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "UserFile(sys.argv[1]).update(lambda config: msgspec.structs.replace(config, locale='zh-CN'))\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False, timeout=30)
    assert killed.returncode == -signal.SIGKILL
    staged = path.parent / "signal-grep.json.new"
    assert json.loads(staged.read_text())["locale"] == "zh-CN"
    assert file.read() == override(DEFAULT)
    file.update(chinese)
    assert file.read() == chinese(override(DEFAULT))
    assert not staged.exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(path, OVERRIDE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigUnavailable, match="No space left on device"):
        file.update(chinese)
    assert file.read() == override(DEFAULT)
    assert not (path.parent / "signal-grep.json.new").exists()


def test_a_file_that_cannot_be_read_is_not_a_missing_one(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ConfigUnavailable, match="cannot be read"):
        UserFile(str(path)).read()


def test_the_environment_names_the_file() -> None:
    assert file_path({"SG_CONFIG": "/somewhere/sg.json"}) == os.path.abspath("/somewhere/sg.json")


def test_without_a_name_the_file_is_where_the_platform_keeps_configurations() -> None:
    path = file_path({"SG_CONFIG": ""})
    assert os.path.isabs(path)
    assert os.path.basename(path) == "signal-grep.json"
    assert "signal-grep" in os.path.dirname(path)
