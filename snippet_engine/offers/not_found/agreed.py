"""Whether what was found isn't at odds with what the error calls the nearest.

Part of docs/design/engine.md §8. That was found in another way; where two ways lead to two places,
neither is clearly meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.explain.closest_lines import similarity
from snippet_engine.explain.near_miss import MAX_NEAR_MISSES, MOST_LIKE
from snippet_engine.offers.repair import Repair

_ONE_SIDE = (["the before context"], ["the after context"])
"""What differs where the target stands as sent, and so does one side of its context."""
_LIKE_PART, _FAR_LIKER = 0.9, 0.2
"""How like a target a part of a line is that a line isn't which the error calls the nearest."""
_LONGEST_COMPARED = 400


def is_same_place(document: Document, one: Repair, other: Repair) -> bool:
    """Whether two repairs are at one place, or either is at none."""
    places = [resolve_anchor(document, each.instructions[0].anchor) for each in (one, other)]
    first, second = (each.place if isinstance(each, Resolved) else None for each in places)
    return first is None or second is None or first == second


def is_agreed(
    document: Document,
    found: Sequence[Repair],
    target: str,
    nearest: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether what was found isn't at odds with what the error calls the nearest."""
    if not nearest:
        return True
    differs = nearest[0]["differs"]
    if differs == [MOST_LIKE] and "\n" not in target:
        line = nearest[0]["line"]
        return _have_line(document, found, [line]) or _is_liker_part(document, found, target, line)
    if "letter case" in differs and not any("context" in each for each in differs):
        # Word by word it stands there as well: nothing tells that it isn't meant.
        return _have_line(document, found, [nearest[0]["line"]])
    if differs not in _ONE_SIDE:
        return True
    lines = [each["line"] for each in nearest if each["differs"] == differs]
    # There may be more than the error lists.
    return len(lines) == MAX_NEAR_MISSES or _have_line(document, found, lines)


def _is_liker_part(document: Document, found: Sequence[Repair], target: str, nearest: int) -> bool:
    """Whether the one place is a part of its line that is far liker to ``target`` than the line
    ``nearest``: the error compares whole lines."""
    resolved = resolve_anchor(document, found[0].instructions[0].anchor)
    if len(found) != 1 or not isinstance(resolved, Resolved):
        return False
    source = document.source
    line = source.line_at(source.line_starts[nearest - 1]).strip()
    if max(len(line), len(target)) > _LONGEST_COMPARED:
        return False
    likeness = similarity(target, source.view[slice(*resolved.place)].strip())
    return likeness >= _LIKE_PART and likeness - similarity(target, line) >= _FAR_LIKER


def _have_line(document: Document, repairs: Sequence[Repair], lines: Sequence[int]) -> bool:
    """Whether one of the places is at one of ``lines``, which the error calls the nearest.

    That was found in another way; where two ways lead to two places, neither is clearly meant.
    """
    for repair in repairs:
        resolved = resolve_anchor(document, repair.instructions[0].anchor)
        if isinstance(resolved, Resolved):
            first, last = map(document.source.line_number, resolved.place)
            if any(first <= line - 1 <= last for line in lines):
                return True
    return False
