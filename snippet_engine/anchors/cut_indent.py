"""Whether an anchor that fits cuts the indentation of its first line, and other lines are whole.

Part of docs/design/engine.md §1 "Text anchor". A target of several lines that begins with blanks is
meant to begin a line. Where it fits one place, but within the indentation there, and the same lines
stand elsewhere, the first of them indented just as it was sent, either may be meant.
"""

from __future__ import annotations

import re

from snippet_engine import budget
from snippet_engine.anchors.candidates import anchor_at, describe
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Instruction
from snippet_engine.source_text import TextRange

CUT_INDENTATION = "the indentation of the first line"
"""What differs then."""

_MAX_OTHERS = 4
_BLANKS = " \t"
_PER_SEARCH = 4
"""How much longer it takes to search for a pattern than for a text."""


def whole_lines_of_cut(
    document: Document, instruction: Instruction, place: TextRange
) -> list[TextRange]:
    """``place``, from where its line begins, and the places of the same lines that are indented as
    they were sent; empty unless an indentation is cut at ``place``, and there is such another."""
    anchor, view = instruction.anchor, document.source.view
    target = anchor.target or ""
    lead = target[: len(target) - len(target.lstrip(_BLANKS))]
    start = document.source.line_start(place.start)
    is_cut = start < place.start and not view[start : place.start].strip(_BLANKS)
    if not lead or not is_cut or anchor.before.strip() or "\n" not in target.strip():
        return []
    lines = (re.escape(line.strip()) for line in target.split("\n"))
    pattern = re.compile(rf"^{lead}" + r"[ \t]*+\n[ \t]*+".join(lines), re.MULTILINE)
    scopes = scopes_of(document, anchor)
    budget.spend_reading(sum(each.end - each.start for each in scopes), _PER_SEARCH)
    others = [
        TextRange(*match.span())
        for scope in scopes
        for match in pattern.finditer(view, scope.start, scope.end)
        if match.end() <= place.start or match.start() >= place.end
    ]
    return [TextRange(start, place.end), *others[:_MAX_OTHERS]] if others else []


def cut_indentation(
    document: Document, instruction: Instruction, places: list[TextRange]
) -> SnippetError:
    """``anchor_not_found`` for an instruction that has ``places`` of :func:`whole_lines_of_cut`."""
    anchor = instruction.anchor
    scopes = scopes_of(document, anchor)
    nearest = [
        {
            **describe(document, each, anchor_at(document, anchor, each, scopes)),
            "differs": [CUT_INDENTATION],
        }
        for each in places
    ]
    first, other, *_ = (each["line"] for each in nearest)
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        f"The anchor fits line {first}, but within the indentation there; line {other} is indented "
        "as it was sent, and the same but for white space below. Send whole lines, as the file "
        "has them.",
        details={"nearest": nearest},
    )
