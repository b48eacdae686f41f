"""Move members that were put behind a type, or before a body's brace, to where they compile.

Part of the offers of ``syntax_error``, docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.csharp.declarations.declaration_header import TYPE_KINDS
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan, PlannedInstruction
from snippet_engine.errors import shortened
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


_SHOWN_NAME = 60


def in_body(
    request: EditRequest, plan: Plan, at_fault: Collection[int]
) -> Iterator[tuple[str, EditRequest]]:
    """The request with those of its members last in the types that they were put behind."""
    fixed = list(request.instructions)
    names: dict[str, None] = {}
    for planned in plan.instructions:
        name = _type_named(planned) if planned.index in at_fault else None
        if name is not None:
            sent = planned.instruction
            inside = replace(sent.anchor, position=InsertPosition.BODY_END)
            text = sent.new_text.strip("\n")
            fixed[planned.index] = replace(sent, anchor=inside, new_text=text)
            names[shortened(name, _SHOWN_NAME)] = None
    if names:
        told = f"last in the body of {', '.join(names)}, not behind it"
        yield told, replace(request, instructions=tuple(fixed))


def _type_named(planned: PlannedInstruction) -> str | None:
    """The type right behind which an instruction inserts, by its path."""
    owner, instruction = planned.resolved.declaration, planned.instruction
    if instruction.operation is not Operation.INSERT or owner is None or owner.body is None:
        return None
    is_behind = instruction.position is InsertPosition.AFTER
    return owner.name if is_behind and owner.kind in TYPE_KINDS else None
