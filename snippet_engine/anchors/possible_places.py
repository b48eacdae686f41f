"""Find the places where a text may match in its context, by searching for the rarer of the two.

Part of docs/design/engine.md §11. A text may occur a million times, and its context would be
compared at each place. A line of the context usually occurs only a few times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from snippet_engine import budget
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.source_text import TextRange

_FEW = 1_000
"""Up to this many places are tried directly."""
_MAX_LINES = 4
"""Most context lines on either side whose occurrences are counted: the longest, usually the rarest.
"""
_MAX_AWAY = 200
"""Most lines between the target and such a line."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    away: int
    """The number of lines between it and the target's neighbour."""
    is_above: bool


def possible_places(
    view: str, target: str, context: Context, scopes: Sequence[TextRange]
) -> Iterator[TextRange]:
    """Yield places of ``target`` in ``scopes``, each once: at least all where ``context`` matches.

    The order is arbitrary. Spends steps (:func:`.budget.spend`).
    """
    places = occurrences(view, target, scopes)
    first: list[TextRange] = []
    if context.has_text:
        budget.spend_reading(sum(scope.end - scope.start for scope in scopes))
        first = list(islice(places, _FEW + 1))
    # A few are found as fast as they are counted.
    line = _rarer(view, target, _lines(context), scopes) if len(first) > _FEW else None
    if line is None:
        for place in chain(first, places):
            budget.spend()
            yield place
        return
    seen: set[int] = set()
    for start in _starts(view, target, context, line):
        budget.spend()
        end = start + len(target)
        if (
            start not in seen
            and view.startswith(target, start)
            and any(scope.start <= start and end <= scope.end for scope in scopes)
        ):
            seen.add(start)
            yield TextRange(start, end)


def _rarer(
    view: str, target: str, lines: Sequence[_Line], scopes: Sequence[TextRange]
) -> _Line | None:
    """Return the context line with the fewest occurrences; ``None`` if the target is as rare."""
    least = sum(view.count(target, *scope) for scope in scopes)
    found = None
    for line in lines:
        if least <= _FEW:
            break
        budget.spend_reading(len(view))
        count = view.count(line.text)
        if count < least:
            least, found = count, line
    return found


def _lines(context: Context) -> list[_Line]:
    sides = (
        [_Line(text, away, True) for away, text in enumerate(reversed(context.lines_before))],
        [_Line(text, away, False) for away, text in enumerate(context.lines_after)],
    )
    chosen = [
        line
        for side in sides
        for line in sorted(side[:_MAX_AWAY], key=lambda line: -len(line.text))[:_MAX_LINES]
        if line.text.strip()
    ]
    return sorted(chosen, key=lambda line: (-len(line.text), line.away))


def _starts(view: str, target: str, context: Context, line: _Line) -> Iterator[int]:
    """Yield where the target may begin for each occurrence of the line, going by the context."""
    bare = target.strip()
    leading = len(target) - len(target.lstrip())
    trailing = len(target) - len(target.rstrip())
    at = view.find(line.text)
    while at >= 0:
        budget.spend(1 + line.away)
        edge = _edge(view, context, line, at)
        if edge is not None:
            # White space beside a target doesn't count, but it may begin or end in some of it.
            first = edge if line.is_above else blanks_before(view, edge)
            last = blanks_after(view, edge) if line.is_above else edge
            if not bare:
                yield from range(first, last - len(target) + 1)
            elif line.is_above:
                yield max(last - leading, 0)
            else:
                yield max(first + trailing - len(target), 0)
        at = view.find(line.text, at + 1)


def _edge(view: str, context: Context, line: _Line, at: int) -> int | None:
    """Return where the context with ``line`` at ``at`` ends above the target, or begins below it.

    Return ``None`` if the view has too few lines.
    """
    if line.away == 0:
        return at + len(line.text) if line.is_above else at
    if line.is_above:
        for _ in range(line.away):
            at = view.find("\n", at) + 1
            if at == 0:
                return None
        return at + len(context.lines_before[-1])
    for _ in range(line.away):
        at = view.rfind("\n", 0, at)
        if at < 0:
            return None
    return max(blanks_before(view, at) - len(context.lines_after[0]), 0)
