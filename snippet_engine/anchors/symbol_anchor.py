"""From a symbol anchor to exactly one declaration, or one text within it.

Implements spec 01-snippet-engine §1 "Symbol anchor" and ``symbol_not_found`` of §8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from snippet_engine.anchors.candidates import describe
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.text_anchor import MAX_CANDIDATES, TextMatch, resolve_text
from snippet_engine.anchors.unique_context import with_unique_context
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.symbol_path import SymbolPathProblem, nearest, resolve
from snippet_engine.csharp.symbols import Declaration
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class Resolved:
    """The one place that an anchor names.

    ``declaration`` is the symbol, where the anchor names one as a whole.
    """

    place: TextRange
    declaration: Declaration | None = None
    comments_set_aside: tuple[TextRange, ...] = ()


def resolve_anchor(document: Document, instruction: Instruction) -> Resolved | SnippetError:
    """The one place that the instruction's anchor names in ``document``.

    Errors: ``anchor_not_found``, ``ambiguous_anchor``, ``anchor_in_comment``,
    ``symbol_not_found``.
    """
    anchor = instruction.anchor
    if anchor.symbol_path is None:
        whole = [TextRange(0, len(document.source.view))]
        return _from_text(resolve_text(document, instruction, whole))
    found = resolve(document, anchor.symbol_path)
    if isinstance(found, SymbolPathProblem):
        return _symbol_not_found(document, anchor, found.message)
    if not found:
        return _symbol_not_found(
            document, anchor, f"No symbol {anchor.symbol_path} is declared in the file."
        )
    if anchor.target is None:
        return _whole(document, anchor, found)
    if len({each.path for each in found}) > 1:
        return _ambiguous(document, anchor, found)
    # Several declarations of one path are the parts of a partial type: one scope.
    return _from_text(resolve_text(document, instruction, [each.search for each in found]))


def _from_text(match: TextMatch | SnippetError) -> Resolved | SnippetError:
    if isinstance(match, SnippetError):
        return match
    return Resolved(match.place, None, match.comments_set_aside)


def _whole(document: Document, anchor: Anchor, found: list[Declaration]) -> Resolved | SnippetError:
    context = Context(anchor.before, anchor.after)
    fitting = [each for each in found if context.fits(document.source.view, each.full)]
    if len(fitting) == 1:
        return Resolved(fitting[0].full, fitting[0])
    return _ambiguous(document, anchor, fitting or found)


def _ambiguous(document: Document, anchor: Anchor, found: list[Declaration]) -> SnippetError:
    candidates = []
    for each in found[:MAX_CANDIDATES]:
        offered = replace(anchor, symbol_path=each.path)
        if anchor.target is None:
            twins = [other.full for other in found if other.path == each.path]
            offered = with_unique_context(document.source.view, offered, each.full, twins)
        candidates.append(describe(document, each.full, offered) | {"symbol": each.path})
    paths = ", ".join(dict.fromkeys(each.path for each in found[:3]))
    reason = "names" if len({each.path for each in found}) > 1 else "is declared in"
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"{anchor.symbol_path} {reason} {len(found)} places ({paths}"
        f"{', …' if len(found) > 3 else ''}). Send the anchor of the candidate you mean.",
        details={"matches": len(found), "candidates": candidates},
    )


def _symbol_not_found(document: Document, anchor: Anchor, reason: str) -> SnippetError:
    assert anchor.symbol_path is not None
    paths = nearest(document, anchor.symbol_path)
    hint = f"Nearest: {', '.join(paths[:2])}." if paths else "get_symbols lists all of them."
    return SnippetError(
        ErrorCode.SYMBOL_NOT_FOUND,
        f"{reason} {hint}",
        details={
            "nearest": [
                {"symbolPath": path, "anchor": replace(anchor, symbol_path=path).to_json()}
                for path in paths
            ]
        },
    )
