"""The cost of reading one token as another: misspellings, names, the file's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from snippet_engine import budget
from snippet_engine.anchors.whole_words import is_word
from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS
from snippet_engine.fixes.search.tokens import common_ends
from snippet_engine.source_text import SourceText

_WORD = re.compile(r"\w+")


class Words:
    """The words of one text, looked up when needed."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._view = source.view
        self._counts: dict[str, int] = {}
        self._standing: dict[str, bool] = {}

    def count(self, word: str) -> int:
        """Count the occurrences of ``word``, also within longer words."""
        if word not in self._counts:
            self._counts[word] = self._view.count(word)
        return self._counts[word]

    def stands(self, word: str) -> bool:
        """Whether ``word`` occurs as a whole word."""
        if word not in self._standing:
            self._standing[word] = self._is_there(word)
        return self._standing[word]

    def _is_there(self, word: str) -> bool:
        if not _WORD.fullmatch(word):
            return any(True for _ in self.places(word))
        # The cost is the same whether or not the file's words are cached.
        budget.spend_reading(len(self._view))
        return word in self._source.words

    def places(self, word: str, start: int = 0, end: int | None = None) -> Iterator[int]:
        """Yield where ``word`` occurs as a whole word, between ``start`` and ``end``."""
        view = self._view
        until = len(view) if end is None else end
        budget.spend_reading(until - start)
        at = view.find(word, start)
        while 0 <= at < until:
            budget.spend()
            after = at + len(word)
            is_cut = at > 0 and is_word(view[at - 1])
            if not (is_cut or is_word(view[after : after + 1])):
                yield at
            at = view.find(word, after)


_VALUES = frozenset((b"true", b"false", b"null", b"this", b"base"))
BRACKETS = frozenset("(){}[]")
_NUMBER = re.compile(r"\d+")
CLEARLY = 0.8
"""Lowest ``difflib`` ratio of two words at which one is clearly a misspelling of the other."""
_MAX_KEPT = 4_096
"""Pairs of words whose comparison is cached."""
_BESIDE = 3
"""How many letters on each side of a mistake identify it."""

# The cost table, in tokens. A mistake in the target counts twice as much as in the context.
CASE = 0.25
"""A word with other letter case."""
MISSPELLED = 0.5
"""A misspelled word, or a name that has got longer by a word."""
ANOTHER = 1.05
"""Another word in place of a word, or another sign in place of a sign."""
MORE = 1.0
"""A token that is in the file but wasn't sent."""
NEXT_MORE = 0.3
"""Each further added token in a row: a whole added line is about one mistake."""
ABSENT = 1.1
"""A token that was sent but isn't in the file here."""
NEXT_ABSENT = 0.3, 0.75
"""Each further missing token in a row, in the context and in the target."""
NUMBER = 2.0
"""Another number in place of a number: nobody mistakes numbers by chance."""
NEVER = 9.0
"""A word for a sign, one bracket for another, ``true`` for ``false``: it is another statement."""


@lru_cache(_MAX_KEPT)
def cost_of(one: str, other: str) -> float:
    """Return the cost of reading the token ``other`` for ``one``."""
    if one == other:
        return 0.0
    if one.casefold() == other.casefold():
        return CASE
    if is_word(one[0]) != is_word(other[0]) or {one, other} == {"true", "false"}:
        return NEVER
    if one in BRACKETS or other in BRACKETS:
        return NEVER
    if one[0].isdigit() or other[0].isdigit():
        return NUMBER
    return MISSPELLED if is_slip(one, other, CLEARLY) or is_longer_name(one, other) else ANOTHER


def is_name(word: str) -> bool:
    """Whether a token is a name or a value, not a sign or a keyword."""
    return is_word(word[0]) and word.encode() not in RESERVED_WORDS - _VALUES


def is_identifier(word: str) -> bool:
    """Whether a token is an identifier."""
    return is_word(word[0]) and not word[0].isdigit() and word.encode() not in RESERVED_WORDS


@lru_cache(_MAX_KEPT)
def is_slip(one: str, other: str, alike: float = 0.6) -> bool:
    """Whether one word is a misspelling of the other; a number never is."""
    if one[:1].isdigit() or other[:1].isdigit():
        return False
    # Names that differ only in their numbers, such as Test1 and Test2, are two names.
    if _NUMBER.sub("", one) == _NUMBER.sub("", other) and one != other:
        return False
    return is_alike(one, other, alike)


@lru_cache(_MAX_KEPT)
def is_alike(one: str, other: str, alike: float = 0.6) -> bool:
    """Whether two words share most of their letters, in the same order."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    # The first two ratios are cheap upper bounds that exclude most words.
    ratios = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
    return all(ratio() >= alike for ratio in ratios)


def is_longer_name(one: str, other: str) -> bool:
    """Whether ``other`` is the name ``one`` with a word added, as after a rename."""
    more = other[len(one) :]
    return len(one) > 1 and other.startswith(one) and more[:1].isupper() and len(more) > 1


def keeps_mistake(sent: str, standing: str, new: str) -> bool:
    """Whether ``new`` may repeat the misspelling ``sent`` of the word ``standing``.

    It doesn't if it has the file's spelling there, or misses the letters next to the mistake.
    """
    sent, standing, new = (f"\0{word.casefold()}\0" for word in (sent, standing, new))
    if sent == standing:
        return True  # Only the case is wrong.
    top, bottom = common_ends(sent, standing)
    left = sent[max(0, top - _BESIDE) : top]
    right = sent[len(sent) - bottom :][:_BESIDE]
    wrong, true = (word[top : len(word) - bottom] for word in (sent, standing))
    if right == "\0" and left + true in new:
        return False  # The sent word ends too soon; the new word goes on.
    # Two letters on each side identify a missing letter; one on each side an extra letter.
    if (left[-1:] + wrong + right[:1] if wrong else left[-2:] + right[:2]) in new:
        return True
    if true and len(left) == _BESIDE and left + true in new:
        return False  # The new word spells that part as the file does, and continues differently.
    at = new.find(left)
    return left + true + right not in new and at >= 0 and right in new[at + len(left) :]
