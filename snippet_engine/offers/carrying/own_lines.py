"""Lines of a new text that say what they say: no name in them is swapped for another.

Part of docs/design/engine.md §8. A target's name that the file hasn't at that place, but elsewhere,
was remembered wrongly, has been changed since, or is meant. In a line that the new text carries
over as it is, the file's stays; a line that it has otherwise is the agent's own where it has both
names, or where nothing beside the one is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from snippet_engine.offers.places.slips import is_identifier, is_name
from snippet_engine.offers.places.tokens import Hunk, Token


def with_own_lines(
    texts: tuple[Sequence[Token], Sequence[Token]],
    theirs: Sequence[Token],
    changes: Sequence[Hunk],
    mistakes: Sequence[Hunk],
    stands: Callable[[str], bool],
) -> list[Hunk] | None:
    """``changes`` with those of lines in which a mistake would be put right that may be none, as
    changes of the whole lines. ``None`` where the file has more in such a line than was sent, or
    where such a name is another one by the case of its letters alone.

    ``texts`` are target and new text, with their ends; ``changes`` make one of the other, and
    ``mistakes`` the file's text, ``theirs``. ``stands`` tells whether a word is one of the file's.
    """
    lines = _Lines(*texts, changes)
    for mistake in mistakes:
        if not lines.keeps(_names_in(texts[0], mistake, stands)):
            continue
        first, last = lines.around(mistake.start, mistake.end)
        touching = lines.touching(first, last)
        if touching and _is_doubted(texts[1], theirs, mistake, touching):
            if _is_case_alone(texts[0], theirs, mistake):
                return None  # A slip of the pen, or another name? Both are in the new text.
            is_gone = mistake.other_start == mistake.other_end
            if is_gone and not any(_replaces(each) for each in touching):
                return None  # Made up, or gone since? What is put in beside it goes on from it.
            lines = lines.rewritten(first, last)
    for change in lines.changes:
        if change in changes:
            continue
        for each in mistakes:
            if each.end <= change.start and each.start < change.start:
                continue
            if each.start >= change.end and each.end > change.end:
                continue
            is_more = each.other_end - each.other_start > each.end - each.start
            if is_more or each.start < change.start or change.end < each.end:
                return None
    return list(lines.changes)


def _names_in(base: Sequence[Token], mistake: Hunk, stands: Callable[[str], bool]) -> list[int]:
    """The target's tokens in ``mistake`` that may be none: names of the file, and whatever the
    file has nothing for."""
    return [
        at
        for at in range(mistake.start, mistake.end)
        if (_is_dropped(mistake) and is_name(base[at].text) and base[at].text != "this")
        or (is_identifier(base[at].text) and stands(base[at].text))
    ]


def _replaces(change: Hunk) -> bool:
    """Whether something goes and something else comes."""
    return change.start < change.end and change.other_start < change.other_end


def _is_dropped(mistake: Hunk) -> bool:
    """Whether the file has fewer tokens there than were sent."""
    return mistake.other_end - mistake.other_start < mistake.end - mistake.start


def _is_doubted(
    mine: Sequence[Token], theirs: Sequence[Token], mistake: Hunk, touching: Sequence[Hunk]
) -> bool:
    """Whether a name in ``mistake`` is meant in a line that the changes ``touching`` it rewrite.

    It is where the new tokens name what stands in its stead, so that both are known, where all
    beside it is new, and where the file has nothing for it and something beside it is new. Else it
    was made up, or somebody has changed it since.
    """
    ends = {each.end for each in touching}
    starts = {each.start for each in touching}
    beside = (mistake.start in ends, mistake.end in starts)
    if _is_dropped(mistake):
        return any(beside)
    new = {token.text for each in touching for token in mine[each.other_start : each.other_end]}
    standing = {token.text for token in theirs[mistake.other_start : mistake.other_end]}
    if any(is_name(text) for text in standing & new):
        return True
    return all(beside)


def _is_case_alone(base: Sequence[Token], theirs: Sequence[Token], mistake: Hunk) -> bool:
    """Whether what differs are letters' cases."""
    sent = [each.text.casefold() for each in base[mistake.start : mistake.end]]
    standing = [each.text.casefold() for each in theirs[mistake.other_start : mistake.other_end]]
    return sent == standing


@dataclass(frozen=True, slots=True)
class _Lines:
    """A target and its new text, line by line."""

    base: Sequence[Token]
    mine: Sequence[Token]
    changes: Sequence[Hunk]

    def keeps(self, tokens: Sequence[int]) -> bool:
        """Whether the new text has one of the target's ``tokens``."""
        return any(not any(each.start <= at < each.end for each in self.changes) for at in tokens)

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The whole lines of the target that its tokens ``[start, end)`` stand on."""
        while start and "\n" not in self.base[start].gap:
            start -= 1
        while end < len(self.base) - 1 and "\n" not in self.base[end].gap:
            end += 1
        return start, end

    def touching(self, first: int, last: int) -> list[Hunk]:
        """The changes after which the lines ``[first, last)`` aren't what they were."""
        return [
            each
            for each in self.changes
            if (each.start < last and first < each.end)
            or first < each.start == each.end < last
            or (each.end == first and not self._begins_line(each.other_end))
            or (each.start == last and not self._begins_line(each.other_start))
        ]

    def _begins_line(self, at: int) -> bool:
        """Whether a token of the new text begins a line, or is its end."""
        return at in (0, len(self.mine) - 1) or "\n" in self.mine[at].gap

    def rewritten(self, first: int, last: int) -> _Lines:
        """With the lines ``[first, last)``, and all that is changed with them, as one change."""
        while True:
            touching = self.touching(first, last)
            start = min(first, *(each.start for each in touching))
            end = max(last, *(each.end for each in touching))
            start, end = self.around(start, end)
            if (start, end) == (first, last):
                break
            first, last = start, end
        one, *others = touching
        final = others[-1] if others else one
        other = one.other_start - (one.start - first)
        other_end = final.other_end + last - final.end
        whole = Hunk(first, last, other, other_end, first, last)
        changes = [each for each in self.changes if each not in touching]
        changes = sorted([*changes, whole], key=lambda each: (each.start, each.end))
        return _Lines(self.base, self.mine, changes)
