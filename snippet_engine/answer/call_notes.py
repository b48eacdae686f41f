"""Report the interrupted writes that a call finished before its own work.

Part of docs/design/engine.md §5 "Change sets".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from snippet_engine.errors import MAX_MESSAGE_LENGTH, SnippetError
from snippet_engine.schemas.schema import COMPLETED_FIRST, UNFINISHED

T = TypeVar("T")

DETAIL = "completedFirst"
"""The key of an error's details that holds the notes."""
_OF_OTHERS = (COMPLETED_FIRST, UNFINISHED)


def with_notes(outcome: T, notes: Sequence[str]) -> T:
    """Return ``outcome``, a tool's result or refusal, with the ``notes`` added."""
    if not notes:
        return outcome
    if isinstance(outcome, SnippetError):
        message = " ".join((outcome.message, *notes))
        if len(message) > MAX_MESSAGE_LENGTH:  # the text form and the details have the notes
            message = outcome.message
        details = {**outcome.details, DETAIL: list(notes)}
        return cast("T", replace(outcome, message=message, details=details))
    if not isinstance(outcome, dict):
        return outcome
    return cast("T", _warned(outcome, COMPLETED_FIRST, notes))


def with_unfinished(outcome: T, unfinished: Sequence[str]) -> T:
    """Add unfinished writes to ``outcome`` if it is a result; a refusal already names them."""
    if not unfinished or not isinstance(outcome, dict):
        return outcome
    return cast("T", _warned(outcome, UNFINISHED, unfinished))


def _warned(result: dict[str, Any], code: str, messages: Sequence[str]) -> dict[str, Any]:
    warnings = [{"code": code, "message": each} for each in messages]
    return {**result, "warnings": [*warnings, *result.get("warnings", ())]}


def notes_of(answer: Mapping[str, Any]) -> list[str]:
    """Return the notes of a result, or of an error's details."""
    warnings = [each for each in answer.get("warnings", ()) if each.get("code") in _OF_OTHERS]
    return [*(each["message"] for each in warnings), *answer.get(DETAIL, ())]


def own_warnings(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the warnings about the change itself."""
    return [each for each in result.get("warnings", ()) if each["code"] not in _OF_OTHERS]
