r"""Refuse code that would end up in a ``//`` comment because its line breaks came as ``\\n``.

Part of docs/design/engine.md §8. The text compiles, but does less than the agent intended. It is
refused if the text with real line breaks is valid C#, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.comments import escaped_breaks
from snippet_engine.edit_plan.plan import Plan, plan_edits
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, Offer, SnippetError
from snippet_engine.fixes.invalid_new_text import with_new_text, without_escapes
from snippet_engine.fixes.verify import edited
from snippet_engine.request import EditRequest

WITH_BREAKS = "with real line breaks"
BASIS = r"the text has \n where lines end"


def commented_out(
    before: Document, after: Document, plan: Plan, request: EditRequest
) -> SnippetError | None:
    """Return ``invalid_request`` with the fix if ``plan`` would put code into a comment.

    Return ``None`` if real line breaks would cause new errors, because then a comment was intended.
    """
    found = [each for each in escaped_breaks(before, after, plan.edits) if each.has_code]
    if not found:
        return None
    edits = list(plan.edits)
    lines = {plan.instruction_of(edits[each.edit]): each.offset for each in found}
    fixed = request
    for index in lines:
        one = _put_right(before, fixed, index)
        if one is None:
            return None
        fixed = one
    index = min(lines)
    line = after.source.line_number(lines[index]) + 1
    offer = Offer(WITH_BREAKS, fixed.to_json(), BASIS)
    return replace(_refusal("newText", line), instruction=index, offers=(offer,))


def whole_file_commented_out(
    text: str, document: Document, is_valid: Callable[[str], bool]
) -> tuple[SnippetError, str] | None:
    """Refuse a new file if line breaks that came as ``\\n`` put its code into a comment.

    Return the error and the text to send. Return ``None`` if no code is in a comment, or no
    corrected text is valid. ``document`` is the new file, which is valid C#. ``is_valid`` checks
    another text.
    """
    whole = EditSet((TextEdit(0, 0, document.source.view),))
    found = next((each for each in escaped_breaks(None, document, whole) if each.has_code), None)
    if found is None:
        return None
    fixed = next(filter(is_valid, without_escapes(text)), None)
    if fixed is None:
        return None
    line = document.source.line_number(found.offset) + 1
    return _refusal("create", line), fixed


def _refusal(key: str, line: int) -> SnippetError:
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{key} has \\n as two characters in a // comment or # line (line {line}), so the code "
        "behind it would be lost. Send real line breaks, or a /* */ comment if you mean one.",
        details={"line": line},
    )


def _put_right(before: Document, request: EditRequest, index: int) -> EditRequest | None:
    """Return the request with real line breaks in one new text, if that makes it valid."""
    instruction = request.instructions[index]
    for text in without_escapes(instruction.new_text):
        fixed = list(request.instructions)
        fixed[index] = with_new_text(instruction, text)
        plan = plan_edits(before, fixed, request.limits)
        after = edited(before, request.path, plan) if isinstance(plan, Plan) else None
        if not isinstance(plan, Plan) or after is None:
            continue
        left = {
            plan.instruction_of(list(plan.edits)[each.edit])
            for each in escaped_breaks(before, after, plan.edits)
            if each.has_code
        }
        if index not in left:
            return replace(request, instructions=tuple(fixed))
    return None
