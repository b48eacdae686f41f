"""Make the HTML of one line: its characters escaped, its colours and changed words as elements.

Implements docs/design/review.md "Diffs".
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from mcp_server.review.page.diffs.csharp_colours import Span

MAX_COLUMNS = 2_000
"""Longest line that is shown whole."""

_CONTROLS = {code: 0x2400 + code for code in range(32) if code != 9} | {127: 0x2421}
"""Control characters as their pictures."""


def marked_line(
    line: str, colours: Sequence[Span] = (), changed: Sequence[tuple[int, int]] = ()
) -> str:
    """Return the line as HTML. ``colours`` and ``changed`` are each sorted, without overlaps."""
    left_out = len(line) - MAX_COLUMNS
    if left_out > 0:
        line = line[:MAX_COLUMNS]
    borders = {0, len(line)}
    for each in colours:
        borders.update((each.start, each.end))
    for start, end in changed:
        borders.update((start, end))
    cuts = sorted(each for each in borders if 0 <= each <= len(line))
    parts = []
    for start, end in pairwise(cuts):
        kind = next((each.kind for each in colours if each.start <= start < each.end), None)
        is_changed = any(first <= start < last for first, last in changed)
        text = escape(line[start:end].translate(_CONTROLS))
        if kind is not None:
            text = f'<span class="{kind}">{text}</span>'
        parts.append(f"<mark>{text}</mark>" if is_changed else text)
    if left_out > 0:
        parts.append(f'<span class="quiet"> … {left_out:,} more characters</span>')
    return "".join(parts)
