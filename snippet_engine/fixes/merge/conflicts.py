"""Decide how an agent's change and its mistake in the same text affect each other.

The agent's change leads from the sent target to the new text. Its mistakes are the differences
between the sent target and the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.search.token_cost import (
    BRACKETS,
    is_alike,
    is_longer_name,
    is_name,
    is_slip,
    keeps_mistake,
)
from snippet_engine.fixes.search.tokens import Hunk, Token, contains

_MOST_SUBSTITUTED = 3
"""Most tokens in a row that the agent may misremember where it replaces them."""
_SEPARATORS = frozenset(",;")
_SIGNS = frozenset("<>=!&|^+-*/%?")
"""Signs that form one operator if nothing is between them."""


class Conflict(Enum):
    """How a change and a mistake affect each other."""

    APART = 0
    AGREED = 1
    """The change corrects the mistake, or replaces it."""
    UNCLEAR = 2


def conflict_between(
    base: Sequence[Token],
    mine: Sequence[Token],
    theirs: Sequence[Token],
    mistake: Hunk,
    change: Hunk,
) -> Conflict:
    """Return how ``mistake`` and ``change`` affect each other.

    ``mistake`` is a hunk from ``base`` to ``theirs``, ``change`` one from ``base`` to ``mine``.
    """
    old = [each.text for each in base[mistake.start : mistake.end]]
    true = [each.text for each in theirs[mistake.other_start : mistake.other_end]]
    new = [each.text for each in mine[change.other_start : change.other_end]]
    is_near = change.low <= mistake.high and mistake.low <= change.high
    if not old and len(true) == 1 and true[0] in BRACKETS and is_near:
        return Conflict.UNCLEAR  # Where is the bracket's partner?
    if any(each in new and is_name(each) and each != "this" for each in old):
        return Conflict.UNCLEAR  # This may be part of the change, and no mistake.
    shared = _operator_at(base, theirs, mistake) & _operator_at(base, mine, change)
    if shared and (not (old or new) or not shared <= {*range(change.start, change.end)}):
        return Conflict.UNCLEAR  # ``<=`` for ``==`` is one mistake: no part of it is right.
    if mistake.high < change.low or change.high < mistake.low:
        return Conflict.APART  # with a token between them that all three have
    is_covered = change.start <= mistake.start and mistake.end <= change.end
    is_same = is_covered and (change.start, change.end) == (mistake.start, mistake.end)
    if (is_same and new == true) or (
        is_covered and true and contains(new, true) and not (old and contains(new, old))
    ):
        # A sign, or a forgotten token, may equal a token of the new text by chance.
        is_chance = new != true and (not old or not any(map(_is_said, true)))
        return Conflict.UNCLEAR if is_chance else Conflict.AGREED
    # It is unclear whether to remove or keep text that the agent didn't know.
    if len(true) > len(old) and not (not old and set(true) <= _SEPARATORS):
        return Conflict.UNCLEAR
    if change.start == change.end == mistake.start == mistake.end:
        return Conflict.UNCLEAR  # Which of the two insertions is first?
    if not old and not new and true == [each.text for each in base[change.start : change.end]]:
        return Conflict.UNCLEAR  # Which of two equal texts is deleted?
    if mistake.high <= change.low or change.high <= mistake.low:
        return Conflict.APART
    if not is_covered or any(_may_keep_mistake(old, true, each) for each in new):
        return Conflict.UNCLEAR
    is_slip_alone = [len(old), len(true)] == [1, 1] and is_slip(old[0], true[0])
    is_one_for_one = 0 < len(true) == len(old) <= _MOST_SUBSTITUTED
    if is_same and not (is_one_for_one and (new or is_slip_alone)):
        return Conflict.UNCLEAR
    # If the agent misremembers a text, and doesn't just misspell it, only that text is replaced.
    is_known = is_same or _are_slips(old, true)
    return Conflict.AGREED if is_known else Conflict.UNCLEAR


def _operator_at(base: Sequence[Token], other: Sequence[Token], hunk: Hunk) -> set[int]:
    """Return the indexes of an operator's signs, if ``hunk`` changes or extends the operator."""
    first, end = hunk.start, hunk.end
    if first == end:
        if any(each.text not in _SIGNS for each in other[hunk.other_start : hunk.other_end]):
            return set()
        first, end = max(0, first - 1), first + (other[hunk.other_end].gap == "")
    touched = [at for at in range(first, end) if base[at].text in _SIGNS]
    if not touched:
        return set()
    first, end = touched[0], touched[-1] + 1
    while first and not base[first].gap and base[first - 1].text in _SIGNS:
        first -= 1
    while not base[end].gap and base[end].text in _SIGNS:
        end += 1
    return {at for at in range(first, end) if base[at].text in _SIGNS}


def _are_slips(old: Sequence[str], true: Sequence[str]) -> bool:
    """Whether each sent word is a misspelling of the file's word, or its beginning."""
    return not old or (
        len(old) == len(true)
        and all(
            is_slip(one, other) or is_longer_name(one, other)
            for one, other in zip(old, true, strict=True)
        )
    )


def _may_keep_mistake(old: Sequence[str], true: Sequence[str], new: str) -> bool:
    """Whether the new word may repeat the mistake in one of the ``old`` words."""
    if len(old) != len(true):
        return any(is_slip(word, new) for word in old)
    pairs = zip(old, true, strict=True)
    return any(is_alike(one, new) and keeps_mistake(one, other, new) for one, other in pairs)


def _is_said(text: str) -> bool:
    return is_word(text[0])
