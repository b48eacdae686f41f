"""The only place that all of an anchor fits, target and context, but for its white space.

Part of docs/design/engine.md §8. A target that begins within a sign, or has no word of its own, is
told by its context alone; where that stands around it word by word, it was only indented otherwise.
"""

from __future__ import annotations

import re
from itertools import islice

from snippet_engine import work
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.explain.tolerant import plain_double_quotes, plain_single_quotes
from snippet_engine.offers.history.done import is_in_new_text, stands_as_wanted
from snippet_engine.offers.not_found.one_line import indented_as_beside
from snippet_engine.offers.places.blanks import with_blanks
from snippet_engine.offers.repair import Repair
from snippet_engine.request import Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_WORDS = 5
"""Words of target and context that stand together nowhere by chance."""
_NO_SPACE = re.compile(r"\S")


def where_it_is_spaced_otherwise(document: Document, instruction: Instruction) -> Repair | None:
    """The instruction at that place, with the indentation that its context stands for."""
    view = document.source.view
    place = _place(document, instruction)
    if place is None or stands_as_wanted(view, instruction):
        return None
    if is_in_new_text(view, instruction, place):
        return None
    return indented_as_beside(document, instruction, view.split("\n"), place)


def _plainly_quoted(text: str) -> str:
    return plain_single_quotes(plain_double_quotes(text))


def _lines_of(text: str) -> list[str]:
    """The lines that say something, without the white space at their ends."""
    return [each.strip() for each in text.split("\n") if each.strip()]


def _place(document: Document, instruction: Instruction) -> TextRange | None:
    """The target's place, if all of the anchor stands once, word by word and line by line."""
    anchor = instruction.anchor
    view, target = document.source.view, anchor.target or ""
    whole = f"{anchor.before}{target}{anchor.after}".strip()
    # Quotes that a word processor makes are as long as plain ones.
    whole, view = map(_plainly_quoted, (whole, view))
    words = whole.split()
    if len(words) < _LEAST_WORDS or not target.strip():
        return None
    work.spend_reading(len(view) + len(whole))
    pattern = re.compile(r"\s++".join(map(re.escape, words)))
    matches = list(islice(pattern.finditer(view), 2))
    if len(matches) != 1 or _lines_of(matches[0].group()) != _lines_of(whole):
        return None
    is_other_height = matches[0].group().count("\n") != whole.count("\n")
    if is_other_height and instruction.operation is Operation.INSERT:
        return None  # On which side of a blank line?
    before, own = (sum(map(len, each.split())) for each in (anchor.before, target))
    signs = [each.start() for each in _NO_SPACE.finditer(view, *matches[0].span())]
    place = TextRange(signs[before], signs[before + own - 1] + 1)
    place = with_blanks(document.source.view, place, target)
    if document.source.view[slice(*place)] != target:
        return None
    scopes = scopes_of(document, anchor)
    if not any(each.start <= place.start and place.end <= each.end for each in scopes):
        return None
    return place if stands_in(document, place, comment=anchor.in_comment) else None
