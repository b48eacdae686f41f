"""What an edit that was made for an earlier text would undo of the edits since.

Part of docs/design/engine.md §8.
"""

from __future__ import annotations

from snippet_engine.offers.places.tokens import hunks, tokens_of
from snippet_engine.request import Instruction, Operation
from snippet_engine.schemas.schema_messages import shortened

_SHOWN = 60
"""Longest text that is shown, in code points."""


def taken_back(instruction: Instruction, standing: str) -> str:
    """What edits since have put into ``standing``, and ``instruction`` takes away again.

    Its target is what stood there before. Empty if it leaves all of that as it is; text is cut in
    the middle if it is long.
    """
    if instruction.operation is Operation.INSERT:
        return ""
    base = tokens_of(instruction.anchor.target or "")[:-1]
    theirs = tokens_of(standing)[:-1]
    mine = tokens_of(instruction.new_text)[:-1]
    changes = hunks([each.text for each in base], [each.text for each in mine])
    lost: list[str] = []
    for put in hunks([each.text for each in base], [each.text for each in theirs]):
        if put.other_start == put.other_end:
            continue
        new = [each.text for each in theirs[put.other_start : put.other_end]]
        for change in changes:
            wanted = [each.text for each in mine[change.other_start : change.other_end]]
            touches = change.start < put.end and put.start < change.end
            is_within = change.start < put.start < change.end
            if (touches or is_within) and wanted != new:
                first, last = theirs[put.other_start], theirs[put.other_end - 1]
                lost.append(standing[first.start : last.end])
                break
    return shortened(" … ".join(" ".join(each.split()) for each in lost), _SHOWN)
