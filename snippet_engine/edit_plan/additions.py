"""Find the text that an instruction adds around its target, and check if it is already there.

Part of docs/design/engine.md §2.5 and §8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_MAX_PLACES = 1000
"""Most occurrences of the target in its new text that are examined."""


def as_replacement(instruction: Instruction) -> Instruction:
    """Return an insertion right before or after its target as a replacement of the target."""
    target, new_text = instruction.anchor.target, instruction.new_text
    if instruction.operation is not Operation.INSERT or target is None:
        return instruction
    if instruction.position not in (InsertPosition.BEFORE, InsertPosition.AFTER):
        return instruction
    is_before = instruction.position is InsertPosition.BEFORE
    standing = new_text + target if is_before else target + new_text
    anchor = replace(instruction.anchor, position=None)
    return replace(instruction, operation=Operation.REPLACE, anchor=anchor, new_text=standing)


def additions_around(
    view: str, instruction: Instruction, place: TextRange, at_most: int
) -> Iterator[tuple[str, str]]:
    """Yield what ``instruction`` adds before and after its target, where it is already there.

    A target may occur several times in its new text; at most ``at_most`` of these are examined.
    """
    instruction = as_replacement(instruction)
    target, new_text = view[slice(*place)], instruction.new_text
    if instruction.operation is not Operation.REPLACE or not 0 < len(target) < len(new_text):
        return
    at = new_text.find(target)
    for _ in range(at_most):
        if at < 0:
            return
        before, after = new_text[:at], new_text[at + len(target) :]
        if view.endswith(before, 0, place.start) and view.startswith(after, place.end):
            yield before, after
        at = new_text.find(target, at + 1)


def has_around(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Return whether the new text is already around the target at ``place``.

    For example, ``StopX`` is already around a ``Stop`` that should become ``StopX``. Added blanks
    prove nothing, because blanks are everywhere.
    """
    found = additions_around(view, instruction, place, _MAX_PLACES)
    return any((before + after).strip() for before, after in found)
