"""Whether all that a request asks of a script was made before, and it is sent once more.

Part of docs/design/engine.md §8. One instruction alone may tell little of that: a deletion leaves
nothing to be found, and short texts stand anywhere. All of them together tell it where they make
the present text of an earlier one.
"""

from __future__ import annotations

from itertools import islice

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.explain.near_miss import ALREADY_APPLIED
from snippet_engine.explain.planning import make_plan
from snippet_engine.offers.history.followed import MAX_VERSIONS, Earlier
from snippet_engine.request import EditRequest

_MOST = 100_000
"""Steps that looking at earlier versions may take."""


def is_made(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> bool:
    """Whether nothing of ``request`` is left to be done, which ``document`` refused with ``error``.

    ``False`` where finding that out takes more than ``_MOST`` steps.
    """
    try:
        with budget.sharing(_MOST):
            if _leaves_nothing(document, request, error):
                return True
            return _turns_an_earlier_one_into(document, request, earlier)
    except budget.OutOfStepsError:
        return False


def _leaves_nothing(document: Document, request: EditRequest, error: SnippetError) -> bool:
    """Whether each refused instruction is told to be made, and the others change nothing."""
    faults = (error.to_json(), *error.details.get("otherErrors", ()))
    if not all(
        each["code"] == ErrorCode.ANCHOR_NOT_FOUND and ALREADY_APPLIED in each["details"]
        for each in faults
    ):
        return False
    made = {each.get("instruction") for each in faults}
    rest = [each for at, each in enumerate(request.instructions) if at not in made]
    plan = make_plan(document, rest, request.limits) if rest else None
    return plan is None or (isinstance(plan, Plan) and not plan.edits)


def _turns_an_earlier_one_into(document: Document, request: EditRequest, earlier: Earlier) -> bool:
    """Whether the newest earlier version that takes ``request`` becomes the present text by it."""
    view = document.source.view
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == view or request.expected_hash not in (None, old.hash):
            continue
        plan = make_plan(document.alike(old), request.instructions, request.limits)
        if isinstance(plan, Plan):
            return plan.edits.apply(old.view) == view
    return False
