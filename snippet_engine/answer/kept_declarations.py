"""Whether an edit leaves what a script declares as it is, told without reading all of the result.

Part of docs/design/engine.md §2.7: what warns of a declaration that changes needn't look further.
"""

from __future__ import annotations

import re

from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.symbols import declarations, is_inside_block
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import TextRange

_VALUE = re.compile(r"[^][(){};,=\"'/#\n]*")
"""A part of an expression, or of a comment: it ends nothing around it, and begins nothing."""
_ASSIGNED = re.compile(r"""(=[^{};,="'/#\n]*|(\w|=>?\s*)\([^){};="'/#\n]*)\Z""")
"""What stands on a line before a value: the end of an assignment's beginning, or of a call's."""
_MOST_LOOKED_AT = 200
"""So many code points before a value are looked at: a line may be as long as a file."""

_BRACE = re.compile("[{}]")
_MAY_HIDE = re.compile(r"[#']|//|/\*|\*/")
"""What makes something else of a brace or a quotation mark that stands behind it."""


def keeps_declarations(before: Document, after: Document, edits: EditSet) -> bool:
    """Whether only values and bodies of members are edited: most edits."""
    view = before.source.view
    small = edits.trimmed(view)
    others = [
        each
        for each, changed in zip(edits, small, strict=True)
        if not _is_of_a_value(view, changed)
    ]
    if not all(is_inside_block(before, TextRange(each.start, each.end)) for each in others):
        return False
    # The tree of the result is the only one that a preview would need for these warnings alone.
    if all(_keeps_blocks(view, each) for each in others):
        return True
    if not all(_is_whole(text) for each in others for text in _texts(view, each)):
        return False
    ranges = zip(edits, edits.after_ranges(), strict=True)
    return all(
        is_inside_block(after, TextRange(*place)) for each, place in ranges if each in others
    )


def keeps_types(before: Document, edits: EditSet) -> bool:
    """Whether the types stay as they are: what is edited stands within them."""
    view = before.source.view
    if not all(_keeps_blocks(view, each) for each in edits):
        return False
    bodies = [
        each.body
        for each in declarations(before)
        if each.kind in (SymbolKind.CLASS, SymbolKind.STRUCT) and each.body is not None
    ]
    return all(
        any(body.start <= each.start and each.end <= body.end for body in bodies) for each in edits
    )


def _keeps_blocks(view: str, edit: TextEdit) -> bool:
    """Whether all blocks around it begin and end where they did, for all that texts tell."""
    texts = _texts(view, edit)
    return all(_is_whole(each) and not _MAY_HIDE.search(each) for each in texts)


def _texts(view: str, edit: TextEdit) -> tuple[str, str]:
    return view[edit.start : edit.end], edit.new_text


def _is_whole(text: str) -> bool:
    """Whether every string and block that begins in ``text`` ends there, and none other does."""
    depth = 0
    for brace in _BRACE.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return not depth and not text.count('"') % 2


def _is_of_a_value(view: str, each: TextEdit) -> bool:
    """Whether a trimmed edit changes nothing but a value on its line: fields keep their names and
    types."""
    nearest = max(0, each.start - _MOST_LOOKED_AT)
    before = view[view.rfind("\n", nearest, each.start) + 1 or nearest : each.start]
    return _ASSIGNED.search(before) is not None and all(
        _VALUE.fullmatch(text) for text in _texts(view, each)
    )
