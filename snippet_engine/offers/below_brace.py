"""Lines that were put between the head of a member and its ``{``, put below that.

Part of the offers of ``syntax_error``, docs/design/engine.md §8. Who writes ``void F()`` as target
and ``line_after`` as position means the first line of the body.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan, PlannedInstruction
from snippet_engine.request import Anchor, EditRequest, InsertPosition, Operation
from snippet_engine.source_text import TextRange

_BRACE = re.compile(r"\s*\{")


def below_brace(
    request: EditRequest, document: Document, plan: Plan, at_fault: Collection[int]
) -> Iterator[tuple[str, EditRequest]]:
    """The request with those of its lines below the brace that they were put above."""
    fixed = list(request.instructions)
    for planned in plan.instructions:
        brace = _brace(document, planned) if planned.index in at_fault else None
        if brace is None:
            continue
        wanted = Anchor("{", position=InsertPosition.LINE_AFTER)
        everywhere = [TextRange(0, len(document.source.view))]
        anchor = anchor_at(document, wanted, brace, everywhere)
        if anchor is not None:
            fixed[planned.index] = replace(planned.instruction, anchor=anchor)
    if fixed != list(request.instructions):
        yield "below the { that begins the block", replace(request, instructions=tuple(fixed))


def _brace(document: Document, planned: PlannedInstruction) -> TextRange | None:
    """The brace that the lines of an insertion were put right above, at a line's beginning."""
    instruction, place, source = planned.instruction, planned.resolved.place, document.source
    if instruction.operation is not Operation.INSERT or instruction.anchor.target is None:
        return None
    if instruction.position is InsertPosition.LINE_AFTER:
        text = source.view[place.start : place.end].rstrip()
        at = source.line_end(place.start + len(text))
    elif instruction.position is InsertPosition.LINE_BEFORE:
        at = source.line_start(place.start)
    else:
        return None
    found = _BRACE.match(source.view, at)
    return None if found is None else TextRange(found.end() - 1, found.end())
