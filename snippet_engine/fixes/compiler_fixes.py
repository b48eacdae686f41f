"""Add what the compiler says that a new text needs: a ``using``, or members.

Implements the offers of ``compile_error``, docs/design/engine.md §8. Pure: the caller plans and
judges each request before it is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.edits import EditSet, TextEdit, joined_insertions
from snippet_engine.request import Anchor, EditRequest, InsertPosition, Instruction, Operation
from snippet_engine.source_text import SourceText, TextRange
from snippet_engine.validation.code_fixes import CodeFix, FixChoice

MAX_WAYS = 6
"""Most ways that are tried."""


@dataclass(frozen=True, slots=True)
class Way:
    """Edits that fix the errors of a text."""

    what: str
    edits: EditSet
    unless: str = ""
    """A description of the other ways, if there is a choice."""


def ways(fixes: Sequence[CodeFix], text: SourceText) -> list[Way]:
    """Return the ways to fix ``text``; there is only one if nothing must be chosen.

    Empty if several errors have a choice of fixes, or one error has more than :data:`MAX_WAYS`.
    """
    certain = [each.choices[0] for each in fixes if len(each.choices) == 1]
    to_choose = [each.choices for each in fixes if len(each.choices) != 1]
    if len(to_choose) > 1 or not (certain or to_choose):
        return []
    if not to_choose:
        return _way(certain, text)
    (choices,) = to_choose
    if len(choices) > MAX_WAYS:
        return []
    found = []
    for each in choices:
        others = " or ".join(other.what for other in choices if other is not each)
        found += _way([*certain, each], text, f"{others} is meant")
    return found


def _way(chosen: Sequence[FixChoice], text: SourceText, unless: str = "") -> list[Way]:
    once = list(dict.fromkeys(sorted(chosen, key=lambda each: each.what)))
    edits = []
    for each in once:
        start, end = text.offset(each.start), text.offset(each.end)
        if start is None or end is None or end < start:
            return []
        edits.append(TextEdit(start, end, each.new_text))
    joined = EditSet.of(joined_insertions(edits))
    if not isinstance(joined, EditSet):
        return []
    return [Way("with " + ", ".join(each.what for each in once), joined, unless)]


def with_edits(
    request: EditRequest, document: Document, plan: Plan, edits: EditSet
) -> EditRequest | None:
    """Return the request, extended by ``edits`` of the text that ``plan`` produces.

    An edit inside a new text changes that text; any other edit becomes an instruction. Return
    ``None`` if an edit is partly inside a new text, or has no unique place. The caller compares the
    result with the text that it wants.
    """
    instructions = list(request.instructions)
    texts = {each: each.new_text for each in plan.edits}
    ranges = list(zip(plan.edits, plan.edits.after_ranges(), strict=True))
    added: list[Instruction] = []
    for edit in reversed(edits.edits):  # A later one moves no earlier one.
        around = _around(edit, ranges)
        if around is not None:
            mine, start = around
            text = texts[mine]
            texts[mine] = text[: edit.start - start] + edit.new_text + text[edit.end - start :]
            continue
        shift = 0
        for other, (start, end) in ranges:
            if start < edit.end and edit.start < end:
                return None
            if end <= edit.start:
                shift += len(other.new_text) - (other.end - other.start)
        instruction = _instruction(
            document, TextEdit(edit.start - shift, edit.end - shift, edit.new_text)
        )
        if instruction is None:
            return None
        added.append(instruction)
    for mine, text in texts.items():
        if text != mine.new_text:
            at = plan.instruction_of(mine)
            instructions[at] = replace(instructions[at], new_text=text, as_given=True)
    return replace(request, instructions=(*instructions, *reversed(added)))


def _around(
    edit: TextEdit, ranges: Sequence[tuple[TextEdit, tuple[int, int]]]
) -> tuple[TextEdit, int] | None:
    """Return the planned edit whose new text contains ``edit``, and the start of that text."""
    for each, (start, end) in ranges:
        if start <= edit.start and edit.end <= end and edit.start < end and start < edit.end:
            return each, start
    return None


def _instruction(document: Document, edit: TextEdit) -> Instruction | None:
    source, view = document.source, document.source.view
    for position, place, text in _placed(source, edit):
        if view[place.start : place.end].strip():
            whole = [TextRange(0, len(view))]
            anchor = anchor_at(document, Anchor(None, position=position), place, whole)
            if anchor is not None:
                operation = Operation.REPLACE if position is None else Operation.INSERT
                return Instruction(operation, anchor, text, as_given=position is None)
    return None


def _placed(
    source: SourceText, edit: TextEdit
) -> Iterator[tuple[InsertPosition | None, TextRange, str]]:
    """Yield ways to anchor an edit: position, the target's range, and the new text for it."""
    view, text = source.view, edit.new_text
    if edit.start < edit.end:
        place = TextRange(max(0, edit.start - 1), min(len(view), edit.end + 1))
        new = view[place.start : edit.start] + text + view[edit.end : place.end]
        yield None, place, new
        return
    start, end = source.line_start(edit.start), source.line_end(edit.start)
    if edit.start == end and text.startswith("\n"):
        yield InsertPosition.AFTER, TextRange(start, end), text
    if edit.start == start and text.endswith("\n"):
        above = TextRange(source.line_start(max(0, start - 1)), max(0, start - 1))
        yield InsertPosition.AFTER, above, f"\n{text[:-1]}"
        yield InsertPosition.BEFORE, TextRange(start, end), text
