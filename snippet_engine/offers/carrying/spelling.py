"""Which characters of the sender's stand for which of the file's.

Part of docs/design/engine.md §8. Who was shown curly quotes sends them in the new text as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.offers.places.tokens import Hunk, Token, hunks, tokens_of

_PARTNERS = str.maketrans("“”‘’«»‹›", "”“’‘»«›‹")


def spelled(sent: str, standing: str, text: str) -> str:
    """``text`` with the file's characters for those that ``sent`` has in their stead."""
    base, theirs = tokens_of(sent), tokens_of(standing)
    mistakes = hunks([each.key for each in base], [each.key for each in theirs])
    known = spelling_of(base, theirs, matched(len(base), mistakes))
    if "\u00a0" in sent and "\u00a0" not in standing:
        known[0xA0] = " "
    return text.translate(known)


def matched(count: int, found: Sequence[Hunk]) -> list[int | None]:
    """For each of ``count`` tokens its counterpart's index, ``None`` for those in a hunk."""
    counterparts: list[int | None] = []
    other = 0
    for hunk in found:
        counterparts += range(other, other + hunk.start - len(counterparts))
        counterparts += [None] * (hunk.end - hunk.start)
        other = hunk.other_end
    counterparts += range(other, other + count - len(counterparts))
    return counterparts


def spelling_of(
    base: Sequence[Token], theirs: Sequence[Token], counterparts: Sequence[int | None]
) -> dict[int, str]:
    """Which characters of the sender's stand for which of the file's, as far as that is seen."""
    known: dict[int, str] = {}
    for token, at in zip(base, counterparts, strict=True):
        if at is not None and len(token.text) == len(theirs[at].text):
            for sent, standing in zip(token.text, theirs[at].text, strict=True):
                if sent != standing:
                    known[ord(sent)] = standing
                    known.setdefault(ord(sent.translate(_PARTNERS)), standing)
    return known
