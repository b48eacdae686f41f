"""New lines whose indentation may be meant in two ways: as sent, or as the file would have it.

Part of docs/design/engine.md §8. A line that was quoted of the file tells what its blanks come to
there; a line that is new has none to be held against. Where the file has lines of either kind, or
the quoted lines don't agree, nobody can tell what a new line's blanks stand for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.explain.closest_lines import similarity
from snippet_engine.offers.carrying.indents import Indents
from snippet_engine.offers.places.tokens import hunks

_OF_KIND = {" ": re.compile(r"^  +\S", re.MULTILINE), "\t": re.compile(r"^\t+\S", re.MULTILINE)}
"""A line of the file that is indented by blanks, or by tabs, alone."""
_MOST_COMPARED = 2_000
"""Pairs of lines whose likeness is looked at."""

Gaps = Sequence[tuple[str, str]]
"""White space that stands for one another: as sent, in the file."""


def read_otherwise(
    texts: tuple[str, str], carried: str, standing: str, around: Gaps, view: str
) -> str | None:
    """``carried`` with its new lines indented in the other way that may be meant; ``None``: there
    is none.

    ``texts`` are the target and the new text as they were sent, ``carried`` is the new text for the
    text ``standing`` in ``view``. An insertion has no target: all its lines are new.
    """
    sent = texts[1].split("\n")
    lines = carried.split("\n")
    added = _added(texts[0].split("\n") if texts[0] else [], sent)
    if len(sent) != len(lines):
        return None
    # What goes on from a line of the file begins with what was sent, whatever lines begin with.
    goes_on = texts[0] != "" and not texts[0][0].isspace()
    if goes_on and indentation_of(sent[0]) != indentation_of(lines[0]):
        begun = indentation_of(sent[0]) + lines[0][len(indentation_of(lines[0])) :]
        return "\n".join([begun, *lines[1:]])
    # Above what was quoted, nothing tells how deep the first line is.
    first = indentation_of(sent[0]), indentation_of(lines[0])
    if texts[0].startswith("\n") and first[0] != first[1] and {*first[0]} == {*first[1]}:
        return "\n".join([first[0] + lines[0].lstrip(" \t"), *lines[1:]])
    if not added:
        return None
    pairs = [(_last(one), _last(other)) for one, other in around if "\n" in one and "\n" in other]
    own = _own(texts[0], standing)
    # The first line may be as it should be though all others were sent otherwise.
    below = [*pairs]
    first = indentation_of(texts[0]), indentation_of(standing)
    if first in below:
        below.remove(first)
    below = list(dict.fromkeys((*below, *own[texts[0][:1].isspace() :])))
    pairs = list(dict.fromkeys((*pairs, *own)))
    other = [*lines]
    for at in added:
        told = indentation_of(sent[at]), indentation_of(lines[at])
        found = _otherwise(*told, pairs if told[0] != told[1] else below, view)
        if found is not None:
            other[at] = found + lines[at][len(told[1]) :]
    return "\n".join(other) if other != lines else None


def turns_steps(texts: tuple[str, str], carried: str) -> bool:
    """Whether a new line was sent deeper than the line above it, or less deep, and wouldn't be.

    ``texts`` are the target and the new text as they were sent. The lines that were quoted were
    sent as deep as they are then, and those around them weren't: nothing tells what new ones are.
    """
    sent, lines = texts[1].split("\n"), carried.split("\n")
    if not texts[0] or len(sent) != len(lines):
        return False
    added = set(_added(texts[0].split("\n"), sent))
    rows = [row for row, line in enumerate(sent) if line.strip()]
    return any(
        step != _step(lines[above], lines[below])
        for above, below in pairwise(rows if texts[1][0].isspace() else rows[1:])
        if not added.isdisjoint((above, below)) and (step := _step(sent[above], sent[below]))
    )


def _step(above: str, below: str) -> int:
    """Whether a line is deeper than the one above it (1), less deep (-1), or neither (0)."""
    one, other = indentation_of(above), indentation_of(below)
    if len({*one, *other}) > 1:
        return 0
    return (len(other) > len(one)) - (len(other) < len(one))


def _otherwise(sent: str, carried: str, pairs: Gaps, view: str) -> str | None:
    """What an indentation may come to, too; ``None`` if it is clear."""
    same = sum(one == other for one, other in pairs if one)
    shifts = [(one, other) for one, other in pairs if one != other]
    if sent != carried:
        if {*sent} == {*carried} or not (sent and carried):
            return sent if 0 < same >= len(shifts) else None
        return sent if _is_of_either_kind(sent, carried, shifts, view) else None
    if len(shifts) <= same:
        return None
    found = Indents([(f"\n{one}", f"\n{other}") for one, other in shifts]).translated(f"\n{sent}")
    return None if found is None or found[1:] == carried else found[1:]


def _is_of_either_kind(sent: str, carried: str, shifts: Gaps, view: str) -> bool:
    """Whether ``view`` has lines that are indented as what was sent, where tabs became blanks, or
    the other way; not where the same was sent more, or less, before each line."""
    more = _more(sent, carried)
    if (
        more is not None
        and shifts
        and all(
            {*one} == {*sent} and _more(one, other) == more
            for one, other in shifts
            if one and other
        )
    ):
        return False
    return len({*sent}) > 1 or _OF_KIND[sent[0]].search(view) is not None


def _more(sent: str, standing: str) -> tuple[str, str] | None:
    """What was sent before an indentation, and what the file has before it; ``None`` if neither is
    the other with something before it."""
    if not (sent.endswith(standing) or standing.endswith(sent)):
        return None
    length = min(len(sent), len(standing))
    return sent[: len(sent) - length], standing[: len(standing) - length]


def _own(target: str, standing: str) -> list[tuple[str, str]]:
    """What the lines of a target are indented by: as sent, in the file."""
    lines = target.split("\n"), standing.split("\n")
    if len(lines[0]) != len(lines[1]):
        return []
    return [
        (indentation_of(one), indentation_of(other))
        for one, other in zip(*lines, strict=True)
        if one.strip() and one.strip() == other.strip() and indentation_of(one)
    ]


def _added(target: Sequence[str], new: Sequence[str]) -> list[int]:
    """Which lines of a new text no line of the target tells the indentation of: those that are
    more than it has, the least like its own, and those that were sent indented otherwise.

    The first line of what is inserted, or is put in the stead of what begins within a line, goes on
    with another one.
    """
    if not target:
        return [at for at, line in enumerate(new) if at and line.strip()]
    found: list[int] = []
    stripped = [each.strip() for each in target], [each.strip() for each in new]
    for each in hunks(*stripped):
        old, rows = stripped[0][each.start : each.end], range(each.other_start, each.other_end)
        known = {indentation_of(one) for one in target[each.start : each.end]}
        written = [row for row in rows if stripped[1][row]]
        found += [row for row in written if indentation_of(new[row]) not in known]
        written = [row for row in written if indentation_of(new[row]) in known]
        more = len(written) - sum(map(bool, old))
        if more <= 0 or len(old) * len(written) > _MOST_COMPARED:
            continue
        likeness = {
            row: max((similarity(stripped[1][row], one) for one in old), default=0.0)
            for row in written
        }
        found += sorted(written, key=lambda row: likeness[row])[:more]
    return sorted(at for at in found if at or target[0][:1].isspace())


def _last(gap: str) -> str:
    return indentation_of(gap.rpartition("\n")[2])
