import contextlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.errors import InvalidParams
from sg_server.lsp.configuration import read_settings
from sg_server.lsp.schema import settings_table
from sg_server.settings import (
    ContextSettings,
    LogSettings,
    Settings,
    SnapshotSettings,
    SummarySettings,
    SymbolSettings,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"

EVERYTHING = {
    "exclude": ["*.min.js", "!dist/"],
    "hidden": False,
    "follow": True,
    "maxFileSize": 1_000_000,
    "threads": 4,
    "snapshots": {"count": 4, "bytes": limits.MIB, "idleSeconds": 60, "retainedRows": 100},
    "symbols": {"enabled": False},
    "context": {
        "grep": False,
        "navigate": True,
        "read": "auto",
        "maxMatches": 10,
        "maxContextLines": 2,
        "maxEntriesScanned": 50,
        "scanBytes": limits.MIB,
        "regexSeconds": 0.5,
        "scanSeconds": 3,
        "summaries": {
            "enabled": False,
            "minCharacters": 2_000,
            "timeoutSeconds": 30,
            "maxTokens": 60,
            "concurrency": 1,
        },
    },
    "log": {"level": "debug"},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)


def names(kind: Any, prefix: str = "") -> list[str]:
    """Every setting with its dots."""
    found = []
    for field in msgspec.structs.fields(kind):
        name = prefix + field.encode_name
        section = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        found += names(field.type, f"{name}.") if section else [name]
    return found


def nested(name: str, value: Any) -> Any:
    for part in reversed(name.split(".")):
        value = {part: value}
    return value


def refused(raw: Any) -> str:
    with pytest.raises(InvalidParams) as caught:
        read_settings(raw)
    return caught.value.message


def test_every_setting_can_be_made() -> None:
    settings, notices = read_settings(EVERYTHING)
    assert notices == ()
    assert settings == Settings(
        exclude=("*.min.js", "!dist/"),
        hidden=False,
        follow=True,
        max_file_size=1_000_000,
        threads=4,
        snapshots=SnapshotSettings(count=4, bytes=limits.MIB, idle_seconds=60, retained_rows=100),
        symbols=SymbolSettings(enabled=False),
        context=ContextSettings(
            grep=False,
            navigate=True,
            read="auto",
            max_matches=10,
            max_context_lines=2,
            max_entries_scanned=50,
            scan_bytes=limits.MIB,
            regex_seconds=0.5,
            scan_seconds=3,
            summaries=SummarySettings(
                enabled=False, min_characters=2_000, timeout_seconds=30, max_tokens=60, concurrency=1
            ),
        ),
        log=LogSettings(level="debug"),
    )


@pytest.mark.parametrize(
    "raw", [None, {}, [], {"snapshots": {}}, {"snapshots": []}, {"log": {"level": None}}]
)
def test_nothing_said_leaves_the_defaults(raw: Any) -> None:
    assert read_settings(raw) == (Settings(), ())


@pytest.mark.parametrize("name", names(Settings))
def test_null_is_the_same_as_leaving_out(name: str) -> None:
    assert read_settings(nested(name, None)) == (Settings(), ())


def test_what_is_left_out_is_not_kept_from_before() -> None:
    assert read_settings({"hidden": False})[0].threads is None


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"threads": 0}, "signalGrep.threads: given 0 (a number), accepted is an integer (1 to 256)"),
        ({"threads": "4"}, 'signalGrep.threads: given "4" (a string), accepted is an integer (1 to 256)'),
        (
            {"snapshots": {"count": 33}},
            "signalGrep.snapshots.count: given 33 (a number), accepted is an integer (1 to 32)",
        ),
        (
            {"context": {"regexSeconds": 0}},
            "signalGrep.context.regexSeconds: given 0 (a number), accepted is a number (more than 0, to 5.0)",
        ),
        ({"snapshots": 3}, "signalGrep.snapshots: given 3 (a number), accepted is an object"),
        (
            {"exclude": "*.js"},
            'signalGrep.exclude: given "*.js" (a string), accepted is an array of a string',
        ),
        ({"exclude": ["a", 1]}, "signalGrep.exclude[1]: given 1 (a number), accepted is a string"),
        ({"exclude": [""]}, "signalGrep.exclude: an empty string was given; leave the field out instead"),
        (
            {"exclude": ["\ud800"]},
            'signalGrep.exclude[0]: given "\ufffd" (a string), which holds half of a surrogate pair',
        ),
        (
            {"log": {"level": 3}},
            'signalGrep.log.level: given 3 (a number), accepted is "debug" or "error" or "info" or "warning"',
        ),
        (7, "signalGrep: given 7 (a number), accepted is an object"),
        ([1], "signalGrep: given [1] (an array), accepted is an object"),
    ],
)
def test_a_value_that_is_not_accepted_is_named(raw: Any, message: str) -> None:
    assert refused(raw) == message


def test_an_exclude_that_no_program_takes_is_refused() -> None:
    assert refused({"exclude": ["a\0b"]}).startswith("signalGrep.exclude: holds a NUL")


@pytest.mark.parametrize("name", names(Settings))
def test_no_setting_takes_an_object_that_means_nothing(name: str) -> None:
    assert refused(nested(name, {"x": 1})).startswith(f"signalGrep.{name}: given ")


def test_unknown_names_are_noticed_and_passed_over() -> None:
    settings, (misspelt, nested_one) = read_settings(
        {"thread": 2, "hidden": False, "snapshots": {"size": 1, "count": 2}}
    )
    assert settings == Settings(hidden=False, snapshots=SnapshotSettings(count=2))
    assert misspelt.startswith(
        "signalGrep.thread: unknown field; did you mean threads? accepted are exclude, "
    )
    assert nested_one == (
        "signalGrep.snapshots.size: unknown field; accepted are count, bytes, idleSeconds, retainedRows"
    )


@pytest.mark.parametrize(
    "name",
    [
        "rgPath",
        "ctagsPath",
        "context.store",
        "context.summaries.url",
        "context.summaries.model",
        "context.summaries.keyVariable",
        "context.summaries.prompt",
    ],
)
def test_what_is_run_written_or_sent_is_never_chosen_by_a_setting(name: str) -> None:
    settings, (notice,) = read_settings({**nested(name, "./evil"), "threads": 2})
    assert settings == Settings(threads=2)
    assert notice.startswith(f"signalGrep.{name}: not taken from here")
    assert notice.endswith(f"initializationOptions.{name}")


@given(JSON)
def test_whatever_a_client_says_is_settings_or_a_named_refusal(raw: Any) -> None:
    with contextlib.suppress(InvalidParams):
        assert read_settings(raw)[0] == Settings()
        return
    assert refused(raw).startswith("signalGrep")


def test_the_page_has_every_setting_as_the_code_does() -> None:
    table = settings_table()
    assert table in PAGE.read_text("utf-8")
    assert [line.split("`")[1] for line in table.splitlines()[2:]] == names(Settings)
