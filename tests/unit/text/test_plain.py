import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.plain import call, counted, plain

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(texts)
def test_plain_text_stays_on_one_line_and_keeps_its_length(text: str) -> None:
    assert len(plain(text)) == len(text)
    assert len(plain(text).splitlines()) <= 1


def test_plain_text_shows_control_characters_as_pictures() -> None:
    assert plain("a\tb\x1b[31m\r") == "a\tb\N{SYMBOL FOR ESCAPE}[31m\N{SYMBOL FOR CARRIAGE RETURN}"


@given(texts)
def test_a_call_takes_one_line_and_holds_the_request(text: str) -> None:
    command, _, argument = call("sg.inspect", path=text, line=3).partition(" ")
    assert command == "sg.inspect"
    assert len(argument.splitlines()) == 1
    assert json.loads(argument) == {"path": text, "line": 3}


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [
        (0, "match", "0 matches"),
        (1, "match", "1 match"),
        (1_200, "file", "1,200 files"),
        (2, "pass", "2 passes"),
    ],
)
def test_nouns_go_with_their_counts(count: int, noun: str, words: str) -> None:
    assert counted(count, noun) == words
