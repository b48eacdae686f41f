"""Where words begin and end: a place may be a part of a longer one.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

from snippet_engine.source_text import TextRange


def is_word(character: str) -> bool:
    """Whether a character is one of words and numbers."""
    return character.isalnum() or character == "_"


def cuts_word(view: str, place: TextRange) -> bool:
    """Whether a word goes on beyond ``place``, on either side. An empty place cuts none."""
    return place.start < place.end and any(
        0 < at < len(view) and is_word(view[at - 1]) and is_word(view[at]) for at in place
    )
