"""What was declared beside a symbol that is gone: it was there already, so it isn't that symbol.

Part of docs/design/engine.md §8. A path that names nothing may be misspelled, or its symbol was
renamed. Where an earlier version has it, it was not misspelled; and what that version has under
another path is another symbol, however alike the texts are.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.offers.history.followed import MAX_VERSIONS, Earlier
from snippet_engine.request import Instruction


def declared_beside(document: Document, path: str, earlier: Earlier) -> Set[str]:
    """The paths of what the newest earlier version with what ``path`` names declares beside that:
    not it, and nothing that it stands in. Empty where no version has it.
    """
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view == document.source.view:
            continue
        budget.spend_reading(len(old.view))
        before = document.alike(old)
        found = resolve(before, path)
        if isinstance(found, SymbolPathProblem) or not found:
            continue
        return {
            each.path
            for each in declarations(before)
            if not any(
                each.full.start <= one.full.start and one.full.end <= each.full.end for one in found
            )
        }
    return frozenset()


def is_in_one(document: Document, instruction: Instruction, paths: Set[str]) -> bool:
    """Whether the place of an instruction is in what has one of ``paths``."""
    resolved = resolve_anchor(document, instruction.anchor)
    if not isinstance(resolved, Resolved):
        return False
    start, end = resolved.place
    around = [
        each for each in declarations(document) if each.full.start <= start <= end <= each.full.end
    ]
    return bool(around) and around[-1].path in paths
