"""Members that were put behind a type, put into it.

Part of the offers of ``syntax_error``, docs/design/engine.md §8. Who names a class by its path and
inserts a method there means one of its members; right behind the class it can't be one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from snippet_engine.csharp.declarations.declaration_header import TYPE_KINDS
from snippet_engine.edit_plan.plan import Plan, PlannedInstruction
from snippet_engine.errors import shortened
from snippet_engine.request import EditRequest, InsertPosition, Operation

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
