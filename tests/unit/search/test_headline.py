import json

from hypothesis import given
from hypothesis import strategies as st

from sg_server.search.headline import names
from sg_server.text.plain import call, plain


@given(st.text())
def test_a_plain_text_is_one_line_and_as_long_as_it_was(text: str) -> None:
    shown = plain(text)
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(character) < 0x20 and character != "\t" for character in shown)


def test_control_characters_are_shown_as_their_pictures() -> None:
    assert plain("a\tb\r\n\x1b[0m\x7f\x85") == "a\tb␍␊␛[0m␡\ufffd"


@given(st.text())
def test_a_call_is_one_line_of_json(text: str) -> None:
    line = call("sg.page", path=text)
    assert len(line.splitlines()) == 1
    assert json.loads(line.removeprefix("sg.page ")) == {"path": text}


def test_some_names_are_given_and_the_rest_is_counted() -> None:
    assert names(("a", "b")) == "a, b"
    assert names(tuple("abcdefg")) == "a, b, c, d, e and 2 more"
    assert names(("x" * 1_000,)) == "x" * 200
