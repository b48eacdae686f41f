"""Compare the names that a target and a place declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.fixes.search.token_cost import CLEARLY, is_identifier, is_longer_name, is_slip
from snippet_engine.fixes.search.tokens import Token, tokens_of

_BEHIND_NAME = frozenset((";", "=", ",", "(", "{", ":", "<"))
_BEHIND_TYPE = frozenset((">", "]", "?"))
_TYPE_WORDS = PREDEFINED_TYPES | {b"void", b"class", b"struct", b"interface", b"enum", b"namespace"}
_NO_TYPES = frozenset(("await", "yield", "and", "or", "not", "when", "select", "by", "where"))
"""Words that aren't reserved, and before a name are no type."""


def declares_another(sent: str, standing: str) -> bool:
    """Whether ``sent`` declares a name that ``standing`` doesn't have.

    A misspelled name, or one longer by a word, counts as the same.
    """
    words = [each.text for each in tokens_of(standing) if is_identifier(each.text or ";")]
    return not all(
        any(
            name.casefold() == word.casefold()
            or is_slip(name, word, CLEARLY)
            or is_longer_name(name, word)
            for word in words
        )
        for name in _declared(tokens_of(sent))
    )


def _declared(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names that a text declares outside brackets."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if depth or at == 0 or not is_identifier(token.text or ";"):
            continue
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        is_last = behind is None or behind.text in _BEHIND_NAME or behind.text == ""
        if (is_last or (behind is not None and "\n" in behind.gap)) and _is_type(tokens, at - 1):
            yield token.text


def _is_type(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token before a name ends a type, or is a keyword of a declaration."""
    token, gap = tokens[at].text, tokens[at + 1].gap
    if not gap:
        return False
    if token in _BEHIND_TYPE:
        # Set off by blanks, it is an operator, and so is an arrow.
        return at > 0 and not tokens[at].gap and tokens[at - 1].text != "="
    word = token.encode()
    if word in RESERVED_WORDS:
        return word in _TYPE_WORDS
    return is_identifier(token) and token not in _NO_TYPES
