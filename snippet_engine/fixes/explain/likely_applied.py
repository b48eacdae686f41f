"""Whether an edit whose target is missing was probably made, though its surroundings don't prove
it.

Part of ``anchor_not_found``, docs/design/engine.md §8; :mod:`.already_applied` has the proofs. The
error says "if": the new text occurs once, and nothing else is as similar to the target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before
from snippet_engine.anchors.unique_context import starts_beside
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.fixes.explain.already_applied import (
    has_context_on_both_sides,
    is_rest_of_target,
)
from snippet_engine.fixes.search.closest_lines import similarity
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w\w")
_LEAST = 3
"""Tokens that a new text needs to prove anything."""
_MUCH = 8
"""Tokens of one that stands nowhere by chance."""
_RIVAL = 0.65
"""From which similarity on, something may be the target."""
_RIVAL_OF_MUCH = 0.75
"""The same, where the new text is long."""
_AS_LIKE = 0.03
"""By how much the new text has to be liker to the target than anything else."""
_MAX_PLACES = 5_000


def is_likely_applied(
    view: str, instruction: Instruction, place: TextRange, others: Iterable[TextRange]
) -> bool:
    """Whether the new text at ``place``, the only one, is what became of the target.

    ``others`` are the places that may be the target's, those most like it among them.
    """
    target, new_text = instruction.anchor.target or "", instruction.new_text
    tokens = _TOKEN.findall(new_text)
    if has_context_on_both_sides(instruction.anchor):
        return not cuts_word(view, place)
    if len(tokens) < _LEAST or not _NAME.search(new_text) or cuts_word(view, place):
        return False
    start = view.rfind("\n", 0, place.start) + 1
    end = view.find("\n", place.end)
    lines = TextRange(start, end if end >= 0 else len(view))
    if is_rest_of_target(view, instruction, place):
        return False
    own = max(similarity(target, new_text), similarity(target, view[slice(*lines)]))
    least = _RIVAL_OF_MUCH if len(tokens) >= _MUCH else _RIVAL
    for other in others:
        if other.start < lines.end and lines.start < other.end:
            continue
        alike = similarity(target, view[slice(*other)])
        if alike >= least and alike > own - _AS_LIKE:
            return False
    return True


def deleted_place(
    view: str, instruction: Instruction, scopes: Sequence[TextRange]
) -> TextRange | None:
    """Return the line after the place where a deletion has taken its target from one line.

    There the context before the target and the context after it are adjacent. ``None`` unless both
    are long enough, and that is one place in ``scopes``.
    """
    anchor = instruction.anchor
    if instruction.operation is not Operation.DELETE:
        return None
    if not (has_context_on_both_sides(anchor) or _is_line_around(anchor)):
        return None
    before, after = anchor.before.rstrip(), anchor.after.lstrip()
    context = Context(before, after)
    found: set[int] = set()
    for count, start in enumerate(starts_beside(view, before, after, 0)):
        budget.spend()
        if count == _MAX_PLACES:
            return None
        if blanks_before(view, start) == start and context.fits(view, TextRange(start, start)):
            found.add(blanks_after(view, start))
    if len(found) != 1:
        return None
    (start,) = found
    end = start + len(after.partition("\n")[0].rstrip())
    is_inside = any(scope.start <= start and end <= scope.end for scope in scopes)
    return TextRange(start, end) if is_inside else None


def _is_line_around(anchor: Anchor) -> bool:
    """Whether the rest of the target's line is too long to occur by chance."""
    above, below = anchor.before.rpartition("\n")[2], anchor.after.partition("\n")[0]
    if not (above.strip() and below.strip()):
        return False
    return len(_TOKEN.findall(above + below)) >= _MUCH
