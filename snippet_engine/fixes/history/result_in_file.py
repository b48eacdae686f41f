"""Check whether an edit's result is already in the file.

Part of docs/design/engine.md §8. A result proves nothing, but it rules out offers of merely similar
places.
"""

from __future__ import annotations

import re

from snippet_engine.edits import TextEdit
from snippet_engine.fixes.search.tokens import tokens_of
from snippet_engine.request import InsertPosition, Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_LINE = 8
"""Fewest tokens of a line that nobody writes twice by chance."""
_MARKER = re.compile(r"[ \t]*(?:///?|\*)[ \t]*")
"""The marker that begins a line of a comment."""
_WORD = re.compile(r"\w+")
_LONGEST_WORDS = 5
"""Words that are searched before the whole text is."""
_BEFORE = (InsertPosition.BEFORE, InsertPosition.LINE_BEFORE)


def stands_as_wanted(view: str, instruction: Instruction) -> bool:
    """Whether ``view`` has target and context as they would be after the edit.

    White space doesn't count in that. A replacement without context counts if its target is gone,
    and the new text is there: several lines, or one long line that occurs once.
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
    # A missing word settles it, far sooner.
    kept = target if instruction.operation is Operation.INSERT else ""
    words = _WORD.findall("\n".join((before, kept, new_text, after)))
    if any(word not in view for word in sorted(words, key=len)[-_LONGEST_WORDS:]):
        return False
    return _squeezed(before + result + after) in _squeezed(view)


def _is_line(view: str, text: str) -> bool:
    """Whether ``text`` is one whole, long line of ``view``."""
    if len(tokens_of(text)) - 1 < _LEAST_LINE or view.count(text) != 1:
        return False
    at = view.index(text)
    above = view[view.rfind("\n", 0, at) + 1 : at]
    return not above.strip() and not view[at + len(text) :].partition("\n")[0].strip()


def cut_from(target: str, new_text: str) -> str:
    """Return what ``new_text`` removes from ``target``; empty if it adds anything."""
    change = TextEdit(0, len(target), new_text).trimmed(target)
    return "" if change.new_text.strip() else target[change.start : change.end].strip()


def is_broken_as_wanted(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether ``place`` begins with the result of a pure removal, followed by a line break.

    The target has no line break there, so the text was reflowed, and the rest of ``place`` isn't
    the removed text.
    """
    lost = cut_from(instruction.anchor.target or "", instruction.new_text)
    new_text = instruction.new_text.strip()
    standing = view[slice(*place)].lstrip()
    if not lost or not new_text or not standing.startswith(new_text):
        return False
    rest = standing[len(new_text) :]
    target = (instruction.anchor.target or "").strip()
    line_end = view.find("\n", place.end)
    goes_on = bool(view[place.end : line_end if line_end >= 0 else len(view)].strip())
    if goes_on and _MARKER.fullmatch(target.rpartition("\n")[2]):
        return True
    begins_line = target.startswith(new_text) and target[len(new_text) :].lstrip(" \t")[:1] == "\n"
    return rest.lstrip(" \t")[:1] == "\n" and not begins_line


def is_in_new_text(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether ``place`` is within the new text as ``view`` has it.

    For example, the target of a line that has been commented out is in that comment.
    """
    new_text = instruction.new_text.strip()
    standing = view[place.start : place.end].strip()
    if instruction.operation is not Operation.REPLACE or standing not in new_text:
        return False
    around = view[max(0, place.start - len(new_text)) : place.end + len(new_text)]
    return bool(new_text) and new_text in around


def is_within_a_line(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether ``place`` is in mid-line although target and new text were sent from a line's start.

    ``view`` then has the new text at a line's start.
    """
    sent = (instruction.anchor.target or "", instruction.new_text)
    if not all(each[:2].isspace() and "\n" not in each[:2] and each.strip() for each in sent):
        return False
    line = view[view.rfind("\n", 0, place.start) + 1 : place.start]
    return bool(line.strip()) and f"\n{instruction.new_text}" in view


def stands_over(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the new text, which is no part of the target, overlaps ``place``."""
    new_text = instruction.new_text.strip()
    target = (instruction.anchor.target or "").strip()
    if instruction.operation is not Operation.REPLACE or not new_text or new_text in target:
        return False
    at = view.find(new_text, max(0, place.start - len(new_text)))
    return 0 <= at < place.end and place.start < at + len(new_text)


def _squeezed(text: str) -> str:
    return "".join(text.split())
