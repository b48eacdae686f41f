"""An edit of a text that was remembered wrongly, carried over to the text that stands there.

Part of docs/design/engine.md §8. The agent sent what it believes to stand there, and what should.
Sending its new text as it is would write its other mistakes into the file; what it wants is the
change between its two texts, made to the text of the file. Where change and mistake touch, nobody
can tell what it wants, and there is no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.offers.carrying.gaps import UnclearError
from snippet_engine.offers.carrying.literals import literals_in
from snippet_engine.offers.carrying.merge import Merge
from snippet_engine.offers.carrying.together import Together, not_known, together
from snippet_engine.offers.carrying.trailing import (
    has_more_trailing_blanks,
    without_trailing_blanks,
)
from snippet_engine.offers.places.tokens import hunks, tokens_of

_LEAST_KNOWN = 4
"""Of so many tokens that are replaced together, one may have been remembered wrongly."""
_LEAST_KNOWN_GONE = 8
"""The same of those that only go."""


def carried(
    sent: str,
    wanted: str,
    standing: str,
    around: Sequence[tuple[str, str]] = (),
) -> str | None:
    """``standing`` with the change that makes ``wanted`` of ``sent``; ``None``: can't be told.

    ``around`` is white space beside the target that stands for one another: as sent, in the file.
    """
    if sent == standing and all(one == other for one, other in around):
        return wanted
    base, mine, theirs = tokens_of(sent), tokens_of(wanted), tokens_of(standing)
    changes = hunks([each.text for each in base], [each.text for each in mine])
    mistakes = hunks([each.key for each in base], [each.key for each in theirs])
    for change in changes:
        is_deletion = change.other_start == change.other_end
        unknown = least = 0
        for mistake in mistakes:
            how = together(base, mine, theirs, mistake, change)
            if how is Together.UNCLEAR:
                return None
            if how is Together.REPLACED:
                count = not_known(base, theirs, mistake)
                goes = is_deletion and mistake.other_start < mistake.other_end
                unknown += count
                least += count * (_LEAST_KNOWN_GONE if goes else _LEAST_KNOWN)
        if least > change.end - change.start and unknown > (0 if is_deletion else 1):
            return None
    try:
        literals = literals_in(wanted)
        merged = Merge(base, mine, theirs, changes, mistakes, around, literals).text()
    except UnclearError:
        return None
    if has_more_trailing_blanks(sent, wanted, standing):
        return None
    found = without_trailing_blanks(merged, sent, wanted, standing)
    # Where the change comes to nothing, it is done, or it isn't the change that was meant.
    return None if found == standing and wanted != sent else found
