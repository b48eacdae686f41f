"""What tells a place from what was sent for it, in a few words.

Part of docs/design/engine.md §8: the label of an offer.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.errors import shortened
from snippet_engine.explain.tolerant import differences
from snippet_engine.offers.places.tokens import MARKER, hunks, tokens_of

_MOST_TOLD = 2
"""Differences of a wording that are told one by one."""
_LONGEST_TOLD = 24


def other_words(target: str, standing: str) -> str:
    """What stands there that was sent otherwise, in words: who sends the new text for it has it."""
    sent, there = tokens_of(target), tokens_of(standing)
    found: list[str] = []
    for each in hunks([one.key for one in sent], [one.key for one in there]):
        mine, other = (
            shortened(
                "".join(" " * bool(one.gap) + one.text for one in tokens).strip(), _LONGEST_TOLD
            )
            for tokens in (sent[each.start : each.end], there[each.other_start : each.other_end])
        )
        if mine and other:
            found.append(f"{other} for {mine}")
        else:
            found.append(f"{other} more" if other else f"no {mine}")
    return f": {', '.join(found)}" if 0 < len(found) <= _MOST_TOLD else ""


def told_differences(target: str, standing: str) -> list[str]:
    """What tells two texts of the same tokens apart."""
    markers = [
        [found.group().strip() for line in text.split("\n") if (found := MARKER.match(line))]
        for text in (target, standing)
    ]
    if markers[0] != markers[1]:
        return ["comment markers"]
    return differences(target, standing) or ["line breaks"]


def differ(told: Sequence[str]) -> str:
    """The verb for what is told to differ."""
    return "differ" if len(told) > 1 or "".join(told).endswith("s") else "differs"
