"""Of several places of a target the one in whose context a single line is wrong.

Part of docs/design/engine.md §8. A line that was made up, forgotten or remembered wrongly is one
mistake, however many words it has. Where that explains one place, and every other one takes more,
nobody who reads the file would think of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from snippet_engine import work
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.context import occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.csharp.document import Document
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.explain.closest_lines import similarity
from snippet_engine.offers.carrying.indents import of_context
from snippet_engine.offers.history.done import is_in_new_text, stands_as_wanted
from snippet_engine.offers.not_found.only_place import is_renamed_elsewhere
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.offers.repair import Repair, at_place, line_of
from snippet_engine.request import Instruction
from snippet_engine.source_text import TextRange

_MOST = 50_000
_MAX_PLACES = 40
"""Places whose lines around are compared."""
_MAX_LOOKED_AT = 2_000
"""Places of which it is looked at what stands beside them on their line."""
_MAX_LINES = 40
"""Lines of a context that are compared."""
_TELLING = 3
"""Tokens of a line that tells where it stands."""
_LEAST_RIGHT = 2
"""Such lines that have to be right, if none of them is one that stands once."""
_LONG = 6
"""Tokens of a line that stands nowhere by chance."""
_ALIKE = 0.6
"""From which similarity on, a line may be another one, remembered wrongly."""
_MARKER = re.compile(r"/+|\*")
"""What a line of a comment begins with."""
_PER_PAIR = 2
"""Steps that it takes to compare two lines."""
_MISSING, _ALTERED, _INVENTED = 2, 3, 4
"""What it counts that a line is missing, is another one that is like it, or isn't there at all."""
_REPLACED = _INVENTED + _MISSING
"""The same of one in whose stead another one stands that isn't like it."""
_MUCH = 100
_LEAST_ELSEWHERE = {
    _MISSING: _INVENTED,
    _INVENTED: _INVENTED + _ALTERED,
    _REPLACED: _REPLACED + _ALTERED,
}
"""How much has to be wrong everywhere else, by how much is wrong here."""


def where_one_line_is_wrong(document: Document, instruction: Instruction) -> list[Repair]:
    """The instruction at that place; or, where no more than one line is missing at several, each.

    Empty where there is none, or where to find out takes more than ``_MOST`` steps: a choice that
    is found otherwise is better than nothing.
    """
    try:
        with work.at_most(_MOST):
            return _found(document, instruction)
    except work.OutOfStepsError:
        return []


def _found(document: Document, instruction: Instruction) -> list[Repair]:
    anchor = instruction.anchor
    view, target = document.source.view, anchor.target or ""
    above, below = anchor.before.split("\n"), anchor.after.split("\n")
    if not target.strip() or len(above) + len(below) - 2 > _MAX_LINES:
        return []
    scopes = scopes_of(document, anchor)
    work.spend_reading(sum(each.end - each.start for each in scopes))
    # On whole lines, it is soon seen which of many places are whole lines as well.
    is_of_lines = not (above[-1].strip() or below[0].strip())
    looked_at = _MAX_LOOKED_AT if is_of_lines else _MAX_PLACES
    every = list(islice(occurrences(view, target, scopes), looked_at + 1))
    if not 2 <= len(every) <= looked_at or stands_as_wanted(view, instruction):
        return []
    work.spend(len(every))
    on_line = (each for each in every if _may_be_on_line(document, each, above, below))
    places = [each for each in on_line if stands_in(document, each, comment=anchor.in_comment)]
    if not 1 <= len(places) <= _MAX_PLACES:
        return []
    lines = view.split("\n")
    wrong = sorted((_wrong_around(document, lines, place, above, below), place) for place in places)
    least, place = wrong[0]
    next_least = wrong[1][0] if len(wrong) > 1 else _MUCH
    # With a blank line more or less, one place is no likelier than another that lacks a line.
    is_blank = least == 0 and not _has_lines(document, lines, place, above, below)
    most = _MISSING if is_blank else least
    near = [each for count, each in wrong if count <= most]
    # What may be another line, changed since, is for a comparison word by word.
    if not all(_fits_beside(document, each, above[-1], below[0]) for each in near):
        return []
    if any(is_in_new_text(view, instruction, each) for each in near):
        return []
    if len(near) > 1:
        # How long the line is that is missing tells nothing.
        near = near if most == _MISSING else []
    elif (
        next_least < _least_elsewhere(least, target)
        or not _is_known(document, lines, place, (*above, *below), (least, next_least))
        or is_renamed_elsewhere(view, anchor, scopes)
    ):
        near = []
    more = f", one of {len(near)} such places" if len(near) > MAX_OFFERS else ""
    found = [indented_as_beside(document, instruction, lines, each) for each in near[:MAX_OFFERS]]
    repairs = [replace(each, what=each.what + more) for each in found if each is not None]
    return repairs if len(repairs) == len(found) else []


def _least_elsewhere(least: int, target: str) -> int:
    """How much has to be wrong everywhere else, if ``least`` is wrong here."""
    # A comment's marker alone has no word by which it could be compared with anything.
    if least == _ALTERED and _MARKER.fullmatch(target.strip()):
        return _ALTERED + _ALTERED
    return _LEAST_ELSEWHERE.get(least, _MUCH)


def indented_as_beside(
    document: Document, instruction: Instruction, lines: Sequence[str], place: TextRange
) -> Repair | None:
    """The instruction at ``place``, with the indentation that its context stands for."""
    anchor = instruction.anchor
    repaired = anchor_at(document, anchor, place, scopes_of(document, anchor))
    if repaired is None:
        return None
    above, below = anchor.before.count("\n") + 1, anchor.after.count("\n") + 1
    first, last = map(document.source.line_number, place)
    near = (lines[max(0, first - above) : first], lines[last + 1 : last + 1 + below])
    gaps = of_context(anchor.before, anchor.after, *near)
    changed = at_place(document, instruction, anchor.target or "", repaired, gaps)
    return changed.repair(f"{line_of(document, place)}, context differs") if changed else None


def _is_known(
    document: Document,
    lines: Sequence[str],
    place: TextRange,
    context: Sequence[str],
    wrong: tuple[int, int],
) -> bool:
    """Whether so many lines of a context are right near ``place``, or such, that they tell it.

    ``wrong`` is how much is wrong there, and how much at least anywhere else.
    """
    standing = _near(document, lines, place)
    sizes = {each.strip(): len(tokens_of(each)) - 1 for each in context}
    right = [each for each, size in sizes.items() if size >= _TELLING and each in standing]
    here, elsewhere = wrong
    if here == _MISSING and elsewhere >= _REPLACED and right:
        return True
    if len(right) >= _LEAST_RIGHT + (here == _REPLACED):
        return True
    stripped = [each.strip() for each in lines]
    return any(sizes[each] >= _LONG and stripped.count(each) == 1 for each in right)


def _near(document: Document, lines: Sequence[str], place: TextRange) -> set[str]:
    first, last = map(document.source.line_number, place)
    return {each.strip() for each in lines[max(0, first - _MAX_LINES) : last + _MAX_LINES]}


def _wrong_around(
    document: Document,
    lines: Sequence[str],
    place: TextRange,
    above: Sequence[str],
    below: Sequence[str],
) -> int:
    """How much of the lines of the context is wrong around ``place``."""
    first, last = map(document.source.line_number, place)
    own = _wrong_on_line(document, place, above, below)
    if own == _MUCH:
        return _MUCH
    room = len(above) + len(below)
    over = [each.strip() for each in lines[max(0, first - room) : first]][::-1]
    under = [each.strip() for each in lines[last + 1 : last + 1 + room]]
    wanted = [each.strip() for each in above[:-1]][::-1]
    wrong = _wrong(list(filter(None, wanted)), list(filter(None, over)))
    wanted = [each.strip() for each in below[1:]]
    return own + wrong + _wrong(list(filter(None, wanted)), list(filter(None, under)))


def _may_be_on_line(
    document: Document, place: TextRange, above: Sequence[str], below: Sequence[str]
) -> bool:
    """Whether what was sent of the target's own lines may be what stands beside ``place``."""
    return _wrong_on_line(document, place, above, below) < _MUCH


def _wrong_on_line(
    document: Document, place: TextRange, above: Sequence[str], below: Sequence[str]
) -> int:
    """How much is wrong of what was sent beside the target on its own lines."""
    view = document.source.view
    left = view[view.rfind("\n", 0, place.start) + 1 : place.start].strip()
    end = view.find("\n", place.end)
    right = view[place.end : end if end >= 0 else len(view)].strip()
    # Where the context ends with the line above, the target begins its own.
    if (len(above) > 1 and not above[-1].strip() and left) or (
        len(below) > 1 and not below[0].strip() and right
    ):
        return _MUCH
    return _wrong_beside(above[-1].strip(), below[0].strip(), left, right)


def _has_lines(
    document: Document,
    lines: Sequence[str],
    place: TextRange,
    above: Sequence[str],
    below: Sequence[str],
) -> bool:
    """Whether the lines of the context stand around ``place``, however they are indented, without
    a blank line more or less."""
    first, last = map(document.source.line_number, place)
    over = [each.strip() for each in lines[max(0, first - len(above) + 1) : first]]
    under = [each.strip() for each in lines[last + 1 : last + len(below)]]
    sent_over, sent_under = [*map(str.strip, above[:-1])], [*map(str.strip, below[1:])]
    if (len(over), len(under)) != (len(sent_over), len(sent_under)):
        return False
    # The lines at its ends may be parts of lines.
    is_over = not over or (over[0].endswith(sent_over[0]) and over[1:] == sent_over[1:])
    return is_over and (
        not under or (under[-1].startswith(sent_under[-1]) and under[:-1] == sent_under[:-1])
    )


def _fits_beside(document: Document, place: TextRange, before: str, after: str) -> bool:
    """Whether what was sent beside the target on its own lines stands beside ``place``."""
    view = document.source.view
    left = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    right = view[place.end :].partition("\n")[0]
    return left.strip().endswith(before.strip()) and right.strip().startswith(after.strip())


def _wrong_beside(before: str, after: str, left: str, right: str) -> int:
    """How much of what was sent beside the target on its own lines is wrong there."""
    if left.endswith(before) and right.startswith(after):
        return 0
    sent, standing = f"{before}\n{after}", f"{left}\n{right}"
    return _ALTERED if similarity(sent, standing) >= _ALIKE else _MUCH


def _wrong(sent: Sequence[str], standing: Sequence[str]) -> int:
    """What it takes to make ``sent`` the first lines of ``standing``; the last of ``sent`` may be a
    part of its line.

    A line that isn't like the one in its stead counts twice: one is too many, another is missing.
    So does the last one: beyond it nothing tells whether it was made up or is another one.
    """
    costs = [_MISSING * count for count in range(len(standing) + 1)]
    for at, line in enumerate(sent):
        work.spend(_PER_PAIR * len(standing))
        is_last = at == len(sent) - 1
        left_out = _INVENTED + _MISSING * is_last
        row = [costs[0] + left_out]
        for other, there in enumerate(standing):
            same = line == there or (is_last and line in there)
            put_right = costs[other] + (0 if same else _altered(line, there))
            row.append(min(put_right, costs[other + 1] + left_out, row[other] + _MISSING))
        costs = row
    return min(costs)


def _altered(line: str, other: str) -> int:
    return _ALTERED if similarity(line, other) >= _ALIKE else _REPLACED
