"""Edit all places that an anchor fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from snippet_engine.anchors.resolution import Resolved
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import has_around
from snippet_engine.edit_plan.replace_all_scope import asks_for_all, left_in_comments
from snippet_engine.fixes.compact_replace_all import OfPlace, in_brief, in_short
from snippet_engine.fixes.model import ONCE_MORE, Repair, not_those_that_have_it
from snippet_engine.fixes.named_places import Candidate, Spots, comment_places, describe_place
from snippet_engine.limits import Limits
from snippet_engine.request import Instruction

Aside = Mapping[tuple[int, int], str]
"""What the target is a part of at some places, by their lines and columns."""

_SHOWN_ASIDE = 4
"""Omitted places that a label lists."""


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Makes one edit of all places from an instruction that fits several."""

    document: Document
    instruction: Instruction
    spots: Spots
    limits: Limits
    room: int
    """How many instructions may replace it."""

    def with_comments(self, resolved: Resolved) -> list[Repair]:
        """Return two repairs: the place in code, and all places with those in comments.

        They have no metadata, since that asks for all places. Empty if no place is in a comment.
        """
        if not left_in_comments(self.document, self.instruction, resolved):
            return []
        one = replace(self.instruction, metadata=None)
        comments = comment_places(self.document, one.anchor)
        line = self.document.source.line_number(resolved.place.start) + 1
        code = {"line": line, "place": resolved.place}
        what = f"line {line}, the only place in code"
        all_told = f"all {1 + len(comments)} places, {_in_comments(comments)} too"
        sweep = self._swept([code, *comments], all_told)
        if sweep is None:
            return [Repair(what, (one,), takes_all=True, unless="those in comments are meant, too")]
        without = tuple(replace(each, metadata=None) for each in sweep.instructions)
        return [Repair(what, (one,), takes_all=True), replace(sweep, instructions=without)]

    def sweeps(self, candidates: Sequence[Candidate], aside: Aside) -> list[Repair]:
        """Return the edit at every place, if the request doesn't mean one of them.

        Parts of longer words and places in comments are left out. If all places were asked for,
        those may be wanted, too: then two repairs without a basis are returned.
        """
        document, instruction, anchor = self.document, self.instruction, self.instruction.anchor
        if anchor.before or anchor.after:
            return []
        # A request sent again, after a part of it was applied, means the rest.
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
        # Of two places that overlap, some editors change both, others only the first.
        is_double = _overlap([at(each) for each in left], anchor.target)
        what += _not_aside(left_out, aside) + not_those_that_have_it(done)
        what += _not_in_comments(comments) + "; some of them overlap" * is_double
        # It is unclear whether "everywhere" includes comments.
        has_others = bool(left_out or comments)
        asked_for = asks_for_all(instruction)
        basis = "metadata says so" if asked_for and not has_others and not is_double else ""
        least = 1 if done else 2
        found = [self._in_few_words(by_itself, self._swept(by_itself, what, basis, least))]
        if asked_for and has_others:
            every = [*left, *comments]
            too = ["in longer names and strings"] * bool(left_out)
            too += [_in_comments(comments)] * bool(comments)
            what = f"all {len(every)} places, {' and '.join(too)} too"
            what += not_those_that_have_it(done)
            # If it is nowhere a whole word, the parts of words are meant.
            basis = "" if by_itself or comments or is_double else "metadata says so"
            found.append(self._in_few_words(every, self._swept(every, what, basis, least)))
        sweeps = [each for each in found if each is not None]
        if not done:
            return sweeps
        return [replace(each, basis="", unless=ONCE_MORE) for each in sweeps]

    def _swept(
        self, candidates: Sequence[Candidate], what: str, basis: str = "", least: int = 2
    ) -> Repair | None:
        """Return the instruction at each candidate, if there are ``least`` to ``room`` of them."""
        if not least <= len(candidates) <= self.room:
            return None
        anchors = [self.spots.anchor(each) for each in candidates]
        everywhere = [replace(self.instruction, anchor=each) for each in anchors if each]
        if len(everywhere) < len(candidates):
            return None
        # Only the first keeps the metadata: each instruction's result repeats it.
        first, *others = everywhere
        others = [replace(each, metadata=None) for each in others]
        # Joined places get a longer target, but they are the places that were sent.
        return Repair(what, (first, *others), basis, takes_all=True, is_known=True)

    def _in_few_words(self, candidates: Sequence[Candidate], sweep: Repair | None) -> Repair | None:
        """Return a ``sweep`` of the ``candidates`` in its shortest form."""
        if sweep is None:
            return None
        if self.limits.is_small:
            # In a small edit, what lies between two places would count as changed.
            brief = in_brief(self.document, sweep.instructions)
            return replace(sweep, instructions=tuple(brief))
        placed = [
            OfPlace(one, each.get("place"))
            for one, each in zip(sweep.instructions, candidates, strict=True)
        ]
        shorter = in_short(self.document, placed)
        return replace(
            sweep,
            instructions=tuple(each.instruction for each in shorter),
            places=tuple(each.place for each in shorter),
        )

    def _has_it(self, candidate: Candidate) -> bool:
        """Whether the new text is already around a place."""
        if "place" not in candidate:
            return bool(candidate.get("hasNewText"))
        return has_around(self.document.source.view, self.instruction, candidate["place"])


def at(candidate: Candidate) -> tuple[int, int]:
    """Return a candidate's line and column."""
    return candidate["line"], candidate["column"]


def _overlap(places: Sequence[tuple[int, int]], target: str | None) -> bool:
    """Whether a one-line target's occurrences at ``places`` (line, column) overlap."""
    ordered = sorted(places)
    return any(
        line == other and column < start + len(target or "")
        for (line, start), (other, column) in pairwise(ordered)
    )


def _not_aside(left_out: Sequence[Candidate], aside: Aside) -> str:
    """Describe the places left out because a word isn't whole there; empty if none are."""
    if not left_out:
        return ""
    shown = [f"{aside[at(each)]} (line {each['line']})" for each in left_out]
    more = f" and {len(shown) - _SHOWN_ASIDE} more" if len(shown) > _SHOWN_ASIDE else ""
    return f" where it is a whole word; not {', '.join(shown[:_SHOWN_ASIDE])}{more}"


def _in_comments(comments: Sequence[Candidate]) -> str:
    """Describe the lines of places in comments."""
    lines = list(dict.fromkeys(each["line"] for each in comments))
    shown = ", ".join(map(str, lines[:_SHOWN_ASIDE])) + ", …" * (len(lines) > _SHOWN_ASIDE)
    return f"in comments (line {shown})"


def _not_in_comments(comments: Sequence[Candidate]) -> str:
    """Say that places in comments are left out, and how to include them."""
    if not comments:
        return ""
    return f'; those {_in_comments(comments)} take "in": "comment"'
