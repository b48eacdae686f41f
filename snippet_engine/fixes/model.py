"""A repaired instruction, and how an instruction is moved to another place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.additions import as_replacement
from snippet_engine.edit_plan.comments import position_at_comment
from snippet_engine.fixes.merge.three_way_merge import has_foreign_words, merged_text
from snippet_engine.fixes.merge.whitespace_merge import ends_in_literal
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_AT_EDGE = (InsertPosition.BEFORE, InsertPosition.AFTER)


@dataclass(frozen=True, slots=True)
class Repair:
    """Instructions to send instead of a refused one, and a label."""

    what: str
    instructions: tuple[Instruction, ...]
    basis: str = ""
    """Why this repair is likelier than the others. Without it, several repairs are a choice."""
    takes_all: bool = False
    """Whether it changes all possible places."""
    is_known: bool = False
    """Whether the place has, or in an earlier version had, the target exactly as sent."""
    unless: str = ""
    """A doubt: the condition under which this repair would be wrong or unnecessary."""
    takes_back: bool = False
    """Whether it removes what later edits added."""


ONCE_MORE = "places that already have the newText are meant, too"
"""The doubt about an edit that omits those places."""


def not_those_that_have_it(count: int) -> str:
    """Say that ``count`` places are omitted because they have the new text; empty for 0."""
    return f"; not {count} that {'has' if count == 1 else 'have'} the newText already" * bool(count)


def at_place(
    document: Document,
    instruction: Instruction,
    sent: str,
    anchor: Anchor,
    around: Sequence[tuple[str, str]] = (),
) -> Instruction | None:
    """Move ``instruction`` to ``anchor``, whose target replaces the target ``sent``.

    The change from the sent target to the new text is applied to the file's text. Return ``None``
    in these cases: the anchor doesn't name one place, the change or the indentation of new lines is
    unclear, or a deletion would remove more than was sent. ``around`` has pairs of white space
    around the target: as sent, in the file.
    """
    standing = anchor.target
    if standing is None:
        return None
    if instruction.operation is Operation.DELETE and has_foreign_words(sent, standing):
        return None
    if ends_in_literal(standing) and not ends_in_literal(sent):
        return None  # The file's text ends inside a string, and the sent one doesn't.
    if instruction.operation is Operation.REPLACE:
        new_text = merged_text(sent, instruction.new_text, standing, around)
        if not new_text:
            return None
        if instruction.new_text.endswith("\n") and not new_text.endswith("\n"):
            resolved = resolve_anchor(document, anchor)
            if isinstance(resolved, Resolved) and _ends_line(document, resolved.place[1]):
                # An empty line has no indentation.
                new_text = new_text.rstrip(" \t")
        instruction = replace(instruction, new_text=new_text)
    if instruction.operation is Operation.INSERT and instruction.position in _AT_EDGE:
        resolved = resolve_anchor(document, anchor)
        if not isinstance(resolved, Resolved):
            return None
        new_text = _inserted(document, instruction, resolved.place, sent, around)
        if not new_text:
            return None
        instruction = replace(instruction, new_text=new_text)
        if anchor.in_comment:
            anchor = replace(
                anchor, position=position_at_comment(document, instruction, resolved.place)
            )
    repaired = replace(instruction, anchor=anchor)
    is_found = isinstance(resolve_anchor(document, repaired.anchor), Resolved)
    return repaired if is_found else None


def _ends_line(document: Document, offset: int) -> bool:
    return document.source.view[offset : offset + 1] in ("", "\n")


def _inserted(
    document: Document,
    instruction: Instruction,
    place: TextRange,
    sent: str,
    around: Sequence[tuple[str, str]],
) -> str | None:
    """Return an inserted text as the file would have it, by the same merge; ``None`` if unclear."""
    new_text, standing = instruction.new_text, document.source.view[slice(*place)]
    if sent == standing and all(one == other for one, other in around):
        return new_text
    is_before = instruction.position is InsertPosition.BEFORE
    # An empty line has no indentation.
    end = "" if is_before or not _ends_line(document, place.end) else new_text[-1:].strip(" \t")
    end = end if end == "\n" else ""
    asked = replace(
        instruction,
        anchor=replace(instruction.anchor, target=sent),
        new_text=new_text.removesuffix(end),
    )
    wanted = as_replacement(asked).new_text
    merged = merged_text(sent, wanted, standing, around, at_end=not is_before) or ""
    if not (merged.endswith(standing) if is_before else merged.startswith(standing)):
        return None
    found = merged.removesuffix(standing) if is_before else merged.removeprefix(standing)
    return found + end


def overlaps_new_text(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the new text, which isn't a part of the target, overlaps ``place``."""
    new_text = instruction.new_text.strip()
    target = (instruction.anchor.target or "").strip()
    if instruction.operation is not Operation.REPLACE or not new_text or new_text in target:
        return False
    at = view.find(new_text, max(0, place.start - len(new_text)))
    return 0 <= at < place.end and place.start < at + len(new_text)


def line_of(document: Document, place: TextRange) -> str:
    """Return ``line 57`` or ``lines 57-59`` for a place; line numbers are one-based."""
    view = document.source.view
    text = view[place.start : place.end]
    start = place.start + len(text) - len(text.lstrip())
    first = document.source.line_number(start if text.strip() else place.start) + 1
    last = first + text.strip().count("\n")
    return f"line {first}" if first == last else f"lines {first}-{last}"
