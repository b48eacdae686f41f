"""What speaks against the place most like an anchor: another one has what this one lacks.

Part of docs/design/engine.md §8. The target, a side of its context or all names of that stand there
as they were sent, and not here: then it was something else that was remembered wrongly.
"""

from __future__ import annotations

import re
from itertools import islice

from snippet_engine import work
from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.explain.tolerant import differences
from snippet_engine.offers.not_found.only_place import is_renamed_elsewhere
from snippet_engine.offers.places.likely import Likely
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import TextRange

_MAX_PLACES = 40
"""Places of a target beside which names are looked for."""
_TELLING = 6
"""Tokens of one side of a context that tells a place by itself."""
_WORD = re.compile(r"\w+")


def is_renamed_in_context(
    document: Document, nearest: Likely, anchor: Anchor, *, is_only: bool
) -> bool:
    """Whether the target has not all of its context at a place, or names in another case, and
    stands in all of that elsewhere, but for names that have got longer."""
    view, target = document.source.view, anchor.target or ""
    in_case = "letter case" in differences(target, view[slice(*nearest.place)])
    if in_case and is_only:
        is_as_sent = nearest.mistakes < 1
    else:
        is_as_sent = bool(nearest.in_context) and not nearest.mistakes
    if not is_as_sent:
        return False
    return is_renamed_elsewhere(document.source.view, anchor, scopes_of(document, anchor))


def has_its_side_elsewhere(view: str, nearest: Likely, anchor: Anchor) -> bool:
    """Whether one side of the context isn't beside a place as it was sent, and is so beside the
    target at another one: then it was the other side that was remembered wrongly."""
    target = anchor.target or ""
    sides = (anchor.before, ""), ("", anchor.after)
    work.spend_reading(len(view), len(sides))
    return any(
        "\n" in before + after
        and _size_of(before + after) >= _TELLING
        and view.count(told := before + target + after) == 1
        and view.find(told) + len(before) != nearest.place.start
        for before, after in sides
    )


def has_its_words_elsewhere(document: Document, nearest: Likely, anchor: Anchor) -> bool:
    """Whether a name of the context isn't beside a place, and all of them are beside another one
    where the target stands as it was sent."""
    view, target = document.source.view, anchor.target or ""
    if nearest.mistakes or not nearest.in_context:
        return False
    above, below = anchor.before.count("\n") + 1, anchor.after.count("\n") + 1

    def beside(place: TextRange) -> set[str]:
        first, last = map(document.source.line_number, place)
        return set(_WORD.findall("\n".join(lines[max(0, first - above) : last + below + 1])))

    work.spend_reading(len(view))
    lines = view.split("\n")
    names, there = set(_WORD.findall(f"{anchor.before}\n{anchor.after}")), beside(nearest.place)
    # A name that has got longer is there still.
    if all(any(name.startswith(each) for name in there) for each in names):
        return False
    places = islice(occurrences(view, target, scopes_of(document, anchor)), _MAX_PLACES)
    return any(names <= beside(each) for each in places if each.start != nearest.place.start)


def _size_of(text: str) -> int:
    """How many tokens a text has."""
    return len(tokens_of(text)) - 1
