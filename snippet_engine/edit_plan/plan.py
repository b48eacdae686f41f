"""Turn a request's instructions into one edit set, or into the error that refuses them.

Implements the rules of resolution, docs/design/engine.md §2: every anchor is resolved against the
original text, so the order of instructions never matters. Pure: no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from snippet_engine import budget
from snippet_engine.anchors.resolution import Reason, Resolved, Unresolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.csharp.declarations.parts import lead_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.deletion import removed_together, tidied
from snippet_engine.edit_plan.faults import Declined, DeclinedBecause, Fault
from snippet_engine.edit_plan.indentation_checks import indented_otherwise, whole_lines_of_cut
from snippet_engine.edit_plan.placement import placed
from snippet_engine.edit_plan.repetition import (
    adds_existing_text,
    is_already_around,
    without_lead_above,
)
from snippet_engine.edit_plan.replace_all_scope import asks_for_all
from snippet_engine.edit_plan.too_large import too_large
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import SNIPPET, Limits
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

MAX_SEARCHED = 200_000
"""Most steps to find the anchors of up to ten instructions, and to explain those that are missing
or ambiguous.
"""
MAX_SEARCHED_IN_SHORT = 300_000
"""The same for a text of at most :data:`SHORT`, where all other work takes less time."""
SHORT = 1_000_000
"""Longest text, in code points, whose syntax tree is made quickly."""
MAX_PIECES = 3
"""Most smaller edits that one edit is split into. A larger edit is usually a whole body, which a
change set accepts.
"""


class Outcome(StrEnum):
    """The result for one instruction."""

    EDIT = "anchor_matched"
    DUPLICATE = "duplicate_insert"
    NO_CHANGE = "no_change"


@dataclass(frozen=True, slots=True)
class PlannedInstruction:
    """One instruction, resolved."""

    index: int
    instruction: Instruction
    resolved: Resolved
    edit: TextEdit
    """The change to the original text, whether it is applied or not."""
    outcome: Outcome
    changed: int
    """The size of the change in code points (docs/design/engine.md §2.3)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All instructions, in the request's order, and the resulting edits."""

    instructions: tuple[PlannedInstruction, ...]
    edits: EditSet

    def instruction_of(self, edit: TextEdit) -> int:
        """Return the index of the instruction behind ``edit``."""
        return next(
            planned.index
            for planned in self.instructions
            if planned.outcome is Outcome.EDIT and planned.edit == edit
        )


@contextmanager
def searching(document: Document, count: int) -> Iterator[None]:
    """Share a request's steps among the searches for its ``count`` instructions."""
    with budget.sharing(_steps_of_each(document, count) * count):
        yield


def _steps_of_each(document: Document, count: int) -> int:
    is_short = len(document.source.view) <= SHORT
    most = MAX_SEARCHED_IN_SHORT if is_short else MAX_SEARCHED
    return most // max(1, min(count, SNIPPET.instructions))


def plan_edits(
    document: Document,
    instructions: Sequence[Instruction],
    limits: Limits = SNIPPET,
) -> Plan | list[Fault]:
    """Resolve every instruction against ``document`` and join them into one edit set.

    If anything is wrong, return everything that is wrong, in the order of the instructions.
    """
    with searching(document, len(instructions)):
        return _planned(document, instructions, limits)


def _planned(
    document: Document,
    instructions: Sequence[Instruction],
    limits: Limits,
) -> Plan | list[Fault]:
    planned: list[PlannedInstruction] = []
    faults: list[Fault] = []
    steps = _steps_of_each(document, len(instructions))
    # Search all anchors before explaining any; explanations get the remaining steps. All anchors
    # get equally many steps, so that the order of the instructions changes nothing.
    found: list[Resolved | Unresolved] = []
    for each in instructions:
        with budget.at_most(steps):
            found.append(_resolved(document, each))
    for index, instruction in enumerate(instructions):
        budget.check()
        resolved = found[index]
        if isinstance(resolved, Unresolved) and resolved.reason is Reason.OUT_OF_STEPS:
            resolved = _resolved(document, instruction)  # with all remaining steps
        item = _plan_one(document, index, instruction, resolved, len(instructions), limits)
        if isinstance(item, PlannedInstruction):
            planned.append(item)
        else:
            faults += [Fault(index, why) for why in item]
    planned = _without_repeated_insertions(planned)
    removed = [(i.edit, i.resolved.declaration) for i in planned if not i.edit.new_text]
    together = removed_together(document.source.view, removed)
    for at, item in enumerate(planned):
        edit, more = together.get(item.edit, (item.edit, 0))
        planned[at] = replace(item, edit=edit, changed=item.changed + more)
        if more and item.changed + more > limits.changed:
            faults.append(
                Fault(item.index, too_large(item.instruction, item.changed + more, limits))
            )
    effective = [item for item in planned if item.outcome is not Outcome.DUPLICATE]
    faults += _overlapping(document, effective, limits)
    return faults or _joined(document, planned, effective)


def _resolved(document: Document, instruction: Instruction) -> Resolved | Unresolved:
    """Resolve the anchor; an exact context wins, unless the metadata asks for all places."""
    resolved = resolve_anchor(document, instruction.anchor)
    if isinstance(resolved, Resolved) and resolved.loosely and asks_for_all(instruction):
        return resolved.loosely
    return resolved


def _plan_one(
    document: Document,
    index: int,
    instruction: Instruction,
    resolved: Resolved | Unresolved,
    count: int,
    limits: Limits,
) -> PlannedInstruction | list[Unresolved | Declined | SnippetError]:
    """Return the edit of an instruction with a resolved anchor, or all of its faults."""
    if isinstance(resolved, Unresolved):
        sent = _change_as_sent(instruction)
        is_too_large = sent > limits.changed
        return [resolved, too_large(instruction, sent, limits)] if is_too_large else [resolved]
    view = document.source.view
    place = resolved.place
    if indented_otherwise(document, instruction, place):
        return [Declined(DeclinedBecause.CONTEXT_INDENTED_OTHERWISE, (place,))]
    if whole := whole_lines_of_cut(document, instruction, place):
        return [Declined(DeclinedBecause.INDENTATION_CUT, tuple(whole))]
    if instruction.operation is Operation.REPLACE:
        new_text = without_lead_above(view, place, instruction.new_text)
        if new_text != view[slice(*place)]:  # if equal, the request only adds the lead
            instruction = replace(instruction, new_text=new_text)
    asked = TextEdit(place.start, place.end, instruction.new_text)
    if instruction.operation is Operation.INSERT:
        asked = TextEdit(place.start, place.start, instruction.new_text)
    trimmed = asked.trimmed(view)
    changed = trimmed.size
    placement = placed(document, instruction, place, resolved.declaration, part_of=resolved.part_of)
    errors = [placement] if isinstance(placement, SnippetError) else []
    if changed > limits.changed:
        taken = asked if isinstance(placement, SnippetError) else placement.edit
        bare = _without_lead(document, instruction, resolved, taken)
        # Offer the larger tool the whole symbol, unless only smaller edits keep its documentation
        # and attributes.
        in_parts = instruction.anchor.target is not None or bare != taken
        split = (
            _split(document, instruction, bare, limits, count)
            if limits.is_small and in_parts
            else None
        )
        errors.append(too_large(instruction, changed, limits, split, keeps_lead=bare != taken))
    if isinstance(placement, SnippetError) or errors:
        return [*errors]
    edit = placement.edit
    outcome = Outcome.EDIT
    if edit != asked:
        trimmed = edit.trimmed(view)
    if (
        placement.duplicate
        or adds_existing_text(view, trimmed, _quoted(instruction, resolved, edit))
        or is_already_around(view, instruction, place)
    ):
        outcome = Outcome.DUPLICATE
    elif view[edit.start : edit.end] == edit.new_text:
        outcome = Outcome.NO_CHANGE
    return PlannedInstruction(
        index, instruction, resolved, edit, outcome, changed if outcome is Outcome.EDIT else 0
    )


def _quoted(instruction: Instruction, resolved: Resolved, edit: TextEdit) -> TextRange | None:
    """Return the part of the file that an edit quotes; ``None`` for inserted whole lines.

    A symbol's path doesn't quote its documentation and attributes: they may be new.
    """
    if instruction.operation is not Operation.INSERT:
        return TextRange(edit.start, edit.end)
    if instruction.position not in (InsertPosition.BEFORE, InsertPosition.AFTER):
        return None
    place, declaration = resolved.place, resolved.declaration
    if declaration is None or instruction.anchor.target is not None:
        return place
    return TextRange(min(max(place.start, declaration.header.start), place.end), place.end)


def _change_as_sent(instruction: Instruction) -> int:
    """Return the number of changed code points as far as the request alone shows it.

    Return 0 if a symbol is replaced whole.
    """
    if instruction.operation is Operation.INSERT:
        return len(instruction.new_text)
    target = instruction.anchor.target
    if target is None:
        return 0
    return TextEdit(0, len(target), instruction.new_text).changed_code_points(target)


def _without_lead(
    document: Document,
    instruction: Instruction,
    resolved: Resolved,
    taken: TextEdit,
) -> TextEdit:
    """Return ``taken`` without the documentation and attributes that the new text omits.

    The agent sent only the member, and didn't ask to delete them.
    """
    declaration = resolved.declaration
    if declaration is None or instruction.operation is not Operation.REPLACE:
        return taken
    lead = lead_of(document, declaration)
    if not lead.strip() or instruction.new_text.lstrip().startswith(("[", "/")):
        return taken
    return replace(taken, start=declaration.header.start)


def _split(
    document: Document,
    instruction: Instruction,
    taken: TextEdit,
    limits: Limits,
    count: int,
) -> list[Instruction] | None:
    """Split the instruction, one of ``count``, into a few instructions that are small enough.

    Each is found by its text anywhere in the file. Together they have the effect of ``taken``, the
    placed new text, which may differ from the text as sent.
    """
    room = min(MAX_PIECES, limits.instructions - count + 1)
    place = TextRange(taken.start, taken.end)
    view = document.source.view
    by_text = replace(
        instruction,
        anchor=Anchor(None, in_comment=instruction.anchor.in_comment),
        new_text=taken.new_text,
        as_given=False,
    )
    from snippet_engine.edit_plan.too_large import smaller_edits  # noqa: PLC0415 - for errors

    split = smaller_edits(document, by_text, place, [TextRange(0, len(view))], room)
    if split is None:
        return None
    whole = EditSet((taken,))
    if instruction.operation is Operation.DELETE:
        # A deletion also deletes lines that it empties; its parts might empty other lines.
        whole = EditSet(tuple(tidied(document, [TextEdit(*place, "")], []).values()))
    parts = plan_edits(document, split)
    same = isinstance(parts, Plan) and parts.edits.apply(view) == whole.apply(view)
    return split if same else None


def _without_repeated_insertions(
    planned: list[PlannedInstruction],
) -> list[PlannedInstruction]:
    """Keep one of several equal insertions at one point; the others are duplicates.

    An insertion below a line gets that line's ending, whichever insertion is kept.
    """
    kept = {item.index: item for item in planned}
    seen: dict[TextEdit, int] = {}
    for item in sorted(planned, key=lambda each: (repr(each.instruction), each.index)):
        edit = item.edit
        if item.outcome is not Outcome.EDIT or edit.start != edit.end:
            continue
        first = kept[seen.setdefault(edit, item.index)]
        if first is item:
            continue
        if first.edit.beside is None:
            kept[first.index] = replace(first, edit=edit)
        kept[item.index] = replace(item, outcome=Outcome.DUPLICATE, changed=0)
    return list(kept.values())


def _joined(
    document: Document, planned: list[PlannedInstruction], effective: list[PlannedInstruction]
) -> Plan:
    """Return the plan with the disjoint edits of the ``effective`` instructions."""
    changing = [item for item in effective if item.outcome is Outcome.EDIT]
    deleting = [i for i in changing if i.instruction.operation is Operation.DELETE]
    others = [i.edit for i in effective if i.instruction.operation is not Operation.DELETE]
    symbols = {i.edit for i in deleting if i.resolved.declaration is not None}
    grown = tidied(document, [i.edit for i in deleting], others, symbols)
    final = EditSet.of(grown.get(item.edit, item.edit) for item in changing)
    if not isinstance(final, EditSet):
        # Deleting the emptied line, too, would touch the place of another edit: keep the line.
        return Plan(tuple(planned), EditSet(tuple(sorted(item.edit for item in changing))))
    return Plan(
        tuple(
            replace(item, edit=grown[item.edit])
            if item.outcome is Outcome.EDIT and item.edit in grown
            else item
            for item in planned
        ),
        final,
    )


def _overlapping(
    document: Document, planned: list[PlannedInstruction], limits: Limits
) -> list[Fault]:
    """Return ``overlapping_edits`` for each edit that overlaps an edit with an earlier start."""
    faults: list[Fault] = []
    reaching: PlannedInstruction | None = None
    for item in sorted(planned, key=lambda each: each.edit):
        overlaps = reaching is not None and reaching.edit.overlaps(item.edit)
        if reaching is not None and overlaps:
            faults.append(_overlap(document, reaching, item, limits))
        if reaching is None or not overlaps or item.edit.end > reaching.edit.end:
            reaching = item
    return sorted(faults, key=lambda fault: fault.index)


def _overlap(
    document: Document, left: PlannedInstruction, right: PlannedInstruction, limits: Limits
) -> Fault:
    low, high = sorted((left.index, right.index))
    line = document.source.position(right.edit.start).line + 1
    advice = (
        "Join them into one instruction."
        if left.changed + right.changed <= limits.changed
        else "Together they are too large for one: send one of them in a later request."
    )
    error = SnippetError(
        ErrorCode.OVERLAPPING_EDITS,
        f"Instructions {low} and {high} change the same place (line {line}). {advice}",
        details={"instructions": [low, high], "line": line},
    )
    return Fault(high, error)
