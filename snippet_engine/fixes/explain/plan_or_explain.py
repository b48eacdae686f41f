"""Plan a request's instructions, or explain the error that refuses them.

Every edit comes through here. Implements docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippet_engine import budget
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.resolution import Unresolved
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.faults import Declined, DeclinedBecause, Fault
from snippet_engine.edit_plan.plan import Plan, plan_edits, searching
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.fixes.explain.described_place import describe
from snippet_engine.limits import SNIPPET, Limits
from snippet_engine.request import Instruction

MAX_EXPLAINED = 4_000_000
"""Most code points that are searched to explain anchors; one anchor is always explained."""
_SEARCHED = (
    ErrorCode.ANCHOR_NOT_FOUND,
    ErrorCode.AMBIGUOUS_ANCHOR,
    ErrorCode.ANCHOR_IN_COMMENT,
)
"""Errors whose explanation searches the text."""


def plan_or_explain(
    document: Document,
    instructions: Sequence[Instruction],
    limits: Limits = SNIPPET,
) -> Plan | SnippetError:
    """Plan the instructions as :func:`.plan_edits` does, or explain what is wrong.

    The error has the first fault of the first faulty instruction. ``details.otherErrors`` has all
    other faults, so that the agent can correct them all at once.
    """
    with searching(document, len(instructions)):
        plan = plan_edits(document, instructions, limits)
        if isinstance(plan, Plan):
            return plan
        return _error(document, instructions, plan)


def _error(
    document: Document, instructions: Sequence[Instruction], faults: Sequence[Fault]
) -> SnippetError:
    most = max(1, MAX_EXPLAINED // (len(document.source.view) + 1))
    errors: list[SnippetError] = []
    for fault in faults:
        budget.check()
        is_brief = sum(each.code in _SEARCHED for each in errors) >= most
        error = _of_fault(document, instructions[fault.index], fault, is_brief=is_brief)
        errors.append(error.for_instruction(fault.index))
    first, *others = errors
    if others:
        details = {**first.details, "otherErrors": [error.to_json() for error in others]}
        first = replace(first, details=details)
    return first


def _of_fault(
    document: Document, instruction: Instruction, fault: Fault, *, is_brief: bool
) -> SnippetError:
    if isinstance(fault.why, SnippetError):
        return fault.why
    if isinstance(fault.why, Declined):
        return of_declined(document, instruction, fault.why)
    return _of_anchor(document, instruction, fault.why, is_brief=is_brief)


def _of_anchor(
    document: Document, instruction: Instruction, why: Unresolved, *, is_brief: bool
) -> SnippetError:
    from snippet_engine.fixes.explain.explanation import brief, explained  # noqa: PLC0415 - for errors
    from snippet_engine.fixes.explain.symbols import of_symbol  # noqa: PLC0415 - for errors

    if is_brief and why.code in _SEARCHED:
        return brief(why)
    is_of_symbol = bool(why.symbols or why.by_symbol) or why.code is ErrorCode.SYMBOL_NOT_FOUND
    try:
        return (of_symbol if is_of_symbol else explained)(document, instruction, why)
    except budget.OutOfStepsError:
        return brief(why)


OTHER_INDENTATION = "the indentation of the context"
CUT_INDENTATION = "the indentation of the first line"
"""The label of what differs, for each reason."""


def of_declined(document: Document, instruction: Instruction, why: Declined) -> SnippetError:
    """Return the error for an anchor that matches one place, but is refused."""
    anchor = instruction.anchor
    scopes = scopes_of(document, anchor)
    places = [
        describe(document, each, anchor_at(document, anchor, each, scopes)) for each in why.places
    ]
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
