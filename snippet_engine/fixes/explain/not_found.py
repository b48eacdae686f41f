"""``anchor_not_found``: the error when an anchor matches nothing, with what nearly matched.

Implements docs/design/engine.md §8: best first, each near miss with its line, its differences, and
the whole anchor to send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.comments import position_beside
from snippet_engine.errors import (
    ALREADY_APPLIED,
    MOST_LIKE,
    SEEMS_APPLIED,
    ErrorCode,
    SnippetError,
    shortened,
)
from snippet_engine.fixes.explain.already_applied import (
    is_rest_of_target,
    may_be_unreplaced,
    places_of_new_text,
)
from snippet_engine.fixes.explain.candidates import describe
from snippet_engine.fixes.explain.likely_applied import is_likely_applied
from snippet_engine.fixes.explain.near_miss import (
    IN_CONTEXT,
    MAX_NEAR_MISSES,
    NearMiss,
    near_misses,
)
from snippet_engine.request import Instruction, Operation
from snippet_engine.source_text import TextRange

_OTHERS = frozenset((ALREADY_APPLIED, MOST_LIKE, IN_CONTEXT))
"""Near misses that are not the target, however it may be written."""


def not_found(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> SnippetError:
    """``anchor_not_found`` with up to ``MAX_NEAR_MISSES`` near misses in ``scopes``.

    Raises :class:`.OutOfStepsError` where none was found with the steps that there are.
    """
    misses: list[NearMiss] = []
    seen: set[TextRange] = set()
    perhaps: TextRange | None = None
    try:
        for miss in near_misses(document, instruction, scopes):
            if SEEMS_APPLIED in miss.differs:
                perhaps = miss.place
                continue
            if miss.place not in seen and (not miss.in_symbol or _within(miss.place, scopes)):
                seen.add(miss.place)
                misses.append(miss)
            if len(misses) == MAX_NEAR_MISSES:
                break
    except budget.OutOfStepsError:
        # The best come first, so that what was found is worth telling.
        if not misses:
            raise
    whole = [TextRange(0, len(document.source.view))]
    nearest = [
        _describe(document, instruction, miss, scopes if miss.in_symbol else whole)
        for miss in misses
    ]
    details: dict[str, Any] = {"nearest": nearest}
    if misses and ALREADY_APPLIED in misses[0].differs:
        details[ALREADY_APPLIED] = True
    elif perhaps is not None:
        details["newTextLines"] = [document.source.line_number(perhaps.start) + 1]
        details[SEEMS_APPLIED] = True
    else:
        places = _places_to_report(document, instruction, scopes)
        if places:
            lines = (document.source.line_number(each.start) + 1 for each in places)
            details["newTextLines"] = list(lines)[:MAX_NEAR_MISSES]
        others = [miss.place for miss in misses if miss.in_symbol]
        if len(places) == 1 and is_likely_applied(
            document.source.view, instruction, places[0], others
        ):
            details[SEEMS_APPLIED] = True
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        _message(instruction, nearest, details),
        details=details,
    )


def _places_to_report(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Return the places of the new text, so that the receiver can check whether the edit was made.

    None where the new text is a part of the target, and may stand there for that reason.
    """
    view = document.source.view
    part, target = (
        "".join(each.split()).casefold()
        for each in (instruction.new_text, instruction.anchor.target or "")
    )
    places = places_of_new_text(view, instruction, scopes)
    # Where a letter's case is all that changes, the new text is no part of the target.
    if part not in target or (part == target and instruction.new_text != instruction.anchor.target):
        return [each for each in places if not is_rest_of_target(view, instruction, each)]
    is_shortened = target.startswith(part) or target.endswith(part)
    if len(places) != 1 or not is_shortened or may_be_unreplaced(view, instruction, places[0]):
        return []
    return places


def _within(place: TextRange, scopes: Sequence[TextRange]) -> bool:
    return any(scope.start <= place.start and place.end <= scope.end for scope in scopes)


def _describe(
    document: Document, instruction: Instruction, miss: NearMiss, scopes: Sequence[TextRange]
) -> dict[str, Any]:
    anchor = instruction.anchor
    if not miss.in_symbol:
        anchor = replace(anchor, symbol_path=None)
    # What stands where something was deleted is not to be deleted as well, nor what is merely like
    # it: an anchor for that would be sent.
    is_other = instruction.operation is Operation.DELETE and not _OTHERS.isdisjoint(miss.differs)
    found = None if is_other else anchor_at(document, anchor, miss.place, scopes)
    if found is not None and found.in_comment:
        position = position_beside(document, instruction, miss.place)
        found = replace(found, position=position)
    body = describe(document, miss.place, found)
    body["differs"] = list(miss.differs)
    return body


def _message(
    instruction: Instruction, nearest: Sequence[dict[str, Any]], details: Mapping[str, Any]
) -> str:
    path = instruction.anchor.symbol_path
    where = f" in {shortened(path, 45)}" if path else ""
    new_text_lines = details.get("newTextLines", [])
    if SEEMS_APPLIED in details:
        return (
            f"The target was not found{where}. The newText already stands there once, at line "
            f"{new_text_lines[0]}: if that is the place, this edit is done, leave it out."
        )
    if not nearest and instruction.operation is Operation.DELETE:
        return (
            f"The target was not found{where}, nor anything like it. If it stood there before, "
            "this deletion is already done; if not, read the file again."
        )
    if not nearest:
        return (
            f"The target was not found{where}, nor anything like it. "
            "Read the file again and copy the text exactly."
        )
    best = nearest[0]
    if ALREADY_APPLIED in best["differs"] and instruction.operation is Operation.DELETE:
        return (
            f"The target was not found{where}: it is gone from before line {best['line']}, where "
            "its context stands. This edit is already done, leave it out."
        )
    if ALREADY_APPLIED in best["differs"]:
        return _done(where, best["line"])
    has_it = f"Line {new_text_lines[0]} has the newText." if new_text_lines else ""
    is_said = "anchor" in best or instruction.operation is Operation.DELETE
    if _OTHERS.isdisjoint(best["differs"]):
        found = f"Nearest: line {best['line']}, which differs in {', '.join(best['differs'])}."
        advice = "" if is_said else " Add text next to it to the target."
        done = f" Or is it done? {has_it}" if has_it else ""
        return f"The anchor was not found{where}. {found}{advice}{done}"
    # The line that is quoted comes last, so that nothing is read as its end.
    found = f"Where its context fits, line {best['line']} has"
    if MOST_LIKE in best["differs"]:
        found = f"Most like it is line {best['line']}"
    advice = "" if is_said else " (add text next to it to the target)"
    done = f"Is it done? {has_it} " if has_it else ""
    return f"The anchor was not found{where}. {done}{found}{advice}: {shortened(best['text'], 60)}"


def _done(where: str, line: int) -> str:
    return (
        f"The target was not found{where}, but the newText already stands at line "
        f"{line}, where it belongs: this edit is done, leave it out."
    )


def already_applied_error(
    document: Document, instruction: Instruction, place: TextRange, details: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """Message and details of an ``anchor_not_found`` whose edit was made at ``place``.

    ``details`` are those that it had before that was known.
    """
    whole = [TextRange(0, len(document.source.view))]
    miss = NearMiss(place, (ALREADY_APPLIED,))
    made = _describe(document, instruction, miss, whole)
    others = [each for each in details["nearest"] if each["line"] != made["line"]]
    dropped = (SEEMS_APPLIED, "newTextLines")
    rest = {key: value for key, value in details.items() if key not in dropped}
    nearest = [made, *others][:MAX_NEAR_MISSES]
    message = _done("", made["line"])
    if instruction.operation is Operation.DELETE or not instruction.new_text:
        message = (
            f"The target was not found: at line {made['line']} it was deleted already. "
            "This edit is done, leave it out."
        )
    return message, {**rest, "nearest": nearest, ALREADY_APPLIED: True}
