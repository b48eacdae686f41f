"""The result object of ``edit_snippet``, and ``syntax_error`` (docs/design/engine.md §7 and §8)."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from snippet_engine.edit_plan.plan import Outcome, PlannedInstruction
from snippet_engine.edits import EditSet
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError, shortened
from snippet_engine.request import InsertPosition, Operation
from snippet_engine.source_text import SourceText
from snippet_engine.validation.syntax_codes import is_syntax
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Verdict


def validation(verdict: Verdict) -> dict[str, Any]:
    """Return the ``validation`` object of a result."""
    body: dict[str, Any] = {
        "validator": verdict.validator,
        "coverage": list(verdict.coverage),
        "notChecked": list(verdict.not_checked),
        "languageVersion": verdict.language_version,
        "symbolSets": verdict.symbol_sets,
        "durationMs": round(verdict.duration_ms, 3),
        "diagnostics": [diagnostic.to_json() for diagnostic in verdict.diagnostics],
    }
    if verdict.compiler:
        body["compiler"] = verdict.compiler
    return body


def instruction_result(source: SourceText, item: PlannedInstruction, done: str) -> dict[str, Any]:
    """Return an instruction's entry in ``results``.

    Its edit replaces ``range`` by ``afterSnippet``. The status is ``done`` if the edit changes the
    text.
    """
    status = {
        Outcome.EDIT: done,
        Outcome.DUPLICATE: "skipped",
        Outcome.NO_CHANGE: "no_change",
    }[item.outcome]
    edit = item.edit
    standing = source.view[edit.start : edit.end]
    body: dict[str, Any] = {
        "index": item.index,
        "status": status,
        "reason": item.outcome.value,
        "beforeSnippet": standing,
        "afterSnippet": edit.new_text if item.outcome is Outcome.EDIT else standing,
        "range": lsp_range(source, edit.start, edit.end),
        "charactersChanged": item.changed,
    }
    if is_adjusted(source, item):
        body["adjusted"] = True
    if item.instruction.metadata is not None:
        body["metadata"] = dict(item.instruction.metadata)
    return body


def lsp_range(source: SourceText, start: int, end: int) -> dict[str, Any]:
    """Return an LSP ``Range`` for view offsets."""
    return {"start": _lsp_position(source, start), "end": _lsp_position(source, end)}


def _lsp_position(source: SourceText, offset: int) -> dict[str, int]:
    line, character = source.position(offset)
    return {"line": line, "character": character}


def workspace_edit(uri: str, source: SourceText, edits: EditSet) -> dict[str, Any]:
    """Return the edits as an LSP ``WorkspaceEdit``; new text uses the line endings around it."""
    return {
        "documentChanges": [
            {
                "textDocument": {"uri": uri, "version": None},
                "edits": [
                    {"range": lsp_range(source, edit.start, edit.end), "newText": new_text}
                    for edit, new_text in edits.spliced(source)
                ],
            }
        ]
    }


TOGETHER = " Send both files in one edit_scripts."
"""Advice for an edit that breaks another file."""

_LEAST_OF_A_MESSAGE = 40
"""Shortest part of a compiler's message that is shown, in code points, even if the path is long."""


def would_not_compile(verdict: Verdict, causes: list[int | None], beside: str = "") -> SnippetError:
    """Return the refusal for a verdict's errors; ``causes`` are the instructions to blame.

    It is ``syntax_error`` if the first error is about syntax, otherwise ``compile_error``.
    ``beside`` says what to send instead, if known.
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
    # The details have the compiler's whole message.
    room = max(_LEAST_OF_A_MESSAGE, MAX_MESSAGE_LENGTH - len(begin) - len(end))
    is_form = is_syntax(first.id)
    return SnippetError(
        ErrorCode.SYNTAX_ERROR if is_form else ErrorCode.COMPILE_ERROR,
        f"{begin}{shortened(first.message.rstrip('.'), room)}{end}",
        instruction=causes[0],
        details={
            "diagnostics": diagnostics,
            "validation": validation(verdict) | {"diagnostics": diagnostics},
        },
    )


MOST_RANGES = 8
_INDENTED = frozenset(
    {
        *(InsertPosition.LINE_BEFORE, InsertPosition.LINE_AFTER),
        *(InsertPosition.BODY_START, InsertPosition.BODY_END),
    }
)


def changed_lines(before: SourceText, after: SourceText, edits: EditSet) -> str:
    """Return the one-based lines of ``after`` that the edits have changed: ``12-14, 40``."""
    found: list[list[int]] = []
    for start, end in edits.trimmed(before.view).after_ranges():
        first, last = _lines_of(after, start, end)
        if found and first <= found[-1][1] + 1:
            found[-1][1] = max(last, found[-1][1])
        else:
            found.append([first, last])
    shown = [f"{first}-{last}" if first < last else str(first) for first, last in found]
    return ", ".join((*shown[:MOST_RANGES], *["…"] * (len(shown) > MOST_RANGES)))


def _lines_of(after: SourceText, start: int, end: int) -> tuple[int, int]:
    text = after.view[start:end]
    core = text.strip("\n")
    if core:
        start += len(text) - len(text.lstrip("\n"))
        end = start + len(core)
    first = after.line_number(start) + 1
    return first, max(first, after.line_number(max(start, end - 1)) + 1)


def is_adjusted(source: SourceText, planned: PlannedInstruction) -> bool:
    """Return whether an edit differs from what its instruction literally says.

    Indentation that a position such as ``line_after`` adds doesn't count.
    """
    if planned.outcome is not Outcome.EDIT:
        return True
    instruction, edit, place = planned.instruction, planned.edit, planned.resolved.place
    if instruction.operation is Operation.DELETE:
        more = source.view[edit.start : place.start] + source.view[place.end : edit.end]
        return bool(more.strip() or edit.new_text.strip())
    written = edit.new_text.strip("\n")
    sent = instruction.new_text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if written == sent:
        return False
    is_indented = instruction.position in _INDENTED and not instruction.as_given
    return not is_indented or dedent(written) != dedent(sent)
