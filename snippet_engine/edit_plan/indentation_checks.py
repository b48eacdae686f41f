"""Check whether the indentation of a matching anchor differs from the file's.

Part of docs/design/engine.md §1 "Text anchor". White space between a target and its context doesn't
count, so these anchors match. Two kinds are refused nevertheless. First: the context is indented
differently in the file, and the new lines follow the context. Second: a target of several lines
matches from the middle of an indentation, while another place has the same lines, indented as sent.
"""

from __future__ import annotations

import re

from snippet_engine import budget
from snippet_engine.anchors.context import blanks_after, blanks_before
from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_MAX_OTHERS = 4
_BLANKS = " \t"
_PER_SEARCH = 4
"""How many times longer the search for a pattern takes than the search for a text."""
_AT_EDGE = (InsertPosition.BEFORE, InsertPosition.AFTER)


def indented_otherwise(
    document: Document, instruction: Instruction, place: TextRange
) -> tuple[tuple[str, str], ...]:
    """Return pairs of white space next to the target that differ: as sent, and in the file.

    Empty unless a new line repeats the indentation of a quoted line, and the file indents that line
    differently.
    """
    is_insertion = instruction.operation is Operation.INSERT
    if is_insertion and instruction.position not in _AT_EDGE:
        return ()
    new = _indents_of(instruction.new_text)
    if not new or instruction.as_given or instruction.anchor.target is None:
        return ()
    pairs = _beside(document.source.view, instruction.anchor, place)
    own = {
        indentation_of(line)
        for line in document.source.view[place.start : place.end].split("\n")[1:]
        if line.strip()
    }
    standing = {_last(there) for _, there in pairs} | own
    sent = {_last(one) for one, there in pairs if _last(one) != _last(there)} - own
    return pairs if sent & new or (sent - standing - {""} and new - standing) else ()


def whole_lines_of_cut(
    document: Document, instruction: Instruction, place: TextRange
) -> list[TextRange]:
    """Return ``place``, extended to its line's start, and the places indented as sent.

    Empty unless the match begins within an indentation, and other places are indented as sent.
    """
    anchor, view = instruction.anchor, document.source.view
    target = anchor.target or ""
    lead = target[: len(target) - len(target.lstrip(_BLANKS))]
    start = document.source.line_start(place.start)
    is_cut = start < place.start and not view[start : place.start].strip(_BLANKS)
    if not lead or not is_cut or anchor.before.strip() or "\n" not in target.strip():
        return []
    lines = (re.escape(line.strip()) for line in target.split("\n"))
    pattern = re.compile(rf"^{lead}" + r"[ \t]*+\n[ \t]*+".join(lines), re.MULTILINE)
    scopes = scopes_of(document, anchor)
    budget.spend_reading(sum(each.end - each.start for each in scopes), _PER_SEARCH)
    others = [
        TextRange(*match.span())
        for scope in scopes
        for match in pattern.finditer(view, scope.start, scope.end)
        if match.end() <= place.start or match.start() >= place.end
    ]
    return [TextRange(start, place.end), *others[:_MAX_OTHERS]] if others else []


def _beside(view: str, anchor: Anchor, place: TextRange) -> tuple[tuple[str, str], ...]:
    """Return pairs of white space with line breaks around the target: as sent, in the file."""
    text = view[slice(*place)]
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    sent = anchor.before[len(anchor.before.rstrip()) :]
    pairs = [(sent + lead, view[blanks_before(view, place.start) : place.start] + lead)]
    after = anchor.after
    if after.strip():
        sent = after[: len(after) - len(after.lstrip())]
        pairs.append((trail + sent, trail + view[place.end : blanks_after(view, place.end)]))
    return tuple(each for each in pairs if all("\n" in gap for gap in each))


def _indents_of(new_text: str) -> set[str]:
    """Return the indentations of the new text's lines, and of the text after it.

    Directives are ignored, because they may have any indentation.
    """
    lines = new_text.split("\n")[1:]
    last = lines[-1:] if lines and lines[-1] and not lines[-1].strip() else []
    begun = [each for each in lines if each.strip() and not each.lstrip().startswith("#")]
    return {indentation_of(each) for each in (*begun, *last)}


def _last(gap: str) -> str:
    return gap.rpartition("\n")[2]
