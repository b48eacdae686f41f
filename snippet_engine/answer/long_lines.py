"""Lines of a diff that are too long to be shown whole: what differs in them is.

Part of ``diff`` of docs/design/engine.md §7. Such a diff is for reading; it was none to apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

MAX_LINE = 120
"""What a line may have before it is shortened, in code points."""

_AROUND = 30
"""What is kept of it on either side of what differs."""

_MARKS = ("-", "+")


def shortened_lines(lines: Sequence[str]) -> list[str]:
    """The ``lines`` of a diff, each long one cut with a note of how much.

    Of context its beginning is kept, and of a line that another one replaces what differs.
    """
    shown: list[str] = []
    runs = [(mark, list(run)) for mark, run in groupby(lines, lambda line: line[:1])]
    for index, (mark, run) in enumerate(runs):
        other = "+" if mark == "-" else "-"
        beside = index + 1 if mark == "-" else index - 1
        is_pair = mark in _MARKS and 0 <= beside < len(runs) and runs[beside][0] == other
        others = runs[beside][1] if is_pair else []
        shown += _shown_run(run, others)
    return shown


def _shown_run(run: list[str], others: list[str]) -> Iterator[str]:
    for number, line in enumerate(run):
        if len(line) <= MAX_LINE:
            yield line
        elif number < len(others):
            yield _around_difference(line, others[number])
        else:
            yield _beginning(line)


def _beginning(line: str) -> str:
    return f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"


def _around_difference(line: str, other: str) -> str:
    """``line`` from before the first sign that ``other`` hasn't, behind the mark."""
    pairs = enumerate(zip(line[1:], other[1:], strict=False), 1)
    same = next((at for at, (mine, its) in pairs if mine != its), min(len(line), len(other)))
    start = max(1, same - _AROUND)
    if start == 1:
        return _beginning(line)
    end = min(len(line), start + MAX_LINE)
    left = len(line) - end
    more = f"… ({left:,} more characters)" if left else ""
    return f"{line[0]}({start - 1:,} characters) …{line[start:end]}{more}"
