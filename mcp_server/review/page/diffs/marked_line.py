"""Make the HTML of one line: its characters escaped, its colours and changed words as elements.

Implements docs/design/review.md "Diffs".
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from mcp_server.review.page.diffs.csharp_colours import Span

MAX_COLUMNS = 2_000
"""Longest line that is shown whole."""

_CONTROLS = {code: 0x2400 + code for code in range(32) if code != 9} | {127: 0x2421}
"""Control characters as their pictures."""


def marked_line(
    line: str, colours: Sequence[Span] = (), changed: Sequence[tuple[int, int]] = ()
) -> str:
    """Return the line as HTML. ``colours`` and ``changed`` are ranges of its characters."""
    left_out = len(line) - MAX_COLUMNS
    line = line[:MAX_COLUMNS]
    kinds = [("", "")] * len(line)
    for each in colours:
        if each.start < len(line):
            size = min(each.end, len(line)) - each.start
            kinds[each.start : each.start + size] = [(each.kind, "")] * size
    for start, end in changed:
        for at in range(start, min(end, len(line))):
            kinds[at] = kinds[at][0], "mark"
    parts = []
    at = 0
    for (colour, mark), group in groupby(kinds):
        size = sum(1 for _ in group)
        text = escape(line[at : at + size].translate(_CONTROLS))
        at += size
        if colour:
            text = f'<span class="{colour}">{text}</span>'
        parts.append(f"<mark>{text}</mark>" if mark else text)
    if left_out > 0:
        parts.append(f'<span class="quiet"> … {left_out:,} more characters</span>')
    return "".join(parts)
