"""Offer the places of an ambiguous anchor: the one that the request names, each, or all.

Implements the offers of ``ambiguous_anchor`` and ``anchor_in_comment``, docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor, scopes_of
from snippet_engine.anchors.text_anchor import fitting_places
from snippet_engine.anchors.whole_words import is_word
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edit_plan.replace_all_scope import (
    asks_for_all,
    may_mean_comments,
    texts_of,
)
from snippet_engine.errors import MAX_OFFERS, shortened
from snippet_engine.fixes.all_places import Aside, Sweeper, at
from snippet_engine.fixes.model import Repair
from snippet_engine.fixes.named_places import (
    MAX_PLACES,
    Candidate,
    Spots,
    describe_place,
    every_place,
    named_places,
)
from snippet_engine.limits import SNIPPET, Limits
from snippet_engine.request import InsertPosition, Instruction, anchor_of
from snippet_engine.source_text import TextRange

_SHOWN_NAME = 40


def for_ambiguous(
    document: Document,
    instructions: Sequence[Instruction],
    index: int,
    details: Mapping[str, Any],
    limits: Limits = SNIPPET,
) -> list[Repair]:
    """Return the repairs for an anchor that fits several places: one named, each, or all."""
    instruction = instructions[index]
    room = limits.instructions - len(instructions) + 1
    sweeper = Sweeper(document, instruction, Spots(document, instruction.anchor), limits, room)
    if may_mean_comments(instruction):
        resolved = resolve_anchor(document, instruction.anchor)
        if isinstance(resolved, Resolved):
            return sweeper.with_comments(resolved)
    texts = list(texts_of(instruction.metadata or {}))
    candidates = [each for each in details.get("candidates", ()) if "anchor" in each]
    every = cache(partial(every_place, document, instruction.anchor, described=bool(texts)))
    if texts and details["matches"] > len(candidates):
        candidates = every() or candidates
    if not candidates:
        return []
    if asks_for_all(instruction) and details.get("haveNewText") == details["matches"]:
        return []  # The edit is already applied.
    aside: Aside = {}
    if instruction.anchor.target is not None and instruction.anchor.target.isidentifier():
        candidates, aside = _whole_first(document, candidates, every(), details["matches"])
    named, basis = named_places(texts, candidates)
    if len(named) == 1:
        others = [each for each in candidates if each is not named[0]]
        candidates = [*named, *others]
    elif named:
        candidates = named
    found: list[Repair] = []
    for each in candidates[:MAX_OFFERS]:
        anchor = sweeper.spots.anchor(each)
        if anchor is not None:
            what = describe_place(document, each)
            what += f", {aside[at(each)]}" if at(each) in aside else ""
            found.append(Repair(what, (replace(instruction, anchor=anchor),)))
    sweeps: list[Repair] = []
    if len(named) < 2:
        # An error lists only the first of them.
        left = details["matches"] - details.get("haveNewText", 0)
        is_room = len(candidates) < details["matches"] and left <= room
        found_all = every() if is_room else candidates
        if len(found_all) == details["matches"]:
            sweeps = sweeper.sweeps(found_all, aside)
    is_open = asks_for_all(instruction) and any(not each.basis for each in sweeps)
    if len(named) == 1 and found and not is_open:
        found[0] = replace(found[0], basis=basis)
    rest = [each.instructions for each in sweeps if not each.basis]
    found = [each for each in found if each.basis or each.instructions not in rest]
    is_rest = asks_for_all(instruction) and any(each.unless for each in sweeps)
    if len(sweeps) > 1 or is_rest or (sweeps and sweeps[0].basis):
        found = [*sweeps, *found]
    else:
        found = [*found[: MAX_OFFERS - len(sweeps)], *sweeps]
    return found[:MAX_OFFERS]


def _whole_first(
    document: Document,
    candidates: list[Candidate],
    everywhere: Sequence[Candidate],
    matches: int,
) -> tuple[list[Candidate], Aside]:
    """Return all places, whole words in code first, and what the word is a part of elsewhere.

    If all are whole words, or ``everywhere`` is incomplete, return the ``candidates`` as they are.
    """
    if len(everywhere) != matches:
        return candidates, {}
    known = {at(each): each for each in candidates}
    found = [known.get(at(each), each) for each in everywhere]
    parts = {at(each): _not_by_itself(document, each["place"]) for each in everywhere}
    aside = {where: part for where, part in parts.items() if part}
    if not aside:
        return candidates, {}
    found.sort(key=lambda each: at(each) in aside)
    return found, aside


def _not_by_itself(document: Document, place: TextRange) -> str:
    """Return what the word at ``place`` is a part of: a longer name, a string, a comment."""
    view = document.source.view
    start, end = place
    while start and is_word(view[start - 1]):
        start -= 1
    while end < len(view) and is_word(view[end]):
        end += 1
    kind = document.span_kind(*place)
    if kind is SpanKind.STRING:
        return "in a string"
    if kind is SpanKind.COMMENT:
        return "in a comment"
    return "" if place == (start, end) else f"in {shortened(view[start:end], _SHOWN_NAME)}"


def for_comment(
    document: Document, instruction: Instruction, details: Mapping[str, Any]
) -> list[Repair]:
    """Return the repairs for a target in comments only; none if the new text is there, too."""
    if any(_is_done(document, instruction, each) for each in details.get("candidates", ())):
        return []
    found: list[Repair] = []
    for each in details.get("candidates", ())[:MAX_OFFERS]:
        if "anchor" in each:
            anchor = anchor_of(each["anchor"])
            is_beside = anchor.position is not instruction.anchor.position
            where = "on a new line next to the comment" if is_beside else "in the comment"
            new_text = instruction.new_text
            if is_beside:  # A new line needs no line break in newText.
                is_below = anchor.position is InsertPosition.LINE_AFTER
                new_text = new_text.lstrip("\n") if is_below else new_text.rstrip()
            repaired = replace(instruction, anchor=anchor, new_text=new_text)
            found.append(Repair(f"{describe_place(document, each)}, {where}", (repaired,)))
    return found


def _is_done(document: Document, instruction: Instruction, candidate: Mapping[str, Any]) -> bool:
    """Whether a comment already has the new text around the target: the edit commented it out."""
    anchor, new_text = instruction.anchor, instruction.new_text
    offset = new_text.find(anchor.target or "")
    in_comment = replace(anchor, in_comment=True)
    places = fitting_places(document, in_comment, scopes_of(document, in_comment)) or []
    view, lines = document.source.view, document.source.line_starts
    return offset > 0 and any(
        view.startswith(new_text, place.start - offset)
        for place in places[:MAX_PLACES]
        if place.start >= lines[candidate["line"] - 1]
    )
