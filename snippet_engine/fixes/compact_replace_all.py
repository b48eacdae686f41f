"""Shorten an edit of many places."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from snippet_engine import budget
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.anchors.text_anchor import fitting_places
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.search.tokens import common_ends, tokens_of
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_LONG = 900
"""Length as JSON up to which instructions are left as they are, in code points."""
_REACH = 400
"""How far from a place its context may reach, in code points."""
_MOST_WORDS = 30
_WORD = re.compile(r"\w+|[^\w\s]")
_STEPS = 80_000
"""Steps that the search for the shortest form may take."""


def in_brief(document: Document, instructions: Sequence[Instruction]) -> Sequence[Instruction]:
    """Cut the context of long ``instructions`` to what still identifies their places.

    Context may begin and end within a line: the offer is to be sent, not to be read.
    """
    if sum(map(_length, instructions)) <= _LONG:
        return instructions
    if any(each.anchor.target is None for each in instructions):
        return instructions
    brief = [*instructions]
    longest = sorted(range(len(brief)), key=lambda at: _length(brief[at]), reverse=True)
    with suppress(budget.OutOfStepsError), budget.at_most(_STEPS):
        for at in longest:
            brief[at] = _brief(document, brief[at])
    return brief


def _brief(document: Document, instruction: Instruction) -> Instruction:
    """Return the shortest form of an instruction; as it is if none is shorter."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return instruction
    target = document.source.view[slice(*resolved.place)]
    found = [instruction]
    for head, tail in {(0, 0), _kept(target, instruction)}:
        place = TextRange(resolved.place.start + head, resolved.place.end - tail)
        new_text = instruction.new_text
        part = replace(instruction, new_text=new_text[head : len(new_text) - tail])
        brief = _in_few_words(document, part, place)
        found += [brief] if brief is not None else []
    return min(found, key=_length)


def _kept(target: str, instruction: Instruction) -> tuple[int, int]:
    """Return how many code points, in whole words, target and new text share at each end."""
    (*base, end), (*mine, own_end) = tokens_of(target), tokens_of(instruction.new_text)
    texts = ([each.gap + each.text for each in base], [each.gap + each.text for each in mine])
    top, bottom = common_ends(*texts)
    # At least one word of each is left, and the white space between the words.
    bottom = min(bottom, min(map(len, texts)) - top - 1)
    if instruction.operation is not Operation.REPLACE or bottom < 0:
        return 0, 0
    if mine[top].gap != base[top].gap or target != instruction.anchor.target:
        return 0, 0
    if end.gap != own_end.gap:
        return base[top].start, 0
    return base[top].start, len(target) - base[len(base) - bottom - 1].end


def _in_few_words(
    document: Document, instruction: Instruction, place: TextRange
) -> Instruction | None:
    view = document.source.view
    bare = Anchor(view[slice(*place)], in_comment=instruction.anchor.in_comment)
    bare = replace(bare, position=instruction.anchor.position)
    others = fitting_places(document, bare, [TextRange(0, len(view))]) or []
    others = [each for each in others if each != place]
    above, below = view[max(0, place.start - _REACH) : place.start], view[place.end :][:_REACH]
    starts = [match.start() for match in _WORD.finditer(above)][::-1]
    ends = [match.end() for match in _WORD.finditer(below)]
    for count in range(min(len(starts), len(ends), _MOST_WORDS)):
        sides = (above[starts[count] :].rstrip(), ""), ("", below[: ends[count]].lstrip())
        for before, after in sides:
            context = Context(before, after)
            budget.spend(len(others))
            if not any(context.fits(view, each) for each in others):
                shorter = replace(instruction, anchor=replace(bare, before=before, after=after))
                found = resolve_anchor(document, shorter.anchor)
                is_there = isinstance(found, Resolved) and found.place == place
                return shorter if is_there else None
    return None


def _length(instruction: Instruction) -> int:
    return len(json.dumps(instruction.to_json(), ensure_ascii=False))
