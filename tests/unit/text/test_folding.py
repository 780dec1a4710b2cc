import sys
from functools import cache
from hashlib import sha256

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from regex import _regex

from sg_server.text.folding import fold, trigrams

EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


@cache
def variants() -> dict[str, frozenset[str]]:
    """Per code point with a sibling, all that `regex` compiles it to when case does not count."""
    flags = int(regex.IGNORECASE | regex.UNICODE)
    found = {}
    for code in range(sys.maxunicode + 1):
        cases = _regex.get_all_cases(flags, code)  # type: ignore[attr-defined]  # what it compiles with
        if len(cases) > 1:
            found[chr(code)] = frozenset(map(chr, cases))
    return found


def test_whatever_regex_takes_as_equal_folds_alike() -> None:
    assert len(variants()) > 2_800
    unlike = {
        one: other for one, siblings in variants().items() for other in siblings if fold(one) != fold(other)
    }
    assert not unlike


def test_regex_matches_no_more_than_it_says() -> None:
    for one in [*"kKsSiI", "å", "ß", "\u03c3", "\u03a3", "\xb5", "\u0130", "\u0131", "\u1e9e", "\ufb00"]:
        matched = set(regex.findall(regex.escape(one), EVERY, regex.IGNORECASE))
        assert matched == variants().get(one, {one}), ascii(one)


def test_the_fold_changes_only_what_has_another_case() -> None:
    folded = fold(EVERY)
    assert len(folded) == len(EVERY)
    changed = {one for one, other in zip(EVERY, folded, strict=True) if one != other}
    assert changed <= set(variants())
    assert fold(folded) == folded


def test_a_text_folds_as_its_code_points_do() -> None:
    ascii_only = EVERY[:128]
    assert fold(ascii_only) == "".join(fold(one + "é")[0] for one in ascii_only)


@pytest.mark.parametrize("one", ["I", "i", "\u0130", "\u0131"])
def test_all_four_of_i_fold_to_i(one: str) -> None:
    assert fold(one) == "i"


def test_ligatures_and_sharp_s_stay_one_code_point() -> None:
    assert fold("ßẞﬀ") == "ßßﬀ"


def test_the_fold_is_the_one_that_the_indexes_on_disk_were_made_with() -> None:
    answers = sha256(fold(EVERY).encode("utf-32-le", "surrogatepass")).hexdigest()
    assert answers.startswith("1e9cf17bbbf5c92c"), (
        "migrate the indexes of both back ends, then put the new digest here"
    )


@given(st.text(), st.text(), st.text(min_size=3))
def test_a_text_has_the_trigrams_of_all_its_parts(before: str, after: str, part: str) -> None:
    assert trigrams(fold(part)) <= trigrams(fold(before + part + after))


@given(st.text(max_size=2))
def test_a_text_shorter_than_three_has_none(text: str) -> None:
    assert not trigrams(text)
