"""Neighbours in a row of declarators or enum members that are deleted together, up to its end.

Implements docs/design/engine.md §2.4. Each deletion takes the comma behind its symbol, and that of
the last one the comma before it. Where the neighbour goes as well, that is one comma for two: what
is left ends before the first of those that go.
"""

from __future__ import annotations

from collections.abc import Iterable

from snippet_engine.csharp.declarations.symbols import Declaration, comma_before
from snippet_engine.edits import TextEdit


def removed_together(
    view: str, deletions: Iterable[tuple[TextEdit, Declaration | None]]
) -> dict[TextEdit, tuple[TextEdit, int]]:
    """Those of ``deletions`` that share a comma, as they are together.

    With each edit goes how much more it changes. With the last declarator goes what all of them
    had in common, as if it had been deleted alone.
    """
    ordered = sorted(
        ((edit, symbol) for edit, symbol in deletions if symbol is not None),
        key=lambda each: each[0],
        reverse=True,
    )
    together: dict[TextEdit, tuple[TextEdit, int]] = {}
    right = last = TextEdit(len(view), len(view), "")
    row_end = right.end
    for edit, symbol in ordered:
        if not symbol.full.end <= right.start < edit.end:
            right, last, row_end = edit, edit, symbol.full.end
            continue
        whole, more = symbol.whole, 0
        start = comma_before(view, symbol)
        if whole is not None:
            start = whole.start
            more = symbol.full.start - whole.start + whole.end - row_end
            begun, _ = together.get(last, (last, 0))
            together[last] = TextEdit(begun.start, whole.end, ""), 0
        right = TextEdit(start, right.start, "")
        together[edit] = right, more
    return together
