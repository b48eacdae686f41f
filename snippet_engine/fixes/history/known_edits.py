"""Check in earlier versions whether an edit was applied, and what else they declared."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import place_in, resolve_anchor
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.edit_plan.plan import Plan, plan_edits
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, SnippetError, shortened
from snippet_engine.fixes.explain.near_misses import already_applied_error
from snippet_engine.fixes.history.track_position import (
    MAX_VERSIONS,
    Earlier,
    Passage,
    followed_as_sent,
    versions,
)
from snippet_engine.fixes.search.tokens import contains, hunks, tokens_of
from snippet_engine.limits import CHANGE_SET
from snippet_engine.request import EditRequest, Instruction, Operation
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Repeated:
    """An edit that was applied before."""

    place: TextRange | None
    """Where its result is now, if it is still there."""


def repeated(document: Document, instruction: Instruction, earlier: Earlier) -> Repeated | None:
    """Return the edit if ``instruction`` was applied and its anchor has matched nothing since."""
    newer = document.source.view
    for old in islice(earlier(), MAX_VERSIONS):
        then = document.alike(old)
        if place_in(then, instruction.anchor) is not None:
            plan = plan_edits(then, [instruction], CHANGE_SET)
            if not isinstance(plan, Plan) or not plan.edits or plan.edits.apply(old.view) != newer:
                return None
            start = min(each.start for each in plan.edits)
            more = len(newer) - len(old.view)
            end = max(each.end for each in plan.edits) + more
            return Repeated(_now(newer, document.source.view, TextRange(start, end)))
        newer = old.view
    return None


def _now(then: str, view: str, place: TextRange) -> TextRange | None:
    """Return where ``place`` of ``then`` is in ``view``; empty if nothing is left of it."""
    if then == view:
        return place
    if then[slice(*place)].strip():
        return Passage(then, view).now_at(place)
    # Nothing was left there, so follow the word behind it.
    behind = place.end + len(then[place.end :]) - len(then[place.end :].lstrip())
    start = Passage(then, view).start_of(behind) if behind < len(then) else None
    return None if start is None else TextRange(start, start)


_MOST = 100_000
"""Steps that the search in earlier versions may take."""


def is_request_applied(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> bool:
    """Whether all of ``request``, refused with ``error``, was already applied.

    ``False`` if it takes more than ``_MOST`` steps to find out.
    """
    try:
        with budget.sharing(_MOST):
            if _leaves_nothing(document, request, error):
                return True
            return _turns_an_earlier_one_into(document, request, earlier)
    except budget.OutOfStepsError:
        return False


def _leaves_nothing(document: Document, request: EditRequest, error: SnippetError) -> bool:
    """Whether all refused instructions were already applied, and the others change nothing."""
    faults = (error.to_json(), *error.details.get("otherErrors", ()))
    if not all(
        each["code"] == ErrorCode.ANCHOR_NOT_FOUND and ALREADY_APPLIED in each["details"]
        for each in faults
    ):
        return False
    applied = {each.get("instruction") for each in faults}
    rest = [each for at, each in enumerate(request.instructions) if at not in applied]
    plan = plan_edits(document, rest, request.limits) if rest else None
    return plan is None or (isinstance(plan, Plan) and not plan.edits)


def _turns_an_earlier_one_into(document: Document, request: EditRequest, earlier: Earlier) -> bool:
    """Whether ``request`` turns the newest version that it fits into the present text."""
    view = document.source.view
    for then in versions(document, earlier):
        if request.expected_hash not in (None, then.source.hash):
            continue
        plan = plan_edits(then, request.instructions, request.limits)
        if isinstance(plan, Plan):
            return plan.edits.apply(then.source.view) == view
    return False


def declared_next_to(document: Document, path: str, earlier: Earlier) -> Set[str]:
    """Return the other paths declared in the newest earlier version that declares ``path``.

    Omits ``path`` itself and its containers. Empty if no version declares it.
    """
    for before in versions(document, earlier):
        budget.spend_reading(len(before.source.view))
        found = resolve(before, path)
        if isinstance(found, SymbolPathProblem) or not found:
            continue
        return {
            each.path
            for each in declarations(before)
            if not any(
                each.full.start <= one.full.start and one.full.end <= each.full.end for one in found
            )
        }
    return frozenset()


def is_in_one(document: Document, instruction: Instruction, paths: Set[str]) -> bool:
    """Whether an instruction's place is in a declaration with one of ``paths``."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return False
    start, end = resolved.place
    around = [
        each for each in declarations(document) if each.full.start <= start <= end <= each.full.end
    ]
    return bool(around) and around[-1].path in paths


def corrected_by_history(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> SnippetError:
    """Correct ``error`` if earlier versions show that an edit was applied.

    Return ``error`` unchanged if that takes more than ``_MOST`` steps.
    """
    others = error.details.get("otherErrors", ())
    if all(each["code"] != ErrorCode.ANCHOR_NOT_FOUND for each in (error.to_json(), *others)):
        return error
    try:
        with budget.sharing(_MOST):
            first, *rest = (
                _corrected(document, request, each, earlier) for each in (error.to_json(), *others)
            )
    except budget.OutOfStepsError:
        return error
    details = {**first["details"], **({"otherErrors": rest} if rest else {})}
    return replace(error, message=first["message"], details=details)


def _corrected(
    document: Document, request: EditRequest, fault: Mapping[str, Any], earlier: Earlier
) -> Mapping[str, Any]:
    """Return ``fault``; if earlier versions prove it, changed to "already applied"."""
    if fault["code"] != ErrorCode.ANCHOR_NOT_FOUND or "instruction" not in fault:
        return fault
    instruction = request.instructions[fault["instruction"]]
    again = repeated(document, instruction, earlier)
    place = None if again is None else again.place
    if place is None and "newTextLines" in fault["details"]:
        place = _applied_at(document, instruction, earlier)
    if place is None:
        return fault
    message, details = already_applied_error(document, instruction, place, fault["details"])
    return {**fault, "message": message, "details": details}


def _applied_at(document: Document, instruction: Instruction, earlier: Earlier) -> TextRange | None:
    """Return the place that had the target in an earlier version, if it has the new text now."""
    instruction = as_replacement(instruction)
    if instruction.operation is not Operation.REPLACE:
        return None
    known = followed_as_sent(document, instruction.anchor, earlier)
    if known is None or known.place is None:
        return None
    standing = document.source.view[slice(*known.place)]
    return known.place if standing.strip() == instruction.new_text.strip() else None


_SHOWN = 60
"""Longest text that is quoted, in code points."""


def text_reverted(instruction: Instruction, standing: str, result: str) -> str:
    """Return the text that later edits added and ``instruction`` would remove.

    ``standing`` is the present text in the target's place; ``result`` is that text after the
    replacement. Empty if nothing is lost. A long text is cut in the middle.
    """
    if instruction.operation is Operation.INSERT:
        return ""
    base = tokens_of(instruction.anchor.target or "")[:-1]
    theirs = tokens_of(standing)[:-1]
    mine = tokens_of(instruction.new_text)[:-1]
    changes = hunks([each.text for each in base], [each.text for each in mine])
    left = [each.text for each in tokens_of(result)[:-1]]
    lost: list[str] = []
    for put in hunks([each.text for each in base], [each.text for each in theirs]):
        if put.other_start == put.other_end:
            continue
        new = [each.text for each in theirs[put.other_start : put.other_end]]
        for change in changes:
            wanted = [each.text for each in mine[change.other_start : change.other_end]]
            touches = change.start < put.end and put.start < change.end
            is_within = change.start < put.start < change.end
            # Text added next to the change may be lost as well.
            meets = change.start <= put.end and put.start <= change.end
            is_beside = meets and not contains(left, new)
            if (touches or is_within or is_beside) and wanted != new:
                first, last = theirs[put.other_start], theirs[put.other_end - 1]
                lost.append(standing[first.start : last.end])
                break
    return shortened(" … ".join(" ".join(each.split()) for each in lost), _SHOWN)
