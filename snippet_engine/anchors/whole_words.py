"""Where words begin and end: a place may be a part of a longer one.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re

from snippet_engine.source_text import TextRange


def is_word(character: str) -> bool:
    """Whether a character is one of words and numbers."""
    return character.isalnum() or character == "_"


def cuts_word(view: str, place: TextRange) -> bool:
    """Whether a word goes on beyond ``place``, on either side. An empty place cuts none."""
    return place.start < place.end and any(is_in_word(view, at) for at in place)


def is_in_word(view: str, at: int) -> bool:
    """Whether a word goes on across ``at``."""
    return 0 < at < len(view) and is_word(view[at - 1]) and is_word(view[at])


_MAX_NAME = 512
"""The longest name that the compiler takes."""


def word_around(view: str, at: int) -> TextRange:
    """The word that goes on across ``at``; empty where none does."""
    start = end = at
    if is_in_word(view, at):
        while start > 0 and at - start < _MAX_NAME and is_word(view[start - 1]):
            start -= 1
        while end < len(view) and end - at < _MAX_NAME and is_word(view[end]):
            end += 1
    return TextRange(start, end)


_SIGN = re.compile(r"//|&&|\|\||\+\+|--|\?\?|\?\.|::|[-=]>|[-=!<>+*/%&|^]=")
"""Signs of two characters, and what begins a comment. ``>>`` may close two lists of types."""


def cuts_sign(view: str, place: TextRange) -> bool:
    """Whether a sign goes on beyond ``place``, on either side, as ``//`` does within ``///``."""
    return place.start < place.end and any(is_in_sign(view, at) for at in place)


def is_in_sign(view: str, at: int) -> bool:
    """Whether ``at`` is between the characters of a sign."""
    return at > 0 and _SIGN.match(view, at - 1) is not None


def splits_word(view: str, place: TextRange, new_text: str) -> bool:
    """Whether several words of ``new_text`` for a part of one would grow together with its rest."""
    start, end = place
    if new_text.isidentifier() or not view[start:end].isidentifier() or not new_text:
        return False
    ends = ((start, new_text[0], view[start - 1 : start]), (end, new_text[-1], view[end : end + 1]))
    return any(at and is_word(own) and beside and is_word(beside) for at, own, beside in ends)
