"""Offer an edit that brings new errors with a correction that makes it valid.

Implements the offers of ``syntax_error`` and ``compile_error``, docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import islice

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.comments import escaped_breaks
from snippet_engine.edit_plan.plan import SHORT, Plan
from snippet_engine.edits import EditSet
from snippet_engine.errors import MAX_OFFERS, Offer, SnippetError
from snippet_engine.fixes.best_offers import TOOL, as_set
from snippet_engine.fixes.compiler_fixes import Way, ways, with_edits
from snippet_engine.fixes.explain.planning import plan_or_explain
from snippet_engine.fixes.invalid_new_text import corrections
from snippet_engine.limits import CHANGE_SET
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.planned_edit import PlannedEdit
from snippet_engine.validation.code_fixes import MENDED, FixingJudge
from snippet_engine.validation.validator import Validator, Verdict

MAX_CLOSED = 6_000_000
"""Most code points of edited texts that are judged to find a missing sign; at least one text if it
is short.
"""
MAX_TRIED = 6
"""Most corrected forms of an edit that are judged."""

Edited = Callable[[Document, EditSet], Document | SnippetError]
"""Returns a text with edits."""


def new_error_offers(
    request: EditRequest,
    planned: PlannedEdit,
    verdict: Verdict,
    causes: Collection[int | None],
    judge: Validator,
    edited: Edited,
) -> tuple[Offer, ...] | None:
    """Return the offers for a verdict's errors; ``None`` if the text is too long to try any."""
    trying = _Trying(planned, judge, edited)
    own = [each for each in verdict.diagnostics if each.path in ("", planned.script.relative)]
    if len(own) == len(verdict.diagnostics) and {each.id for each in own} & MENDED:
        found = tuple(_of_compiler(request, trying))
        if found:
            return found
    return _corrected(request, trying, causes)


class _Trying:
    def __init__(self, planned: PlannedEdit, judge: Validator, edited: Edited) -> None:
        self.planned, self.judge, self._edited = planned, judge, edited

    def holds(self, meant: EditRequest, wanted: str | None = None) -> bool:
        """Return whether a request is valid, and gives the ``wanted`` text."""
        before = self.planned.before
        tried = plan_or_explain(before, meant.instructions, meant.limits)
        after = self._edited(before, tried.edits) if isinstance(tried, Plan) else None
        if not isinstance(tried, Plan) or not isinstance(after, Document):
            return False
        if wanted is not None and after.source.view != wanted:
            return False
        path = self.planned.script.relative
        verdict = self.judge.validate(path, before, after, tried.edits)
        if isinstance(verdict, SnippetError) or verdict.diagnostics:
            return False
        return not any(each.has_code for each in escaped_breaks(before, after, tried.edits))

    def fits(self, meant: EditRequest) -> bool:
        """Return whether a request can be planned within its tool's limits."""
        before = self.planned.before
        return isinstance(plan_or_explain(before, meant.instructions, meant.limits), Plan)


def _of_compiler(request: EditRequest, trying: _Trying) -> Iterator[Offer]:
    """Yield the request with what the compiler says that it needs; several are a choice."""
    planned, judge = trying.planned, trying.judge
    if not isinstance(judge, FixingJudge):
        return
    path, after = planned.script.relative, planned.after.source
    fixes = judge.code_fixes(path, {path: after.view})
    valid: list[tuple[Way, EditRequest, bool]] = []
    for way in ways(fixes, after):
        meant = with_edits(request, planned.before, planned.plan, way.edits)
        if meant is None:
            continue
        is_larger = request.limits.is_small and not trying.fits(meant)
        if is_larger:
            meant = replace(meant, limits=CHANGE_SET)
        if trying.holds(meant, way.edits.apply(after.view)):
            valid.append((way, meant, is_larger))
    if len(valid) > MAX_OFFERS:
        return
    for way, meant, is_larger in valid:
        arguments = as_set(meant) if is_larger else meant.to_json()
        yield Offer(way.what, arguments, tool=TOOL if is_larger else "", unless=way.unless)


def _corrected(
    request: EditRequest, trying: _Trying, causes: Collection[int | None]
) -> tuple[Offer, ...] | None:
    planned = trying.planned
    length = len(planned.before.source.view)
    found = corrections(request, planned.before, planned.plan, causes)
    count = max(budget.part_of(MAX_CLOSED) // (length + 1), int(length <= SHORT))
    if count == 0:
        return None if any(found) else ()
    for told, meant in islice(found, min(count, MAX_TRIED)):
        with budget.in_part(1 / min(count, MAX_TRIED)):
            holds = trying.holds(meant)
        if holds:
            return (Offer(told, meant.to_json()),)
    return ()
