"""Check with earlier versions whether an edit was applied, and what stood next to its symbol."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from itertools import islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.errors import ALREADY_APPLIED, SEEMS_APPLIED, ErrorCode, SnippetError, shortened
from snippet_engine.fixes.explain.not_found import already_applied_error
from snippet_engine.fixes.history.request_already_applied import repeated
from snippet_engine.fixes.history.track_position import MAX_VERSIONS, Earlier, followed_as_sent
from snippet_engine.fixes.search.token_cost import is_name
from snippet_engine.fixes.search.tokens import contains, hunks, tokens_of
from snippet_engine.request import EditRequest, Instruction, Operation
from snippet_engine.source_text import TextRange


def declared_next_to(document: Document, path: str, earlier: Earlier) -> Set[str]:
    """Return all paths declared in the newest earlier version that declares ``path``.

    Without ``path`` itself and its containers. Empty if no version has it.
    """
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == document.source.view:
            continue
        budget.spend_reading(len(old.view))
        before = document.alike(old)
        found = resolve(before, path)
        if isinstance(found, SymbolPathProblem) or not found:
            continue
        return {
            each.path
            for each in declarations(before)
            if not any(
                each.full.start <= one.full.start and one.full.end <= each.full.end for one in found
            )
        }
    return frozenset()


def is_in_one(document: Document, instruction: Instruction, paths: Set[str]) -> bool:
    """Whether an instruction's place is in a declaration with one of ``paths``."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return False
    start, end = resolved.place
    around = [
        each for each in declarations(document) if each.full.start <= start <= end <= each.full.end
    ]
    return bool(around) and around[-1].path in paths


_CLAIMS = frozenset((ALREADY_APPLIED, SEEMS_APPLIED))
_SIGNS = _CLAIMS | {"newTextLines"}
_MOST = 100_000
"""Steps that the search in earlier versions may take."""


def corrected_by_history(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> SnippetError:
    """Correct ``error`` where earlier versions show whether an edit was applied.

    Remove a wrong "already applied", and add a missing one. If that takes more than ``_MOST``
    steps, ``error`` stays as it was.
    """
    others = error.details.get("otherErrors", ())
    if all(each["code"] != ErrorCode.ANCHOR_NOT_FOUND for each in (error.to_json(), *others)):
        return error
    try:
        with budget.sharing(_MOST):
            return _corrected(document, request, error, earlier)
    except budget.OutOfStepsError:
        return error


def place_of_another(
    document: Document, instruction: Instruction, details: Mapping[str, Any], earlier: Earlier
) -> int | None:
    """Return the target's zero-based line, if the new text in ``details`` is elsewhere.

    ``details`` are those of an ``anchor_not_found`` that reports the instruction as applied, or
    perhaps applied. ``None`` if no earlier version had a single place for the target, or that place
    is gone.
    """
    known = followed_as_sent(document, instruction.anchor, earlier())
    if known is None or known.place is None or repeated(document, instruction, earlier):
        return None
    first = _claimed_line(details) - 1
    view = document.source.view
    last = first + as_replacement(instruction, view).new_text.count("\n")
    start, end = map(document.source.line_number, known.place)
    return start if end < first or last < start else None


def _applied_at(document: Document, instruction: Instruction, earlier: Earlier) -> TextRange | None:
    """Return the place of the new text now, where an earlier version had the target."""
    instruction = as_replacement(instruction)
    if instruction.operation is not Operation.REPLACE:
        return None
    known = followed_as_sent(document, instruction.anchor, earlier())
    if known is None or known.place is None:
        return None
    standing = document.source.view[slice(*known.place)]
    return known.place if standing.strip() == instruction.new_text.strip() else None


def _claimed_line(details: Mapping[str, Any]) -> int:
    is_certain = ALREADY_APPLIED in details
    return int(details["nearest"][0]["line"] if is_certain else details["newTextLines"][0])


def _corrected(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> SnippetError:
    def corrected(
        code: str, message: str, index: int | None, details: Mapping[str, Any]
    ) -> tuple[str, Mapping[str, Any]]:
        if code != ErrorCode.ANCHOR_NOT_FOUND or index is None:
            return message, details
        instruction = request.instructions[index]
        again = repeated(document, instruction, earlier)
        if again is not None and again.place is not None:
            return already_applied_error(document, instruction, again.place, details)
        if not _SIGNS & details.keys():
            return message, details
        if ALREADY_APPLIED not in details:
            applied = _applied_at(document, instruction, earlier)
            if applied is not None:
                return already_applied_error(document, instruction, applied, details)
        if not _CLAIMS & details.keys():
            return message, details
        line = place_of_another(document, instruction, details, earlier)
        return (message, details) if line is None else _not_done(details, line)

    details = dict(error.details)
    if "otherErrors" in details:
        details["otherErrors"] = [
            {**each, "message": message, "details": corrected_details}
            for each in details["otherErrors"]
            for message, corrected_details in [
                corrected(each["code"], each["message"], each.get("instruction"), each["details"])
            ]
        ]
    message, corrected_details = corrected(error.code, error.message, error.instruction, details)
    return replace(error, message=message, details=corrected_details)


def _not_done(details: Mapping[str, Any], line: int) -> tuple[str, Mapping[str, Any]]:
    claimed = _claimed_line(details)
    message = (
        f"The target was not found. Before a later edit, it was at what is now line {line + 1}. "
        f"Line {claimed} has the newText, but not from this edit."
    )
    rest = {key: value for key, value in details.items() if key not in _CLAIMS}
    nearest = details["nearest"]
    others = nearest[1:] if ALREADY_APPLIED in details else nearest
    return message, {**rest, "nearest": others, "newTextLines": [claimed]}


_SHOWN = 60
"""Longest text that is shown, in code points."""


def text_reverted(instruction: Instruction, standing: str, result: str) -> str:
    """Return the text that later edits added and ``instruction`` would remove.

    ``standing`` is the present text in the target's place; ``result`` is what a replacement makes
    of it. Empty if nothing is lost. A long text is cut in the middle.
    """
    if instruction.operation is Operation.INSERT:
        return ""
    base = tokens_of(instruction.anchor.target or "")[:-1]
    theirs = tokens_of(standing)[:-1]
    mine = tokens_of(instruction.new_text)[:-1]
    changes = hunks([each.text for each in base], [each.text for each in mine])
    left = [each.text for each in tokens_of(result)[:-1]]
    lost: list[str] = []
    for put in hunks([each.text for each in base], [each.text for each in theirs]):
        if put.other_start == put.other_end:
            continue
        new = [each.text for each in theirs[put.other_start : put.other_end]]
        for change in changes:
            wanted = [each.text for each in mine[change.other_start : change.other_end]]
            touches = change.start < put.end and put.start < change.end
            is_within = change.start < put.start < change.end
            # Text added next to the change may be lost as well.
            meets = change.start <= put.end and put.start <= change.end
            is_beside = meets and not contains(left, new)
            if (touches or is_within or is_beside) and wanted != new:
                first, last = theirs[put.other_start], theirs[put.other_end - 1]
                lost.append(standing[first.start : last.end])
                break
    return shortened(" … ".join(" ".join(each.split()) for each in lost), _SHOWN)


def adds_what_has_moved(instruction: Instruction, standing: str, old: str, view: str) -> bool:
    """Whether the text that ``instruction`` adds is at its place because it was moved there.

    The target was in ``old``, which had the added text elsewhere; ``standing`` is what the target
    became in ``view``. The agent knew that text, and may want it a second time.
    """
    if instruction.operation is not Operation.REPLACE:
        return False
    base = [each.text for each in tokens_of(instruction.anchor.target or "")[:-1]]
    mine = [each.text for each in tokens_of(instruction.new_text)[:-1]]
    theirs = tokens_of(standing)[:-1]
    added = [each for each in hunks(base, mine) if each.start == each.end]
    for put in hunks(base, [each.text for each in theirs]):
        tokens = theirs[put.other_start : put.other_end]
        if put.start < put.end or not any(map(is_name, (each.text for each in tokens))):
            continue
        text = standing[tokens[0].start : tokens[-1].end]
        if view.count(text) <= old.count(text) and any(
            each.low <= put.high
            and put.low <= each.high
            and contains(mine[each.other_start : each.other_end], [each.text for each in tokens])
            for each in added
        ):
            return True
    return False
