"""Join two instructions of a request that edit the same place.

Implements the offers of ``overlapping_edits``; and of ``anchor_not_found``, if an anchor quotes
what another instruction writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.placement import placed
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.model import Repair
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_AT_EDGE = (InsertPosition.BEFORE, InsertPosition.AFTER)


def for_overlapping(
    document: Document, instructions: Sequence[Instruction], details: Mapping[str, Any]
) -> Sequence[Repair]:
    """Return the two instructions joined into one."""
    low, high = details["instructions"]
    first, second = instructions[low], instructions[high]
    edits = [_edit(document, each) for each in (first, second)]
    left, right = edits
    if left is None or right is None:
        return ()
    view = document.source.view
    if left.trimmed(view) == right.trimmed(view):
        return [Repair(f"the same as instruction {low}, so it is left out", ())]
    if left.start == left.end == right.start == right.end:
        return _both_orders(low, high, first, second)
    joined = EditSet.of((left.trimmed(view), right.trimmed(view)))
    if not isinstance(joined, EditSet):
        return ()
    place = TextRange(min(left.start, right.start), max(left.end, right.end))
    new_text = joined.apply(view)[place.start : place.end + len(joined.apply(view)) - len(view)]
    anchor = anchor_at(document, Anchor(None), place, [TextRange(0, len(view))])
    if anchor is None or not new_text:
        return ()
    metadata = {**(first.metadata or {}), **(second.metadata or {})} or None
    whole = Instruction(Operation.REPLACE, anchor, new_text, metadata)
    return [Repair(f"joined with instruction {low}", (whole,), without=(low,))]


def _edit(document: Document, instruction: Instruction) -> TextEdit | None:
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return None
    placement = placed(
        document,
        instruction,
        resolved.place,
        resolved.declaration,
        part_of=resolved.part_of,
    )
    return None if isinstance(placement, SnippetError) else placement.edit


def _both_orders(low: int, high: int, first: Instruction, second: Instruction) -> Sequence[Repair]:
    """Return two insertions at one point joined, in both orders.

    Whole lines stay whole. They are indented as one text, so both must begin at the same level.
    """
    if first.anchor != second.anchor or first.position != second.position:
        return ()
    between = ""
    if first.position not in _AT_EDGE:
        if _level(first.new_text) != _level(second.new_text):
            return ()
        between = "\n"
    return [
        Repair(
            f"joined with instruction {low}, the text of {leading} first",
            (replace(second, new_text=text),),
            without=(low,),
        )
        for leading, text in (
            (low, _after(first.new_text, between) + second.new_text),
            (high, _after(second.new_text, between) + first.new_text),
        )
    ]


def _after(text: str, between: str) -> str:
    return text if not between or text.endswith(between) else text + between


def _level(text: str) -> str:
    """Return the indentation of the first line that isn't blank."""
    line = text.lstrip("\n").partition("\n")[0]
    return line[: len(line) - len(line.lstrip())]


_LEAST_TARGET = 4
"""Code points of a target that doesn't stand in a longer text by chance."""


def after_another(instructions: Sequence[Instruction], index: int) -> Repair | None:
    """Join the instruction at ``index`` with the earlier one that writes its target.

    ``None`` unless exactly one does, once.
    """
    sent = instructions[index]
    anchor, target = sent.anchor, sent.anchor.target or ""
    if anchor.before or anchor.after or len(target.strip()) < _LEAST_TARGET:
        return None
    others = [at for at, each in enumerate(instructions[:index]) if target in each.new_text]
    if len(others) != 1 or instructions[others[0]].new_text.count(target) != 1:
        return None
    (other,) = others
    if instructions[other].operation is Operation.DELETE:
        return None
    text = _done_to(target, sent)
    if text is None:
        return None
    new_text = instructions[other].new_text.replace(target, text)
    if not new_text.strip():
        return None
    first = instructions[other]
    metadata = {**(first.metadata or {}), **(sent.metadata or {})} or None
    whole = replace(first, new_text=new_text, metadata=metadata)
    what = f"joined with instruction {other}, which writes the target"
    return Repair(what, (whole,), without=(other,))


def _done_to(target: str, sent: Instruction) -> str | None:
    """Return what ``sent`` makes of its target; ``None`` if that depends on its surroundings."""
    if sent.operation is Operation.DELETE:
        return ""
    if sent.operation is Operation.REPLACE:
        return sent.new_text
    if sent.position not in _AT_EDGE:
        return None
    is_before = sent.position is InsertPosition.BEFORE
    return sent.new_text + target if is_before else target + sent.new_text
