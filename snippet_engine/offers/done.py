"""Whether what an instruction is to make of a text stands there: then nothing is left to be done.

Part of docs/design/engine.md §8. Nothing is said to be done for it; but a place that is merely like
the one that was meant isn't offered either.
"""

from __future__ import annotations

from snippet_engine.offers.tokens import tokens_of
from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_LINE = 8
"""Tokens of a line that nobody writes twice by chance."""
_BEFORE = (InsertPosition.BEFORE, InsertPosition.LINE_BEFORE)


def stands_as_wanted(view: str, instruction: Instruction) -> bool:
    """Whether target and context stand in ``view`` as they would after the edit, blanks aside.

    Without any context, several lines of new text that stand somewhere as they were sent may be
    this edit, done: the target, which doesn't, is then another place's. So may a long line that
    stands once.
    """
    anchor, new_text = instruction.anchor, instruction.new_text
    target = anchor.target or ""
    before, after = anchor.before, anchor.after
    if instruction.operation is Operation.INSERT:
        if not new_text.strip():
            return False
        is_before = instruction.position in _BEFORE
        result = new_text + target if is_before else target + new_text
    else:
        if not before.strip() and not after.strip():
            if "\n" not in new_text.strip() and not _is_line(view, new_text.strip()):
                return False
            return new_text in view and target not in view
        if not before.strip() or not after.strip():
            return False
        result = new_text if instruction.operation is Operation.REPLACE else ""
    return _squeezed(before + result + after) in _squeezed(view)


def _is_line(view: str, text: str) -> bool:
    """Whether ``text``, which nobody writes twice by chance, is one whole line of ``view``."""
    if len(tokens_of(text)) - 1 < _LEAST_LINE or view.count(text) != 1:
        return False
    at = view.index(text)
    above = view[view.rfind("\n", 0, at) + 1 : at]
    return not above.strip() and not view[at + len(text) :].partition("\n")[0].strip()


def is_in_new_text(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether ``place`` is a part of the new text, or all of it, as it stands in ``view``.

    Where a line has been commented out, the target stands in the comment.
    """
    new_text = instruction.new_text.strip()
    standing = view[place.start : place.end].strip()
    if instruction.operation is not Operation.REPLACE or standing not in new_text:
        return False
    around = view[max(0, place.start - len(new_text)) : place.end + len(new_text)]
    return bool(new_text) and new_text in around


def is_within_a_line(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether ``place`` is in the middle of a line, while target and new text were sent as the
    beginning of one, as which the new text stands in ``view``.
    """
    sent = (instruction.anchor.target or "", instruction.new_text)
    if not all(each[:2].isspace() and "\n" not in each[:2] and each.strip() for each in sent):
        return False
    line = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    return bool(line.strip()) and f"\n{instruction.new_text}" in view


def _squeezed(text: str) -> str:
    return "".join(text.split())
