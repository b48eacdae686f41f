"""Where string literals are in a text that is only a part of a file.

Part of docs/design/engine.md §8: white space in them is what they say, whatever the file's is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from snippet_engine.offers.places.tokens import Token

_LITERAL = re.compile(
    r'(?P<raw>"{3,})(?:(?!(?P=raw)).)*(?P=raw)"*'
    r'|(?:@\$?|\$@)"(?:[^"]|"")*"'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)'"
    r"|//[^\n]*|/\*(?:(?!\*/).)*\*/",
    re.DOTALL,
)
"""A literal, or a comment, in which a quotation mark begins none."""

_LAST_WORD = re.compile(r"\w+\Z")


def literals_in(text: str) -> list[tuple[int, int]]:
    """Begin and end of each string or character literal of ``text``, in code points."""
    return [each.span() for each in _LITERAL.finditer(text) if not each.group().startswith("/")]


def is_in_literal(token: Token, literals: Sequence[tuple[int, int]]) -> bool:
    """Whether the white space before a token is a part of one of the ``literals``."""
    return any(start < token.start < end for start, end in literals)


def ends_in_literal(text: str) -> bool:
    """Whether a text has one end only of a string, which begins or ends beyond it."""
    return '"' in _LITERAL.sub("", text)


def rest_of_word(sent: str, new_text: str, standing: str) -> str:
    """What a word within a literal, with which ``standing`` ends, has more than that of ``sent``,
    where ``new_text`` ends within one, and otherwise; empty where that isn't so.

    The target may end within that word, though it has other mistakes.
    """
    cut, there = (_LAST_WORD.search(each) for each in (sent, standing))
    if cut is None or there is None or not there.group().startswith(cut.group()):
        return ""
    is_kept = new_text.endswith((cut.group(), there.group()))
    ends_within = ends_in_literal(sent) and ends_in_literal(new_text)
    return there.group()[len(cut.group()) :] if ends_within and not is_kept else ""


def outside_literals(text: str, change: Callable[[str], str]) -> str:
    """``text`` with ``change`` made to all of it but its literals and comments."""
    pieces: list[str] = []
    done = 0
    for kept in _LITERAL.finditer(text):
        pieces += (change(text[done : kept.start()]), kept.group())
        done = kept.end()
    pieces.append(change(text[done:]))
    return "".join(pieces)
