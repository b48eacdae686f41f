"""Whether one place is so much liker to an anchor than all others that it is the one.

Part of docs/design/engine.md §8. A name that stands elsewhere in the file may have been meant, or
remembered wrongly: the words of one place don't tell. But where little is wrong of it, and several
times as much of every other one, nobody who reads the file would think of these.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.offers.places.likely import Likely

_MOST_WRONG = 0.4
"""Part of an anchor that may be wrong of such a place."""
_LEAST_RIGHT = 5
"""Tokens of it that stand there."""
_LEAST_BESIDES = 3
"""The same where all that is wrong is a slip of the pen."""
_LEAST_BESIDE = 6
"""Tokens of the context on both sides together by which a place is known."""
_SHORT = 3
"""Tokens of a target that tells nothing without its context."""
_MOST_LINES = 2
"""Lines on which something may be wrong."""
_TIMES = 3
"""How many times as much is wrong of every other place."""
_MORE = 1.5
"""By how much more at least, in tokens."""
_MUCH_MORE = 3.0
"""The same of a place that hasn't the very target, where the first one has."""
_SLIP = 1.0
"""What a slip of the pen in the target weighs."""
_MOVED = 8.0
"""By how much more is wrong of what isn't one of two lines that have changed places."""
_FAR = 4.0
"""By how much more is wrong of what isn't worth a thought."""


def stands_out(first: Likely, others: Sequence[Likely]) -> bool:
    """Whether ``first`` is meant, whatever names differ, as ``others`` are far behind it."""
    if not first.is_told or not has_of_target(first):
        return False
    if first.weight > max(1.0, first.size * _MOST_WRONG):
        return False
    is_slip = first.weight <= _SLIP and not _has_others(first) and not first.renamed
    if first.size - first.mistakes - first.in_context < (
        _LEAST_BESIDES if is_slip else _LEAST_RIGHT
    ):
        return False
    if first.lines_wrong > _MOST_LINES:
        return False
    in_context = first.size - first.target_size - first.in_context
    if _has_others(first) and first.target_size <= _SHORT and in_context < _LEAST_BESIDE:
        return False
    if not all(_is_behind(each, first) for each in others):
        return False
    if not _has_others(first) or first.lines or first.has_whole_side:
        return True
    # Another name on the only line: that may be another statement.
    nearest = min((each.weight for each in others), default=first.size)
    return first.weight <= _SLIP and nearest >= first.weight + _FAR


def has_of_target(place: Likely) -> bool:
    """Whether a place has anything of the target: a slip of its only word will do, where all of the
    context is right beside it, on both sides."""
    if place.mistakes < place.target_size:
        return True
    is_slip = not (place.strangers or place.unknown or place.renamed)
    is_whole = not place.in_context and min(place.beside) > 0 and sum(place.beside) >= _LEAST_BESIDE
    return place.target_size == 1 and is_slip and is_whole


def _is_behind(other: Likely, first: Likely) -> bool:
    """Whether much more is wrong of the ``other`` place."""
    if other.lines > first.lines and other.weight < first.weight + _MOVED:
        return False
    if _has_other_side(other, first) and other.weight < first.weight + _MOVED:
        return False
    if _is_as_near(other, first):
        return False
    if other.weight >= max(_TIMES * first.weight, first.weight + _MORE):
        return True
    is_target = not first.mistakes and other.mistakes
    if is_target and other.weight >= max(2 * first.weight, first.weight + _MUCH_MORE):
        return True
    # A slip of the pen here, and another name there, or one that isn't so like the same word.
    is_slip = first.weight <= _SLIP and not _has_others(first) and not first.renamed
    is_other = _has_others(other) or (bool(first.wrong) and first.wrong <= other.wrong)
    return is_slip and is_other and other.weight >= max(2 * first.weight, 1.0)


def _has_other_side(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the same target, and beside it, on a side on which ``first``
    hasn't, all of the context."""
    if first.mistakes or other.mistakes or not other.has_whole_side:
        return False
    return any(more > known for more, known in zip(other.beside, first.beside, strict=True))


def _is_as_near(other: Likely, first: Likely) -> bool:
    """Whether the ``other`` place has the same target, no less of the context right beside it, and
    no more that is wrong, however that weighs."""
    if first.mistakes or other.mistakes or other.distance > first.distance:
        return False
    beside = zip(other.beside, first.beside, strict=True)
    return any(other.beside) and all(one >= known for one, known in beside)


def _has_others(place: Likely) -> bool:
    return bool(place.unknown or place.strangers)
