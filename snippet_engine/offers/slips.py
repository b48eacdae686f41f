"""What it counts that one word stands where another one was sent.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from snippet_engine.csharp.lexical.keywords import RESERVED_WORDS

_ALIKE_WORDS = 0.8
"""From which ratio on, of ``difflib``, several words are a slip of the pen for others."""
_VALUES = frozenset((b"true", b"false", b"null", b"this", b"base"))
_BRACKETS = frozenset("(){}[]")
_NUMBER = re.compile(r"\d+")
_CASE = 0.25
"""What a letter's case counts, if a wrong token is one."""


def cost_of(old: Sequence[str], new: Sequence[str]) -> tuple[float, list[str], list[str]]:
    """What a difference costs, in tokens; then the names in it that aren't slips of the pen, and
    those that may be some."""
    if not old or not new:
        return float(len(old) + len(new)), [], []
    if len(old) != len(new):
        if is_slip("".join(old), "".join(new), _ALIKE_WORDS):
            return 1.0, [], []
        return float(max(len(old), len(new))), [each for each in old if is_name(each)], []
    cost = 0.0
    names: list[str] = []
    slips: list[str] = []
    for one, other in zip(old, new, strict=True):
        same = one.casefold() == other.casefold()
        cost += _CASE if same else 1.0
        if same:
            continue
        if is_slip(one, other):
            if is_name(one):
                slips.append(one)
        # A bracket is as good as a name: another one means another place.
        elif is_name(one) or one in _BRACKETS or other in _BRACKETS:
            names.append(one)
    return cost, names, slips


def is_flipped(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether one of two truth values stands in the other's stead: that is another statement."""
    pairs = zip(old, new, strict=False)
    return len(old) == len(new) and any({*pair} == {"true", "false"} for pair in pairs)


def is_name(word: str) -> bool:
    """Whether a token is a name or a value: neither a sign nor a keyword."""
    return is_word(word[0]) and word.encode() not in RESERVED_WORDS - _VALUES


def is_identifier(word: str) -> bool:
    """Whether a token is a name that somebody gave."""
    return is_word(word[0]) and not word[0].isdigit() and word.encode() not in RESERVED_WORDS


def is_slip(one: str, other: str, alike: float = 0.6) -> bool:
    """Whether one word is a slip of the pen for the other; another number never is."""
    if one[:1].isdigit() or other[:1].isdigit():
        return False
    # Test1 and Test2 are two names; somebody counted.
    if _NUMBER.sub("", one) == _NUMBER.sub("", other) and one != other:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= alike


def is_word(character: str) -> bool:
    """Whether a character is one of words and numbers."""
    return character.isalnum() or character == "_"
