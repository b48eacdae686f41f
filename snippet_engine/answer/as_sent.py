"""Where an edit stands afterwards, and whether it is what was sent (docs/design/engine.md §7)."""

from __future__ import annotations

from textwrap import dedent

from snippet_engine.edit_plan.plan import Outcome, PlannedInstruction
from snippet_engine.edits import EditSet
from snippet_engine.request import InsertPosition, Operation
from snippet_engine.source_text import SourceText

MOST_RANGES = 8
"""Most line ranges that are listed."""

_INDENTED = frozenset(
    {
        *(InsertPosition.LINE_BEFORE, InsertPosition.LINE_AFTER),
        *(InsertPosition.BODY_START, InsertPosition.BODY_END),
    }
)


def changed_lines(before: SourceText, after: SourceText, edits: EditSet) -> str:
    """Return the one-based lines of ``after`` that the edits have changed: ``12-14, 40``."""
    found: list[list[int]] = []
    for start, end in edits.trimmed(before.view).after_ranges():
        first, last = _lines_of(after, start, end)
        if found and first <= found[-1][1] + 1:
            found[-1][1] = max(last, found[-1][1])
        else:
            found.append([first, last])
    shown = [f"{first}-{last}" if first < last else str(first) for first, last in found]
    return ", ".join((*shown[:MOST_RANGES], *["…"] * (len(shown) > MOST_RANGES)))


def _lines_of(after: SourceText, start: int, end: int) -> tuple[int, int]:
    """Return the first and last line of a range, without line breaks at its ends."""
    text = after.view[start:end]
    core = text.strip("\n")
    if core:
        start += len(text) - len(text.lstrip("\n"))
        end = start + len(core)
    first = after.line_number(start) + 1
    return first, max(first, after.line_number(max(start, end - 1)) + 1)


def is_adjusted(source: SourceText, planned: PlannedInstruction) -> bool:
    """Return whether an edit does anything else than its instruction says literally.

    The indentation that a position for whole lines adds is as said.
    """
    if planned.outcome is not Outcome.EDIT:
        return True
    instruction, edit, place = planned.instruction, planned.edit, planned.resolved.place
    if instruction.operation is Operation.DELETE:
        more = source.view[edit.start : place.start] + source.view[place.end : edit.end]
        return bool(more.strip() or edit.new_text.strip())
    written = edit.new_text.strip("\n")
    sent = instruction.new_text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if written == sent:
        return False
    is_indented = instruction.position in _INDENTED and not instruction.as_given
    return not is_indented or dedent(written) != dedent(sent)
