from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from snippet_engine import budget
from snippet_engine.answer.unified_diff import MAX_STEPS, ChangedLines, LineDiff

_TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "", "}"]), max_size=25)


def _made(old: list[str], new: list[str], changes: Iterable[ChangedLines]) -> list[str]:
    """What the changes make of ``old``."""
    lines, done = [], 0
    for change in changes:
        lines += [*old[done : change.old_start], *new[change.new_start : change.new_end]]
        done = change.old_end
    return [*lines, *old[done:]]


@given(_TEXTS, _TEXTS, st.sampled_from([0, 1, 20, 300, MAX_STEPS]))
def test_the_changes_make_the_new_text(old: list[str], new: list[str], steps: int) -> None:
    with budget.in_part(steps / MAX_STEPS):
        changes = list(LineDiff().changes(old, new))
    assert _made(old, new, changes) == new
    for one, other in pairwise(changes):
        assert one.old_end <= other.old_start
        assert one.new_end <= other.new_start


def test_lines_that_are_alike_by_the_thousand_are_replaced_whole() -> None:
    """To compare them takes minutes: the work grows with the cube of their number."""
    old = ["", " "] * 2000
    new = [" ", "", ""] * 1333
    assert list(LineDiff().changes(old, new)) == [ChangedLines(0, 4000, 0, 3999)]


def test_of_a_long_text_all_that_differs_is_found_between_lines_that_stand_once() -> None:
    old = [text for n in range(20_000) for text in (f"int f{n};", "", "}")]
    new = [text.replace("int", "long") if n % 30 == 0 else text for n, text in enumerate(old)]
    changes = list(LineDiff().changes(old, new))
    assert changes == [ChangedLines(n, n + 1, n, n + 1) for n in range(0, 60_000, 30)]


def test_landmarks_that_changed_places_are_found_in_the_longest_order() -> None:
    old = [str(n) for n in range(3000)]
    new = [*old[2000:], *old[:2000]]
    changes = list(LineDiff().changes(old, new))
    assert changes == [ChangedLines(0, 0, 0, 1000), ChangedLines(2000, 3000, 3000, 3000)]


def test_comparisons_of_one_request_share_what_they_may_take() -> None:
    lines = [f"{n}" for n in range(100)]
    other = [line if n % 10 else "x" for n, line in enumerate(lines)]
    once = len(lines) * (len(lines) + 90)
    with budget.in_part((once + 1) / MAX_STEPS):
        diff = LineDiff()
        assert len(list(diff.changes(lines, other))) == 10
        # No steps are left to compare the second text by; its landmarks tell the same.
        alike = ["b", *["a"] * 40, "b"]
        assert list(diff.changes(["a"] * 42, alike)) == [ChangedLines(0, 42, 0, 42)]
