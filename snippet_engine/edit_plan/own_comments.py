"""Insert lines above a declaration above its own comments, too.

Part of docs/design/engine.md §1 ``position``: where ``line_before`` of a symbol is. A new member
between a comment and its declaration would take over the comment.
"""

from __future__ import annotations

import re

from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.edit_plan.indentation import MAX_LINES, indentation_of

_DIVIDER = re.compile(r"([-=_*#~/+])\1{3}")
"""A row of signs separates sections, and belongs to neither of them."""
_BELONGS_BELOW = re.compile(r"\s*(?://.*|\[.*\])?")
"""Comments and attributes belong directly above their subject."""


def above_own_comments(document: Document, offset: int, new_text: str) -> int:
    """Return where whole lines of ``new_text`` go, above the declaration whose line begins at
    ``offset``.

    They go above the ``//`` lines that touch the declaration and have its indentation.
    """
    if all(map(_BELONGS_BELOW.fullmatch, new_text.split("\n"))):
        return offset
    source, start = document.source, offset
    level = indentation_of(source.line_at(offset))
    for _ in range(MAX_LINES):
        if start == 0:
            break
        above = source.line_start(start - 1)
        line = source.line_at(above)
        text = line.strip()
        is_comment = text.startswith("//") and not text.startswith("///")
        at = above + len(indentation_of(line))
        if not is_comment or indentation_of(line) != level:
            break
        if document.span_kind(at, at) is SpanKind.COMMENT:
            break  # A line of a block comment.
        if _DIVIDER.search(text[2:]):
            return offset
        start = above
    return start
