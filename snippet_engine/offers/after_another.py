"""An instruction for what another one of the same request writes, and that one, as one.

Part of the offers of ``anchor_not_found``, docs/design/engine.md §8. All anchors mean the text as
it is before the request; but who thinks of its instructions as one after the other quotes what an
earlier one has made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine.offers.repair import Repair
from snippet_engine.request import InsertPosition, Instruction, Operation

_AT_EDGE = (InsertPosition.BEFORE, InsertPosition.AFTER)
_LEAST_TARGET = 4
"""Code points of a target that doesn't stand in a longer text by chance."""


def after_another(instructions: Sequence[Instruction], index: int) -> Repair | None:
    """The instruction at ``index``, whose anchor fits no place, as a part of the earlier one that
    writes its target; ``None`` unless one alone does, and once."""
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
    what = f"what instruction {other} writes has the target: done to that, as one instruction"
    return Repair(what, (whole,), without=(other,))


def _done_to(target: str, sent: Instruction) -> str | None:
    """What ``sent`` makes of its target; ``None`` where that depends on what is around it."""
    if sent.operation is Operation.DELETE:
        return ""
    if sent.operation is Operation.REPLACE:
        return sent.new_text
    if sent.position not in _AT_EDGE:
        return None
    is_before = sent.position is InsertPosition.BEFORE
    return sent.new_text + target if is_before else target + sent.new_text
