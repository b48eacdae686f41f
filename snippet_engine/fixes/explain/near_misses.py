"""Make ``anchor_not_found``, the error for an anchor that matches nothing.

Implements docs/design/engine.md §8. Lists near misses, best first, each with its line, its
differences, and the whole anchor to send. The search is that of the offers, but less strict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.context import Context, blanks_after, occurrences
from snippet_engine.anchors.text_anchor import is_of_kind
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.edit_plan.comments import position_at_comment
from snippet_engine.errors import ALREADY_APPLIED, MOST_LIKE, ErrorCode, SnippetError, shortened
from snippet_engine.fixes.explain.described_place import describe
from snippet_engine.fixes.normalise.look_alikes import differences, is_same_but_for_look
from snippet_engine.fixes.search.readings import Found, similar_places
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

MAX_NEAR_MISSES = 5
EDIT_IS_DONE = "This edit is already done: leave it out."
"""Advice of the error, given only if the edit is certainly applied already."""
MAY_BE_DONE = ("has the newText.", "this deletion is already done")
"""Parts of the message that say that the edit may be applied already."""
IN_CONTEXT = "the target: this text is where the context fits"
_IN_CODE = "its place: in code, not in a comment"
_MOST_WRONG = 0.5
"""Largest part of a target that may differ at a listed place."""
_MISFIT = {
    (True, True): "",
    (True, False): "the after context",
    (False, True): "the before context",
    (False, False): "the before and after context",
}
"""Which side of the context doesn't match: the key says whether each side matches."""
_LEAST_NEW_TEXT = 3
"""Shortest new text that proves anything, in code points, not counting white space at its ends."""
_LEAST_CONTEXT = 3
"""Tokens of context on each side that identify a place by themselves."""
_MAX_PLACES = 1000
"""Most places of the new text, or of the context, that are checked."""
_ENDINGS = " \t\r\n;,{}"
"""Characters at the end of a target that agents often add or omit."""
_TOKEN = re.compile(r"\w+|[^\w\s]")


def places_of_new_text(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Return the places in ``scopes`` that have the new text in the anchor's context.

    Empty if the new text is a part of the target, unless the context proves that the rest is
    deleted. If the whole target is deleted, only white space is left between the contexts.
    """
    view = document.source.view
    instruction = as_replacement(instruction)
    new_text, anchor = instruction.new_text, instruction.anchor
    has_both = _has_context_on_both_sides(anchor)
    if has_both and not new_text.strip():
        return [*islice(_closed_gaps(view, anchor, scopes), _MAX_PLACES)]
    least = 1 if has_both else _LEAST_NEW_TEXT
    if instruction.operation is not Operation.REPLACE or len(new_text.strip()) < least:
        return []
    if _may_be_left(instruction) and not (anchor.before or anchor.after).strip():
        return []
    context = Context(anchor.before, anchor.after)
    budget.spend_reading(sum(each.end - each.start for each in scopes))
    found = (each for each in occurrences(view, new_text, scopes) if context.fits(view, each))
    return [
        each
        for each in islice(found, _MAX_PLACES)
        if is_of_kind(document, each, comment=anchor.in_comment)
        and not _is_unfinished(view, instruction, each)
    ]


def _closed_gaps(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> Iterator[TextRange]:
    """Yield the places where only white space is left between the two contexts."""
    below = Context("", anchor.after.lstrip())
    for end in _edges(view, anchor.before.rstrip(), scopes, is_above=True):
        if below.fits_after(view, end):
            yield TextRange(end, blanks_after(view, end))


def _may_be_left(instruction: Instruction) -> bool:
    """Whether an occurrence of the new text may be a part of the target, not yet replaced."""
    anchor = instruction.anchor
    texts = anchor.target or "", instruction.new_text, anchor.before, anchor.after
    target, kept, before, after = ("".join(each.split()) for each in texts)
    is_start, is_end = target.startswith(kept), target.endswith(kept)
    if kept not in target or _has_context_on_both_sides(anchor):
        return False
    if is_start == is_end:
        return True
    beside, lost = (after, target[len(kept) :]) if is_start else (before, target[: -len(kept)])
    return not beside or (lost.startswith(beside) if is_start else lost.endswith(beside))


def _is_unfinished(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the line of the new text still has the target's start or end.

    If so, the target isn't replaced there yet.
    """
    sent = instruction.anchor.target or "", instruction.new_text
    end = view.find("\n", place.end)
    above = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    below = view[place.end : end if end >= 0 else None]
    for rest, is_behind in ((above, False), (below.rstrip(_ENDINGS), True)):
        tokens = _TOKEN.findall(rest)
        old, new = (
            _TOKEN.findall(each.rstrip(_ENDINGS))[-len(tokens) :]
            if is_behind
            else _TOKEN.findall(each)[: len(tokens)]
            for each in sent
        )
        if any(each[0].isalnum() for each in tokens) and old == tokens != new:
            return True
    return False


def _is_only_place(view: str, anchor: Anchor, scopes: Sequence[TextRange]) -> bool:
    """Whether one side of the context occurs just once in ``scopes``."""
    return any(
        len(list(islice(_edges(view, side, scopes, is_above=is_above), 2))) == 1
        for side, is_above in ((anchor.before.rstrip(), True), (anchor.after.lstrip(), False))
        if side
    )


def _edges(view: str, side: str, scopes: Sequence[TextRange], *, is_above: bool) -> Iterator[int]:
    """Yield where a side of the context ends above a target, or begins below it."""
    context = Context(side, "") if is_above else Context("", side)
    line = side.rpartition("\n")[2] if is_above else side.partition("\n")[0]
    budget.spend_reading(len(view))
    for each in occurrences(view, line.strip(), [TextRange(0, len(view))]):
        budget.spend()
        at = each.end if is_above else each.start
        is_in_scope = any(scope.start <= at <= scope.end for scope in scopes)
        if is_in_scope and (
            context.fits_before(view, at) if is_above else context.fits_after(view, at)
        ):
            yield at


def _has_context_on_both_sides(anchor: Anchor) -> bool:
    return all(
        len(_TOKEN.findall(each)) >= _LEAST_CONTEXT for each in (anchor.before, anchor.after)
    )


OTHER_TEXT = frozenset((ALREADY_APPLIED, MOST_LIKE, IN_CONTEXT))
"""Labels of near misses that are other text, not a variant of the target."""


@dataclass(frozen=True, slots=True)
class _NearMiss:
    """A place that the anchor may name, and its differences from the anchor."""

    place: TextRange
    differs: tuple[str, ...]
    in_symbol: bool = True


def not_found(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> SnippetError:
    """Return ``anchor_not_found`` with up to ``MAX_NEAR_MISSES`` near misses in ``scopes``.

    Raises :class:`.OutOfStepsError` if the search needs more steps than the budget has left.
    """
    misses = _near_misses(document, instruction)
    misses = misses or [*_exact(document, instruction.anchor, scopes)]
    misses += _outside(document, instruction.anchor)
    places = places_of_new_text(document, instruction, scopes)
    details: dict[str, Any] = {}
    if _is_applied(document, instruction, scopes, places, misses):
        details[ALREADY_APPLIED] = True
        start, end = places[0]
        others = (each for each in misses if each.place.end <= start or end <= each.place.start)
        misses = [_NearMiss(places[0], (ALREADY_APPLIED,)), *others]
    elif places:
        lines = (document.source.line_number(each.start) + 1 for each in places)
        details["newTextLines"] = list(islice(lines, MAX_NEAR_MISSES))
    whole = [TextRange(0, len(document.source.view))]
    nearest = [
        _describe(document, instruction, miss, scopes if miss.in_symbol else whole)
        for miss in misses[:MAX_NEAR_MISSES]
    ]
    details = {"nearest": nearest, **details}
    message = _message(instruction, nearest, details)
    return SnippetError(ErrorCode.ANCHOR_NOT_FOUND, message, details=details)


def _near_misses(document: Document, instruction: Instruction) -> list[_NearMiss]:
    """Return the places most similar to the anchor, nearest first; at least one if any exists.

    Among equally near places, those in code come first; with ``in_comment``, those in comments.
    """
    in_comment = instruction.anchor.in_comment

    def rank(found: Found) -> tuple[float, bool]:
        place = found[0]
        return place.distance, not is_of_kind(document, place.place, comment=in_comment)

    found = sorted(similar_places(document, instruction, certain=False), key=rank)
    near = [
        each
        for each in found
        if each[0].has_edges and each[0].mistakes <= _MOST_WRONG * each[0].target_size
    ]
    view = document.source.view
    return [
        _NearMiss(
            each[0].place,
            differences_at(view, each)
            or tuple(differences(instruction.anchor.target or "", view[slice(*each[0].place)]))
            or (_IN_CODE,),
        )
        for each in near or found[:1]
    ]


def differences_at(view: str, found: Found) -> tuple[str, ...]:
    """Return the differences of target and context at a place, or one label for a poor match."""
    place, sent, wrappings = found
    anchor, standing = sent.anchor, view[slice(*place.place)]
    if is_same_but_for_look(standing, anchor.target or ""):
        of_target = differences(anchor.target or "", standing)
    elif not place.mistakes:
        of_target = ["comment markers"]
    else:
        has_context = place.size > place.target_size and not place.in_context
        return (IN_CONTEXT if has_context else MOST_LIKE,)
    misfit = _misfit(view, anchor, place.place)
    return tuple(filter(None, (*wrappings, *of_target, misfit)))


def _exact(document: Document, anchor: Anchor, scopes: Sequence[TextRange]) -> Iterator[_NearMiss]:
    """Yield some places of a target that is too frequent to compare them all."""
    view = document.source.view
    for place in islice(occurrences(view, anchor.target or "", scopes), MAX_NEAR_MISSES):
        yield _NearMiss(place, (_misfit(view, anchor, place),))


def _misfit(view: str, anchor: Anchor, place: TextRange) -> str:
    above, below = Context(anchor.before, ""), Context("", anchor.after)
    return _MISFIT[above.fits_before(view, place.start), below.fits_after(view, place.end)]


def _outside(document: Document, anchor: Anchor) -> Iterator[_NearMiss]:
    """Yield the places outside the anchor's symbol where the whole anchor matches."""
    if anchor.symbol_path is None:
        return
    view = document.source.view
    context, whole = Context(anchor.before, anchor.after), [TextRange(0, len(view))]
    for place in islice(occurrences(view, anchor.target or "", whole), _MAX_PLACES):
        if context.fits(view, place):
            yield _NearMiss(place, ("its place: outside the symbol",), in_symbol=False)


def _is_applied(
    document: Document,
    instruction: Instruction,
    scopes: Sequence[TextRange],
    places: Sequence[TextRange],
    misses: Sequence[_NearMiss],
) -> bool:
    """Whether the new text is in the target's place, and the target is nowhere else."""
    if len(places) != 1 or _may_be_left(instruction):
        return False
    if not _is_only_place(document.source.view, instruction.anchor, scopes):
        return False
    ((start, end),) = places
    return not any(
        # A variant of the target is there, in the target's context.
        OTHER_TEXT.isdisjoint(each.differs)
        and not {*each.differs} & {*_MISFIT.values()}
        and each.in_symbol
        and (each.place.end <= start or end <= each.place.start)
        for each in misses
    )


def _describe(
    document: Document, instruction: Instruction, miss: _NearMiss, scopes: Sequence[TextRange]
) -> dict[str, Any]:
    anchor = instruction.anchor
    if not miss.in_symbol:
        anchor = replace(anchor, symbol_path=None)
    # An agent sends the anchor that it gets. So a deletion gets no anchor for text that is only
    # similar to its target, or that is now in the place of the deleted target.
    is_deletion = not as_replacement(instruction).new_text
    is_other = is_deletion and not OTHER_TEXT.isdisjoint(miss.differs)
    found = None if is_other else anchor_at(document, anchor, miss.place, scopes)
    if found is not None and found.in_comment:
        position = position_at_comment(document, instruction, miss.place)
        found = replace(found, position=position)
    return describe(document, miss.place, found) | {"differs": list(miss.differs)}


def _message(
    instruction: Instruction, nearest: Sequence[dict[str, Any]], details: Mapping[str, Any]
) -> str:
    path = instruction.anchor.symbol_path
    where = f" in {shortened(path, 45)}" if path else ""
    is_deletion = instruction.operation is Operation.DELETE
    new_text_lines = details.get("newTextLines", [])
    if not nearest:
        advice = (
            f"If the file had it before, {MAY_BE_DONE[1]}; if not, read the file again."
            if is_deletion
            else "Read the file again and copy the text exactly."
        )
        return f"The target was not found{where}, nor anything like it. {advice}"
    best = nearest[0]
    if ALREADY_APPLIED in details:
        return _done(where, best["line"], is_deletion=is_deletion)
    has_it = f"Line {new_text_lines[0]} {MAY_BE_DONE[0]}" if new_text_lines else ""
    is_said = "anchor" in best or is_deletion
    if OTHER_TEXT.isdisjoint(best["differs"]):
        found = f"Nearest: line {best['line']}, which differs in {', '.join(best['differs'])}."
        advice = "" if is_said else " Extend the target."
        done = f" Or is it done? {has_it}" if has_it else ""
        return f"The anchor was not found{where}. {found}{advice}{done}"
    # The quoted line comes last, so that no other words seem to be a part of it.
    found = f"Where its context fits, line {best['line']} has"
    if MOST_LIKE in best["differs"]:
        found = f"Most similar is line {best['line']}"
    advice = "" if is_said else " (extend the target)"
    done = f"Is it done? {has_it} " if has_it else ""
    return f"The anchor was not found{where}. {done}{found}{advice}: {shortened(best['text'], 60)}"


def _done(where: str, line: int, *, is_deletion: bool) -> str:
    if is_deletion:
        found = f"at line {line} it is already gone"
        return f"The target was not found{where}: {found}. {EDIT_IS_DONE}"
    return (
        f"The target was not found{where}, but the newText already occurs at line "
        f"{line}, where it belongs. {EDIT_IS_DONE}"
    )


def already_applied_error(
    document: Document, instruction: Instruction, place: TextRange, details: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """Return the error's message and details for an edit already applied at ``place``.

    ``details`` are the error's details so far.
    """
    whole = [TextRange(0, len(document.source.view))]
    applied = _describe(document, instruction, _NearMiss(place, (ALREADY_APPLIED,)), whole)
    others = [each for each in details["nearest"] if each["line"] != applied["line"]]
    rest = {key: value for key, value in details.items() if key != "newTextLines"}
    is_deletion = instruction.operation is Operation.DELETE or not instruction.new_text
    message = _done("", applied["line"], is_deletion=is_deletion)
    nearest = [applied, *others][:MAX_NEAR_MISSES]
    return message, {**rest, "nearest": nearest, ALREADY_APPLIED: True}
