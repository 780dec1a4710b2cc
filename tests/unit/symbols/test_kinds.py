import pytest

from sg_server.symbols.kinds import _KINDS, _WORDS, FIRST_KINDS, SymbolKind, kind_of, understood


@pytest.mark.parametrize(
    ("language", "word", "kind"),
    [
        ("Python", "class", SymbolKind.CLASS),
        ("Python", "member", SymbolKind.METHOD),
        ("C", "member", SymbolKind.FIELD),
        ("C", "macro", SymbolKind.CONSTANT),
        ("Rust", "macro", SymbolKind.FUNCTION),
        ("C", "enumerator", SymbolKind.ENUM_MEMBER),
        ("Java", "enumConstant", SymbolKind.ENUM_MEMBER),
        ("C++", "namespace", SymbolKind.NAMESPACE),
        ("TypeScript", "alias", SymbolKind.CLASS),
        ("Sh", "alias", SymbolKind.FUNCTION),
        ("Ruby", "singletonMethod", SymbolKind.METHOD),
        ("Kotlin", "object", SymbolKind.OBJECT),
        ("Make", "target", SymbolKind.FUNCTION),
        ("Markdown", "chapter", SymbolKind.STRING),
        ("JSON", "boolean", SymbolKind.BOOLEAN),
        ("Go", "packageName", SymbolKind.PACKAGE),
        ("Rust", "trait", SymbolKind.INTERFACE),
    ],
)
def test_a_providers_word_has_the_kind_that_an_editor_shows(
    language: str, word: str, kind: SymbolKind
) -> None:
    assert kind_of(word, language) is kind


def test_a_word_that_is_not_known_is_a_variable() -> None:
    assert kind_of("whatnot", "Klingon") is SymbolKind.VARIABLE


def test_every_word_stands_once() -> None:
    words = [word for listed in _WORDS.values() for word in listed.split()]
    assert len(words) == len(_KINDS)
    assert words == [word.lower() for word in words]


def test_every_kind_has_one_that_the_oldest_client_knows() -> None:
    assert {understood(kind, FIRST_KINDS) for kind in SymbolKind} == FIRST_KINDS


def test_a_kind_that_the_client_knows_stays() -> None:
    assert understood(SymbolKind.STRUCT, frozenset(SymbolKind)) is SymbolKind.STRUCT
