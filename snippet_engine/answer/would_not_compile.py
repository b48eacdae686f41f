"""The error that an edit would break what it edits, with what a validator says of it.

Part of docs/design/engine.md §8: ``syntax_error``.
"""

from __future__ import annotations

from snippet_engine.answer.result import validation
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError, shortened
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Verdict

TOGETHER = " Send both files in one edit_scripts."
"""What to do with an edit that breaks another file, of which it can't change anything."""

_LEAST_OF_A_MESSAGE = 40
"""So much of what a compiler says is shown, however long the path is, in code points."""


def would_not_compile(verdict: Verdict, causes: list[int | None], beside: str = "") -> SnippetError:
    """``syntax_error`` for a verdict's errors, of which ``causes`` are the instructions.

    ``beside`` is what to send, if that can be told.
    """
    diagnostics = [
        diagnostic.to_json(cause)
        for diagnostic, cause in zip(verdict.diagnostics, causes, strict=True)
    ]
    first, count = verdict.diagnostics[0], len(verdict.diagnostics)
    at_least = "at least " if count >= MOST_DIAGNOSTICS else ""
    more = f" (and {at_least}{count - 1} more)" if count > 1 else ""
    line = first.position.line + 1
    begin = f"{first.path or 'The edited file'} would not compile: line {line}: {first.id} "
    end = f"{more}. Nothing was written."
    if len(begin) + _LEAST_OF_A_MESSAGE + len(end) + len(beside) <= MAX_MESSAGE_LENGTH:
        end += beside
    # The compiler's own words are whole in the details.
    room = max(_LEAST_OF_A_MESSAGE, MAX_MESSAGE_LENGTH - len(begin) - len(end))
    return SnippetError(
        ErrorCode.SYNTAX_ERROR,
        f"{begin}{shortened(first.message.rstrip('.'), room)}{end}",
        instruction=causes[0],
        details={
            "diagnostics": diagnostics,
            "validation": validation(verdict) | {"diagnostics": diagnostics},
        },
    )
