"""Two changes of one text are merged, or their overlap is told: against every way to write it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from this_system import needs_git

from mcp_server.review.take_back.text_lines import (
    Overlap,
    TextLines,
    line_changes,
    three_way_merge,
    without_changes,
)

BASE = tuple("abcdefgh")
LINES = st.lists(st.sampled_from("abcxyz"), max_size=8).map(tuple)


def changed(at: int, *to: str, until: int | None = None) -> tuple[str, ...]:
    return (*BASE[:at], *to, *BASE[at + 1 if until is None else until :])


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        pytest.param(
            *(changed(1, "B", "B"), changed(5, until=7)),
            ("a", "B", "B", "c", "d", "e", "h"),
            id="of different lines",
        ),
        pytest.param(
            *(changed(1, "B"), changed(2, "C")), ("a", "B", "C", *BASE[3:]), id="of neighbours"
        ),
        pytest.param(changed(1, "B"), changed(1, "B"), changed(1, "B"), id="the same once"),
    ],
)
def test_changes_that_do_not_overlap(
    ours: tuple[str, ...], theirs: tuple[str, ...], merged: tuple[str, ...]
) -> None:
    found = three_way_merge(BASE, ours, theirs)
    assert (found.lines, found.overlaps) == (merged, ())


@pytest.mark.parametrize(
    ("ours", "theirs", "overlap"),
    [
        (changed(1, "B"), changed(1, "Z"), Overlap(1, 2, 1, 2)),
        (changed(1, "B", "B"), changed(1, until=3), Overlap(1, 3, 1, 4)),
        (changed(3, "1", until=3), changed(3, "2", until=3), Overlap(3, 3, 3, 4)),
        (changed(3, "1", until=3), changed(3, "D"), Overlap(3, 4, 3, 5)),
        (changed(3, "1", until=3), changed(2, "C"), Overlap(2, 3, 2, 4)),
    ],
)
def test_overlaps(ours: tuple[str, ...], theirs: tuple[str, ...], overlap: Overlap) -> None:
    assert three_way_merge(BASE, ours, theirs).overlaps == (overlap,)


@given(base=LINES, ours=LINES, theirs=LINES)
def test_laws(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    assert three_way_merge(base, ours, base).lines == ours
    assert three_way_merge(base, base, theirs).lines == theirs
    assert three_way_merge(base, ours, ours).lines == ours
    one, other = three_way_merge(base, ours, theirs), three_way_merge(base, theirs, ours)
    assert bool(one.overlaps) == bool(other.overlaps)
    if not one.overlaps:
        assert one.lines == other.lines
    for each in one.overlaps:
        assert 0 <= each.ours_start <= each.ours_end <= len(ours)
        assert 0 <= each.start <= each.end <= len(base)


@needs_git
def test_where_git_merges_this_does_the_same(tmp_path: Path) -> None:
    """Git compares with other means, and refuses more: only what both accept is compared."""
    both = 0
    edits = [changed(at, *to) for at in (0, 3, 4, 7) for to in ((), ("X", "Y"))]
    for ours in edits:
        for theirs in edits:
            names = []
            for name, lines in (("ours", ours), ("base", BASE), ("theirs", theirs)):
                (tmp_path / name).write_text("".join(f"{each}\n" for each in lines))
                names.append(str(tmp_path / name))
            git = subprocess.run(
                ["git", "merge-file", "-p", *names], capture_output=True, text=True, check=False
            )
            merged = three_way_merge(BASE, ours, theirs)
            if git.returncode == 0 and not merged.overlaps:
                assert git.stdout.split() == list(merged.lines), (ours, theirs)
                both += 1
    assert both > 25


WORDS = st.sampled_from(["", "a", "b", "ü", "\u2028"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
ENDED = st.lists(st.tuples(WORDS, ENDS).map("".join), max_size=6).map("".join)
TEXTS = st.tuples(ENDED, st.sampled_from(["", "a"])).map("".join)
ENCODED = st.one_of(
    TEXTS.map(str.encode),
    TEXTS.map(lambda each: ("\ufeff" + each).encode()),
    TEXTS.map(lambda each: ("\ufeff" + each).encode("utf-16-le")),
    TEXTS.map(lambda each: ("\ufeff" + each).encode("utf-16-be")),
    st.binary(max_size=12),
)


@given(ENCODED)
def test_lines_joined_are_the_same_bytes(data: bytes) -> None:
    assert TextLines.of(data).data == data


@given(before=TEXTS, after=TEXTS, chosen=st.data())
def test_without_changes(before: str, after: str, chosen: st.DataObject) -> None:
    old, new = before.encode(), after.encode()
    changes = line_changes(old, new)
    assert changes is not None
    if not changes:
        assert without_changes(old, new, [0]) is None
        return
    numbers = st.sets(st.integers(0, len(changes) - 1), min_size=1)
    some = chosen.draw(numbers)
    back = without_changes(old, new, some)
    assert back is not None
    if len(some) == len(changes):
        assert back == old
        return
    # The lines are those of the texts, whatever their ends; the others are still to be changed.
    left = line_changes(back, new)
    assert left is not None
    assert sum(each.new_end - each.new_start for each in left) <= sum(
        each.new_end - each.new_start for each in changes
    )


def test_two_ends_of_lines_that_come_together_stay_two() -> None:
    merged = TextLines(b"", "utf-8", ("a\r", "\n", "b"))
    assert TextLines.of(merged.data).lines == ("a\r\n", "\n", "b")
    assert without_changes(b"a\r\n\nc\nd\n", b"a\rX\nc\nD\n", {0}) == b"a\r\n\nc\nD\n"
