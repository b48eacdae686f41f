"""What nearly matched, when an anchor matches nothing.

Implements ``anchor_not_found`` of spec 01-snippet-engine §8: best first, each near miss with
its line, what differs, and the whole anchor to send.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from snippet_engine.anchors.candidates import all_occurrences, anchor_at, describe
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.tolerant import differences, tolerant_pattern, unwrapped
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

MAX_NEAR_MISSES = 5
ALREADY_APPLIED = "already_applied"

_MAX_COMPARED_LINES = 3000
_SIMILAR = 0.45
"""Least similarity (difflib's ratio) of a line that is worth showing."""
_MAX_GAP = 400
"""Longest text, in code points, between a ``before`` and an ``after`` that were found."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that the anchor may have meant, and what tells it from the anchor."""

    place: TextRange
    differs: tuple[str, ...]
    in_symbol: bool = True


def not_found(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> SnippetError:
    """``anchor_not_found`` with up to ``MAX_NEAR_MISSES`` near misses in ``scopes``."""
    anchor = instruction.anchor
    misses: list[NearMiss] = []
    seen: set[TextRange] = set()
    for miss in _near_misses(document, instruction, scopes):
        if miss.place not in seen and (not miss.in_symbol or _within(miss.place, scopes)):
            seen.add(miss.place)
            misses.append(miss)
        if len(misses) == MAX_NEAR_MISSES:
            break
    whole = [TextRange(0, len(document.source.view))]
    nearest = [
        _describe(document, anchor, miss, scopes if miss.in_symbol else whole) for miss in misses
    ]
    details: dict[str, Any] = {"nearest": nearest}
    if misses and ALREADY_APPLIED in misses[0].differs:
        details[ALREADY_APPLIED] = True
    return SnippetError(ErrorCode.ANCHOR_NOT_FOUND, _message(anchor, nearest), details=details)


def _within(place: TextRange, scopes: Sequence[TextRange]) -> bool:
    return any(scope.start <= place.start and place.end <= scope.end for scope in scopes)


def _describe(
    document: Document, anchor: Anchor, miss: NearMiss, scopes: Sequence[TextRange]
) -> dict[str, Any]:
    if not miss.in_symbol:
        anchor = replace(anchor, symbol_path=None)
    offered = anchor_at(document, anchor, miss.place, scopes)
    body = describe(document, miss.place, offered)
    body["differs"] = list(miss.differs)
    return body


def _message(anchor: Anchor, nearest: list[dict[str, Any]]) -> str:
    where = f" in {anchor.symbol_path}" if anchor.symbol_path else ""
    if not nearest:
        return (
            f"The target was not found{where}, nor anything like it. "
            "Read the file again and copy the text exactly."
        )
    best = nearest[0]
    if ALREADY_APPLIED in best["differs"]:
        return (
            f"The target was not found{where}, but the newText already stands at line "
            f"{best['line']}: the edit seems to be applied. Nothing needs to be sent."
        )
    return (
        f"The anchor was not found{where}. Nearest: line {best['line']}, which differs in "
        f"{', '.join(best['differs'])}. Send details.nearest[0].anchor if you mean it."
    )


def _near_misses(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """Near misses of every kind, best first; places may repeat."""
    anchor = instruction.anchor
    assert anchor.target is not None
    view = document.source.view
    yield from _already_applied(view, instruction, scopes)
    yield from _same_but_for_wrapping(view, anchor, scopes)
    if anchor.symbol_path is not None:
        whole = [TextRange(0, len(view))]
        context = Context(anchor.before, anchor.after)
        for place in all_occurrences(view, anchor.target, whole):
            if context.fits(view, place):
                yield NearMiss(place, (f"it stands outside {anchor.symbol_path}",), False)
    yield from _context_without_target(view, anchor, scopes)
    yield from _closest_lines(view, anchor.target, scopes)


def _already_applied(
    view: str, instruction: Instruction, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """The new text, standing where the anchor's context says."""
    if instruction.operation is not Operation.REPLACE or len(instruction.new_text.strip()) < 3:
        return
    anchor = instruction.anchor
    places = all_occurrences(view, instruction.new_text, scopes)
    if anchor.before or anchor.after:
        context = Context(anchor.before, anchor.after)
        places = [place for place in places if context.fits(view, place)]
    if len(places) == 1:
        yield NearMiss(places[0], (ALREADY_APPLIED,))


def _same_but_for_wrapping(
    view: str, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """The same text but for wrappings, context, white space, case, quotes, look-alikes."""
    assert anchor.target is not None
    out_of_context: list[NearMiss] = []
    for wrappings, target, before, after in unwrapped(anchor.target, anchor.before, anchor.after):
        context = Context(before, after)
        exact = all_occurrences(view, target, scopes)
        for place in exact or _tolerantly(view, target, scopes):
            differs = [*wrappings, *differences(target, view[place.start : place.end])]
            if context.fits(view, place):
                yield NearMiss(place, tuple(differs) or ("standing in code, not in a comment",))
                continue
            around = _context_around(view, place, before, after)
            out_of_context.append(NearMiss(place, (*differs, around)))
    yield from sorted(out_of_context, key=lambda miss: len(miss.differs))


def _tolerantly(view: str, text: str, scopes: Sequence[TextRange]) -> list[TextRange]:
    pattern = tolerant_pattern(text)
    if pattern is None:
        return []
    return [
        TextRange(*match.span())
        for scope in scopes
        for match in pattern.finditer(view, scope.start, scope.end)
    ]


def _context_around(view: str, place: TextRange, before: str, after: str) -> str:
    """Which side of the context doesn't stand around ``place``, in words."""
    fits_before = Context(before, "").fits(view, place)
    fits_after = Context("", after).fits(view, place)
    if fits_after:
        return "the before context"
    return "the after context" if fits_before else "the before and after context"


def _context_without_target(
    view: str, anchor: Anchor, scopes: Sequence[TextRange]
) -> Iterator[NearMiss]:
    """What stands where the context says that the target should be."""
    before, after = anchor.before.strip(), anchor.after.strip()
    if before:
        for place in all_occurrences(view, before, scopes):
            yield from _gap(view, place.end, _first(view, after, place.end))
    elif after:
        for place in all_occurrences(view, after, scopes):
            line_start = view.rfind("\n", 0, len(view[: place.start].rstrip())) + 1
            yield from _gap(view, line_start, place.start)


def _first(view: str, after: str, start: int) -> int:
    """Where ``after`` begins soon after ``start``, else the end of the next line with text."""
    if after:
        found = view.find(after, start, start + _MAX_GAP + len(after))
        if found > start:
            return found
    text = re.compile(r"\s*\S[^\n]*").match(view, start)
    return text.end() if text else start


def _gap(view: str, start: int, end: int) -> Iterator[NearMiss]:
    text = view[start:end]
    stripped = text.strip()
    if stripped:
        begin = start + len(text) - len(text.lstrip())
        place = TextRange(begin, begin + len(stripped))
        yield NearMiss(place, ("the target: this stands where the context fits",))


def _closest_lines(view: str, target: str, scopes: Sequence[TextRange]) -> Iterator[NearMiss]:
    """Whole lines most like the target's first line with text, its wrappings taken off."""
    *_, (_, bare, _, _) = unwrapped(target, "", "")
    wanted = next((line.strip() for line in bare.split("\n") if line.strip()), "")
    words = set(re.findall(r"\w{3,}", wanted))
    lines: dict[str, TextRange] = {}
    for scope in scopes:
        offset = scope.start
        for line in view[scope.start : scope.end].split("\n"):
            text = line.strip()
            if text and (not words or any(word in text for word in words)):
                start = offset + len(line) - len(line.lstrip())
                lines.setdefault(text, TextRange(start, start + len(text)))
            offset += len(line) + 1
            if len(lines) >= _MAX_COMPARED_LINES:
                break
    for text in get_close_matches(wanted, lines, n=3, cutoff=_SIMILAR):
        yield NearMiss(lines[text], ("the text: a similar line",))
