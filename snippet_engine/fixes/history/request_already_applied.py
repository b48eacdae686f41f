"""Find out from earlier versions whether an edit, or a whole request, was applied before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.resolver import place_in
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan, plan_edits
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, SnippetError
from snippet_engine.fixes.history.track_position import MAX_VERSIONS, Earlier, Passage
from snippet_engine.limits import CHANGE_SET
from snippet_engine.request import EditRequest, Instruction
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Repeated:
    """An edit that was applied before."""

    place: TextRange | None
    """Where its result is now, if it is still there."""


def repeated(document: Document, instruction: Instruction, earlier: Earlier) -> Repeated | None:
    """Return the edit if ``instruction`` was applied, and its anchor has fitted nothing since."""
    newer = document.source.view
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == newer:
            continue
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
    """Return where ``place`` of the version ``then`` is in ``view``; empty if nothing is left."""
    if then == view:
        return place
    if then[slice(*place)].strip():
        return Passage(then, view).now_at(place)
    # Nothing was left there: follow the word behind it.
    behind = place.end + len(then[place.end :]) - len(then[place.end :].lstrip())
    start = Passage(then, view).start_of(behind) if behind < len(then) else None
    return None if start is None else TextRange(start, start)


_MOST = 100_000
"""Steps that the search in earlier versions may take."""


def is_request_applied(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> bool:
    """Whether ``request``, refused with ``error``, was applied already as a whole.

    ``False`` if that takes more than ``_MOST`` steps to find out.
    """
    try:
        with budget.sharing(_MOST):
            if _leaves_nothing(document, request, error):
                return True
            return _turns_an_earlier_one_into(document, request, earlier)
    except budget.OutOfStepsError:
        return False


def _leaves_nothing(document: Document, request: EditRequest, error: SnippetError) -> bool:
    """Whether each refused instruction was applied, and the others change nothing."""
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
    """Whether ``request`` turns the newest earlier version that it fits into the present text."""
    view = document.source.view
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == view or request.expected_hash not in (None, old.hash):
            continue
        plan = plan_edits(document.alike(old), request.instructions, request.limits)
        if isinstance(plan, Plan):
            return plan.edits.apply(old.view) == view
    return False
