"""Apply the agent's change to the text of the file, not to the text that was sent.

Part of docs/design/engine.md §8. The agent sends the text that it remembers, and the text that it
wants. The difference between the two is applied to the file's text. The result is unclear if a
change touches a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.merge.conflicts import Conflict, conflict_between
from snippet_engine.fixes.merge.token_merge import Merge
from snippet_engine.fixes.merge.whitespace_merge import UnclearError, literals_in
from snippet_engine.fixes.search.token_cost import CLEARLY, is_slip
from snippet_engine.fixes.search.tokens import Hunk, Token, hunks, tokens_of

_USING = "using"
_RETYPED = 1
"""Most words of the target that may differ. Misspellings don't count."""


def has_foreign_words(sent: str, standing: str) -> bool:
    """Whether ``standing`` has more than one word that ``sent`` doesn't have.

    Misspellings don't count. In a text of several lines, one line that has only new words is
    enough. So is one new word in a ``using``, because then it is another line.
    """
    base, theirs = tokens_of(sent)[:-1], tokens_of(standing)[:-1]
    foreign: set[int] = set()
    for each in hunks([one.key for one in base], [one.key for one in theirs]):
        is_one_for_one = each.end - each.start == each.other_end - each.other_start
        for at in range(each.other_start, each.other_end):
            text = theirs[at].text
            old = base[each.start + at - each.other_start].text if is_one_for_one else ""
            if is_word(text[0]) and not (old and is_slip(old, text, CLEARLY)):
                foreign.add(at)
    if len(foreign) > _RETYPED:
        return True
    line = 0
    lines: dict[int, list[int]] = {}
    for at, token in enumerate(theirs):
        line += token.gap.count("\n")
        if is_word(token.text[0]):
            lines.setdefault(line, []).append(at)
    if len(lines) < 2:
        return False
    return any(
        foreign.issuperset(words) or (theirs[words[0]].text == _USING and foreign & {*words})
        for words in lines.values()
    )


def merged_text(
    sent: str,
    wanted: str,
    standing: str,
    around: Sequence[tuple[str, str]] = (),
    *,
    at_end: bool | None = None,
) -> str | None:
    """Return ``standing`` with the change from ``sent`` to ``wanted``; ``None`` if unclear.

    ``around`` has pairs of white space next to the target: as sent, in the file. ``at_end`` says
    where ``wanted`` adds a text to ``sent``: at its end, or at its beginning. ``None`` means
    neither.
    """
    if sent == standing and all(one == other for one, other in around):
        return wanted
    base, mine, theirs = tokens_of(sent), tokens_of(wanted), tokens_of(standing)
    changes = [
        _slid_to_lines(base, mine, change)
        for change in hunks([each.text for each in base], [each.text for each in mine])
    ]
    if at_end is not None:
        at, more = len(base) - 1 if at_end else 0, len(mine) - len(base)
        changes = [Hunk(at, at, at, at + more, at, at)]
        kept = [*mine[:at], *mine[at + more :]]
        if more < 1 or [each.text for each in kept] != [each.text for each in base]:
            return None  # The added text is joined to a word of the target.
    mistakes = hunks([each.key for each in base], [each.key for each in theirs])
    if any(
        conflict_between(base, mine, theirs, mistake, change) is Conflict.UNCLEAR
        for change in changes
        for mistake in mistakes
    ):
        return None
    try:
        literals = literals_in(wanted)
        merged = Merge(base, mine, theirs, changes, mistakes, around, literals).text()
    except UnclearError:
        return None
    # If the change has no effect, it was already applied, or the agent wants another change.
    return None if merged == standing and wanted != sent else merged


def _slid_to_lines(base: Sequence[Token], mine: Sequence[Token], change: Hunk) -> Hunk:
    """Move ``change`` so that it changes whole lines, if exactly one position does that."""
    if change.low == change.start and change.high == change.end:
        return change
    is_insertion = change.start == change.end
    found: list[Hunk] = []
    for shift in range(change.low - change.start, change.high - change.end + 1):
        start, end = change.start + shift, change.end + shift
        other, other_end = change.other_start + shift, change.other_end + shift
        first, behind = (mine[other], mine[other_end]) if is_insertion else (base[start], base[end])
        is_last = behind is (mine if is_insertion else base)[-1]
        is_first = first is (mine if is_insertion else base)[0]
        if ("\n" in first.gap or is_first) and ("\n" in behind.gap or is_last):
            found.append(Hunk(start, end, other, other_end, start, end))
    return found[0] if len(found) == 1 else change
