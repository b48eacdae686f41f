"""Find the place of a target of whose context one line is wrong, missing, or one too many.

A context line may have more tokens than all the rest of an anchor, so lines are counted here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.history.already_applied import is_in_new_text, stands_as_wanted
from snippet_engine.fixes.merge.indentation import of_context
from snippet_engine.fixes.model import Repair, at_place, line_of
from snippet_engine.fixes.search.closest_lines import similarity
from snippet_engine.fixes.search.token_cost import is_identifier
from snippet_engine.fixes.search.tokens import tokens_of
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

_MOST_STEPS = 50_000
_MOST_PLACES = 40
"""Places of a target whose lines around are compared."""
_MOST_OCCURRENCES = 400
_MOST_LINES = 40
"""Lines of a context that are compared."""
_TELLING = 3
"""Tokens of a line that tells where it stands."""
_LEAST_RIGHT = 2
"""Such lines that have to be right if none of them is long and stands once."""
_LONG = 6
"""Tokens of a line or a target that stands nowhere by chance."""
_MORE = 2
"""Lines more than were sent that may stand between a target and its context."""
_ALIKE = 0.6
"""The similarity from which on a line may be another one, remembered wrongly."""
_SIGN = re.compile(r"//|&&|\|\||\+\+|--|\?\?|\?\.|::|[-=]>|[-=!<>+*/%&|^]=")
"""Signs of two characters, within which no target begins or ends unless the rest was sent, too."""
_MISSING, _ALTERED, _INVENTED = 2, 3, 4
_REPLACED = _INVENTED + _MISSING
_LEAST_ELSEWHERE = {
    _MISSING: _INVENTED,
    _INVENTED: _INVENTED + _ALTERED,
    _REPLACED: _REPLACED + _ALTERED,
}
"""How much has to be wrong at every other place, by how much is wrong at the nearest one."""


def with_one_wrong_line(document: Document, instruction: Instruction) -> Repair | None:
    """Return the instruction at the one place whose context has no more than one wrong line."""
    try:
        with budget.at_most(_MOST_STEPS):
            return _found(document, instruction)
    except budget.OutOfStepsError:
        return None


def _found(document: Document, instruction: Instruction) -> Repair | None:
    anchor, view = instruction.anchor, document.source.view
    target, scopes = anchor.target or "", scopes_of(document, anchor)
    above, below = anchor.before.split("\n"), anchor.after.split("\n")
    if not target.strip() or not 3 <= len(above) + len(below) <= _MOST_LINES:
        return None
    budget.spend_reading(len(view), 2)
    every = list(islice(occurrences(view, target, scopes), _MOST_OCCURRENCES + 1))
    budget.spend(len(every))
    if len(every) > _MOST_OCCURRENCES:
        return None
    places = [
        each
        for each in every
        if _wrong_on_line(view, each, above, below) is not None
        and not cuts_word(view, each)
        and stands_in(document, each, comment=anchor.in_comment)
    ]
    if not 1 <= len(places) <= _MOST_PLACES or stands_as_wanted(view, instruction):
        return None
    lines = [each.strip() for each in view.split("\n")]
    alike = cache(lambda line, there: similarity(line, there) >= _ALIKE)  # code repeats its lines
    wrong = sorted(
        (_wrong_around(document, lines, each, above, below, alike), each) for each in places
    )
    least, place = wrong[0]
    if len(wrong) == 1:
        is_clear = least <= _REPLACED and _is_only(document, lines, place, anchor)
    else:
        most = _LEAST_ELSEWHERE.get(least)
        is_clear = most is not None and wrong[1][0] >= most
        is_clear = is_clear and _is_known(document, lines, place, anchor, (least, wrong[1][0]))
    if not is_clear or _wrong_on_line(view, place, above, below):
        return None
    if is_in_new_text(view, instruction, place):
        return None
    if _is_renamed_elsewhere(view, anchor, scopes):
        return None
    first, last = map(document.source.line_number, place)
    standing = view.split("\n")
    near = standing[max(0, first - len(above)) : first], standing[last + 1 :][: len(below)]
    found = anchor_at(document, anchor, place, scopes)
    gaps = of_context(anchor.before, anchor.after, *near)
    placed = found and at_place(document, instruction, target, found, gaps)
    return placed.repair(f"{line_of(document, place)}, context differs") if placed else None


def _wrong_on_line(
    view: str, place: TextRange, above: Sequence[str], below: Sequence[str]
) -> int | None:
    """Return how much of the context on the target's own lines is wrong; ``None`` if all of it."""
    left = view[view.rfind("\n", 0, place.start) + 1 : place.start].strip()
    right = view[place.end :].partition("\n")[0].strip()
    before, after = above[-1].strip(), below[0].strip()
    if (len(above) > 1 and left and not before) or (len(below) > 1 and right and not after):
        return None  # The target was sent as the start of a line, or as the end of one.
    if left.endswith(before) and right.startswith(after):
        return 0
    is_alike = similarity(f"{before}\n{after}", f"{left}\n{right}") >= _ALIKE
    return _ALTERED if is_alike else None


def _wrong_around(
    document: Document,
    lines: Sequence[str],
    place: TextRange,
    above: Sequence[str],
    below: Sequence[str],
    alike: Callable[[str, str], bool],
) -> int:
    """Return how much of the context's lines is wrong around ``place``."""
    first, last = map(document.source.line_number, place)
    room = len(above) + len(below)
    over = [each for each in lines[max(0, first - room) : first][::-1] if each]
    under = [each for each in lines[last + 1 : last + 1 + room] if each]
    sent_over = [each.strip() for each in above[-2::-1] if each.strip()]
    sent_under = [each.strip() for each in below[1:] if each.strip()]
    own = _wrong_on_line(document.source.view, place, above, below) or 0
    return own + _wrong(sent_over, over, alike) + _wrong(sent_under, under, alike)


def _wrong(sent: Sequence[str], standing: Sequence[str], alike: Callable[[str, str], bool]) -> int:
    """Return what it takes to make ``sent`` the first lines of ``standing``.

    The last of ``sent`` may be a part of its line.
    """
    costs = [_MISSING * count for count in range(len(standing) + 1)]
    for at, line in enumerate(sent):
        budget.spend(2 * len(standing))
        is_last = at == len(sent) - 1
        # Behind the last one nothing tells whether it was made up or is another one.
        left_out = _INVENTED + _MISSING * is_last
        row = [costs[0] + left_out]
        for other, there in enumerate(standing):
            same = line == there or (is_last and line in there)
            altered = _ALTERED if not same and alike(line, there) else _REPLACED
            put_right = costs[other] + (0 if same else altered)
            row.append(min(put_right, costs[other + 1] + left_out, row[other] + _MISSING))
        costs = row
    return min(costs)


def _is_known(
    document: Document,
    lines: Sequence[str],
    place: TextRange,
    anchor: Anchor,
    wrong: tuple[int, int],
) -> bool:
    """Return whether the lines of the context near ``place`` tell it from other places.

    ``wrong`` is how much is wrong there, and at the next nearest place.
    """
    first, last = map(document.source.line_number, place)
    right = _telling(anchor) & {*lines[max(0, first - _MOST_LINES) : last + _MOST_LINES]}
    here, elsewhere = wrong
    if len(right) >= _LEAST_RIGHT + (here == _REPLACED):
        return True
    if here == _MISSING and elsewhere >= _REPLACED and right:
        return True
    return any(len(tokens_of(each)) > _LONG and lines.count(each) == 1 for each in right)


def _telling(anchor: Anchor) -> set[str]:
    context = f"{anchor.before}\n{anchor.after}".split("\n")
    return {each.strip() for each in context if len(tokens_of(each)) - 1 >= _TELLING}


def _is_only(document: Document, lines: Sequence[str], place: TextRange, anchor: Anchor) -> bool:
    """Return whether the only place of a target is told by it, or by all of its context but a line.

    It isn't where as much of the context stands together elsewhere: there the target may have been
    changed.
    """
    view, size = document.source.view, len(tokens_of((anchor.target or "").strip())) - 1
    ends = (place.start, anchor.before[-1:].strip()), (place.end, anchor.after[:1].strip())
    if any(at and not beside and _SIGN.match(view, at - 1) for at, beside in ends):
        return False
    wanted = _telling(anchor)
    first, last = map(document.source.line_number, place)
    top = max(0, first - anchor.before.count("\n") - _MORE)
    bottom = last + anchor.after.count("\n") + _MORE
    right = len(wanted & {*lines[top : bottom + 1]})
    if size < _TELLING or not (right or size >= _LONG) or len(wanted) - right > 1:
        return False
    height = bottom - top + 1
    at = [row for row, line in enumerate(lines) if line in wanted and not top <= row <= bottom]
    together = (len({lines[each] for each in at if row <= each < row + height}) for row in at)
    return max(together, default=0) < right + (size >= _LONG)


def _is_renamed_elsewhere(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> bool:
    """Return whether the target stands in all of its context, but for names that got longer."""
    first, *more = (
        re.escape(each.text) + (r"(?:[A-Z]\w*+)?+" if is_identifier(each.text) else "")
        for each in tokens_of((anchor.target or "").strip())[:-1]
    )
    pattern = re.compile(r"\s*+".join((first, *more)))
    context = Context(anchor.before, anchor.after)
    return any(
        context.fits(view, TextRange(*match.span()))
        for scope in scopes
        for match in pattern.finditer(view, scope.start, scope.end)
    )
