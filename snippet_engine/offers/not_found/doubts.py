"""What speaks against a repair that was found: that the edit is done, another place is meant, or a
word was cut short.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from snippet_engine import work
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.anchors.whole_words import cuts_word, is_in_sign, is_word, splits_word
from snippet_engine.csharp.document import Document
from snippet_engine.offers.history.done import line_as_sent, may_be_done, stands_without
from snippet_engine.offers.places.as_indented import as_indented_near
from snippet_engine.offers.places.other_side import meant_beside
from snippet_engine.offers.places.tokens import hunks, tokens_of
from snippet_engine.offers.repair import Repair
from snippet_engine.request import Instruction, Operation
from snippet_engine.source_text import TextRange

_WORD = re.compile(r"\w+")
_OPERATORS = frozenset("?!<>=+-*/%&|^~")


def splits_a_word(document: Document, repair: Repair) -> bool:
    """Whether a repair makes several words of a part of one, which stays beside them."""
    if len(repair.instructions) != 1 or repair.instructions[0].operation is not Operation.REPLACE:
        return False
    resolved = resolve_anchor(document, repair.instructions[0].anchor)
    new_text = repair.instructions[0].new_text
    return isinstance(resolved, Resolved) and splits_word(
        document.source.view, resolved.place, new_text
    )


def cuts_off_sign(document: Document, instruction: Instruction, repair: Repair) -> bool:
    """Whether a repair's place begins or ends within a sign, as ``//`` does within ``///``, whose
    rest wasn't sent beside the target: then that was remembered wrongly.

    Where the new text has the same sign there, it comes to the same; not where blanks were sent
    behind it, at the end of a line that goes on there.
    """
    if len(repair.instructions) != 1 or instruction.anchor.target is None:
        return False
    resolved = resolve_anchor(document, repair.instructions[0].anchor)
    if not isinstance(resolved, Resolved) or resolved.place.start == resolved.place.end:
        return False
    view, anchor, (start, end) = document.source.view, instruction.anchor, resolved.place
    (repaired,) = repair.instructions
    new_text = repaired.new_text if repaired.operation is Operation.REPLACE else ""
    is_same_last = new_text[-1:] == view[end - 1] and not instruction.anchor.target[-1:].isspace()
    ends = (
        (start, anchor.before[-1:] == view[start - 1 : start], new_text[:1] == view[start]),
        (end, anchor.after[:1] == view[end : end + 1], is_same_last),
    )
    return any(
        is_in_sign(view, at) and not is_sent and not is_same for at, is_sent, is_same in ends
    )


def cuts_off_word(document: Document, instruction: Instruction, repair: Repair) -> bool:
    """Whether a repair puts another word in the stead of a part of one, whose rest wasn't sent
    beside the target and stays: its last letters were forgotten, perhaps.

    A single word may be a part of a longer one; not where it stands by itself elsewhere.
    """
    if len(repair.instructions) != 1 or repair.instructions[0].operation is not Operation.REPLACE:
        return False
    resolved = resolve_anchor(document, repair.instructions[0].anchor)
    if not isinstance(resolved, Resolved) or not cuts_word(document.source.view, resolved.place):
        return False
    view, anchor, (start, end) = document.source.view, instruction.anchor, resolved.place
    old, new = _WORD.findall(view[start:end]), _WORD.findall(repair.instructions[0].new_text)
    if not new or not old or (len(old) == 1 and not _stands_alone(view, old[0])):
        return False
    ends = (
        (start, anchor.before[-1:] == view[start - 1 : start], old[0] == new[0]),
        (end, anchor.after[:1] == view[end : end + 1], old[-1] == new[-1]),
    )
    return any(
        0 < at < len(view)
        and is_word(view[at - 1])
        and is_word(view[at])
        and not is_sent
        and not is_same
        for at, is_sent, is_same in ends
    )


def _stands_alone(view: str, word: str) -> bool:
    """Whether a word stands somewhere that is no part of a longer one."""
    work.spend_reading(len(view))
    return re.search(rf"\b{re.escape(word)}\b", view) is not None


def doubted(
    document: Document, instruction: Instruction, details: Mapping[str, Any], repair: Repair
) -> Repair:
    """``repair``, with what tells that the edit may be done already, or meant elsewhere."""
    line = may_be_done(details)
    if line is not None:
        return replace(repair, unless=f"it is done: line {line} has the newText")
    if len(repair.instructions) != 1:
        return repair
    resolved = resolve_anchor(document, repair.instructions[0].anchor)
    if not isinstance(resolved, Resolved):
        return repair
    line = line_as_sent(document.source, instruction, resolved.place)
    if line is not None:
        return replace(repair, unless=f"it is done: line {line} has the newText")
    line = stands_without(document, instruction, resolved.place)
    if line is not None:
        return replace(repair, unless=f"it is done: what was sent beside it is line {line}")
    line = meant_beside(document, instruction.anchor, resolved.place)
    if line is not None:
        return replace(repair, unless=f"line {line} is meant, beside what was sent beside it")
    line = as_indented_near(document, instruction.anchor, resolved.place)
    if line is not None:
        return replace(repair, unless=f"line {line} is meant, indented as it was sent")
    if _has_other_operator(document, instruction, resolved.place):
        return replace(repair, unless="it is done: this has another operator than what was sent")
    return repair


def _has_other_operator(document: Document, instruction: Instruction, place: TextRange) -> bool:
    """Whether a place has another operator than what is to be deleted, sent without anything that
    tells where it is: that may be gone, and this be another statement."""
    anchor = instruction.anchor
    is_told = anchor.before.strip() or anchor.after.strip() or anchor.symbol_path is not None
    if instruction.operation is not Operation.DELETE or is_told:
        return False
    sent, standing = (
        [each.key for each in tokens_of(text)]
        for text in (anchor.target or "", document.source.view[slice(*place)])
    )
    changed = (
        (*sent[each.start : each.end], *standing[each.other_start : each.other_end])
        for each in hunks(sent, standing)
    )
    return not all(map(_OPERATORS.isdisjoint, changed))
