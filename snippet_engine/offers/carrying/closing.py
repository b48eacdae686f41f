"""A new text that lost the sign its target ended with, or has one that stands behind it already.

Part of the offers of ``syntax_error``, docs/design/engine.md §8. Whether that was the mistake is
for a validator to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from snippet_engine.edit_plan.plan import Plan
from snippet_engine.request import EditRequest, Operation

_SIGNS = ";,){}]"


def closed(request: EditRequest, view: str, plan: Plan) -> Iterator[tuple[str, EditRequest]]:
    """What may have been meant, in some words, and the request then."""
    for planned in plan.instructions:
        instruction, place = planned.instruction, planned.resolved.place
        if instruction.operation is not Operation.REPLACE:
            continue
        target = view[place.start : place.end].rstrip()
        new_text = instruction.new_text.rstrip()
        blanks = instruction.new_text[len(new_text) :]
        behind = view[place.end : place.end + 200].lstrip()
        lost, doubled = target[-1:], new_text[-1:]
        if lost and lost in _SIGNS and not new_text.endswith(lost):
            gap = target[len(target[:-1].rstrip()) : -1]
            told, changed = f"with the {lost} that its target ends with", new_text + gap + lost
            if "\n" in gap and target == view[place.start : place.end]:
                blanks = ""  # They were those before the sign.
        elif doubled and doubled in _SIGNS and behind.startswith(doubled):
            told, changed = f"without the {doubled} that stands behind it already", new_text[:-1]
        else:
            continue
        # Where the sign was all that was to go, nothing would be left to be done.
        if changed.strip() and changed + blanks != view[place.start : place.end]:
            fixed = list(request.instructions)
            fixed[planned.index] = replace(instruction, new_text=changed + blanks)
            yield told, replace(request, instructions=tuple(fixed))
