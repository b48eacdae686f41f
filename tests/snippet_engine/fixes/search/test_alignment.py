"""The alignment of an anchor with lines of the file: as cheap as can be, and bounded."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.fixes.search.alignment import Pairs, align, align_around
from snippet_engine.fixes.search.token_cost import (
    ABSENT,
    MORE,
    NEVER,
    NEXT_ABSENT,
    NEXT_MORE,
    cost_of,
)

_WORDS = st.lists(st.sampled_from(["a", "b", "go", "Go", "(", ")", "1"]), max_size=6)


def _cost(sent: list[str], there: list[str], weights: list[int], pairs: Pairs) -> float:
    """Return what an alignment costs whose ends are free, by the table alone."""
    found, run = 0.0, 0
    for at, other in enumerate(pairs):
        if other is None:
            found += weights[at] * (NEXT_ABSENT[weights[at] - 1] if run else ABSENT)
            run += 1
        else:
            found += weights[at] * cost_of(sent[at], there[other])
            run = 0
    known = [(at, other) for at, other in enumerate(pairs) if other is not None]
    for (above, one), (below, other) in pairwise(known):
        if other - one > 1:
            weight = min(weights[above], weights[below])
            found += weight * (MORE + (other - one - 2) * NEXT_MORE)
    return found


def _least(sent: list[str], there: list[str], weights: list[int]) -> float:
    """Return the least cost of all alignments, each of them tried."""

    @cache
    def every(at: int, first: int) -> list[tuple[int | None, ...]]:
        if at == len(sent):
            return [()]
        found: list[tuple[int | None, ...]] = [(None, *rest) for rest in every(at + 1, first)]
        for other in range(first, len(there)):
            found += [(other, *rest) for rest in every(at + 1, other + 1)]
        return found

    return min(_cost(sent, there, weights, list(each)) for each in every(0, 0))


@given(_WORDS, _WORDS)
def test_no_alignment_is_cheaper(sent: list[str], there: list[str]) -> None:
    weights = [1] * (len(sent) + 1)
    pairs = align(sent, there, weights)
    known = [each for each in pairs if each is not None]
    assert known == sorted({*known})
    assert _cost(sent, there, weights, pairs) <= _least(sent, there, weights) + 1e-9


@pytest.mark.parametrize(
    ("sent", "there", "expected"),
    [
        ("a b c", "x a b c y", [1, 2, 3]),
        ("a b c", "a x b c", [0, 2, 3]),
        ("a go c", "a gone c", [0, 1, 2]),
        ("a ( c", "a c", [0, None, 1]),
        ("a ( c", "a 1 c", [None, None, 2]),
        ("true ;", "false ;", [None, 1]),
        ("", "a", []),
        ("a", "", [None]),
    ],
)
def test_what_stands_for_what(sent: str, there: str, expected: Pairs) -> None:
    words = sent.split()
    assert align(words, there.split(), [1] * (len(words) + 1)) == expected


def test_a_long_text_is_aligned_from_its_seeds() -> None:
    there = [f"w{at}" for at in range(700)]
    sent = [*there[100:300], "new", *there[300:500]]
    pairs = align(sent, there, [1] * (len(sent) + 1))
    assert pairs == [*range(100, 300), None, *range(300, 500)]


def test_nothing_stands_for_what_would_take_too_long() -> None:
    sent, there = ["a", "b"] * 200, ["b", "a", "c"] * 200
    assert align(sent, there, [1] * (len(sent) + 1)) == [None] * len(sent)


def test_around_a_place_the_nearest_tokens_count() -> None:
    sent, there = ["x", ";", "go", ";", "x"], ["x", ";", "x", ";", "go", ";", "x", ";", "x"]
    pairs = align_around(sent, there, [1, 1, 2, 1, 1, 1], (2, 3), (4, 5))
    assert pairs == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("one", "other"), [("true", "false"), ("(", "["), ("(", ")"), ("go", ";"), ("1", ";")]
)
def test_another_statement_is_no_slip(one: str, other: str) -> None:
    assert cost_of(one, other) == NEVER
