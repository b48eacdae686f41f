"""Make ``anchor_not_found``, the error for an anchor that matches nothing.

Implements docs/design/engine.md §8: near misses, best first, each with its line, its differences,
and the whole anchor to send.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.context import Context, blanks_after, blanks_before
from snippet_engine.anchors.possible_places import possible_places
from snippet_engine.anchors.text_anchor import stands_in
from snippet_engine.anchors.unique_context import starts_beside
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.edit_plan.comments import position_beside
from snippet_engine.errors import ALREADY_APPLIED, MOST_LIKE, ErrorCode, SnippetError, shortened
from snippet_engine.fixes.explain.candidates import describe
from snippet_engine.fixes.explain.near_miss import (
    IN_CONTEXT,
    MAX_NEAR_MISSES,
    NearMiss,
    most_similar,
    same_text,
)
from snippet_engine.fixes.search.candidate_search import is_in
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_NEW_TEXT = 3
"""Shortest new text that proves anything, in code points without white space at its ends."""
_LEAST_CONTEXT = 3
"""Tokens of context on each side that identify a place by themselves."""
_MAX_PLACES = 1000
"""Most places of the new text, or of the context, that are checked."""
_PER_PLACE = 5
"""Steps that each of them takes."""
_REACH = 100
"""Most code points between the context's two sides, beyond those of target and new text."""
_ENDINGS = " \t\r\n;,{}"
"""Characters at the end of a target that agents add or leave out."""
_TOKEN = re.compile(r"\w+|[^\w\s]")


def places_of_new_text(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Return where ``scopes`` have the new text with the anchor's context around it.

    Empty if the new text is a part of the target, and no context shows that the rest is gone.
    """
    view = document.source.view
    instruction = as_replacement(instruction)
    new_text, anchor = instruction.new_text, instruction.anchor
    has_both = _has_context_on_both_sides(anchor)
    least = 1 if has_both else _LEAST_NEW_TEXT
    if instruction.operation is not Operation.REPLACE or len(new_text.strip()) < least:
        return []
    if _may_be_left(instruction) and not (anchor.before or anchor.after).strip():
        return []
    context = Context(anchor.before, anchor.after)
    places = possible_places(view, new_text, context, scopes)
    found = sorted(islice((each for each in places if context.fits(view, each)), _MAX_PLACES))
    return [
        each
        for each in found
        if stands_in(document, each, comment=anchor.in_comment)
        and not _is_unfinished(view, instruction, each)
    ]


def _may_be_left(instruction: Instruction) -> bool:
    """Whether the new text may be there only as a part of the target, still to be shortened."""
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

    Then that line is still to be replaced.
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


def is_proven_at(
    view: str, instruction: Instruction, place: TextRange, scopes: Sequence[TextRange]
) -> bool:
    """Whether the context, which fits the new text at ``place``, fits nowhere else."""
    anchor = instruction.anchor
    if not (anchor.before.strip() or anchor.after.strip()):
        return False
    if _may_be_left(instruction):
        return False
    context = Context(anchor.before, anchor.after)
    longest = len(anchor.target or "") + len(instruction.new_text) + _REACH
    first_after = anchor.after.strip().partition("\n")[0].rstrip()
    is_above = bool(anchor.before.strip())
    known = blanks_after(view, place.start) if is_above else blanks_before(view, place.end)
    sides = (anchor.before.rstrip(), "") if is_above else ("", anchor.after.lstrip())
    found = starts_beside(view, *sides, 0)
    # A target may begin or end at any of several blanks: count them as one place, by the last.
    edges = (
        at for at in found if not view[(n := at if is_above else max(at - 1, 0)) : n + 1].isspace()
    )
    for count, at in enumerate(edges):
        budget.spend(_PER_PLACE)
        if count == _MAX_PLACES:
            return False
        if at == known or not any(each.start <= at <= each.end for each in scopes):
            continue
        if not (context.fits_before(view, at) if is_above else context.fits_after(view, at)):
            continue
        if not (is_above and first_after):
            return False
        if _stands_soon(view, context, first_after, at, longest):
            return False
    return True


def _stands_soon(view: str, context: Context, line: str, start: int, longest: int) -> bool:
    limit = start + longest + len(line)
    at = view.find(line, start, limit)
    while at >= 0:
        budget.spend()
        if context.fits_after(view, at):
            return True
        at = view.find(line, at + 1, limit)
    return False


def _has_context_on_both_sides(anchor: Anchor) -> bool:
    return all(
        len(_TOKEN.findall(each)) >= _LEAST_CONTEXT for each in (anchor.before, anchor.after)
    )


_OTHERS = frozenset((ALREADY_APPLIED, MOST_LIKE, IN_CONTEXT))
"""Marks of near misses that are other text, not the target written otherwise."""


def not_found(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> SnippetError:
    """Return ``anchor_not_found`` with up to ``MAX_NEAR_MISSES`` near misses in ``scopes``.

    Raises :class:`.OutOfStepsError` if the steps ended before one was found.
    """
    view, anchor = document.source.view, instruction.anchor
    alike = same_text(view, anchor, scopes)
    in_context = any(each.in_context for each in alike)
    applied = _applied(document, instruction, scopes, alike)
    misses: dict[TextRange, NearMiss] = {each.place: each for each in applied}
    try:
        # Once the target is found in its context, merely similar places add nothing.
        rest = () if in_context else most_similar(document, anchor, scopes)
        for miss in chain(alike, rest):
            if not miss.in_symbol or is_in(miss.place, scopes):
                misses.setdefault(miss.place, miss)
            if len(misses) == MAX_NEAR_MISSES:
                break
    except budget.OutOfStepsError:
        # The best come first, so what was found is worth reporting.
        if not misses:
            raise
    whole = [TextRange(0, len(view))]
    nearest = [
        _describe(document, instruction, miss, scopes if miss.in_symbol else whole)
        for miss in misses.values()
    ]
    details: dict[str, Any] = {"nearest": nearest}
    if applied:
        details[ALREADY_APPLIED] = True
    else:
        places = places_of_new_text(document, instruction, scopes)
        if places:
            lines = (document.source.line_number(each.start) + 1 for each in places)
            details["newTextLines"] = list(islice(lines, MAX_NEAR_MISSES))
    message = _message(instruction, nearest, details)
    return SnippetError(ErrorCode.ANCHOR_NOT_FOUND, message, details=details)


def _applied(
    document: Document,
    instruction: Instruction,
    scopes: Sequence[TextRange],
    alike: Sequence[NearMiss],
) -> list[NearMiss]:
    view = document.source.view
    places = places_of_new_text(document, instruction, scopes)
    if len(places) != 1 or not is_proven_at(view, instruction, places[0], scopes):
        return []
    ((start, end),) = places
    if any(
        each.in_context and (each.place.end <= start or end <= each.place.start) for each in alike
    ):
        return []  # The target is still elsewhere in its context, written otherwise.
    return [NearMiss(places[0], (ALREADY_APPLIED,))]


def _describe(
    document: Document, instruction: Instruction, miss: NearMiss, scopes: Sequence[TextRange]
) -> dict[str, Any]:
    anchor = instruction.anchor
    if not miss.in_symbol:
        anchor = replace(anchor, symbol_path=None)
    # An agent sends the anchor that it gets. So a deletion gets none for text that is merely like
    # its target, or that stands where the target was deleted.
    is_other = instruction.operation is Operation.DELETE and not _OTHERS.isdisjoint(miss.differs)
    found = None if is_other else anchor_at(document, anchor, miss.place, scopes)
    if found is not None and found.in_comment:
        position = position_beside(document, instruction, miss.place)
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
            (
                "If the file had it before, this deletion is already done; if not, read the file "
                "again."
            )
            if is_deletion
            else "Read the file again and copy the text exactly."
        )
        return f"The target was not found{where}, nor anything like it. {advice}"
    best = nearest[0]
    if ALREADY_APPLIED in details:
        return _done(where, best["line"], is_deletion=is_deletion)
    has_it = f"Line {new_text_lines[0]} has the newText." if new_text_lines else ""
    is_said = "anchor" in best or is_deletion
    if _OTHERS.isdisjoint(best["differs"]):
        found = f"Nearest: line {best['line']}, which differs in {', '.join(best['differs'])}."
        advice = "" if is_said else " Extend the target."
        done = f" Or is it done? {has_it}" if has_it else ""
        return f"The anchor was not found{where}. {found}{advice}{done}"
    # The quoted line comes last, so that no other words seem to be part of it.
    found = f"Where its context fits, line {best['line']} has"
    if MOST_LIKE in best["differs"]:
        found = f"Most like it is line {best['line']}"
    advice = "" if is_said else " (extend the target)"
    done = f"Is it done? {has_it} " if has_it else ""
    return f"The anchor was not found{where}. {done}{found}{advice}: {shortened(best['text'], 60)}"


def _done(where: str, line: int, *, is_deletion: bool) -> str:
    if is_deletion:
        return (
            f"The target was not found{where}: at line {line} it was deleted already. "
            "This edit is already done, leave it out."
        )
    return (
        f"The target was not found{where}, but the newText already occurs at line "
        f"{line}, where it belongs: this edit is done, leave it out."
    )


def already_applied_error(
    document: Document, instruction: Instruction, place: TextRange, details: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """Return message and details of an ``anchor_not_found`` whose edit was applied at ``place``.

    ``details`` are its details before that was known.
    """
    whole = [TextRange(0, len(document.source.view))]
    applied = _describe(document, instruction, NearMiss(place, (ALREADY_APPLIED,)), whole)
    others = [each for each in details["nearest"] if each["line"] != applied["line"]]
    rest = {key: value for key, value in details.items() if key != "newTextLines"}
    is_deletion = instruction.operation is Operation.DELETE or not instruction.new_text
    message = _done("", applied["line"], is_deletion=is_deletion)
    nearest = [applied, *others][:MAX_NEAR_MISSES]
    return message, {**rest, "nearest": nearest, ALREADY_APPLIED: True}
