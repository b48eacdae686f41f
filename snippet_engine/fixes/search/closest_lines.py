"""Find the lines of a file that are most similar to a text, character by character.

Part of docs/design/engine.md §8: shown when nothing better is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise

from snippet_engine import budget
from snippet_engine.source_text import TextRange

_LEAST_SIMILAR = 0.45
"""Least similarity that is worth showing."""
_MAX_SHOWN = 3
_MAX_COMPARED = 20
"""Different lines that are compared character by character: those that seem most alike."""
_PER_COMPARISON = 5
_COMPARED_IN_A_STEP = 4
"""Steps that it takes to compare two texts, and code points of them that take one more."""
_PER_LINE = 2
"""Steps that it takes to guess how alike one line is."""
_MAX_LENGTH = 400
"""Longest part of a text that is compared, in code points."""


def similarity(left: str, right: str) -> float:
    """Return how similar two texts are, from 0 to 1, without white space at the ends of lines."""
    compared = min(len(left), _MAX_LENGTH) + min(len(right), _MAX_LENGTH)
    budget.spend(_PER_COMPARISON + compared // _COMPARED_IN_A_STEP)
    matcher = SequenceMatcher(None, _comparable(left), _comparable(right), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _LEAST_SIMILAR else 0.0


def closest_lines(
    view: str, target: str, scopes: Sequence[TextRange]
) -> list[tuple[float, TextRange]]:
    """Return the whole lines in ``scopes`` most like ``target``, best first, with similarities.

    Each result has as many lines as ``target``. Of equally similar ones, the first comes first.
    """
    lines = [line.strip() for line in target.strip().split("\n")]
    key = max(lines, key=len)
    pairs = set(pairwise(key[:_MAX_LENGTH]))
    standing: dict[str, TextRange] = {}
    for scope in scopes:
        start = scope.start
        for line in view[scope.start : scope.end].split("\n"):
            standing.setdefault(line.strip(), TextRange(start, scope.end))
            start += len(line) + 1
    standing.pop("", None)
    budget.spend(_PER_LINE * len(standing))

    def shared(line: str) -> float:
        """Return roughly which part of both lines' pairs of characters are the same."""
        common = len(pairs.intersection(pairwise(line[:_MAX_LENGTH])))
        return common / (len(pairs) + min(len(line), _MAX_LENGTH))

    found: list[tuple[float, TextRange]] = []
    for line in nlargest(_MAX_COMPARED, standing, key=shared):
        block = _block(view, *standing[line], above=lines.index(key), count=len(lines))
        alike = similarity(target, view[slice(*block)])
        if alike >= _LEAST_SIMILAR:
            found.append((alike, block))
    found.sort(key=lambda each: -each[0])
    return found[:_MAX_SHOWN]


def _block(view: str, start: int, end: int, *, above: int, count: int) -> TextRange:
    first = start
    for _ in range(above):
        first = view.rfind("\n", 0, max(first - 1, 0)) + 1
    last = first
    for _ in range(count):
        line_end = view.find("\n", last, end)
        last = end if line_end < 0 else line_end + 1
    text = view[first:last]
    begin = first + len(text) - len(text.lstrip())
    return TextRange(begin, begin + len(text.strip()))


def _comparable(text: str) -> str:
    return "\n".join(line.strip() for line in text[:_MAX_LENGTH].strip().split("\n"))
