"""Which of several places is meant, and all of them at once.

Implements the offers of ``ambiguous_anchor`` and ``anchor_in_comment``, docs/design/engine.md §8.
Nothing is preferred but for what the request itself says: a symbol or a line that it names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

from snippet_engine.anchors.already_applied import has_around
from snippet_engine.anchors.candidates import anchor_at, describe
from snippet_engine.anchors.everywhere import (
    asks_for_all,
    is_whole,
    left_in_comments,
    may_mean_comments,
    texts_of,
)
from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor, scopes_of
from snippet_engine.anchors.text_anchor import fitting_places
from snippet_engine.anchors.whole_words import is_word
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.errors import MAX_OFFERS
from snippet_engine.limits import SNIPPET, Limits
from snippet_engine.offers.named import SEGMENTS, named_places
from snippet_engine.offers.repair import ONCE_MORE, Repair, not_those_that_have_it
from snippet_engine.offers.sweeping import in_brief, in_short
from snippet_engine.request import Anchor, InsertPosition, Instruction, anchor_of
from snippet_engine.schemas.schema_messages import shortened
from snippet_engine.source_text import TextRange

Aside = dict[int, str]
"""What the target is a part of, by the identity of the candidate."""

_SYMBOL_LENGTH = 20
"""What a symbol's path takes besides its length, in code points."""
_MAX_PLACES = 200
"""Places among which the one that is named is looked for."""
_SHOWN_ASIDE = 4
"""Places left out of a change of all of them that are told one by one."""
_SHOWN_NAME = 40


def for_ambiguous(
    document: Document,
    instructions: Sequence[Instruction],
    index: int,
    details: Mapping[str, Any],
    limits: Limits = SNIPPET,
) -> list[Repair]:
    """An anchor that fits several places: the one that is named, or each, or all of them."""
    instruction = instructions[index]
    room = limits.instructions - len(instructions) + 1
    if may_mean_comments(instruction):
        resolved = resolve_anchor(document, instruction, explain=False)
        if isinstance(resolved, Resolved):
            return _with_comments(document, instruction, resolved, room)
    texts = list(texts_of(instruction.metadata or {}))
    candidates = [each for each in details.get("candidates", ()) if "anchor" in each]
    every = cache(partial(_all_candidates, document, instruction.anchor))
    if texts and details["matches"] > len(candidates):
        candidates = every() or candidates
    if not candidates:
        return []
    if asks_for_all(instruction) and details.get("haveNewText") == details["matches"]:
        return []  # It is done.
    aside: Aside = {}
    if instruction.anchor.target is not None and instruction.anchor.target.isidentifier():
        candidates, aside = _whole_first(document, candidates, every(), details["matches"])
    named, basis = named_places(texts, candidates)
    if len(named) == 1:
        others = [each for each in candidates if each is not named[0]]
        candidates = [*named, *others]
    elif named:
        candidates = named
    found: list[Repair] = []
    for each in candidates[:MAX_OFFERS]:
        anchor = _anchor(document, instruction.anchor, each)
        if anchor is not None:
            told = f"{_told(each)}{_within(aside, each)}"
            found.append(Repair(told, (replace(instruction, anchor=anchor),)))
    sweeps: list[Repair] = []
    if len(named) < 2:
        # An error tells only the first of them.
        left = details["matches"] - details.get("haveNewText", 0)
        is_room = len(candidates) < details["matches"] and left <= room
        found_all = every() if is_room else candidates
        if len(found_all) == details["matches"]:
            sweeps = _sweeps(document, instruction, room, found_all, aside)
    is_open = asks_for_all(instruction) and any(not each.basis for each in sweeps)
    if len(named) == 1 and found and not is_open:
        found[0] = replace(found[0], basis=basis)
    # In a small edit, what lies between two places would count as changed.
    shorter = in_brief if limits.is_small else in_short
    sweeps = [
        replace(each, instructions=tuple(shorter(document, each.instructions))) for each in sweeps
    ]
    rest = [each.instructions for each in sweeps if not each.basis]
    found = [each for each in found if each.basis or each.instructions not in rest]
    is_rest = asks_for_all(instruction) and any(each.unless for each in sweeps)
    if len(sweeps) > 1 or is_rest or (sweeps and sweeps[0].basis):
        found = [*sweeps, *found]
    else:
        found = [*found[: MAX_OFFERS - len(sweeps)], *sweeps]
    return found[:MAX_OFFERS]


def _with_comments(
    document: Document, instruction: Instruction, resolved: Resolved, room: int
) -> list[Repair]:
    """The one place in code, and that with those in comments, where all places were asked for.

    As that was said, the chosen request doesn't say it again.
    """
    if not left_in_comments(document, instruction, resolved):
        return []
    one = replace(instruction, metadata=None)
    comments = _comment_places(document, one.anchor)
    code = {**describe(document, resolved.place, None), "place": resolved.place}
    told = f"line {code['line']}, the only place in code"
    told_all = f"all {1 + len(comments)} places, {_in_comments(comments)} too"
    every = _sweep(document, one, [code, *comments], room, told_all, "")
    if every is None:
        return [Repair(told, (one,), takes_all=True, unless="those in comments are meant, too")]
    return [Repair(told, (one,), takes_all=True), every]


def _whole_first(
    document: Document,
    candidates: list[Mapping[str, Any]],
    everywhere: Sequence[Mapping[str, Any]],
    matches: int,
) -> tuple[list[Mapping[str, Any]], Aside]:
    """The candidates, first those where a word stands by itself in code; and where the others do.

    Those are looked for ``everywhere``, in all of the ``matches`` if these are known.
    """
    if len(everywhere) != matches:
        return candidates, {}
    known = {(each["line"], each["column"]): each for each in candidates}
    found: list[Mapping[str, Any]] = []
    aside: Aside = {}
    for each in everywhere:
        candidate = known.get((each["line"], each["column"]), each)
        found.append(candidate)
        where = _not_by_itself(document, each["place"])
        if where:
            aside[id(candidate)] = where
    if not aside:
        return candidates, {}
    found.sort(key=lambda each: id(each) in aside)
    return found, aside


def _not_by_itself(document: Document, place: TextRange) -> str:
    """What a word at ``place`` is a part of: a longer name, a string, a comment; or nothing."""
    view = document.source.view
    start, end = place
    while start and is_word(view[start - 1]):
        start -= 1
    while end < len(view) and is_word(view[end]):
        end += 1
    kind = document.span_kind(*place)
    if kind is SpanKind.STRING:
        return "in a string"
    if kind is SpanKind.COMMENT:
        return "in a comment"
    return "" if place == (start, end) else f"in {shortened(view[start:end], _SHOWN_NAME)}"


def _within(aside: Aside, candidate: Mapping[str, Any]) -> str:
    """What the target is a part of at a candidate, where it is no word by itself."""
    return f", {aside[id(candidate)]}" if id(candidate) in aside else ""


def _all_candidates(document: Document, anchor: Anchor) -> list[Mapping[str, Any]]:
    """All places that ``anchor`` fits, if they are few enough, as candidates without anchors."""
    if anchor.target is None:
        return []
    places = fitting_places(document, anchor, scopes_of(document, anchor)) or []
    if len(places) > _MAX_PLACES:
        return []
    return [{**describe(document, place, None), "place": place} for place in places]


def _anchor(document: Document, anchor: Anchor, candidate: Mapping[str, Any]) -> Anchor | None:
    if "anchor" in candidate:
        return _short(document, candidate)
    if candidate.get("in_comment"):
        anchor = replace(anchor, in_comment=True)
    return anchor_at(document, anchor, candidate["place"], scopes_of(document, anchor))


def for_comment(
    document: Document, instruction: Instruction, details: Mapping[str, Any]
) -> list[Repair]:
    """A target that stands in comments only; nothing where its new text does, too."""
    if any(_is_done(document, instruction, each) for each in details.get("candidates", ())):
        return []
    found: list[Repair] = []
    for each in details.get("candidates", ())[:MAX_OFFERS]:
        if "anchor" in each:
            anchor = anchor_of(each["anchor"])
            is_beside = anchor.position is not instruction.anchor.position
            where = "on a line of its own beside the comment" if is_beside else "in the comment"
            new_text = instruction.new_text
            if is_beside:  # It brings no break of its own then.
                is_below = anchor.position is InsertPosition.LINE_AFTER
                new_text = new_text.lstrip("\n") if is_below else new_text.rstrip()
            repaired = replace(instruction, anchor=anchor, new_text=new_text)
            found.append(Repair(f"{_told(each)}, {where}", (repaired,)))
    return found


def _is_done(document: Document, instruction: Instruction, candidate: Mapping[str, Any]) -> bool:
    """Whether the new text, which has the target in it, stands there: the line is commented out."""
    anchor, new_text = instruction.anchor, instruction.new_text
    offset = new_text.find(anchor.target or "")
    in_comment = replace(anchor, in_comment=True)
    places = fitting_places(document, in_comment, scopes_of(document, in_comment)) or []
    view, lines = document.source.view, document.source.line_starts
    return offset > 0 and any(
        view.startswith(new_text, place.start - offset)
        for place in places[:_MAX_PLACES]
        if place.start >= lines[candidate["line"] - 1]
    )


def _told(candidate: Mapping[str, Any]) -> str:
    symbol = f", in {candidate['symbol']}" if "symbol" in candidate else ""
    return f"line {candidate['line']}{symbol}"


def _sweeps(
    document: Document,
    instruction: Instruction,
    room: int,
    candidates: Sequence[Mapping[str, Any]],
    aside: Aside,
) -> list[Repair]:
    """The same at every place, where nothing in the request says that one of them is meant.

    Of a word, the places where it isn't one by itself are left out, and of all texts comments.
    Where all of them were asked for, both can be meant: then they are two, without a basis.
    """
    anchor = instruction.anchor
    if anchor.before or anchor.after:
        return []
    asked_for = asks_for_all(instruction)
    # Who sends the same again, with a part of it done, wants the rest.
    parted = [(each, _has_it(document, instruction, each)) for each in candidates]
    candidates = [each for each, has_it in parted if not has_it]
    done = [each for each, has_it in parted if has_it]
    if not candidates:
        return []
    by_itself = [each for each in candidates if id(each) not in aside]
    left_out = [each for each in candidates if id(each) in aside]
    told = _told(by_itself[0]) if len(by_itself) == 1 else f"all {len(by_itself)} places"
    if left_out:
        shown = [f"{aside[id(each)]} (line {each['line']})" for each in left_out]
        more = f" and {len(shown) - _SHOWN_ASIDE} more" if len(shown) > _SHOWN_ASIDE else ""
        told = f"{told} where it stands by itself; not {', '.join(shown[:_SHOWN_ASIDE])}{more}"
    told += not_those_that_have_it(len(done))
    comments = [
        each
        for each in _comment_places(document, anchor)
        if not has_around(document.source.view, instruction, each["place"])
    ]
    told += _not_in_comments(comments)
    # Whether what is in comments is a part of "everywhere" nobody can say.
    has_others = bool(left_out or comments)
    # One tool changes both of two that overlap, another one only the first.
    is_double = _overlap([(each["line"], each["column"]) for each in candidates], anchor.target)
    told += "; some of them overlap" if is_double else ""
    is_open = has_others or is_double
    basis = "metadata says so" if asked_for and not is_open else ""
    least = 1 if done else 2
    sweeps = [_sweep(document, instruction, by_itself, room, told, basis, least)]
    if asked_for and has_others:
        every = [*candidates, *comments]
        aside_told = ["in longer names and strings"] * bool(left_out)
        aside_told += [_in_comments(comments)] * bool(comments)
        told = f"all {len(every)} places, {' and '.join(aside_told)} too"
        told += not_those_that_have_it(len(done))
        # Where it is nowhere a word by itself, its letters are meant.
        basis = "" if by_itself or comments or is_double else "metadata says so"
        sweeps.append(_sweep(document, instruction, every, room, told, basis, least))
    unless = ONCE_MORE if done else ""
    return [
        replace(each, basis="", unless=unless) if done else each
        for each in sweeps
        if each is not None
    ]


def _overlap(places: Sequence[tuple[int, int]], target: str | None) -> bool:
    """Whether a target of one line stands at two of ``places``, lines and columns, that overlap."""
    ordered = sorted(places)
    return any(
        line == other and column < start + len(target or "")
        for (line, start), (other, column) in pairwise(ordered)
    )


def _comment_places(document: Document, anchor: Anchor) -> list[Mapping[str, Any]]:
    """Where the target stands in comments, which an anchor of code leaves alone; at most
    ``_MAX_PLACES``. A word is none as a part of a longer one."""
    if anchor.in_comment or anchor.target is None:
        return []
    aside = replace(anchor, in_comment=True)
    places = fitting_places(document, aside, scopes_of(document, aside)) or []
    return [
        {
            "line": document.source.line_number(each.start) + 1,
            "place": each,
            "in_comment": True,
        }
        for each in places[:_MAX_PLACES]
        if is_whole(document, anchor, each)
    ]


def _in_comments(comments: Sequence[Mapping[str, Any]]) -> str:
    """The lines of places in comments."""
    lines = list(dict.fromkeys(each["line"] for each in comments))
    shown = ", ".join(map(str, lines[:_SHOWN_ASIDE])) + ", …" * (len(lines) > _SHOWN_ASIDE)
    return f"in comments (line {shown})"


def _not_in_comments(comments: Sequence[Mapping[str, Any]]) -> str:
    """That those in comments are left out, and how to name them."""
    if not comments:
        return ""
    return f'; those {_in_comments(comments)} take "in": "comment"'


def _sweep(
    document: Document,
    instruction: Instruction,
    candidates: Sequence[Mapping[str, Any]],
    room: int,
    told: str,
    basis: str,
    least: int = 2,
) -> Repair | None:
    """The instruction at each of the ``candidates``, if they are ``least`` to ``room``."""
    if not least <= len(candidates) <= room:
        return None
    anchors = [_anchor(document, instruction.anchor, each) for each in candidates]
    everywhere = [replace(instruction, anchor=each) for each in anchors if each is not None]
    if len(everywhere) < len(candidates):
        return None
    # The metadata once: it is said again with each result, and there are many.
    first, *others = everywhere
    others = [replace(each, metadata=None) for each in others]
    # Several in one are other targets, at places that are known.
    return Repair(
        told,
        (first, *others),
        basis,
        takes_all=True,
        is_known=True,
    )


def _has_it(document: Document, instruction: Instruction, candidate: Mapping[str, Any]) -> bool:
    """Whether the new text stands around a place already."""
    if "place" not in candidate:
        return bool(candidate.get("hasNewText"))
    return has_around(document.source.view, instruction, candidate["place"])


def _short(document: Document, candidate: Mapping[str, Any]) -> Anchor:
    """The candidate's anchor, by its symbol where that is shorter than context.

    Of the symbol's path, only so much as names it.
    """
    anchor = anchor_of(candidate["anchor"])
    symbol = candidate.get("symbol")
    if anchor.target is None or symbol is None:  # the symbol itself, named as shortly as can be
        return anchor
    places = fitting_places(document, anchor, scopes_of(document, anchor))
    parts = SEGMENTS.split(symbol)
    tails = [".".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    names = [tail.removesuffix(parts[-1]) + parts[-1].partition("(")[0] for tail in tails]
    for path in sorted({*tails, *names}, key=lambda path: (len(path), path)):
        if len(anchor.before) + len(anchor.after) <= len(path) + _SYMBOL_LENGTH:
            break
        by_symbol = replace(anchor, symbol_path=path, before="", after="")
        if fitting_places(document, by_symbol, scopes_of(document, by_symbol)) == places:
            return by_symbol
    return anchor
