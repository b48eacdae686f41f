"""The same replacement at many places, in as few words as will do.

Part of docs/design/engine.md §8. Where equal lines stand close together, what tells one from the
next is longer than the lines: then the stretch from one place to another is named at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from snippet_engine import work
from snippet_engine.anchors.candidates import anchor_at
from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_LONG = 900
"""What the instructions may take as JSON before a shorter way is looked for, in code points."""
_LONGEST = 600
"""Longest stretch that is named at once."""
_STEPS = 50_000
"""Steps that looking for the shortest way may take."""


def in_short(document: Document, instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    """``instructions``, each of which replaces one place, or fewer and larger ones that do it.

    The shortest as JSON of all ways to join neighbours, where they are long.
    """
    if any(each.operation is not Operation.REPLACE for each in instructions):
        return instructions
    if sum(map(_length, instructions)) <= _LONG:
        return instructions
    try:
        with work.at_most(_STEPS):
            return _shortest(document, instructions)
    except work.OutOfStepsError:
        return instructions


def _shortest(document: Document, instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    found = [(resolve_anchor(document, each), each) for each in instructions]
    placed = [(resolved.place, each) for resolved, each in found if isinstance(resolved, Resolved)]
    placed.sort(key=lambda each: each[0])
    if len(placed) < len(instructions):
        return instructions
    # The shortest way to name the first places, for each number of them.
    ways: list[tuple[int, list[Instruction]]] = [(0, [])]
    for end in range(1, len(placed) + 1):
        best: tuple[int, list[Instruction]] | None = None
        for start in range(end - 1, -1, -1):
            joined = _joined(document, placed[start:end])
            if joined is None:
                break
            length, way = ways[start]
            if best is None or length + _length(joined) < best[0]:
                best = length + _length(joined), [*way, joined]
        if best is None:
            return instructions
        ways.append(best)
    return ways[-1][1]


def _joined(
    document: Document, placed: Sequence[tuple[TextRange, Instruction]]
) -> Instruction | None:
    """One instruction for neighbouring places; ``None`` where it would be too long."""
    (first, instruction), *_ = placed
    if len(placed) == 1:
        return instruction
    view, stretch = document.source.view, TextRange(first.start, placed[-1][0].end)
    if stretch.end - stretch.start > _LONGEST:
        return None
    whole = TextRange(0, len(view))
    anchor = anchor_at(document, Anchor(view[stretch.start : stretch.end]), stretch, [whole])
    if anchor is None:
        return None
    pieces: list[str] = []
    done = first.start
    for place, each in placed:
        pieces += (view[done : place.start], each.new_text)
        done = place.end
    return replace(instruction, anchor=anchor, new_text="".join(pieces))


def _length(instruction: Instruction) -> int:
    return len(json.dumps(instruction.to_json(), ensure_ascii=False))
