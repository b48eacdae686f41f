"""What is said of an edit that changes too much.

Implements ``diff_too_large`` of docs/design/engine.md §8.
"""

from __future__ import annotations

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import CHANGE_SET, Limits
from snippet_engine.request import Instruction, Operation

_IN_PARTS = {
    Operation.INSERT: "Insert it in parts, a request for each, every one valid by itself",
    Operation.REPLACE: "Send parts, each valid by itself: of a class its members, by symbol "
    'anchors with part "body", and new ones by insert',
    Operation.DELETE: "Delete it in parts that lie side by side, an instruction for each",
}
"""How to make a change that is too large even for a change set. Two insertions of one request can't
stand at one point, so parts of an insertion need requests of their own."""


def too_large(
    instruction: Instruction,
    changed: int,
    limits: Limits,
    split: list[Instruction] | None = None,
    *,
    keeps_lead: bool = False,
) -> SnippetError:
    """``diff_too_large`` for an instruction that changes so many code points.

    ``split`` are those that it falls into and that each fit; ``keeps_lead``: they leave
    documentation and attributes that it would take.
    """
    advice = (
        f"It splits into {len(split)} smaller edits that each fit: send those."
        if split
        else f"Send it to edit_scripts, which takes {CHANGE_SET.changed:,}."
        if limits.is_small and changed <= CHANGE_SET.changed
        else f"{_IN_PARTS[instruction.operation]}."
    )
    details = {
        "charactersChanged": changed,
        "limit": limits.changed,
        **({"instructions": [each.to_json() for each in split]} if split else {}),
        **({"keepsLead": True} if split and keeps_lead else {}),
    }
    return SnippetError(
        ErrorCode.DIFF_TOO_LARGE,
        f"The edit changes {changed} code points; the limit is {limits.changed:,}. {advice}",
        details=details,
    )
