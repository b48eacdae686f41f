"""What has the parameters that a path names, where its name has others: it may be the one.

Part of docs/design/engine.md §8. A path names a method by its parameters. Once an edit has changed
these, or the method's name, the path names nothing, and another overload may have the very target.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snippet_engine.csharp.declarations.path_segments import parse_symbol_path
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.offers.places.tokens import hunks
from snippet_engine.request import Instruction, Operation

_WORD = re.compile(r"\w+")


def has_its_parameters(document: Document, instruction: Instruction) -> bool:
    """Whether ``document`` declares what the path of ``instruction`` names, but for parameters that
    its target takes away or its new text puts there.

    False for an anchor without a target, or a path without parameters.
    """
    anchor = instruction.anchor
    asked = _parameters(anchor.symbol_path or "")
    if anchor.target is None or asked is None:
        return False
    name, types = asked
    is_insertion = instruction.operation is Operation.INSERT
    goes = set() if is_insertion else {*_WORD.findall(anchor.target)}
    comes = {*_WORD.findall(instruction.new_text)}
    for each in declarations(document):
        if each.name != name:
            continue
        declared = _parameters(each.path)
        changes = hunks(types, declared[1]) if declared is not None else []
        if declared is None or len(changes) != 1:
            continue
        (change,) = changes
        gone = types[change.start : change.end]
        put = declared[1][change.other_start : change.other_end]
        if _are_in(gone, goes) and _are_in(put, comes):
            return True
    return False


def _parameters(path: str) -> tuple[str, Sequence[str]] | None:
    """The name of a path's last part, and the types of its parameters, if it says them."""
    parts = parse_symbol_path(path)
    if isinstance(parts, SymbolPathProblem) or parts[-1].parameters is None:
        return None
    return parts[-1].name, parts[-1].parameters


def _are_in(types: Sequence[str], words: set[str]) -> bool:
    """Whether all words of some types are among ``words``."""
    return all(word in words for each in types for word in _WORD.findall(each))
