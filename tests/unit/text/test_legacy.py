import pytest

from sg_server.text.legacy import decoded


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("windows-1252", b"caf\xe9 \x80", "café €"),
        ("shift_jis", "漢字ｶﾅ".encode("cp932"), "漢字ｶﾅ"),
        ("euc-kr", "한국어 똠".encode("cp949"), "한국어 똠"),
        ("gbk", "汉字".encode("gbk"), "汉字"),
        ("gb18030", "汉字𝄞".encode("gb18030"), "汉字𝄞"),
        ("big5", "漢字".encode("big5"), "漢字"),
        ("euc-jp", "漢字ｶﾅ".encode("euc_jp"), "漢字ｶﾅ"),
        ("iso-2022-jp", "漢字 a".encode("iso2022_jp"), "漢字 a"),
    ],
)
def test_text_is_decoded(name: str, data: bytes, text: str) -> None:
    assert decoded(data, name) == text


def test_a_byte_that_windows_leaves_undefined_is_a_control_character() -> None:
    assert decoded(b"\x81", "windows-1252") == "\x81"


def test_an_undefined_byte_elsewhere_is_a_replacement_character() -> None:
    assert decoded(b"\xd2", "windows-1253") == "\ufffd"


def test_an_ascii_byte_after_a_lead_byte_is_kept() -> None:
    assert decoded(b"\x81\n", "shift_jis") == "\ufffd\n"


def test_an_undefined_pair_is_one_replacement_character() -> None:
    assert decoded(b"\x85\xa0!", "shift_jis") == "\ufffd!"


def test_characters_of_vendors_are_decoded_in_euc_jp() -> None:
    assert decoded(b"\xad\xa1\xf9\xa1", "euc-jp") == "①纊"


def test_an_error_far_into_a_text_does_not_disturb_what_surrounds_it() -> None:
    text = "漢字" * 700
    data = text.encode("cp932")
    assert decoded(data + b"\x85\xa0" + data, "shift_jis") == f"{text}\ufffd{text}"


def test_a_text_of_errors_alone_is_decoded() -> None:
    assert decoded(b"\x85\xa0" * 5000, "shift_jis") == "\ufffd" * 5000
