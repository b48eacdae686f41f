"""Lines that are too long for a diff: the change is seen, and how much is not."""

from __future__ import annotations

from snippet_engine.answer.unified_diff import (
    MAX_DIFF_LENGTH,
    MAX_LINE,
    shortened_lines,
    unified_diff,
)
from snippet_engine.edits import EditSet, TextEdit

LONG = "x" * 20_000


def diff_of(before: str, old: str, new: str) -> str:
    start = before.index(old)
    edits = EditSet((TextEdit(start, start + len(old), new),))
    after = before.replace(old, new, 1)
    return unified_diff(before, after, edits).shown()


def test_a_short_change_beside_a_long_line_is_shown() -> None:
    diff = diff_of(f'var data = "{LONG}";\nint a = 1;\n', "a = 1", "a = 2")
    assert diff.split("\n")[2:] == ["-int a = 1;", "+int a = 2;"]
    assert f"… ({20_000 + 15 - MAX_LINE:,} more characters)" in diff
    assert len(diff) < MAX_DIFF_LENGTH


def test_of_a_long_line_that_changes_the_difference_is_shown() -> None:
    diff = diff_of(f'var data = "{LONG}tail";\n', "tail", "tale")
    removed, added = diff.split("\n")[1:3]
    assert removed.startswith("-(")
    assert removed.endswith('tail";')
    assert added.endswith('tale";')


def test_a_line_that_changes_at_its_beginning_is_cut_behind_it() -> None:
    removed, added = shortened_lines([f"-int a{LONG}", f"+int b{LONG}"])
    assert removed.startswith("-int ax")
    assert added.startswith("+int bx")


def test_a_line_that_comes_alone_is_cut_behind_its_beginning() -> None:
    (added,) = shortened_lines([f"+{LONG}"])
    assert added == f"+{'x' * (MAX_LINE - 1)}… ({20_001 - MAX_LINE:,} more characters)"


def test_what_fits_is_left_as_it_is() -> None:
    line = "x" * 300
    assert f"\n {line}\n" in diff_of(f"{line}\nint a = 1;\n", "a = 1", "a = 2")
