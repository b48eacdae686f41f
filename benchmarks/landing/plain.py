"""An edit in other tools' form: old and new text, or old and new lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.landing.true_edits import Splice
from benchmarks.landing.wording import MOST_LINES, Wording, lines_above, lines_below, stands_once


@dataclass(frozen=True, slots=True)
class Plain:
    """An edit as old and new text.

    ``line`` and ``last_line`` are where the agent saw it, for tools that count lines, from 0;
    ``lines`` what stood there then, and ``becomes`` what is to stand there.
    """

    old: str
    new: str
    line: int
    lines: tuple[str, ...] = field(default=())
    becomes: tuple[str, ...] = field(default=())
    everywhere: bool = False


def plain(wording: Wording, seen: Wording, text: str) -> Plain:
    """Return ``wording`` in other tools' form; ``seen`` is the unspoiled one, in ``text``.

    Such tools have neither symbols nor deletions that tidy up: where a wording relies on that, they
    are told with the lines around it, as their users do.
    """
    splice = seen.splice
    first = text.rfind("\n", 0, splice.start) + 1
    last = text.find("\n", max(splice.start, splice.end - (seen.lines is not None)))
    last = len(text) if last < 0 else last
    above, below = text[first : splice.start], text[splice.end : last]
    becomes: tuple[str, ...] = ()
    if seen.lines is None:
        seen_last, said_last = (each.head.rpartition("\n")[2] for each in (seen, wording))
        seen_first, said_first = (each.tail.partition("\n")[0] for each in (seen, wording))
        above = above.removesuffix(seen_last) + said_last
        below = said_first + below.removeprefix(seen_first)
        becomes = tuple((above + wording.new + below).split("\n"))
    old, new = _tidied(wording, seen, text)
    if seen.symbol is not None:
        around = _around(text, seen)
        old, new = around[0] + old + around[1], around[0] + new + around[1]
    lines = tuple(text[first:last].split("\n"))
    return Plain(old, new, text.count("\n", 0, first), lines, becomes)


def _tidied(wording: Wording, seen: Wording, text: str) -> tuple[str, str]:
    """Return old and new text, with the whole lines that a deletion takes along."""
    before, after, old = wording.before, wording.after, wording.quoted
    if seen.lines is None:
        return old, before + wording.result + after
    target = seen.start + len(seen.before)
    margin = text[seen.lines.start : target]
    if not before:
        old = margin + old
    if after:
        return old, before.removesuffix(margin) + after.removeprefix("\n")
    return old + "\n", before.removesuffix(margin)


def _around(text: str, seen: Wording) -> tuple[str, str]:
    """Return enough lines around the target, or around the deleted lines, to be unique."""
    own = seen.lines or Splice(seen.start, seen.end, "")
    for more in range(2 * MOST_LINES):
        start = lines_above(text, own.start, (more + 1) // 2) if more else own.start
        end = lines_below(text, own.end, more // 2)
        if stands_once(text, text[start:end]):
            return text[start : own.start], text[own.end : end]
    return "", ""
