"""Which instruction caused which new error.

Implements the attribution of ``syntax_error`` in spec 01-snippet-engine §8. An instruction
that breaks the file when it is applied alone is a cause; where several are, each diagnostic
goes to the nearest of them. Where none is, it can't be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snippet_engine.edits import EditSet
from snippet_engine.plan import Plan
from snippet_engine.validation.validator import Diagnostic


def attributed(
    plan: Plan,
    diagnostics: Sequence[Diagnostic],
    breaks: Callable[[EditSet], bool],
) -> list[int | None]:
    """For each diagnostic, the index of the instruction that caused it, or ``None``.

    ``breaks`` tells whether the file has new errors with just those edits.
    """
    edits = list(plan.edits)
    if len(edits) == 1:
        return [plan.instruction_of(edits[0])] * len(diagnostics)
    causes = [
        (plan.instruction_of(edit), after_range)
        for edit, after_range in zip(edits, plan.edits.after_ranges(), strict=True)
        if breaks(EditSet((edit,)))
    ]
    if not causes:
        return [None] * len(diagnostics)

    def nearest(offset: int) -> int:
        return min(causes, key=lambda cause: max(cause[1][0] - offset, offset - cause[1][1], 0))[0]

    return [nearest(diagnostic.offset) for diagnostic in diagnostics]
