"""A context fits where each of its lines stands, whatever blanks end the lines there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context
from snippet_engine.source_text import TextRange

LINES = st.lists(st.sampled_from(["a", "a ", " a", "ab", "", "  ", "\t"]), max_size=9)


def _fits_after(after: str, below: str) -> bool:
    """The rule, line by line: ``below`` is what comes after the target."""
    wanted = [line.rstrip() for line in after.lstrip().split("\n")]
    there = below.lstrip().split("\n")
    *whole, last = wanted
    return (
        len(there) >= len(wanted)
        and [line.rstrip() for line in there[: len(whole)]] == whole
        and there[len(whole)].startswith(last)
    )


@given(LINES, LINES)
def test_after_fits_by_the_rule(context: list[str], below: list[str]) -> None:
    after, text = "\n".join(context), "\n".join(below)
    if not after.strip():
        return
    parts_words = after[0].isspace() and text[:1].isalpha()
    fits = _fits_after(after, text) and not parts_words
    assert Context("", after).fits_after(f"X{text}", 1) == fits


@pytest.mark.parametrize("blanks", [" ", "\n", "\n\n", "\t"])
def test_white_space_that_was_sent_is_not_within_a_word(blanks: str) -> None:
    assert not Context("", blanks).fits_after("NEWER one", 4)
    assert not Context(blanks, "").fits_before("one NEWER", 5)
    assert Context("", blanks).fits_after("NEW(one)", 3)
    assert Context(blanks, "").fits_before("(NEW", 1)
    assert Context(blanks, blanks).fits("NEWER", TextRange(0, 5))


@given(LINES, st.lists(st.integers(0, 3), min_size=9, max_size=9), st.text("ab\n ", max_size=5))
def test_after_ignores_blanks_at_ends(context: list[str], blanks: list[int], more: str) -> None:
    after = "\n".join(context).strip()
    lines = after.split("\n")
    there = [line.rstrip() + " " * count for line, count in zip(lines, blanks, strict=False)]
    assert Context("", after).fits_after("X\n" + "\n".join(there) + more, 1)
