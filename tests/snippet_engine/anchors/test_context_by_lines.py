"""A context fits where each of its lines stands, whatever blanks end the lines there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.anchors.context import Context

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
    assert Context("", after).fits_after(f"X{text}", 1) == _fits_after(after, text)


@given(LINES, st.lists(st.integers(0, 3), min_size=9, max_size=9), st.text("ab\n ", max_size=5))
def test_after_fits_what_differs_in_blanks_at_ends(
    context: list[str], blanks: list[int], more: str
) -> None:
    after = "\n".join(context).strip()
    lines = after.split("\n")
    there = [line.rstrip() + " " * count for line, count in zip(lines, blanks, strict=False)]
    assert Context("", after).fits_after("X\n" + "\n".join(there) + more, 1)
