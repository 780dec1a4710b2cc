import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server.text.encodings import is_known_label, searched_text, without_lone_surrogates
from tests.strategies import searched_texts


@given(searched_texts().filter(lambda data: not data.startswith(b"\xef\xbb\xbf")))
def test_text_without_a_bom_is_searched_as_it_is(data: bytes) -> None:
    assert searched_text(data) == data


@given(st.text(), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_with_a_bom_is_searched_as_utf8(text: str, codec: str) -> None:
    assert searched_text("\ufeff".encode(codec) + text.encode(codec)) == text.removeprefix("\ufeff").encode()


def test_a_utf8_bom_is_not_searched() -> None:
    assert searched_text(b"\xef\xbb\xbfa\xff\n") == b"a\xff\n"


def test_none_leaves_even_a_bom() -> None:
    assert searched_text(b"\xff\xfea\0", "none") == b"\xff\xfea\0"


def test_a_lone_surrogate_is_searched_as_a_replacement_character() -> None:
    assert searched_text(b"\xff\xfea\0\x3d\xd8b\0") == "a\ufffdb".encode()


def test_an_unknown_label_is_an_error() -> None:
    with pytest.raises(LookupError, match="klingon"):
        searched_text(b"a", "klingon")


@pytest.mark.parametrize("label", ["auto", "none", "latin1", "UTF-8", " sjis ", "utf-16"])
def test_labels_of_ripgrep_are_known(label: str) -> None:
    assert is_known_label(label)


@pytest.mark.parametrize(
    "label", ["", "AUTO", "None", "replacement", "hz-gb-2312", "klingon", "\u017fjis", "\ud800"]
)
def test_other_labels_are_not(label: str) -> None:
    assert not is_known_label(label)


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert without_lone_surrogates("a\ud800b\ud834\udd1e\udc00") == "a\ufffdb𝄞\ufffd"


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_text_without_lone_surrogates_is_left_alone(text: str) -> None:
    assert without_lone_surrogates(text) == text
