"""Whether what an instruction is to make of a text stands there: then nothing is left to be done.

Part of docs/design/engine.md §8. Nothing is said to be done for it; but a place that is merely like
the one that was meant isn't offered either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from snippet_engine import work
from snippet_engine.anchors.context import blanks_after, blanks_before
from snippet_engine.csharp.document import Document
from snippet_engine.edits import TextEdit
from snippet_engine.explain.near_miss import SEEMS_APPLIED
from snippet_engine.offers.places.tokens import tokens_of
from snippet_engine.request import Anchor, InsertPosition, Instruction, Operation
from snippet_engine.source_text import SourceText, TextRange

_LEAST_LINE = 8
"""Tokens of a line that nobody writes twice by chance."""
_MARKER = re.compile(r"[ \t]*(?:///?|\*)[ \t]*")
"""What a line of a comment has that says nothing."""
_WORD = re.compile(r"\w+")
_LONGEST_WORDS = 5
"""Words that are looked for before a whole text is."""
_MORE_BESIDE = 2
_LEAST_BESIDE = 4
"""Tokens of a line of context that tells where it stands."""
_LEAST_SIDE = 6
"""Tokens of several lines that tell where they stand."""
_LEAST_OWN = 5
"""The same of what was sent on the target's own line."""
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
    # A word that is nowhere settles it, far sooner.
    kept = target if instruction.operation is Operation.INSERT else ""
    words = _WORD.findall("\n".join((before, kept, new_text, after)))
    if any(word not in view for word in sorted(words, key=len)[-_LONGEST_WORDS:]):
        return False
    return _squeezed(before + result + after) in _squeezed(view)


def _is_line(view: str, text: str) -> bool:
    """Whether ``text``, which nobody writes twice by chance, is one whole line of ``view``."""
    if len(tokens_of(text)) - 1 < _LEAST_LINE or view.count(text) != 1:
        return False
    at = view.index(text)
    above = view[view.rfind("\n", 0, at) + 1 : at]
    return not above.strip() and not view[at + len(text) :].partition("\n")[0].strip()


def may_be_done(details: Mapping[str, Any]) -> int | None:
    """The one-based line of a new text that may be this edit, done; ``None`` where there is none.

    ``details`` are those of an ``anchor_not_found``.
    """
    lines = details.get("newTextLines", ())
    return int(lines[0]) if lines and SEEMS_APPLIED not in details else None


def stands_without(document: Document, instruction: Instruction, place: TextRange) -> int | None:
    """The one-based line of what was sent beside what only goes, where that stands once and not
    beside ``place``: there the target may have been, and be gone.

    ``None`` where there is no such line, or ``place`` has beside it a line that was sent there.
    """
    anchor = instruction.anchor
    if instruction.operation is not Operation.DELETE and not (
        instruction.operation is Operation.REPLACE
        and cut_from(anchor.target or "", instruction.new_text)
    ):
        return None
    work.spend_reading(len(document.source.view))
    lines = [each.strip() for each in document.source.view.split("\n")]
    first, last = map(document.source.line_number, place)
    sides = (
        (anchor.before.split("\n")[::-1], range(first - 1, -1, -1)),
        (anchor.after.split("\n"), range(last + 1, len(lines))),
    )
    view = document.source.view
    elsewhere = _whole_side_elsewhere(document, anchor, place)
    if elsewhere is not None and instruction.operation is Operation.DELETE:
        return elsewhere
    for sent, rows in sides:
        if own := sent[0].strip():  # That is on the target's own line.
            above, below = blanks_before(view, place.start), blanks_after(view, place.end)
            right_there = above - len(own) if rows.step < 0 else below
            elsewhere = _only_line_of(document, own, right_there) or elsewhere
            continue
        told = _first_telling([each.strip() for each in sent[1:] if each.strip()])
        if told is None:
            continue
        away, text = told
        # A line or two may have been forgotten, or made up.
        beside = islice((row for row in rows if lines[row]), away + 1 + _MORE_BESIDE)
        if any(lines[row].endswith(text) for row in beside):
            return None
        if lines.count(text) == 1:
            elsewhere = lines.index(text) + 1
    if elsewhere is None or instruction.operation is Operation.DELETE:
        return elsewhere
    # What stays of the target would have to be there.
    reach = anchor.before.count("\n") + anchor.after.count("\n") + _MORE_BESIDE
    reach += instruction.new_text.count("\n") + 1
    rows = range(max(0, elsewhere - 1 - reach), min(len(lines), elsewhere + reach))
    near = "".join(lines[row] for row in rows if not first <= row <= last)
    return elsewhere if _squeezed(instruction.new_text) in _squeezed(near) else None


def _whole_side_elsewhere(document: Document, anchor: Anchor, place: TextRange) -> int | None:
    """The one-based line at which several lines of context on one side stand as they were sent, and
    only there, which isn't beside ``place``."""
    view = document.source.view
    before, after = anchor.before.strip(), anchor.after.strip()
    if before and after and _stands_beside(view, place, before, after):
        return None
    for sent, is_above in ((before, True), (after, False)):
        if "\n" not in sent or len(tokens_of(sent)) - 1 < _LEAST_SIDE or view.count(sent) != 1:
            continue
        start = view.index(sent)
        end = start + len(sent)
        between = view[end : place.start] if is_above else view[place.end : start]
        is_beyond = end > place.start if is_above else start < place.end
        # A line or two between them may have been forgotten.
        is_apart = sum(bool(each.strip()) for each in between.split("\n")) > _MORE_BESIDE
        if is_beyond or is_apart:
            return document.source.line_number(end if is_above else start) + 1
    return None


def _stands_beside(view: str, place: TextRange, before: str, after: str) -> bool:
    """Whether one side of the context stands right beside ``place``, white space aside."""
    room = len(before) * 2, len(after) * 2
    above = _squeezed(view[max(0, place.start - room[0]) : place.start])
    below = _squeezed(view[place.end : place.end + room[1]])
    return above.endswith(_squeezed(before)) or below.startswith(_squeezed(after))


def _only_line_of(document: Document, text: str, beside: int) -> int | None:
    """The one-based line of what was sent on the target's own line, where that tells a place and
    stands once, and not at ``beside``, right beside the target."""
    view = document.source.view
    if len(tokens_of(text)) - 1 < _LEAST_OWN or view.count(text) != 1:
        return None
    at = view.index(text)
    return None if at == beside else document.source.line_number(at) + 1


def _first_telling(sent: Sequence[str]) -> tuple[int, str] | None:
    """The first line that tells where it stands, and how many there are before it."""
    for away, text in enumerate(sent):
        if len(tokens_of(text)) - 1 >= _LEAST_BESIDE:
            return away, text
    return None


def cut_from(target: str, new_text: str) -> str:
    """What ``new_text`` takes from ``target``; empty if it puts anything there."""
    change = TextEdit(0, len(target), new_text).trimmed(target)
    return "" if change.new_text.strip() else target[change.start : change.end].strip()


def is_broken_as_wanted(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether a replacement that only takes something away has its new text at ``place`` on lines
    of its own.

    A comment that was reflowed since has what was to go on the next line, or the marker of that.
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


def line_as_sent(source: SourceText, instruction: Instruction, place: TextRange) -> int | None:
    """The one-based line at which the new text of whole lines stands, once and indented as it was
    sent, outside ``place``, where no lines are the target as it was sent: these may have been it.
    """
    view, new_text = source.view, instruction.new_text
    target = instruction.anchor.target or ""
    if instruction.operation is not Operation.REPLACE or not (
        new_text.strip() and all(each[:1].isspace() for each in (target, new_text))
    ):
        return None
    lines = [f"\n{each.strip(chr(10))}\n" for each in (target, new_text)]
    work.spend_reading(len(view))
    standing = f"\n{view}\n"
    if lines[0] in standing or standing.count(lines[1]) != 1:
        return None
    at = standing.index(lines[1])
    if at < place.end and place.start < at + len(lines[1]) - 2:
        return None
    return source.line_number(at) + 1


def stands_over(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the new text, which is no part of the target, stands where ``place`` is."""
    new_text = instruction.new_text.strip()
    target = (instruction.anchor.target or "").strip()
    if instruction.operation is not Operation.REPLACE or not new_text or new_text in target:
        return False
    at = view.find(new_text, max(0, place.start - len(new_text)))
    return 0 <= at < place.end and place.start < at + len(new_text)


def _squeezed(text: str) -> str:
    return "".join(text.split())
