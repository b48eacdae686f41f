"""Which of several places an anchor's context fits as it was sent.

Implements docs/design/engine.md §1, "Text anchor": context is compared apart from white space, so
that one that was remembered a little wrongly still fits. Where it fits several places so, and one
of them character for character, that one was read, and the others are only like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine import budget
from snippet_engine.anchors.candidates import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange


def exact_among(
    document: Document, anchor: Anchor, places: Sequence[TextRange]
) -> TextRange | None:
    """The one of ``places`` around which the context stands with its white space as it was sent.

    ``None`` where it is none of them, or several; or the context has no text: blanks by themselves
    say nothing.
    """
    before, after = anchor.before, anchor.after
    if len(places) < 2 or not (before.strip() or after.strip()):
        return None
    view = document.source.view
    found: TextRange | None = None
    for place in places:
        budget.spend()
        at = place.start - len(before)
        # A negative start would count from the end of the view.
        if at < 0 or not view.startswith(before, at) or not view.startswith(after, place.end):
            continue
        if found is not None:
            return None
        found = place
    # Of very many places, not all were parted into code and comments.
    if found is None or not stands_in(document, found, comment=anchor.in_comment):
        return None
    return found
