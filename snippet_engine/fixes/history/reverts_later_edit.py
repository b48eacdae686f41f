"""Find later changes that an edit for an earlier text would undo or repeat."""

from __future__ import annotations

from snippet_engine.errors import shortened
from snippet_engine.fixes.search.token_cost import is_name
from snippet_engine.fixes.search.tokens import contains, hunks, tokens_of
from snippet_engine.request import Instruction, Operation

_SHOWN = 60
"""Longest text that is shown, in code points."""


def text_reverted(instruction: Instruction, standing: str, result: str) -> str:
    """Return what later edits added to ``standing`` and ``instruction`` would remove.

    The target stood there before; ``result`` is what a replacement makes of ``standing``. Empty if
    nothing is lost. A long text is cut in the middle.
    """
    if instruction.operation is Operation.INSERT:
        return ""
    base = tokens_of(instruction.anchor.target or "")[:-1]
    theirs = tokens_of(standing)[:-1]
    mine = tokens_of(instruction.new_text)[:-1]
    changes = hunks([each.text for each in base], [each.text for each in mine])
    left = [each.text for each in tokens_of(result)[:-1]]
    lost: list[str] = []
    for put in hunks([each.text for each in base], [each.text for each in theirs]):
        if put.other_start == put.other_end:
            continue
        new = [each.text for each in theirs[put.other_start : put.other_end]]
        for change in changes:
            wanted = [each.text for each in mine[change.other_start : change.other_end]]
            touches = change.start < put.end and put.start < change.end
            is_within = change.start < put.start < change.end
            # Text added next to the change may be lost as well.
            meets = change.start <= put.end and put.start <= change.end
            is_beside = meets and not contains(left, new)
            if (touches or is_within or is_beside) and wanted != new:
                first, last = theirs[put.other_start], theirs[put.other_end - 1]
                lost.append(standing[first.start : last.end])
                break
    return shortened(" … ".join(" ".join(each.split()) for each in lost), _SHOWN)


def adds_what_has_moved(instruction: Instruction, standing: str, old: str, view: str) -> bool:
    """Whether the text that ``instruction`` adds is at its place because it was moved there.

    The target was in ``old``, which had the added text elsewhere; ``standing`` is what the target
    became in ``view``. The agent knew that text, and may want it a second time.
    """
    if instruction.operation is not Operation.REPLACE:
        return False
    base = [each.text for each in tokens_of(instruction.anchor.target or "")[:-1]]
    mine = [each.text for each in tokens_of(instruction.new_text)[:-1]]
    theirs = tokens_of(standing)[:-1]
    added = [each for each in hunks(base, mine) if each.start == each.end]
    for put in hunks(base, [each.text for each in theirs]):
        tokens = theirs[put.other_start : put.other_end]
        if put.start < put.end or not any(map(is_name, (each.text for each in tokens))):
            continue
        text = standing[tokens[0].start : tokens[-1].end]
        if view.count(text) <= old.count(text) and any(
            each.low <= put.high
            and put.low <= each.high
            and contains(mine[each.other_start : each.other_end], [each.text for each in tokens])
            for each in added
        ):
            return True
    return False
