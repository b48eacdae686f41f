"""The benchmark of the embedded validator measures what it says: edits that are all new."""

from __future__ import annotations

from itertools import islice

from benchmarks.agreement.changes import CHANGES
from benchmarks.agreement.mistakes import MISTAKES
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.validator import edits_of, measure


def test_no_edit_comes_twice_and_half_of_them_are_mistakes() -> None:
    text = csharp_of_lines(60)
    cold, warm = (list(islice(edits_of(text, name), 60)) for name in ("cold", "warm"))
    assert len({case.edited for case in warm}) == len(warm)
    assert [case.kind in CHANGES for case in cold[:4]] == [True, False, True, False]
    assert all(case.kind in MISTAKES for case in cold[1::2])
    assert [case.edited for case in cold] != [case.edited for case in warm]


def test_a_row_has_all_its_figures() -> None:
    row = measure(100, None, 3, directives=True)
    assert (row.lines, row.rounds, row.directives) == (100, 3, True)
    assert 0 < row.warm_ms <= row.warm_p90_ms
    assert 0 < row.cold_ms <= row.cold_p90_ms
    assert row.warm_to_tree_sitter > 0
    assert row.warm_to_roslyn is None
