"""What a place has that its target hasn't: a deletion there would take along what nobody sent.

Part of docs/design/engine.md §8. A deletion has no new text that says what is to stay, so its
target has to name all that goes.
"""

from __future__ import annotations

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.offers.places.slips import is_slip
from snippet_engine.offers.places.tokens import hunks, tokens_of

_ALIKE = 0.8
"""From which ratio on, of ``difflib``, a word is a slip of the pen: no other line may go."""
_USING = "using"
_RETYPED = 1
"""Words that may be others in the target, slips of the pen not counted."""


def has_foreign_words(sent: str, standing: str) -> bool:
    """Whether ``standing`` has more than white space, signs and one word that ``sent`` has not.

    Nor may that one word be all that its line has of words, or a part of what a ``using`` names:
    then the line is another one.
    """
    base, theirs = tokens_of(sent)[:-1], tokens_of(standing)[:-1]
    foreign: set[int] = set()
    for each in hunks([one.key for one in base], [one.key for one in theirs]):
        is_one_for_one = each.end - each.start == each.other_end - each.other_start
        for at in range(each.other_start, each.other_end):
            text = theirs[at].text
            old = base[each.start + at - each.other_start].text if is_one_for_one else ""
            if is_word(text[0]) and not (old and is_slip(old, text, _ALIKE)):
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
