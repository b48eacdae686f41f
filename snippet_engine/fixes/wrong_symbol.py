"""Find the symbol that a wrong path means (``symbol_not_found``).

Corrects only the path of an anchor with a target, or of an insertion. History comes first, because
a later edit may have renamed the symbol. Without history, only one symbol may have a similar name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine.csharp.document import Document
from snippet_engine.fixes.anchor_not_found import at_place_now
from snippet_engine.fixes.history.known_edits import declared_next_to, is_in_one
from snippet_engine.fixes.history.track_position import Earlier, followed_as_sent
from snippet_engine.fixes.model import Repair
from snippet_engine.fixes.search.tokens import common_ends, composed
from snippet_engine.request import Instruction, Operation, anchor_of

_LEAST = 5
"""Length of the shortest name whose misspelling is corrected, in letters."""
_LONGEST = 1000
"""Longest path that is read, in code points."""
_NAME = re.compile(r"([^\W\d]\w*)(?:<[^()]*>|`\d+)?(?:\(.*)?$")
_WORD = re.compile(r"[^\W\d]\w*")
_DIGITS = re.compile(r"\d+")
_GENERIC = re.compile(r"<[^()]*>|`\d+")


def for_symbol(
    document: Document, instruction: Instruction, details: Mapping[str, Any], earlier: Earlier
) -> Sequence[Repair]:
    """Return the instruction with a corrected symbol path, if only one symbol is possible."""
    anchor = instruction.anchor
    if anchor.target is not None:
        known = followed_as_sent(document, anchor, earlier)
        followed = None if known is None else at_place_now(document, instruction, known)
    elif instruction.operation is Operation.INSERT:
        followed = None
    else:
        return ()  # The edit would delete code that the agent may not have read.
    found = _by_name(instruction, details) if followed is None else [followed]
    beside = declared_next_to(document, anchor.symbol_path or "", earlier) if found else ()
    if beside and any(is_in_one(document, each.instructions[0], beside) for each in found):
        return ()  # An earlier version had both symbols, so they are different.
    return found[:1]


def _by_name(instruction: Instruction, details: Mapping[str, Any]) -> Sequence[Repair]:
    """Return the instruction with its target in the one symbol of the same or a similar name."""
    asked = instruction.anchor.symbol_path or ""
    near = [
        each
        for each in details.get("nearest", ())
        if _is_one_slip(_name(asked), _name(each["symbolPath"]))
        and _is_in_same_type(asked, each["symbolPath"])
    ]
    if len(near) != 1 or "anchor" not in near[0]:
        return ()
    if "(" in asked and "(" not in near[0]["symbolPath"]:
        return ()
    repaired = replace(instruction, anchor=anchor_of(near[0]["anchor"]))
    return [Repair(f"symbolPath {near[0]['symbolPath']}", (repaired,))]


def _is_in_same_type(asked: str, path: str) -> bool:
    """Whether both paths name the same type around their members, or one names no type."""
    one, other = (_types(_GENERIC.sub("", each[:_LONGEST])) for each in (asked, path))
    return not one or not other or _is_one_slip(one[-1], other[-1])


def _is_one_slip(one: str, other: str) -> bool:
    """Whether two names differ only in case, one letter, or two swapped letters."""
    one, other = one.casefold(), other.casefold()
    if one == other:
        return True
    if min(len(one), len(other)) < _LEAST or f"{one}s" == other or one == f"{other}s":
        return False
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return False
    top, bottom = common_ends(list(one), list(other))
    left, right = one[top : len(one) - bottom], other[top : len(other) - bottom]
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def _name(path: str) -> str:
    found = _NAME.search(composed(path[:_LONGEST]))
    return found.group(1) if found else ""


def _types(path: str) -> list[str]:
    head = path[:_LONGEST].partition("(")[0].rpartition(".")[0]
    return [each for each in head.split(".") if each]
