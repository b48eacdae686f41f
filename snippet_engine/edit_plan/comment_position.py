"""Where what is inserted at a comment belongs: code gets a line of its own, or it is commented out.

Part of the offers of docs/design/engine.md §8, and of a warning, docs/design/engine.md §2.7.
"""

from __future__ import annotations

import re

from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_STATEMENT_END = re.compile(r"[;{}][ \t]*(?://.*)?$", re.MULTILINE)
_OWN_BEGINNING = re.compile(r"//|/\*|#|(?:\t|[ \t]{2,}|\s*\n\s*)?\[")
"""What no text that goes on begins with: a comment's sign, a directive's, an attribute's."""
_WORD = re.compile(r"\w")


def looks_like_code(text: str) -> bool:
    """Whether a line of ``text`` ends as statements and blocks do."""
    return _STATEMENT_END.search(text.rstrip()) is not None


def position_beside(
    document: Document, instruction: Instruction, place: TextRange
) -> InsertPosition | None:
    """The position to insert at, where ``place``, which the anchor names, is in a comment.

    A line above or below it for what doesn't go on with the comment's own text; the position that
    was asked for where that keeps it out of the comment, or no line beside it would. ``None``
    where the instruction has none, or is no insertion.
    """
    anchor, new_text = instruction.anchor, instruction.new_text
    is_before = instruction.position is InsertPosition.BEFORE
    if instruction.operation is not Operation.INSERT or not (
        is_before or instruction.position is InsertPosition.AFTER
    ):
        return anchor.position
    source = document.source
    view = source.view
    at = place.start if is_before else place.end
    if is_before:
        beside, position = source.line_start(at), InsertPosition.LINE_BEFORE
        is_at_edge = view.startswith("//", at)
        has_own_line = is_at_edge and not new_text.rpartition("\n")[2].strip() and "\n" in new_text
    else:
        beside, position = min(source.line_end(at) + 1, len(view)), InsertPosition.LINE_AFTER
        is_at_edge = False
        has_own_line = (
            not view[at : source.line_end(at)].strip()
            and not new_text.partition("\n")[0].strip()
            and "\n" in new_text
        )
    if has_own_line or (document.span_kind(beside, beside) is SpanKind.COMMENT):
        return anchor.position
    is_inside = document.span_kind(at, at) is SpanKind.COMMENT
    if is_at_edge or (is_inside and not _goes_on(view, at, new_text, is_before=is_before)):
        return position
    return anchor.position


def is_commented_out(document: Document, instruction: Instruction, place: TextRange) -> bool:
    """Whether code that is inserted at ``place`` lands wholly in a ``//`` comment there."""
    new_text = instruction.new_text.rstrip()
    if (
        instruction.operation is not Operation.INSERT
        or instruction.position not in (InsertPosition.BEFORE, InsertPosition.AFTER)
        or any(each in new_text for each in ("\n", "//", "/*"))
        or not looks_like_code(new_text)
    ):
        return False
    at = place.start if instruction.position is InsertPosition.BEFORE else place.end
    if document.span_kind(at, at) is not SpanKind.COMMENT:
        return False
    return position_beside(document, instruction, place) is not instruction.anchor.position


def _goes_on(view: str, at: int, new_text: str, *, is_before: bool) -> bool:
    """Whether ``new_text`` reads as a part of the comment's text at ``at``."""
    if looks_like_code(new_text) or _OWN_BEGINNING.match(new_text):
        return False
    # Several words and signs right behind a word, without a blank, don't go on with it.
    edge = (new_text[-1:] + view[at : at + 1]) if is_before else (view[at - 1 : at] + new_text[:1])
    is_joined = len(_WORD.findall(edge)) == 2
    return not (is_joined and re.search(r"\W", new_text.strip()))
