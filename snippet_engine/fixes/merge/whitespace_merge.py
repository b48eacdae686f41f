"""Merge white space, spelling and literals between tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.search.tokens import Hunk, Token


class UnclearError(Exception):
    """The result of a change is unclear."""


_PARTNERS = str.maketrans("“”‘’«»‹›", "”“’‘»«›‹")


def matched(count: int, found: Sequence[Hunk]) -> list[int | None]:
    """Return each token's counterpart by its index; ``None`` for tokens in a hunk."""
    counterparts: list[int | None] = []
    other = 0
    for hunk in found:
        counterparts += range(other, other + hunk.start - len(counterparts))
        counterparts += [None] * (hunk.end - hunk.start)
        other = hunk.other_end
    counterparts += range(other, other + count - len(counterparts))
    return counterparts


def spelling_of(
    base: Sequence[Token], theirs: Sequence[Token], counterparts: Sequence[int | None]
) -> dict[int, str]:
    """Map characters that the agent sent to the file's, such as a curly quote to a plain one.

    The keys are code points, for ``str.translate``.
    """
    known: dict[int, str] = {}
    for token, at in zip(base, counterparts, strict=True):
        if at is not None and len(token.text) == len(theirs[at].text):
            for sent, standing in zip(token.text, theirs[at].text, strict=True):
                if sent != standing:
                    known[ord(sent)] = standing
                    known.setdefault(ord(sent.translate(_PARTNERS)), standing)
    return known


_LITERAL = re.compile(
    r'(?P<raw>"{3,})(?:(?!(?P=raw)).)*(?P=raw)"*'
    r'|(?:@\$?|\$@)"(?:[^"]|"")*"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)'"
    r"|//[^\n]*|/\*(?:(?!\*/).)*\*/",
    re.DOTALL,
)
"""A literal or comment. A quotation mark inside a comment begins no literal."""


def literals_in(text: str) -> list[tuple[int, int]]:
    """Return ``[start, end)`` of each string or character literal of ``text``."""
    return [each.span() for each in _LITERAL.finditer(text) if not each.group().startswith("/")]


def is_in_literal(token: Token, literals: Sequence[tuple[int, int]]) -> bool:
    """Whether the white space before a token belongs to one of the ``literals``."""
    return any(start < token.start < end for start, end in literals)


def ends_in_literal(text: str) -> bool:
    """Whether a text begins or ends within a string literal."""
    return '"' in _LITERAL.sub("", text)


def outside_literals(text: str, change: Callable[[str], str]) -> str:
    """Return ``text`` with ``change`` applied to everything except literals and comments."""
    pieces: list[str] = []
    done = 0
    for kept in _LITERAL.finditer(text):
        pieces += (change(text[done : kept.start()]), kept.group())
        done = kept.end()
    pieces.append(change(text[done:]))
    return "".join(pieces)


def runs_together(left: str, gap: str, right: str) -> bool:
    """Whether two words would become one because nothing is between them."""
    return not gap and is_word(left[-1:]) and is_word(right[:1])


def has_no_break_space(tokens: Sequence[Token]) -> bool:
    """Whether the white space between tokens includes a no-break space."""
    return any("\u00a0" in each.gap for each in tokens)
