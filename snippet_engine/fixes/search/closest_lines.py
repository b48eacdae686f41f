"""The lines of a file that are most like a text that isn't in it.

Part of the near misses of docs/design/engine.md §8: what is offered when nothing better is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import heappush, heappushpop
from itertools import pairwise
from typing import Self

from snippet_engine import budget
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
    return _Likeness.of(left, right).ratio


@dataclass(slots=True)
class _Likeness:
    """How alike two texts are: at most, which is soon known, and exactly."""

    at_most: float
    _matcher: SequenceMatcher[str]
    _ratio: float | None = None

    @classmethod
    def of(cls, left: str, right: str) -> Self:
        compared = min(len(left), _MAX_LENGTH) + min(len(right), _MAX_LENGTH)
        budget.spend(_PER_COMPARISON + compared // _COMPARED_IN_A_STEP)
        matcher = SequenceMatcher(None, _comparable(left), _comparable(right), autojunk=False)
        at_most = matcher.quick_ratio()
        return cls(at_most if at_most >= _LEAST_SIMILAR else 0.0, matcher)

    @property
    def ratio(self) -> float:
        """As :func:`similarity` has it."""
        if self._ratio is None:
            self._ratio = self._matcher.ratio() if self.at_most else 0.0
        return self._ratio


def _likest(wanted: str, texts: Sequence[str], count: int) -> list[tuple[float, int]]:
    """The ``count`` of the ``texts`` most like ``wanted``: how alike, and which; best first, of
    equal ones the first."""
    alike = [_Likeness.of(wanted, each) for each in texts]
    best: list[float] = []
    found: list[tuple[float, int]] = []
    for at in sorted(range(len(texts)), key=lambda at: -alike[at].at_most):
        if len(best) == count and alike[at].at_most < best[0]:
            break
        found.append((-alike[at].ratio, at))
        (heappush if len(best) < count else heappushpop)(best, alike[at].ratio)
    return [(-ratio, at) for ratio, at in sorted(found)[:count]]


def closest_lines(
    view: str, target: str, scopes: Sequence[TextRange]
) -> list[tuple[float, TextRange]]:
    """The whole lines in ``scopes`` most like ``target``, with their similarity, best first.

    As many lines together as ``target`` has. Of equal ones, the first.
    """
    lines = [line.strip() for line in target.strip().split("\n")]
    key = max(lines, key=len)
    standing: dict[str, TextRange] = {}
    for scope in scopes:
        budget.spend(view.count("\n", *scope) // 2)
        for text in dict.fromkeys(map(str.strip, view[scope.start : scope.end].split("\n"))):
            standing.setdefault(text, scope)
    standing.pop("", None)
    budget.spend(_PER_LINE * len(standing))
    guessed = _most_in_common(key, list(standing))
    places: dict[TextRange, None] = {}
    for _, at in _likest(key, guessed, _MAX_CONSIDERED):
        scope = standing[guessed[at]]
        start = _start_of(view, scope, guessed[at])
        places[_block(view, scope, start, above=lines.index(key), count=len(lines))] = None
    blocks = list(places)
    best = _likest(target, [view[slice(*each)] for each in blocks], _MAX_OFFERED)
    return [(ratio, blocks[at]) for ratio, at in best if ratio >= _LEAST_SIMILAR]


def _most_in_common(key: str, texts: Sequence[str]) -> list[str]:
    """Return the texts that are most like ``key``, by the pairs of characters that both have.

    Shared pairs are counted first. The pairs of a text are counted only where the text could still
    be among the most similar.
    """
    pairs = _pairs(key)
    common = [len(pairs.intersection(pairwise(text[:_MAX_LENGTH]))) for text in texts]
    likest: list[float] = []
    found: list[tuple[float, int]] = []
    for at in sorted(range(len(texts)), key=lambda at: -common[at]):
        at_most = common[at] / max(len(pairs) + common[at], 1)
        if len(likest) == _MAX_COMPARED and at_most < likest[0]:
            break
        guess = common[at] / max(len(pairs) + len(_pairs(texts[at])), 1)
        found.append((-guess, at))
        (heappush if len(likest) < _MAX_COMPARED else heappushpop)(likest, guess)
    return [texts[at] for _, at in sorted(found)[:_MAX_COMPARED]]


def _pairs(line: str) -> set[tuple[str, str]]:
    return set(pairwise(line[:_MAX_LENGTH]))


def _start_of(view: str, scope: TextRange, text: str) -> int:
    """Where the first line of ``scope`` begins that is ``text``, blanks at its ends aside."""
    at = view.index(text, scope.start)
    while True:
        start = max(view.rfind("\n", scope.start, at) + 1, scope.start)
        end = view.find("\n", at, scope.end)
        if view[start : scope.end if end < 0 else end].strip() == text:
            return start
        at = view.index(text, at + 1)


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
