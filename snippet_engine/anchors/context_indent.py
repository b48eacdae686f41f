"""Whether an anchor that fits was sent indented otherwise than the file, and new lines with it.

Part of docs/design/engine.md §1 "Text anchor". White space between a target and its context doesn't
count, so such an anchor fits. But who sends a line of context with an indentation that the file
hasn't got means it of the new lines that have the same one.
"""

from __future__ import annotations

from snippet_engine.anchors.candidates import anchor_at, describe
from snippet_engine.anchors.context import blanks_after, blanks_before
from snippet_engine.anchors.symbol_anchor import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

OTHER_INDENTATION = "the indentation of the context"
"""What differs then."""

_AT_EDGE = (InsertPosition.BEFORE, InsertPosition.AFTER)


def indented_otherwise(
    document: Document, instruction: Instruction, place: TextRange
) -> tuple[tuple[str, str], ...]:
    """White space beside the target at ``place`` that stands for one another: as sent, in the file.

    Empty where no new line has an indentation that was sent of a line that has another one, nor one
    that isn't the file's beside such a line.
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


def other_indentation(
    document: Document, instruction: Instruction, place: TextRange
) -> SnippetError:
    """``anchor_not_found`` for an instruction of which :func:`indented_otherwise` is true."""
    anchor = instruction.anchor
    found = anchor_at(document, anchor, place, scopes_of(document, anchor))
    nearest = {**describe(document, place, found), "differs": [OTHER_INDENTATION]}
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        f"The anchor fits line {nearest['line']}, but beside it the file is indented otherwise "
        "than the context was sent, and newText is indented as that is. Send both as the file is.",
        details={"nearest": [nearest]},
    )


def _beside(view: str, anchor: Anchor, place: TextRange) -> tuple[tuple[str, str], ...]:
    """The white space before and behind the target, where it has a line break both as sent and in
    the file."""
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
    """The indentations of the lines that it begins, and what it ends with behind a line break.

    A directive is indented as it pleases.
    """
    lines = new_text.split("\n")[1:]
    last = lines[-1:] if lines and lines[-1] and not lines[-1].strip() else []
    begun = [each for each in lines if each.strip() and not each.lstrip().startswith("#")]
    return {indentation_of(each) for each in (*begun, *last)}


def _last(gap: str) -> str:
    return gap.rpartition("\n")[2]
