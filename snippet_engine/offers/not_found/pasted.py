"""What a paste tells of a place: the number of its line, and what it has when that is taken off.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re

from snippet_engine.csharp.document import Document
from snippet_engine.explain.tolerant import PASTED_LINE_NUMBERS
from snippet_engine.offers.places.meant import Found
from snippet_engine.request import Anchor

_NUMBERED = re.compile(r"\s*(\d{1,7})[\t:|→ ]")


def is_numbered(document: Document, found: Found, anchor: Anchor) -> bool:
    """Whether the target came with the number of a place's line, and is the same there but for
    white space."""
    place, _, wrappings = found
    number = _NUMBERED.match(anchor.target or "")
    if number is None or PASTED_LINE_NUMBERS not in wrappings or place.distance:
        return False
    return int(number.group(1)) - 1 == document.source.line_number(place.place.start)


def is_unwrapped(view: str, found: Found) -> bool:
    """Whether the target stands at a place exactly as it is without what a paste brought along."""
    place, sent, wrappings = found
    is_right = bool(wrappings) and place.distance == 0
    return is_right and view[slice(*place.place)] == sent.anchor.target
