"""Offer the places of an ambiguous anchor: the one that the request names, each one, or all.

Implements the offers of ``ambiguous_anchor`` and ``anchor_in_comment``, docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edit_plan.additions import has_around
from snippet_engine.edit_plan.replace_all_scope import asks_for_all, texts_of
from snippet_engine.errors import MAX_OFFERS, shortened
from snippet_engine.fixes.model import ONCE_MORE, Repair, not_those_that_have_it
from snippet_engine.fixes.named_places import (
    Candidate,
    Spots,
    comment_places,
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
    """Return the repairs for an anchor that matches several places: a named one, each, or all."""
    instruction = instructions[index]
    room = limits.instructions - len(instructions) + 1
    sweeper = Sweeper(document, instruction, Spots(document, instruction.anchor), room)
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
        # The error lists only the first places.
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
    """Return all places, whole words in code first. Also describe each other place."""
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
    """Return the repairs for a target that occurs only in comments.

    Return none if the new text is there, too.
    """
    view, comments = document.source.view, comment_places(document, instruction.anchor)
    if any(has_around(view, instruction, each["place"]) for each in comments):
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


Aside = Mapping[tuple[int, int], str]
"""What the target is a part of at some places, by the line and column of each place."""

_SHOWN_ASIDE = 4
"""Omitted places that a label lists."""


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Turns an instruction that matches several places into one edit of all of them."""

    document: Document
    instruction: Instruction
    spots: Spots
    room: int
    """How many instructions may replace it."""

    def sweeps(self, candidates: Sequence[Candidate], aside: Aside) -> list[Repair]:
        """Return the edit of every place, unless the anchor has context for one of them.

        Omit parts of longer words, and places in comments. If the metadata asks for all places, a
        second repair includes these; then neither repair has a basis.
        """
        document, instruction, anchor = self.document, self.instruction, self.instruction.anchor
        if anchor.before or anchor.after:
            return []
        # If a request is sent again after a part of it was applied, it means the rest.
        left = [each for each in candidates if not self._has_it(each)]
        done = len(candidates) - len(left)
        if not left:
            return []
        by_itself = [each for each in left if at(each) not in aside]
        left_out = [each for each in left if at(each) in aside]
        what = (
            describe_place(document, by_itself[0])
            if len(by_itself) == 1
            else f"all {len(by_itself)} places"
        )
        comments = [
            each
            for each in comment_places(document, anchor)
            if not has_around(document.source.view, instruction, each["place"])
        ]
        what += _not_aside(left_out, aside) + not_those_that_have_it(done)
        what += _not_in_comments(comments)
        # It is unclear whether "everywhere" includes comments.
        has_others = bool(left_out or comments)
        asked_for = asks_for_all(instruction)
        basis = "metadata says so" if asked_for and not has_others else ""
        least = 1 if done else 2
        found = [self._swept(by_itself, what, basis, least)]
        if asked_for and has_others:
            every = [*left, *comments]
            too = ["in longer names and strings"] * bool(left_out)
            too += [_in_comments(comments)] * bool(comments)
            what = f"all {len(every)} places, {' and '.join(too)} too"
            what += not_those_that_have_it(done)
            # If the target is nowhere a whole word, parts of words are meant.
            basis = "" if by_itself or comments else "metadata says so"
            found.append(self._swept(every, what, basis, least))
        sweeps = [each for each in found if each is not None]
        if not done:
            return sweeps
        return [replace(each, basis="", unless=ONCE_MORE) for each in sweeps]

    def _swept(
        self, candidates: Sequence[Candidate], what: str, basis: str = "", least: int = 2
    ) -> Repair | None:
        """Return the instruction at each candidate, if there are ``least`` to ``room``."""
        if not least <= len(candidates) <= self.room:
            return None
        anchors = [self.spots.anchor(each) for each in candidates]
        everywhere = [replace(self.instruction, anchor=each) for each in anchors if each]
        if len(everywhere) < len(candidates):
            return None
        # Only the first keeps the metadata: each instruction's result repeats it.
        first, *others = everywhere
        others = [replace(each, metadata=None) for each in others]
        return Repair(what, (first, *others), basis, takes_all=True, is_known=True)

    def _has_it(self, candidate: Candidate) -> bool:
        if "place" not in candidate:
            return bool(candidate.get("hasNewText"))
        return has_around(self.document.source.view, self.instruction, candidate["place"])


def at(candidate: Candidate) -> tuple[int, int]:
    """Return a candidate's line and column."""
    return candidate["line"], candidate["column"]


def _not_aside(left_out: Sequence[Candidate], aside: Aside) -> str:
    """Describe the omitted places where a word isn't whole; empty if there are none."""
    if not left_out:
        return ""
    shown = [f"{aside[at(each)]} (line {each['line']})" for each in left_out]
    more = f" and {len(shown) - _SHOWN_ASIDE} more" if len(shown) > _SHOWN_ASIDE else ""
    return f" where it is a whole word; not {', '.join(shown[:_SHOWN_ASIDE])}{more}"


def _in_comments(comments: Sequence[Candidate]) -> str:
    lines = list(dict.fromkeys(each["line"] for each in comments))
    shown = ", ".join(map(str, lines[:_SHOWN_ASIDE])) + ", …" * (len(lines) > _SHOWN_ASIDE)
    return f"in comments (line {shown})"


def _not_in_comments(comments: Sequence[Candidate]) -> str:
    """Say that places in comments are omitted, and how to include them."""
    if not comments:
        return ""
    return f'; those {_in_comments(comments)} take "in": "comment"'
