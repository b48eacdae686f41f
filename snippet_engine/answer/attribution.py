"""Which instruction caused which new error.

Implements the attribution of ``syntax_error`` in docs/design/engine.md §8. An instruction
that breaks the file when it is applied alone is a cause, above all of the errors that the file
has then. Where that fits several, it is the nearest one; where none is a cause, it can't be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from snippet_engine import work
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.validation.validator import Diagnostic

MAX_JUDGED = 4_000_000
"""Code points judged to find causes: the text's, once for each edit."""

NOT_ATTRIBUTED = "which instruction causes which error: the file is too large to try each alone"
"""What the response says where that isn't told."""


@dataclass(frozen=True, slots=True)
class _Cause:
    """An instruction that breaks the file alone: its new text's range, and the errors then."""

    index: int
    start: int
    end: int
    alone: Sequence[Diagnostic]

    def distance(self, offset: int) -> int:
        return max(self.start - offset, offset - self.end, 0)


def attributed(
    plan: Plan,
    diagnostics: Sequence[Diagnostic],
    new_errors: Callable[[EditSet], Sequence[Diagnostic]],
    length: int,
) -> list[int | None] | None:
    """For each diagnostic, the index of the instruction that caused it, or ``None``.

    ``new_errors`` tells which ones the file, of ``length`` code points, gets from just those
    edits. Nothing where that would have to judge more than :data:`MAX_JUDGED`.
    """
    edits = list(plan.edits)
    if len(edits) == 1:
        return [plan.instruction_of(edits[0])] * len(diagnostics)
    if len(edits) * length > work.part_of(MAX_JUDGED):
        return None
    causes = [
        _Cause(plan.instruction_of(edit), start, end, alone)
        for edit, (start, end) in zip(edits, plan.edits.after_ranges(), strict=True)
        if (alone := _errors_of(edit, new_errors, len(edits)))
    ]
    return [_cause_of(diagnostic, causes) for diagnostic in diagnostics]


def _errors_of(
    edit: TextEdit, new_errors: Callable[[EditSet], Sequence[Diagnostic]], of: int
) -> Sequence[Diagnostic]:
    """Those of one edit ``of`` so many, which together may cost as much as a request."""
    with work.in_part(1 / of):
        return new_errors(EditSet((edit,)))


def _cause_of(diagnostic: Diagnostic, causes: Sequence[_Cause]) -> int | None:
    same_id = [each for each in causes if any(one.id == diagnostic.id for one in each.alone)]
    same = [
        each for each in same_id if any(one.message == diagnostic.message for one in each.alone)
    ]
    likely = same or same_id or causes
    nearest = min(likely, key=lambda each: each.distance(diagnostic.offset), default=None)
    return nearest.index if nearest is not None else None
