"""From a symbol anchor to exactly one declaration, or one text within it.

Implements docs/design/engine.md §1 "Symbol anchor" and §8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.candidates import describe
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.exact_context import exact_among
from snippet_engine.anchors.text_anchor import (
    MAX_CANDIDATES,
    TextMatch,
    fitting_places,
    resolve_text,
)
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.declarations.parts import part_range, parts_of
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, nearest, resolve
from snippet_engine.csharp.declarations.symbols import Declaration, are_all_read, are_readable
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError, shortened
from snippet_engine.request import Anchor, Instruction, Operation, SymbolPart
from snippet_engine.source_text import TextRange

MAX_SHOWN_PATH = 60
"""Longest symbol path in a message, in code points."""
_MAX_MISSES = 10
"""Symbols of one path that a target is missing in whose text is looked at for what is like it."""
_PER_SCOPE = 5
"""Steps that it takes to look for a text in one more symbol."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The one place that an anchor names.

    ``declaration`` is the symbol, where the anchor names one as a whole; ``part_of`` is the one
    of which it names a part as a whole.
    """

    place: TextRange
    declaration: Declaration | None = None
    comments_set_aside: tuple[TextRange, ...] = ()
    part_of: Declaration | None = None


def resolve_anchor(
    document: Document, instruction: Instruction, *, explain: bool = True
) -> Resolved | SnippetError:
    """The one place that the instruction's anchor names in ``document``.

    Without ``explain``, what is like a text that isn't found is not looked for, which takes long.
    With it, may raise :class:`.OutOfStepsError`.

    Errors: ``anchor_not_found``, ``ambiguous_anchor``, ``anchor_in_comment``,
    ``symbol_not_found``.
    """
    anchor = instruction.anchor
    if anchor.symbol_path is None:
        whole = [TextRange(0, len(document.source.view))]
        return _from_text(resolve_text(document, instruction, whole, explain=explain))
    found = resolve(document, anchor.symbol_path)
    if isinstance(found, SymbolPathProblem):
        return _symbol_not_found(document, instruction, found.message)
    if not found:
        path = shortened(anchor.symbol_path, MAX_SHOWN_PATH)
        reason = f"No symbol {path} is declared in the file."
        if not are_readable(document):
            reason = f"{document.NOT_PARSED} Name the place by its text, without symbolPath."
        elif not are_all_read(document):
            reason = f"No symbol {path} was found. {document.NOT_ALL_READ}"
        return _symbol_not_found(document, instruction, reason)
    if anchor.target is None:
        return _whole(document, anchor, found)
    if len({each.path for each in found}) > 1:
        return _ambiguous_scope(document, instruction, found, explain=explain)
    # Several declarations of one path are the parts of a partial type: one scope.
    scopes = _scopes(document, anchor, found)
    if not scopes:
        return _no_such_part(document, anchor, found)
    return _from_text(resolve_text(document, instruction, scopes, explain=explain))


def scopes_of(document: Document, anchor: Anchor) -> list[TextRange]:
    """Where an anchor's target is looked for; nowhere, if its path doesn't name one symbol."""
    if anchor.symbol_path is None:
        return [TextRange(0, len(document.source.view))]
    found = resolve(document, anchor.symbol_path)
    if isinstance(found, SymbolPathProblem) or len({each.path for each in found}) != 1:
        return []
    return _scopes(document, anchor, found)


def place_in(document: Document, anchor: Anchor) -> TextRange | None:
    """The one place that ``anchor``, which has a target, fits in ``document``."""
    if anchor.target is None or anchor.target not in document.source.view:
        return None
    places = fitting_places(document, anchor, scopes_of(document, anchor))
    if places is None or len(places) == 1:
        return None if places is None else places[0]
    return exact_among(document, anchor, places)


def _scopes(document: Document, anchor: Anchor, found: list[Declaration]) -> list[TextRange]:
    """Where the target of an anchor is looked for in the declarations of its symbol."""
    if anchor.part is SymbolPart.DECLARATION:
        return [each.search for each in found]
    parts = (part_range(document, each, anchor.part) for each in found)
    return [each for each in parts if each is not None]


def _no_such_part(document: Document, anchor: Anchor, found: list[Declaration]) -> SnippetError:
    """``symbol_not_found`` for a symbol that hasn't the part, with those that it has."""
    parts = list(dict.fromkeys(part for each in found for part in parts_of(document, each)))
    path = shortened(found[0].path, MAX_SHOWN_PATH)
    advice = ""
    if anchor.part in (SymbolPart.DOCUMENTATION, SymbolPart.ATTRIBUTES):
        advice = ' To add it, insert at position "line_before" of the symbol.'
    return SnippetError(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"{path} has no {anchor.part.value}.{advice} As part it has: {', '.join(parts)}.",
        details={"symbolPath": found[0].path, "parts": parts, "nearest": []},
    )


def _from_text(match: TextMatch | SnippetError) -> Resolved | SnippetError:
    if isinstance(match, SnippetError):
        return match
    return Resolved(match.place, None, match.comments_set_aside)


def _whole(document: Document, anchor: Anchor, found: list[Declaration]) -> Resolved | SnippetError:
    context = Context(anchor.before, anchor.after)
    fitting = [each for each in found if context.fits(document.source.view, each.full)]
    if len(fitting) == 1:
        if anchor.part is SymbolPart.DECLARATION:
            return Resolved(fitting[0].full, fitting[0])
        part = part_range(document, fitting[0], anchor.part)
        if part is None:
            return _no_such_part(document, anchor, fitting)
        return Resolved(part, part_of=fitting[0])
    candidates = [
        describe(document, each.full, _anchor_of(document, anchor, each)) | {"symbol": each.path}
        for each in (fitting or found)[:MAX_CANDIDATES]
    ]
    if fitting:
        return _ambiguous(anchor, [each.path for each in fitting], candidates)
    for candidate in candidates:
        candidate["differs"] = ["the before or after context"]
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        f"{shortened(found[0].path, MAX_SHOWN_PATH)} is declared at line {candidates[0]['line']}, "
        "but the before or after context doesn't stand around it. Leave the context out.",
        details={"nearest": candidates},
    )


def _anchor_of(document: Document, anchor: Anchor, declaration: Declaration) -> Anchor | None:
    """The anchor without target that means ``declaration`` as a whole, and nothing else."""
    view = document.source.view
    named = resolve(document, declaration.path)
    assert isinstance(named, list)

    def fits_elsewhere(before: str, after: str) -> bool:
        context = Context(before, after)
        return any(context.fits(view, each.full) for each in named if each != declaration)

    offered = replace(anchor, symbol_path=declaration.path)
    return with_unique_context(view, offered, declaration.full, fits_elsewhere)


def _ambiguous_scope(
    document: Document, instruction: Instruction, found: list[Declaration], *, explain: bool
) -> SnippetError:
    """For a target whose symbol path means several symbols: where it stands in each of them."""
    candidates: list[dict[str, Any]] = []
    misses: list[SnippetError] = []
    scopes: dict[str, list[TextRange]] = {}
    for each in found:
        scopes.setdefault(each.path, []).append(each.search)
    for path, within in scopes.items():
        anchor = replace(instruction.anchor, symbol_path=path)
        try:
            budget.spend(_PER_SCOPE)
            match = resolve_text(
                document,
                replace(instruction, anchor=anchor),
                within,
                explain=explain and len(misses) < _MAX_MISSES,
            )
            if isinstance(match, TextMatch):
                candidates.append(describe(document, match.place, anchor) | {"symbol": path})
        except budget.OutOfStepsError:
            misses = []
            break
        if isinstance(match, TextMatch):
            pass
        elif match.code is ErrorCode.ANCHOR_NOT_FOUND:
            misses.append(match)
        else:
            candidates += match.details["candidates"]
        if len(candidates) >= MAX_CANDIDATES:
            break
    if misses and not candidates:
        from snippet_engine.anchors.near_miss import ALREADY_APPLIED  # noqa: PLC0415 - for errors

        # That the edit is done in one of them doesn't say that it was meant there.
        misses = [miss for miss in misses if ALREADY_APPLIED not in miss.details] or misses
        return next((miss for miss in misses if miss.details["nearest"]), misses[0])
    return _ambiguous(
        instruction.anchor, [each.path for each in found], candidates[:MAX_CANDIDATES]
    )


def _ambiguous(anchor: Anchor, paths: list[str], candidates: list[dict[str, Any]]) -> SnippetError:
    assert anchor.symbol_path is not None
    different = list(dict.fromkeys(paths))
    shown = ", ".join(_shown_apart(different[:2], 45))
    more = ", …" if len(different) > 2 else ""
    verb = "names" if len(different) > 1 else "is declared in"
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"{shortened(anchor.symbol_path, 30)} {verb} {len(paths)} places ({shown}{more}). "
        "Say which one: the whole path, with parameter types, or context.",
        details={"matches": len(paths), "candidates": candidates},
    )


def _shown_apart(paths: Sequence[str], limit: int) -> list[str]:
    """Each of ``paths`` in ``limit`` code points: of long ones, where they differ."""
    cut = [shortened(each, limit) for each in paths]
    if len(set(cut)) == len(set(paths)):
        return cut
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*paths, strict=False))
    alike = "".join(each[0] for each in columns)
    # From the last name that they begin alike, if that leaves room for what differs.
    start = max(alike.partition("(")[0].rfind(".") + 1, len(alike) - limit // 2)
    return [shortened(f"…{each[start:]}", limit) for each in paths]


def _symbol_not_found(document: Document, instruction: Instruction, reason: str) -> SnippetError:
    anchor = instruction.anchor
    assert anchor.symbol_path is not None
    paths = nearest(document, anchor.symbol_path)
    around = _containers(document, instruction, paths)
    shown = shortened(", ".join([each for each in paths if each not in around][:2]), 100)
    hint = f"Nearest: {shown}." if shown else "get_symbols lists all of them."
    suggestions: list[dict[str, Any]] = []
    for path in paths:
        suggestion: dict[str, Any] = {"symbolPath": path}
        offered = replace(anchor, symbol_path=path)
        by_path = replace(instruction, anchor=offered)
        found = resolve_anchor(document, by_path, explain=False)
        if path in around:
            suggestion["text"] = "it holds what was named, and more"
        elif isinstance(found, Resolved):
            suggestion["anchor"] = offered.to_json()
        elif found.code is ErrorCode.AMBIGUOUS_ANCHOR:
            what = "the path" if anchor.target is None else "the target"
            suggestion["text"] = f"{what} fits {found.details['matches']} places in it"
        elif found.code is not ErrorCode.ANCHOR_NOT_FOUND:
            suggestion["text"] = found.message
        suggestions.append(suggestion)
    details: dict[str, Any] = {"nearest": suggestions}
    line = _line_of_new_text(document, instruction)
    if line is not None:
        hint = f"The newText already stands, once, at line {line}: is this edit done?"
        details["newTextLines"] = [line]
    return SnippetError(ErrorCode.SYMBOL_NOT_FOUND, f"{reason} {hint}", details=details)


def _containers(document: Document, instruction: Instruction, paths: Sequence[str]) -> set[str]:
    """Those of ``paths`` that hold what was named, where the whole of that was to go.

    Sent instead, such a path takes all that is in it along.
    """
    anchor = instruction.anchor
    if instruction.operation is Operation.INSERT or anchor.target is not None:
        return set()
    assert anchor.symbol_path is not None
    holders: list[str] = []
    head = anchor.symbol_path.partition("(")[0].rpartition(".")[0]
    while head:
        found = resolve(document, head)
        if not isinstance(found, SymbolPathProblem):
            holders += [each.path for each in found]
        head = head.rpartition(".")[0]
    return {path for path in paths for each in holders if f"{each}.".startswith(f"{path}.")}


def _line_of_new_text(document: Document, instruction: Instruction) -> int | None:
    """The one-based line at which the new text stands, and nothing like the target."""
    from snippet_engine.anchors.near_miss import (  # noqa: PLC0415 - for errors
        ALREADY_APPLIED,
        SEEMS_APPLIED,
    )

    view, new_text = document.source.view, instruction.new_text.strip()
    if instruction.anchor.target is None or not new_text or view.count(new_text) != 1:
        return None
    anywhere = replace(instruction, anchor=replace(instruction.anchor, symbol_path=None))
    try:
        missed = resolve_text(document, anywhere, [TextRange(0, len(view))])
    except budget.OutOfStepsError:
        return None
    if isinstance(missed, TextMatch):
        return None
    if ALREADY_APPLIED in missed.details:
        return int(missed.details["nearest"][0]["line"])
    return int(missed.details["newTextLines"][0]) if SEEMS_APPLIED in missed.details else None
