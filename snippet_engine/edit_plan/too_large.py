"""Refuse an edit that changes too much, and split it into smaller edits.

Implements ``diff_too_large`` of docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from diff_match_patch import diff_match_patch

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.anchors.whole_words import is_word
from snippet_engine.csharp.document import Document
from snippet_engine.edits import TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import CHANGE_SET, MAX_CHANGED_CODE_POINTS, Limits
from snippet_engine.request import Instruction, Operation
from snippet_engine.source_text import TextRange

_IN_PARTS = {
    Operation.INSERT: "Insert it in parts, one request for each, every part valid by itself",
    Operation.REPLACE: "Send parts that are each valid by themselves: for a class its members, "
    'by symbol anchors with part "body", and new members by insert',
    Operation.DELETE: "Delete it in parts that lie side by side, an instruction for each",
}
"""How to split a change that is too large even for a change set. One request can't have two
insertions at one point, so an insertion needs several requests.
"""


def too_large(
    instruction: Instruction,
    changed: int,
    limits: Limits,
    split: list[Instruction] | None = None,
    *,
    keeps_lead: bool = False,
) -> SnippetError:
    """Return ``diff_too_large`` for an instruction that changes ``changed`` code points.

    ``split`` has smaller instructions with the same effect. ``keeps_lead`` says that these keep
    documentation and attributes that the instruction would delete.
    """
    advice = (
        f"{len(split)} smaller edits fit."
        if split
        else f"Send it to edit_scripts, which takes {CHANGE_SET.changed:,}."
        if limits.is_small and changed <= CHANGE_SET.changed
        else f"{_IN_PARTS[instruction.operation]}."
    )
    details = {
        "charactersChanged": changed,
        "limit": limits.changed,
        **({"instructions": [each.to_json() for each in split]} if split else {}),
        **({"keepsLead": True} if split and keeps_lead else {}),
    }
    return SnippetError(
        ErrorCode.DIFF_TOO_LARGE,
        f"The edit changes {changed} code points; the limit is {limits.changed:,}. {advice}",
        details=details,
    )


_DIFF_SECONDS = 0.5
"""Most seconds for the search for the smallest difference."""


def smaller_edits(
    document: Document,
    instruction: Instruction,
    place: TextRange,
    scopes: Sequence[TextRange],
    room: int,
) -> list[Instruction] | None:
    """Return instructions that together do what ``instruction`` does at ``place``.

    They are at most ``room``. Return ``None`` if ``instruction`` can't be split small enough.
    """
    view = document.source.view
    if instruction.operation is Operation.DELETE:
        pieces = []
        for end_of in ("\n", " ", None):
            pieces = list(islice(_side_by_side(view, place, end_of), room + 1))
            if len(pieces) <= room:
                break
    elif instruction.operation is Operation.REPLACE:
        pieces = list(_grouped(view, _differences(view, instruction.new_text, place)))
        pieces = _widened(view, pieces, place)
        # Adjacent deletions leave no text between them to anchor to.
        if not all(piece.new_text and piece.start < piece.end for piece in pieces):
            return None
    else:
        return None
    if not 1 < len(pieces) <= room or any(
        piece.changed_code_points(view) > MAX_CHANGED_CODE_POINTS for piece in pieces
    ):
        return None
    instructions: list[Instruction] = []
    for piece in pieces:
        anchor = anchor_at(document, instruction.anchor, TextRange(piece.start, piece.end), scopes)
        if anchor is None:
            return None
        instructions.append(
            Instruction(instruction.operation, anchor, piece.new_text, instruction.metadata)
        )
    return instructions


def _side_by_side(view: str, place: TextRange, end_of: str | None) -> Iterator[TextEdit]:
    """Yield deletions that together delete ``place``, each as large as allowed.

    Each ends with ``end_of`` if possible.
    """
    start = place.start
    while start < place.end:
        limit = min(start + MAX_CHANGED_CODE_POINTS, place.end)
        end = limit
        if end_of is not None and limit < place.end:
            end = view.rfind(end_of, start, limit) + 1 or limit
        yield TextEdit(start, end, "")
        start = end


def _differences(view: str, new_text: str, place: TextRange) -> Iterator[TextEdit]:
    differ = diff_match_patch()
    differ.Diff_Timeout = _DIFF_SECONDS
    diffs = differ.diff_main(view[place.start : place.end], new_text)
    differ.diff_cleanupSemanticLossless(diffs)
    at = start = place.start
    inserted = ""
    for kind, text in [*diffs, (differ.DIFF_EQUAL, "")]:
        if kind == differ.DIFF_EQUAL:
            if at > start or inserted:
                yield TextEdit(start, at, inserted)
            at += len(text)
            start, inserted = at, ""
        elif kind == differ.DIFF_DELETE:
            at += len(text)
        else:
            inserted += text


def _grouped(view: str, pieces: Iterator[TextEdit]) -> Iterator[TextEdit]:
    """Join neighbouring pieces as long as the joined edit is small enough."""
    group: TextEdit | None = None
    for piece in pieces:
        if group is None:
            group = piece
            continue
        between = view[group.end : piece.start]
        joined = TextEdit(group.start, piece.end, group.new_text + between + piece.new_text)
        if joined.changed_code_points(view) <= MAX_CHANGED_CODE_POINTS:
            group = joined
        else:
            yield group
            group = piece
    if group is not None:
        yield group


def _widened(view: str, pieces: list[TextEdit], place: TextRange) -> list[TextEdit]:
    """Extend the pieces to whole words, so that each has a target and a new text."""
    widened: list[TextEdit] = []
    for index, piece in enumerate(pieces):
        floor = widened[-1].end if widened else place.start
        ceiling = pieces[index + 1].start if index + 1 < len(pieces) else place.end
        start, end = piece.start, piece.end
        while start > floor and (is_word(view[start - 1]) or view[start:end].isspace()):
            start -= 1
        while end < ceiling and (
            is_word(view[end]) or start == end or view[start : end + 1].isspace()
        ):
            end += 1
        if start > floor and (start == end or not _text_after(view, piece, start, end)):
            start -= 1
        widened.append(TextEdit(start, end, _text_after(view, piece, start, end)))
    return widened


def _text_after(view: str, piece: TextEdit, start: int, end: int) -> str:
    return view[start : piece.start] + piece.new_text + view[piece.end : end]
