"""Find which instruction caused which new error, and offer corrections.

Implements ``syntax_error`` and ``compile_error`` of docs/design/engine.md §8.

If an instruction alone breaks the file, it may be the cause of the errors that it brings. If
several may be, the nearest is the cause. If none may be, the cause is unknown. Lexical errors hide
other errors, so a verdict may not show the errors of some causes. So the remaining instructions are
judged again without the causes found, as long as they break the file, too. Two edits may need each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.comments import escaped_breaks
from snippet_engine.edit_plan.plan import SHORT, Plan, plan_edits
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import MAX_OFFERS, Offer, SnippetError
from snippet_engine.fixes.choose_tool import TOOL, as_set
from snippet_engine.fixes.compiler_fixes import Way, ways, with_edits
from snippet_engine.fixes.invalid_new_text import corrections
from snippet_engine.limits import CHANGE_SET
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.planned_edit import PlannedEdit
from snippet_engine.source_text import SourceText
from snippet_engine.validation.code_fixes import MENDED, FixingJudge
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Diagnostic, Validator, Verdict

MAX_JUDGED = 4_000_000
"""Most code points that are judged to find causes: the text's length, once for each edit."""
_MAX_ROUNDS = 3
"""How often the remaining instructions are judged: for lexical errors, syntax, and placement."""
_LEFT_OPEN = frozenset(("CS1003", "CS1026", "CS1027", "CS1035", "CS1038", "CS1513"))
"""Errors about the missing end of a construct. Two edits with only these never fix each other."""

NOT_ATTRIBUTED = "which instruction causes which error: the file is too large to try each alone"
"""The note of an answer with unknown causes."""

NewErrors = Callable[[EditSet], Sequence[Diagnostic]]
Attributed = tuple[Diagnostic, int | None]
"""An error, and the index of the instruction that caused it, if known."""


@dataclass(frozen=True, slots=True)
class _Cause:
    index: int
    start: int
    end: int
    alone: Sequence[Diagnostic]

    def distance(self, offset: int) -> int:
        return max(self.start - offset, offset - self.end, 0)


def attributed(
    plan: Plan,
    diagnostics: Sequence[Diagnostic],
    new_errors: NewErrors,
    before: SourceText,
    after: SourceText,
) -> list[Attributed] | None:
    """Return the errors with their causes, and the hidden errors of other instructions.

    ``new_errors`` returns the errors that some edits cause. Return ``None`` above
    :data:`MAX_JUDGED`.
    """
    edits, length = list(plan.edits), len(before.view)
    if len(edits) == 1:
        return [(each, plan.instruction_of(edits[0])) for each in diagnostics]
    if len(edits) * length > budget.part_of(MAX_JUDGED):
        return None
    causes = [
        _Cause(plan.instruction_of(edit), start, end, alone)
        for edit, (start, end) in zip(edits, plan.edits.after_ranges(), strict=True)
        if (alone := _errors_of(edit, new_errors, len(edits)))
    ]
    told = [(each, _cause_of(each, causes)) for each in diagnostics]
    is_room = (len(edits) + _MAX_ROUNDS) * length <= budget.part_of(MAX_JUDGED)
    if is_room and len(told) < MOST_DIAGNOSTICS:
        told += _hidden(plan, causes, {index for _, index in told}, new_errors, (before, after))
        told.sort(key=lambda each: each[0].offset)
    return told[:MOST_DIAGNOSTICS]


def _hidden(
    plan: Plan,
    causes: Sequence[_Cause],
    named: set[int | None],
    new_errors: NewErrors,
    texts: tuple[SourceText, SourceText],
) -> Iterator[Attributed]:
    edits = {plan.instruction_of(edit): edit for edit in plan.edits}
    if all(error.id in _LEFT_OPEN for each in causes for error in each.alone):
        for each in causes:
            if each.index not in named:
                alone = EditSet((edits[each.index],))
                yield _moved(each.alone[0], alone, plan.edits, *texts), each.index
        return
    view = texts[0].view
    for _ in range(_MAX_ROUNDS):
        gone = [edits[index] for index in named if index is not None]
        rest = EditSet(tuple(edit for edit in plan.edits if edit not in gone))
        ranges = dict(zip(rest, rest.after_ranges(), strict=True))
        left = [
            replace(each, start=ranges[edit][0], end=ranges[edit][1])
            for each in causes
            if (edit := edits[each.index]) in ranges
            and not any(_close_each_other(edit, other, view) for other in gone)
        ]
        found = new_errors(rest) if left else ()
        for error in found:
            index = _cause_of(error, left)
            named = named | {index}
            yield _moved(error, rest, plan.edits, *texts), index
        if not found:
            return


def _close_each_other(left: TextEdit, right: TextEdit, view: str) -> bool:
    """Return whether one edit may close a bracket or comment that the other one opens."""
    return any(
        _opened(left, view, *signs) * _opened(right, view, *signs) < 0
        for signs in (("(", ")"), ("[", "]"), ("{", "}"), ("/*", "*/"))
    )


def _opened(edit: TextEdit, view: str, opener: str, closer: str) -> int:
    new, place = edit.new_text, (edit.start, edit.end)
    opened = new.count(opener) - view.count(opener, *place)
    return opened - (new.count(closer) - view.count(closer, *place))


def _moved(
    error: Diagnostic, edits: EditSet, all_edits: EditSet, before: SourceText, after: SourceText
) -> Diagnostic:
    if error.path:
        return error
    starts = dict(zip(all_edits, (start for start, _ in all_edits.after_ranges()), strict=True))
    original = error.offset
    offset: int | None = None
    for edit, (start, end) in zip(edits, edits.after_ranges(), strict=True):
        if start <= error.offset <= end:
            offset = starts[edit] + error.offset - start
        elif end < error.offset:
            original -= len(edit.new_text) - (edit.end - edit.start)
    if offset is None:
        offset = all_edits.map_offset(original)
    if offset is None:
        offset = next(starts[one] for one in all_edits if one.start <= original <= one.end)
    if error.cause and not _keep_places(all_edits, before.view):
        error = replace(error, message=error.message.removesuffix(error.cause), cause="")
    return replace(error, offset=offset, position=after.position(offset))


def _keep_places(edits: EditSet, view: str) -> bool:
    last = -1
    for edit in edits:
        if edit.new_text.count("\n") != view.count("\n", edit.start, edit.end):
            return False
        if view.rfind("\n", 0, edit.start) + 1 <= last:
            return False
        last = edit.end
    return True


def _errors_of(edit: TextEdit, new_errors: NewErrors, of: int) -> Sequence[Diagnostic]:
    with budget.in_part(1 / of):
        return new_errors(EditSet((edit,)))


def _cause_of(diagnostic: Diagnostic, causes: Sequence[_Cause]) -> int | None:
    same_id = [each for each in causes if any(one.id == diagnostic.id for one in each.alone)]
    same = [
        each for each in same_id if any(one.message == diagnostic.message for one in each.alone)
    ]
    likely = same or same_id or causes
    nearest = min(likely, key=lambda each: each.distance(diagnostic.offset), default=None)
    return nearest.index if nearest is not None else None


MAX_CLOSED = 6_000_000
"""Most code points of edited texts that are judged to correct a new text. A short text is always
judged once.
"""
MAX_TRIED = 6
Edited = Callable[[Document, EditSet], Document | SnippetError]


def new_error_offers(
    request: EditRequest,
    planned: PlannedEdit,
    verdict: Verdict,
    causes: Collection[int | None],
    judge: Validator,
    edited: Edited,
) -> tuple[Offer, ...] | None:
    """Return the offers for a verdict's errors; ``None`` if the text is too long to try any.

    ``causes`` are the instructions to blame.
    """
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
        """Return whether a request is valid, and results in the ``wanted`` text."""
        before = self.planned.before
        tried = plan_edits(before, meant.instructions, meant.limits)
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
        return isinstance(plan_edits(before, meant.instructions, meant.limits), Plan)


def _of_compiler(request: EditRequest, trying: _Trying) -> Iterator[Offer]:
    """Yield the request with each fix that the compiler suggests; several are a choice."""
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
    found = corrections(request, planned.plan, causes)
    count = max(budget.part_of(MAX_CLOSED) // (length + 1), int(length <= SHORT))
    if count == 0:
        return None if any(found) else ()
    for told, meant in islice(found, min(count, MAX_TRIED)):
        with budget.in_part(1 / min(count, MAX_TRIED)):
            holds = trying.holds(meant)
        if holds:
            return (Offer(told, meant.to_json()),)
    return ()
