"""New code that goes right behind other code on its line, or has other code right behind it.

Implements a warning of docs/design/engine.md §2.7. An insertion beside its anchor is exactly what
was sent; but where a statement or a member then begins right behind another one, lines of its own
were meant, most likely.
"""

from __future__ import annotations

from collections.abc import Iterator

from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edit_plan.plan import Outcome, Plan, PlannedInstruction
from snippet_engine.request import InsertPosition, Operation

_BESIDE = (InsertPosition.BEFORE, InsertPosition.AFTER)
_ENDS = frozenset(";{}")
"""What ends a statement or a member, or begins a block."""
_BEGINS = ("[", "@", "#", "///")
"""What one begins with that has no name first: attributes, verbatim names, directives, and its
documentation. Another comment is about what it stands behind."""


def about_same_line(document: Document, plan: Plan) -> Iterator[Warn]:
    """A warning for each insertion into ``document`` without a blank where lines may be meant."""
    for planned in plan.instructions:
        is_beside = planned.instruction.position in _BESIDE
        if planned.instruction.operation is not Operation.INSERT or not is_beside:
            continue
        if planned.outcome is not Outcome.EDIT:
            continue
        told = _told(document, planned)
        if told is not None:
            line = document.source.line_number(planned.edit.start) + 1
            yield Warn("same_line", told, planned.index, line)


def _told(document: Document, planned: PlannedInstruction) -> str | None:
    view, at, text = document.source.view, planned.edit.start, planned.edit.new_text
    if _is_seam(view[at - 1 : at], text) and _is_code(document, at - 1):
        return (
            f'The newText begins right behind "{view[at - 1]}", on its line. For lines of its own, '
            'send position "line_after" in the anchor.'
        )
    is_comment = "//" in text.rpartition("\n")[2]
    if not is_comment and _is_seam(text[-1:], view[at : at + 3]):
        return (
            f'What follows stands right behind the "{text[-1]}" of the newText, on its line. For '
            'lines of its own, send position "line_before" in the anchor.'
        )
    return None


def _is_seam(left: str, right: str) -> bool:
    return left in _ENDS and (right[:1].isidentifier() or right.startswith(_BEGINS))


def _is_code(document: Document, offset: int) -> bool:
    return document.span_kind(offset, offset + 1) is SpanKind.CODE
