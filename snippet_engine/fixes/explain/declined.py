"""Explain why an anchor that fits one place is still refused.

Implements docs/design/engine.md §8.
"""

from __future__ import annotations

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.faults import Declined, DeclinedBecause
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.fixes.explain.candidates import describe
from snippet_engine.request import Instruction

OTHER_INDENTATION = "the indentation of the context"
CUT_INDENTATION = "the indentation of the first line"
"""What differs in each case."""
_SHOWN = 4
"""Places in comments that are shown one by one."""


def of_declined(document: Document, instruction: Instruction, why: Declined) -> SnippetError:
    """Return the error for an anchor that fits one place, but is refused."""
    anchor = instruction.anchor
    scopes = scopes_of(document, anchor)
    is_in_comments = why.because is DeclinedBecause.MORE_IN_COMMENTS
    shown = why.places[: 1 + _SHOWN] if is_in_comments else why.places
    places = [describe(document, each, anchor_at(document, anchor, each, scopes)) for each in shown]
    first, *others = (each["line"] for each in places)
    match why.because:
        case DeclinedBecause.CONTEXT_INDENTED_OTHERWISE:
            (nearest,) = places
            return SnippetError(
                ErrorCode.ANCHOR_NOT_FOUND,
                f"The anchor fits line {first}, but its context has another indentation than the "
                "file, and newText follows the context. Send both with the file's indentation.",
                details={"nearest": [{**nearest, "differs": [OTHER_INDENTATION]}]},
            )
        case DeclinedBecause.INDENTATION_CUT:
            return SnippetError(
                ErrorCode.ANCHOR_NOT_FOUND,
                f"The anchor begins inside the indentation of line {first}, and line {others[0]} "
                "has the same lines, indented as sent. Send whole lines, as the file has them.",
                details={"nearest": [{**each, "differs": [CUT_INDENTATION]} for each in places]},
            )
        case DeclinedBecause.MORE_IN_COMMENTS:
            count = len(why.places) - 1
            more = ", …" if count > _SHOWN else ""
            lines = ", ".join(map(str, dict.fromkeys(others)))
            return SnippetError(
                ErrorCode.AMBIGUOUS_ANCHOR,
                f"You asked for all places: the anchor fits one in code (line {first}) and {count} "
                f"in comments (line {lines}{more}). For the one in code alone, send the anchor "
                "without that metadata.",
                details={"matches": 1 + count, "candidates": places},
            )
