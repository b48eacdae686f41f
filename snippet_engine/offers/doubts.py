"""What speaks against a repair that was found: that the edit is done, or a word was cut short.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.symbol_anchor import Resolved, resolve_anchor
from snippet_engine.anchors.whole_words import splits_word
from snippet_engine.csharp.document import Document
from snippet_engine.offers.history.done import line_as_sent, may_be_done, stands_without
from snippet_engine.offers.repair import Repair
from snippet_engine.request import Instruction, Operation


def splits_a_word(document: Document, repair: Repair) -> bool:
    """Whether a repair makes several words of a part of one, which stays beside them."""
    if len(repair.instructions) != 1 or repair.instructions[0].operation is not Operation.REPLACE:
        return False
    resolved = resolve_anchor(document, repair.instructions[0], explain=False)
    new_text = repair.instructions[0].new_text
    return isinstance(resolved, Resolved) and splits_word(
        document.source.view, resolved.place, new_text
    )


def doubted(
    document: Document, instruction: Instruction, details: Mapping[str, Any], repair: Repair
) -> Repair:
    """``repair``, with what tells that the edit may be done already."""
    line = may_be_done(details)
    if line is not None:
        return replace(repair, unless=f"it is done: line {line} has the newText")
    if len(repair.instructions) != 1:
        return repair
    resolved = resolve_anchor(document, repair.instructions[0], explain=False)
    if not isinstance(resolved, Resolved):
        return repair
    line = line_as_sent(document.source, instruction, resolved.place)
    if line is not None:
        return replace(repair, unless=f"it is done: line {line} has the newText")
    line = stands_without(document, instruction, resolved.place)
    if line is None:
        return repair
    return replace(repair, unless=f"it is done: what was sent beside it is line {line}")
