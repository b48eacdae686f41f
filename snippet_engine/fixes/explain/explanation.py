"""Explain why an anchor names no single place.

Implements docs/design/engine.md §8 with what the resolver found. Similar text is searched only for
an anchor that isn't found (:mod:`.near_misses`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

from snippet_engine.anchors.anchor_for_place import Anchoring
from snippet_engine.anchors.resolution import Reason, Unresolved
from snippet_engine.anchors.text_anchor import MAX_OCCURRENCES
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import has_around
from snippet_engine.edit_plan.comments import position_at_comment
from snippet_engine.edit_plan.replace_all_scope import asks_for_all
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.fixes.explain.described_place import MAX_CANDIDATES, describe
from snippet_engine.limits import MAX_SET_INSTRUCTIONS
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

_MAX_HELD = 200
"""Most places that are checked for new text that is already around them."""


def explained(document: Document, instruction: Instruction, why: Unresolved) -> SnippetError:
    """Return the error for a target that names no single place, and what to send instead.

    Raises :class:`.OutOfStepsError` if that takes too many steps. :func:`brief` never raises it.
    """
    match why.reason:
        case Reason.AMBIGUOUS:
            return _ambiguous(document, instruction, why)
        case Reason.ONLY_IN_COMMENTS:
            return _only_in_comments(document, instruction, why)
        case Reason.NOT_FOUND:
            from snippet_engine.fixes.explain.near_misses import not_found  # noqa: PLC0415 - slow to import

            return not_found(document, instruction, why.scopes)
        case _:
            return brief(why)


def brief(why: Unresolved) -> SnippetError:
    """Return the error without a list of places, which takes no steps."""
    count = why.count
    details: dict[str, Any] = {"matches": count, "candidates": []}
    match why.reason:
        case Reason.AMBIGUOUS:
            message = (
                f"The anchor fits {count:,} places. They are not listed: that takes too many steps "
                "in so large a file. Add before/after context, or send fewer instructions."
            )
        case Reason.ONLY_IN_COMMENTS:
            details["matches"] = len(why.in_comments)
            message = (
                f"The target occurs only in comments, at {len(why.in_comments):,} places. They "
                "are not listed: that takes too many steps in so large a file. For a comment, "
                'add "in": "comment".'
            )
        case Reason.TOO_MANY_TO_CLASSIFY:
            message = (
                f"The target occurs at {count:,} places, too many to find out which of them are "
                "comments. Add more of the text around it to the target."
            )
        case Reason.TOO_MANY_PLACES | Reason.OUT_OF_STEPS:
            details["matches"] = MAX_OCCURRENCES
            message = (
                "The target occurs at too many places, so not all were examined. Add more of "
                "the text around it to the target, or send fewer instructions."
            )
        case _:
            details = {"nearest": [], "searched": False}
            message = (
                "The anchor was not found. Similar text was not searched: that takes too many "
                "steps in so large a file. Read it again, or send fewer instructions."
            )
    return SnippetError(why.code, message, details=details)


def _candidates(
    document: Document,
    anchors: Iterable[Anchor],
    places: Sequence[TextRange],
    scopes: Sequence[TextRange],
) -> list[dict[str, Any]]:
    anchoring = Anchoring(document, scopes)
    return [
        describe(document, place, anchoring.at(anchor, place))
        for anchor, place in zip(anchors, places[:MAX_CANDIDATES], strict=False)
    ]


def _ambiguous(document: Document, instruction: Instruction, why: Unresolved) -> SnippetError:
    candidates = _candidates(document, repeat(instruction.anchor), why.places, why.scopes)
    details: dict[str, Any] = {"matches": why.count, "candidates": candidates}
    if why.count <= _MAX_HELD:
        view = document.source.view
        have_it = [has_around(view, instruction, place) for place in why.places]
        if any(have_it):
            details["haveNewText"] = sum(have_it)
        for candidate, has_it in zip(candidates, have_it, strict=False):
            if has_it:
                candidate["hasNewText"] = True
    if asks_for_all(instruction) and details.get("haveNewText") == why.count:
        message = (
            f"The anchor fits {why.count} places, and the newText is at all of them: this edit "
            "seems to be done."
        )
        return SnippetError(ErrorCode.AMBIGUOUS_ANCHOR, message, details=details)
    lines = ", ".join(str(each["line"]) for each in candidates[:5])
    more = ", …" if why.count > 5 else ""
    advice = (
        (
            "Choose the one you mean, or add before/after context."
            if why.count <= MAX_SET_INSTRUCTIONS
            else "Choose yours, or add before/after; for all, send edit_scripts sets of at most "
            f"{MAX_SET_INSTRUCTIONS} instructions, first lines first."
        )
        if any("anchor" in each for each in candidates)
        else "Extend the target: white space and context can't make it unique."
    )
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The anchor fits {why.count} places (lines {lines}{more}). {advice}",
        details=details,
    )


def _only_in_comments(
    document: Document, instruction: Instruction, why: Unresolved
) -> SnippetError:
    places = why.in_comments
    positions = [
        position_at_comment(document, instruction, each) for each in places[:MAX_CANDIDATES]
    ]
    anchors = [replace(instruction.anchor, position=position) for position in positions]
    candidates = _candidates(document, anchors, places, why.scopes)
    line = candidates[0]["line"]
    position = positions[0]
    if position is None or position is instruction.anchor.position:
        advice = (
            'To edit the comment, add "in": "comment" to the anchor; else choose text that is code.'
        )
    else:
        advice = (
            f'For a new line next to it, add "in": "comment", "position": "{position.value}" '
            "to the anchor."
        )
    return SnippetError(
        ErrorCode.ANCHOR_IN_COMMENT,
        f"The target occurs only in comments (line {line}). {advice}",
        details={"matches": len(places), "candidates": candidates},
    )
