"""The only place of a target of whose context one line is wrong, missing, or one too many.

Part of docs/design/engine.md §8. Such a line may be longer than all the rest of an anchor; so lines
are counted here, not words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from snippet_engine import work
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.whole_words import cuts_sign, cuts_word, is_word
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.offers.carrying.indents import of_context
from snippet_engine.offers.history.done import is_in_new_text, stands_as_wanted
from snippet_engine.offers.places.blanks import with_blanks
from snippet_engine.offers.places.slips import is_identifier
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.offers.repair import Repair, at_place, line_of
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import SourceText, TextRange

_LEAST = 3
"""Tokens of a target, and of a line, that tell where they stand."""
_LONG_LINES = 4
_LONG_ALONE = 6
_LONG = 8
"""Tokens of a target that stands nowhere by chance."""
_MORE = 2
"""Lines more than were sent that may stand between a target and its context."""
_MOST_LINES = 40
"""Lines of a context of which each is left out."""
_MOST_WRONG = 1
"""Lines of the context that needn't stand there."""

_MAX_PLACES = 5_000
"""Places of a target's first word that are looked at for one where a name has got longer."""
_PER_PLACE = 3
"""Steps that it takes to look at one."""


def at_only_place(document: Document, instruction: Instruction) -> Repair | None:
    """The instruction at the only place of its target, if nothing else is as like its context."""
    anchor, view = instruction.anchor, document.source.view
    place = _only_place(document, anchor)
    if place is None or stands_as_wanted(view, instruction):
        return None
    if is_in_new_text(view, instruction, place) or not _fits_around(view, anchor, place):
        return None
    work.spend_reading(len(view))
    standing = view.split("\n")
    lines = [each.strip() for each in standing]
    first, last = map(document.source.line_number, place)
    above, below = anchor.before.split("\n")[:-1], anchor.after.split("\n")[1:]
    near = range(max(0, first - len(above) - _MORE), min(len(lines), last + len(below) + _MORE + 1))
    told_above, told_below = _telling(above), _telling(below)
    right = sum(each in lines[near.start : first] for each in told_above)
    right += sum(each in lines[last + 1 : near.stop] for each in told_below)
    told = told_above + told_below
    # A long target that stands there and nowhere else, or whole lines, say more than their context.
    size = len(tokens_of(anchor.target or "")) - 1
    is_lines = _is_of_lines(view, place)
    is_long = size >= (_LONG_LINES if is_lines else _LONG)
    is_rest_right = _fits_without_one(view, anchor, place)
    is_known = right > 0 or (is_lines and size >= _LONG_ALONE) or is_rest_right
    if not is_known or len(told) - right > _MOST_WRONG:
        return None
    if _together(lines, told, near) >= right + (is_long or is_rest_right):
        return None
    has_context = bool(anchor.before or anchor.after)
    if has_context and is_renamed_elsewhere(view, anchor, scopes_of(document, anchor)):
        return None
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    assert anchor.target is not None
    gaps = of_context(
        anchor.before,
        anchor.after,
        standing[near.start : first],
        standing[last + 1 : near.stop],
    )
    if "\n" in instruction.new_text and all(one == other for one, other in gaps):
        sent, own = _own_indents(view, anchor, place)
        if sent != own:
            return None  # As deep as the lines around it, or as the target was sent?
    repaired = found and at_place(document, instruction, anchor.target, found, gaps)
    return repaired.repair(f"{line_of(document, place)}, context differs") if repaired else None


def _fits_without_one(view: str, anchor: Anchor, place: TextRange) -> bool:
    """Whether the context stands around a place but for one of its lines, which was made up, and
    has others on both sides of the target."""
    above, below = anchor.before.split("\n"), anchor.after.split("\n")
    if not all(any(map(str.strip, each)) for each in (above[:-1], below)):
        return False
    contexts = [
        ("\n".join([*above[:at], *above[at + 1 :]]), anchor.after) for at in range(len(above) - 1)
    ]
    contexts += [
        (anchor.before, "\n".join([*below[:at], *below[at + 1 :]])) for at in range(1, len(below))
    ]
    return any(
        before.strip() and after.strip() and Context(before, after).fits(view, place)
        for before, after in contexts[:_MOST_LINES]
    )


def _own_indents(view: str, anchor: Anchor, place: TextRange) -> tuple[str, str]:
    """The white space before the target on its line: as sent, if it was, and in the file."""
    above, line_break, sent = anchor.before.rpartition("\n")
    standing = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    if not line_break or sent.strip() or standing.strip() or not above:
        return "", ""
    return sent, standing


def _only_place(document: Document, anchor: Anchor) -> TextRange | None:
    """Where the target stands exactly as it was sent, if that is once, and tells something."""
    view, target = document.source.view, anchor.target or ""
    core = target.strip()
    if len(tokens_of(core)) - 1 < _LEAST:
        return None
    scopes = scopes_of(document, anchor)
    work.spend_reading(sum(each.end - each.start for each in scopes))
    places = list(islice(occurrences(view, core, scopes), 2))
    if len(places) != 1:
        return None
    if cuts_word(view, places[0]) or cuts_sign(view, places[0]):
        return None
    place = with_blanks(view, places[0], target)
    return place if view[place.start : place.end] == target else None


def is_renamed_elsewhere(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> bool:
    """Whether the target stands in all of its context, but for names that have got longer."""
    first, *more = [each.text for each in tokens_of((anchor.target or "").strip())[:-1]]
    pattern = re.compile(r"\s*+".join(map(_maybe_longer, (first, *more))))
    context = Context(anchor.before, anchor.after)
    work.spend_reading(sum(each.end - each.start for each in scopes))
    for place in islice(occurrences(view, first, scopes), _MAX_PLACES):
        work.spend(_PER_PLACE)
        goes_on = is_word(first[0]) and place.start and is_word(view[place.start - 1])
        if not goes_on and context.fits_before(view, place.start):
            match = pattern.match(view, place.start)
            if match is not None and context.fits_after(view, match.end()):
                return True
    return False


def renamed_as_deep(document: Document, anchor: Anchor) -> TextRange | None:
    """The first line that is indented as the target was sent, one line, and is it but for names
    that have got longer; ``None`` if there is none."""
    target, view = anchor.target or "", document.source.view
    core, indentation = target.strip(), indentation_of(target)
    first, *more = [each.text for each in tokens_of(core)[:-1]] or [""]
    if not indentation or "\n" in target or not first:
        return None
    pattern = re.compile(r"\s*+".join(map(_maybe_longer, (first, *more))))
    scopes = scopes_of(document, anchor)
    work.spend_reading(sum(each.end - each.start for each in scopes))
    for place in islice(occurrences(view, first, scopes), _MAX_PLACES):
        work.spend(_PER_PLACE)
        start = view.rfind("\n", 0, place.start) + 1
        if view[start : place.start] == indentation:
            match = pattern.match(view, place.start)
            if match is not None and match.group() != core:
                return TextRange(start, match.end())
    return None


def is_as_deep(source: SourceText, place: TextRange, target: str) -> bool:
    """Whether the line of ``place`` is indented as ``target`` was sent."""
    return indentation_of(source.line_at(place.start)) == indentation_of(target)


def _maybe_longer(token: str) -> str:
    return re.escape(token) + (r"(?:[A-Z]\w*+)?+" if is_identifier(token) else "")


def _is_of_lines(view: str, place: TextRange) -> bool:
    """Whether a place takes whole lines, blanks aside."""
    left = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    return not left.strip() and not view[place.end :].partition("\n")[0].strip()


def _fits_around(view: str, anchor: Anchor, place: TextRange) -> bool:
    """Whether what was sent beside the target on its own lines stands beside it."""
    before = anchor.before.rpartition("\n")[2]
    after = anchor.after.partition("\n")[0]
    left = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    right = view[place.end :].partition("\n")[0]
    return left.rstrip().endswith(before.strip()) and right.lstrip().startswith(after.strip())


def _telling(lines: Sequence[str]) -> list[str]:
    return [each.strip() for each in lines if len(tokens_of(each)) - 1 >= _LEAST]


def _together(lines: Sequence[str], told: Sequence[str], near: range) -> int:
    """How many of the lines ``told`` stand together anywhere else than ``near``, at most."""
    wanted = set(told)
    at = [row for row, line in enumerate(lines) if line in wanted and row not in near]
    most = first = 0
    for count, row in enumerate(at, 1):
        while row - at[first] >= len(near):
            first += 1
        most = max(most, len({lines[each] for each in at[first:count]}))
    return most
