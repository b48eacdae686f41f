"""One instruction put right: what every part of this room hands to the one that makes offers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.offers.carried import carried
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Repair:
    """Instructions to send instead of one that was refused, and what it is taken for.

    ``basis`` says why it is likelier than the repairs after it. Of several without, none is.
    """

    what: str
    instructions: tuple[Instruction, ...]
    basis: str = ""
    without: tuple[int, ...] = ()
    """Other instructions of the request that it has in it, by their indexes."""


def at_place(
    document: Document, instruction: Instruction, sent: str, anchor: Anchor
) -> Instruction | None:
    """``instruction`` with ``anchor``, whose target stands for the target ``sent``.

    What the new text changes of the target is changed of what stands there. ``None`` where that
    can't be told, or the anchor doesn't name one place.
    """
    standing = anchor.target
    if standing is None:
        return None
    if instruction.operation is Operation.REPLACE:
        new_text = carried(sent, instruction.new_text, standing)
        if not new_text:
            return None
        instruction = replace(instruction, new_text=new_text)
    repaired = replace(instruction, anchor=anchor)
    return repaired if isinstance(resolve_anchor(document, repaired), Resolved) else None


def line_of(document: Document, place: TextRange) -> str:
    """``line 57``, or ``lines 57-59``, of a place, one-based."""
    view = document.source.view
    text = view[place.start : place.end]
    start = place.start + len(text) - len(text.lstrip())
    first = document.source.line_number(start if text.strip() else place.start) + 1
    last = first + text.strip().count("\n")
    return f"line {first}" if first == last else f"lines {first}-{last}"
