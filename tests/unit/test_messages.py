from collections.abc import Iterator
from string import Formatter

import msgspec
import pytest

from sg_server.lsp.commands import COMMANDS
from sg_server.messages import CHINESE, ENGLISH, MESSAGES, Counted, Messages, failure


def templates(messages: Messages) -> Iterator[tuple[str, str]]:
    """Every message with its path."""
    for name, value in msgspec.structs.asdict(messages).items():
        if isinstance(value, str):
            yield name, value
        else:
            parts = value if isinstance(value, dict) else msgspec.structs.asdict(value)
            yield from ((f"{name}.{part}", text) for part, text in parts.items())


def placeholders(template: str) -> set[tuple[str, str]]:
    return {(name, form or "") for _, name, form, _ in Formatter().parse(template) if name is not None}


def differing(name: str) -> bool:
    """Remedies in English are what errors say themselves."""
    return not name.startswith("remedies.")


def test_both_languages_have_the_same_messages_with_the_same_placeholders() -> None:
    english, chinese = (
        {name: placeholders(text) for name, text in templates(messages) if differing(name)}
        for messages in (ENGLISH, CHINESE)
    )
    assert english == chinese


def test_every_locale_has_its_messages() -> None:
    assert set(MESSAGES) == {"en", "zh-CN"}


@pytest.mark.parametrize("messages", MESSAGES.values(), ids=MESSAGES.keys())
def test_every_command_has_a_title_in_every_language(messages: Messages) -> None:
    assert {command.id for command in COMMANDS} <= set(messages.titles)
    assert all(messages.titles.values())


def test_every_chinese_message_is_chinese_and_none_of_the_english_is() -> None:
    for name, text in templates(ENGLISH):
        assert text.isascii(), name
    for name, text in templates(CHINESE):
        assert any("\u4e00" <= character <= "\u9fff" for character in text), name


def test_chinese_messages_end_and_pause_with_their_own_punctuation() -> None:
    for name, text in templates(CHINESE):
        shown = "".join(literal for literal, *_ in Formatter().parse(text))
        for mark in (",", "(", ")", ";", "?", "!"):
            assert mark not in shown, name


@pytest.mark.parametrize(
    ("counted", "one", "many"),
    [(ENGLISH.match, "1 match", "1,200 matches"), (CHINESE.file, "1 个文件", "1,200 个文件")],
)
def test_nouns_follow_their_numbers(counted: Counted, one: str, many: str) -> None:
    assert (counted(1), counted(1_200)) == (one, many)


def test_english_is_what_an_error_says_itself() -> None:
    assert failure(ENGLISH, "rg-failed", "no {x} of rg", "Try again.") == ("no {x} of rg", "Try again.")


def test_another_language_names_the_failure_and_keeps_the_detail() -> None:
    message, hint = failure(CHINESE, "cursor-expired", "this snapshot has been released", "Search again.")
    assert message.startswith("快照已失效")
    assert message.endswith("this snapshot has been released")
    assert hint == CHINESE.remedies["cursor-expired"]
