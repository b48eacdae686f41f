"""From a request's instructions to one edit set, or the error that refuses them.

Implements the rules of resolution, docs/design/engine.md §2: every anchor is resolved
against the original text, so the order of instructions never matters. Pure: no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from snippet_engine.anchors.smaller_edits import smaller_edits
from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.deletion import tidied
from snippet_engine.edits import MAX_CHANGED_CODE_POINTS, EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.placement import placed
from snippet_engine.request import Instruction, Operation
from snippet_engine.schema import MAX_INSTRUCTIONS
from snippet_engine.source_text import TextRange


class Outcome(StrEnum):
    """What becomes of one instruction."""

    EDIT = "anchor_matched"
    DUPLICATE = "duplicate_insert"
    NO_CHANGE = "no_change"


@dataclass(frozen=True, slots=True)
class PlannedInstruction:
    """One instruction, resolved. ``edit`` is what it does, or would do, to the original.

    ``changed`` is the size of its change in code points (docs/design/engine.md §2.3).
    """

    index: int
    instruction: Instruction
    resolved: Resolved
    edit: TextEdit
    outcome: Outcome
    changed: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All instructions, in the request's order, and the edits that they come to."""

    instructions: tuple[PlannedInstruction, ...]
    edits: EditSet

    def instruction_of(self, edit: TextEdit) -> int:
        """The index of the instruction that ``edit`` comes from."""
        return next(
            planned.index
            for planned in self.instructions
            if planned.outcome is Outcome.EDIT and planned.edit == edit
        )


def make_plan(document: Document, instructions: Sequence[Instruction]) -> Plan | SnippetError:
    """Resolve every instruction against ``document`` and join them into one edit set.

    The error is that of the first instruction at fault; ``details.otherErrors`` has those of
    the others, so that one round trip is enough to repair them all.
    """
    planned: list[PlannedInstruction] = []
    errors: list[SnippetError] = []
    for index, instruction in enumerate(instructions):
        item = _plan_one(document, index, instruction, len(instructions))
        if isinstance(item, SnippetError):
            errors.append(item.for_instruction(index))
        else:
            planned.append(item)
    if errors:
        first, *others = errors
        if others:
            details = {**first.details, "otherErrors": [error.to_json() for error in others]}
            first = replace(first, details=details)
        return first
    planned = _without_repeated_insertions(planned)
    return _joined(document, planned)


def _plan_one(
    document: Document, index: int, instruction: Instruction, count: int
) -> PlannedInstruction | SnippetError:
    resolved = resolve_anchor(document, instruction)
    if isinstance(resolved, SnippetError):
        return resolved
    view = document.source.view
    place = resolved.place
    asked = TextEdit(place.start, place.end, instruction.new_text)
    if instruction.operation is Operation.INSERT:
        asked = TextEdit(place.start, place.start, instruction.new_text)
    changed = asked.changed_code_points(view)
    if changed > MAX_CHANGED_CODE_POINTS:
        return _too_large(document, instruction, resolved, changed, count)
    placement = placed(document.source, instruction, place, resolved.declaration)
    if isinstance(placement, SnippetError):
        return placement
    edit = placement.edit
    outcome = Outcome.EDIT
    if placement.duplicate:
        outcome = Outcome.DUPLICATE
    elif view[edit.start : edit.end] == edit.new_text:
        outcome = Outcome.NO_CHANGE
    return PlannedInstruction(
        index, instruction, resolved, edit, outcome, changed if outcome is Outcome.EDIT else 0
    )


def _too_large(
    document: Document,
    instruction: Instruction,
    resolved: Resolved,
    changed: int,
    count: int,
) -> SnippetError:
    scopes = [TextRange(0, len(document.source.view))]
    anchorless = replace(
        instruction, anchor=replace(instruction.anchor, symbol_path=None, in_comment=False)
    )
    split = smaller_edits(
        document, anchorless, resolved.place, scopes, MAX_INSTRUCTIONS - count + 1
    )
    advice = (
        f"Send the {len(split)} smaller edits in details.instructions instead."
        if split
        else "Split it into smaller edits, or write the change with a whole-file editing tool."
    )
    details = {
        "charactersChanged": changed,
        "limit": MAX_CHANGED_CODE_POINTS,
        **({"instructions": [each.to_json() for each in split]} if split else {}),
    }
    return SnippetError(
        ErrorCode.DIFF_TOO_LARGE,
        f"The edit changes {changed} code points; the limit is {MAX_CHANGED_CODE_POINTS}. {advice}",
        details=details,
    )


def _without_repeated_insertions(
    planned: list[PlannedInstruction],
) -> list[PlannedInstruction]:
    """Of equal insertions at one point, the first stays; the others are its duplicates."""
    seen: set[TextEdit] = set()
    kept: list[PlannedInstruction] = []
    for item in planned:
        insertion = item.outcome is Outcome.EDIT and item.edit.start == item.edit.end
        if insertion and item.edit in seen:
            kept.append(replace(item, outcome=Outcome.DUPLICATE, changed=0))
            continue
        if insertion:
            seen.add(item.edit)
        kept.append(item)
    return kept


def _joined(document: Document, planned: list[PlannedInstruction]) -> Plan | SnippetError:
    effective = [item for item in planned if item.outcome is not Outcome.DUPLICATE]
    disjoint = EditSet.of(item.edit for item in effective)
    if not isinstance(disjoint, EditSet):
        return _overlapping(document, effective, disjoint)
    changing = [item for item in effective if item.outcome is Outcome.EDIT]
    deletions = [i.edit for i in changing if i.instruction.operation is Operation.DELETE]
    others = [i.edit for i in effective if i.instruction.operation is not Operation.DELETE]
    grown = tidied(document, deletions, others)
    final = EditSet.of(grown.get(item.edit, item.edit) for item in changing)
    if not isinstance(final, EditSet):
        # Taking an emptied line along would touch another edit's place: leave the line.
        return Plan(tuple(planned), EditSet(tuple(sorted(item.edit for item in changing))))
    return Plan(
        tuple(
            replace(item, edit=grown.get(item.edit, item.edit))
            if item.outcome is Outcome.EDIT
            else item
            for item in planned
        ),
        final,
    )


def _overlapping(
    document: Document, planned: list[PlannedInstruction], pair: tuple[TextEdit, TextEdit]
) -> SnippetError:
    first = next(item.index for item in planned if item.edit == pair[0])
    second = next(item.index for item in planned if item.edit == pair[1] and item.index != first)
    low, high = sorted((first, second))
    line = document.source.position(pair[1].start).line + 1
    return SnippetError(
        ErrorCode.OVERLAPPING_EDITS,
        f"Instructions {low} and {high} change the same place (line {line}). "
        "Join them into one instruction.",
        instruction=high,
        details={"instructions": [low, high], "line": line},
    )
