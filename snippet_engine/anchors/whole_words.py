"""Check word boundaries: a match may be a part of a longer word.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

from snippet_engine.source_text import TextRange


def is_word(character: str) -> bool:
    """Whether a character can be a part of a word or number."""
    return character.isalnum() or character == "_"


def cuts_word(view: str, place: TextRange) -> bool:
    """Whether ``place`` begins or ends within a word. An empty place never does."""
    return place.start < place.end and any(is_in_word(view, at) for at in place)


def is_in_word(view: str, at: int) -> bool:
    """Whether ``at`` is inside a word."""
    return 0 < at < len(view) and is_word(view[at - 1]) and is_word(view[at])


_MAX_NAME = 512
"""The longest name that the compiler accepts."""


def word_around(view: str, at: int) -> TextRange:
    """Return the word that ``at`` is inside; empty if it isn't inside a word."""
    start = end = at
    if is_in_word(view, at):
        while start > 0 and at - start < _MAX_NAME and is_word(view[start - 1]):
            start -= 1
        while end < len(view) and end - at < _MAX_NAME and is_word(view[end]):
            end += 1
    return TextRange(start, end)
