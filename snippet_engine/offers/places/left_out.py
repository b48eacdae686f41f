"""Whether a line that was sent stands beside a place, and not in it: then the place is another one.

Part of docs/design/engine.md §8. Who forgets a line between two others quotes both of them rightly;
a place as long as the target has one of them, and what stands in the other's stead.
"""

from __future__ import annotations

from itertools import islice

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.source_text import TextRange

_LEAST = 3
"""Tokens of a line that tells where it stands."""
_NEAR = 3
"""Lines on each side of a place that are looked at."""


def leaves_out_a_line(document: Document, target: str, place: TextRange) -> bool:
    """Whether a line of the several of ``target`` stands within a few lines of ``place`` as it was
    sent, and not in it."""
    sent = [each.strip() for each in target.strip().split("\n")]
    if len(sent) < 2:
        return False
    view, starts = document.source.view, document.source.line_starts
    first, last = map(document.source.line_number, place)
    top = starts[max(0, first - 2 * _NEAR)]
    bottom = starts[last + 2 * _NEAR] if last + 2 * _NEAR < len(starts) else len(view)
    end = view.find("\n", place.end)
    end = end if end >= 0 else len(view)
    budget.spend_reading(bottom - top)
    there = {each.strip() for each in view[starts[first] : end].split("\n")}
    above = [each.strip() for each in view[top : starts[first]].split("\n")[::-1]]
    below = [each.strip() for each in view[end:bottom].split("\n")]
    near = {line for side in (above, below) for line in islice(filter(None, side), _NEAR)}
    return any(
        line in near and line not in there and len(tokens_of(line)) - 1 >= _LEAST for line in sent
    )
