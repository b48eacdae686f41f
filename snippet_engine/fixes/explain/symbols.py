"""Explain why a symbol path names no single place: list what it names, or what is similar.

Implements docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.resolution import Reason, Resolved, Unresolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.declarations.parts import parts_of
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, nearest, resolve
from snippet_engine.csharp.declarations.symbols import Declaration, are_all_read, are_readable
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, SnippetError, shortened
from snippet_engine.fixes.explain.described_place import MAX_CANDIDATES, describe
from snippet_engine.fixes.explain.explanation import brief, explained
from snippet_engine.request import Anchor, Instruction, Operation, SymbolPart

_MAX_SHOWN_PATH = 60
_LONGEST_PATH = 45
"""Longest symbol path in a message, in code points."""
_MAX_MISSES = 10
"""Most symbols of one path that are searched for text similar to the missing target."""


def of_symbol(document: Document, instruction: Instruction, why: Unresolved) -> SnippetError:
    """Return the error for a symbol path that names no single place."""
    anchor = instruction.anchor
    if why.by_symbol:
        return _of_several(document, instruction, why)
    match why.reason:
        case Reason.NO_SUCH_PART:
            return _no_such_part(document, anchor, why.symbols)
        case Reason.SYMBOL_NOT_FOUND:
            return _not_found(document, instruction, why.problem)
        case _:
            return _of_whole(document, anchor, why)


def _no_such_part(document: Document, anchor: Anchor, found: Sequence[Declaration]) -> SnippetError:
    parts = list(dict.fromkeys(part for each in found for part in parts_of(document, each)))
    path = shortened(found[0].path, _MAX_SHOWN_PATH)
    advice = ""
    if anchor.part in (SymbolPart.DOCUMENTATION, SymbolPart.ATTRIBUTES):
        advice = ' To add it, insert at position "line_before" of the symbol.'
    return SnippetError(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"{path} has no {anchor.part.value}.{advice} Its parts: {', '.join(parts)}.",
        details={"symbolPath": found[0].path, "parts": parts, "nearest": []},
    )


def _of_whole(document: Document, anchor: Anchor, why: Unresolved) -> SnippetError:
    """Explain a whole symbol's path that names several declarations, or none with the context."""
    candidates = [
        describe(document, each.full, _anchor_of(document, anchor, each)) | {"symbol": each.path}
        for each in why.symbols[:MAX_CANDIDATES]
    ]
    if why.reason is Reason.SYMBOL_AMBIGUOUS:
        return _ambiguous(anchor, why.symbols, candidates)
    for candidate in candidates:
        candidate["differs"] = ["the before or after context"]
    path = shortened(why.symbols[0].path, _MAX_SHOWN_PATH)
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        f"{path} is declared at line {candidates[0]['line']}, "
        "but the before or after context doesn't fit there. Leave the context out.",
        details={"nearest": candidates},
    )


def _anchor_of(document: Document, anchor: Anchor, declaration: Declaration) -> Anchor | None:
    view = document.source.view
    named = resolve(document, declaration.path)
    assert isinstance(named, list)

    def fits_elsewhere(before: str, after: str) -> bool:
        context = Context(before, after)
        return any(context.fits(view, each.full) for each in named if each != declaration)

    offered = replace(anchor, symbol_path=declaration.path)
    return with_unique_context(view, offered, declaration.full, fits_elsewhere)


def _of_several(document: Document, instruction: Instruction, why: Unresolved) -> SnippetError:
    """Explain a path of several declarations that all have the target."""
    candidates: list[dict[str, Any]] = []
    misses: list[SnippetError] = []
    for path, match in why.by_symbol:
        anchor = replace(instruction.anchor, symbol_path=path)
        if isinstance(match, Resolved):
            candidates.append(describe(document, match.place, anchor) | {"symbol": path})
            continue
        of_path = replace(instruction, anchor=anchor)
        if match.reason is not Reason.NOT_FOUND:
            with suppress(budget.OutOfStepsError):
                candidates += explained(document, of_path, match).details["candidates"]
        elif why.reason is Reason.NOT_FOUND and len(misses) < _MAX_MISSES:
            misses.append(explained(document, of_path, match))
    if why.reason is Reason.NOT_FOUND:
        # An edit that is applied in one symbol may have been meant for another.
        misses = [miss for miss in misses if ALREADY_APPLIED not in miss.details] or misses
        return next((miss for miss in misses if miss.details["nearest"]), misses[0])
    return _ambiguous(instruction.anchor, why.symbols, candidates[:MAX_CANDIDATES])


def _ambiguous(
    anchor: Anchor, found: Sequence[Declaration], candidates: list[dict[str, Any]]
) -> SnippetError:
    assert anchor.symbol_path is not None
    different = list(dict.fromkeys(each.path for each in found))
    shown = ", ".join(shortened(each, _LONGEST_PATH) for each in different[:2])
    more = ", …" if len(different) > 2 else ""
    verb = "names" if len(different) > 1 else "is declared in"
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"{shortened(anchor.symbol_path, 30)} {verb} {len(found)} places ({shown}{more}). "
        "Send the whole path with parameter types, or add context.",
        details={"matches": len(found), "candidates": candidates},
    )


def _not_found(document: Document, instruction: Instruction, problem: str) -> SnippetError:
    anchor = instruction.anchor
    assert anchor.symbol_path is not None
    path = shortened(anchor.symbol_path, _MAX_SHOWN_PATH)
    reason = problem or f"No symbol {path} is declared in the file."
    if not problem and not are_readable(document):
        reason = f"{document.NOT_PARSED} Name the place by its text, without symbolPath."
    elif not problem and not are_all_read(document):
        reason = f"No symbol {path} was found. {document.NOT_ALL_READ}"
    paths = nearest(document, anchor.symbol_path)
    around = _containers(document, instruction, paths)
    shown = shortened(", ".join([each for each in paths if each not in around][:2]), 100)
    hint = f"Nearest: {shown}." if shown else "get_symbols lists all of them."
    suggestions: list[dict[str, Any]] = []
    for path in paths:
        suggestion: dict[str, Any] = {"symbolPath": path}
        offered = replace(anchor, symbol_path=path)
        found = resolve_anchor(document, offered)
        if path in around:
            suggestion["text"] = "it contains what was named"
        elif isinstance(found, Resolved):
            suggestion["anchor"] = offered.to_json()
        elif found.code is ErrorCode.AMBIGUOUS_ANCHOR:
            what = "the path" if anchor.target is None else "the target"
            count = len(found.symbols) or brief(found).details["matches"]
            suggestion["text"] = f"{what} fits {count} places in it"
        elif found.reason is Reason.NO_SUCH_PART:
            suggestion["text"] = _no_such_part(document, offered, found.symbols).message
        elif found.reason is Reason.ONLY_IN_COMMENTS:
            suggestion["text"] = brief(found).message
        suggestions.append(suggestion)
    details = {"nearest": suggestions}
    return SnippetError(ErrorCode.SYMBOL_NOT_FOUND, f"{reason} {hint}", details=details)


def _containers(document: Document, instruction: Instruction, paths: Sequence[str]) -> set[str]:
    """Return those of ``paths`` that contain the symbol to replace or delete whole.

    If an agent sent one of these paths instead, it would remove everything inside.
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
