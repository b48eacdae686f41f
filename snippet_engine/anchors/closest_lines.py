"""The lines of a file that are most like a text that isn't in it.

Part of the near misses of docs/design/engine.md §8: what is offered when nothing better is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise

from snippet_engine import work
from snippet_engine.source_text import TextRange

_LEAST_SIMILAR = 0.45
"""Least similarity that is worth showing."""
_MAX_OFFERED = 3
_MAX_CONSIDERED = 10
_MAX_COMPARED = 30
"""Different lines that are compared character by character: those that seem most alike."""
_PER_COMPARISON = 5
_COMPARED_IN_A_STEP = 4
"""Steps that it takes to compare two texts, and code points of them that take one more."""
_PER_LINE = 2
"""Steps that it takes to guess how alike one line is."""
_MAX_LENGTH = 400
"""Longest part of a text that is compared, in code points."""


def similarity(left: str, right: str) -> float:
    """How alike two texts are, from 0 to 1, white space at the ends of lines not counted."""
    compared = min(len(left), _MAX_LENGTH) + min(len(right), _MAX_LENGTH)
    work.spend(_PER_COMPARISON + compared // _COMPARED_IN_A_STEP)
    matcher = SequenceMatcher(None, _comparable(left), _comparable(right), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _LEAST_SIMILAR else 0.0


def closest_lines(
    view: str, target: str, scopes: Sequence[TextRange]
) -> list[tuple[float, TextRange]]:
    """The whole lines in ``scopes`` most like ``target``, with their similarity, best first.

    As many lines together as ``target`` has. Of equal ones, the first.
    """
    lines = [line.strip() for line in target.strip().split("\n")]
    key = max(lines, key=len)
    standing: dict[str, tuple[TextRange, int]] = {}
    for scope in scopes:
        work.spend(view.count("\n", *scope) // 2)
        for start, line in _lines(view, scope):
            standing.setdefault(line.strip(), (scope, start))
    standing.pop("", None)
    work.spend(_PER_LINE * len(standing))
    pairs = _pairs(key)

    def in_common(text: str) -> float:
        """A quick guess at the similarity: which characters follow each other in both."""
        others = _pairs(text)
        return len(pairs & others) / max(len(pairs) + len(others), 1)

    guessed = nlargest(_MAX_COMPARED, standing, key=in_common)
    found: dict[TextRange, float] = {}
    for text in nlargest(_MAX_CONSIDERED, guessed, key=lambda text: similarity(key, text)):
        place = _block(view, *standing[text], above=lines.index(key), count=len(lines))
        found[place] = similarity(target, view[place.start : place.end])
    best = nlargest(_MAX_OFFERED, found, key=lambda place: found[place])
    return [(found[place], place) for place in best if found[place] >= _LEAST_SIMILAR]


def _pairs(line: str) -> set[tuple[str, str]]:
    return set(pairwise(line[:_MAX_LENGTH]))


def _lines(view: str, scope: TextRange) -> Iterator[tuple[int, str]]:
    """The lines of ``scope``, each with its start."""
    start = scope.start
    for line in view[scope.start : scope.end].split("\n"):
        yield start, line
        start += len(line) + 1


def _block(view: str, scope: TextRange, start: int, *, above: int, count: int) -> TextRange:
    """``count`` lines, ``above`` of them above the one at ``start``, as far as in ``scope``."""
    for _ in range(above):
        if start > scope.start:
            start = max(view.rfind("\n", scope.start, start - 1) + 1, scope.start)
    end = start
    for _ in range(count):
        line_end = view.find("\n", end, scope.end)
        end = scope.end if line_end < 0 else line_end + 1
    text = view[start:end]
    begin = start + len(text) - len(text.lstrip())
    return TextRange(begin, begin + len(text.strip()))


def _comparable(text: str) -> str:
    return "\n".join(line.strip() for line in text[:_MAX_LENGTH].strip().split("\n"))
