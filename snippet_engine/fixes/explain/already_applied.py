"""Whether a replacement whose target is missing was made already.

Part of ``anchor_not_found`` in docs/design/engine.md §8. The new text somewhere in the file proves
nothing: the same line may stand in another method, while the right one is still to be changed. So
an edit counts as applied only where the target's surroundings fit no other place: the anchor's
context by itself, and together with the text that target and new text share at their ends. Without
context, only history can prove it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.candidate_search import candidate_places
from snippet_engine.anchors.context import Context, blanks_after, blanks_before, occurrences
from snippet_engine.anchors.unique_context import starts_beside
from snippet_engine.edits import TextEdit
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import TextRange

_LEAST_NEW_TEXT = 3
"""Shortest new text that proves anything, in code points without white space at its ends."""
_LEAST_CONTEXT = 3
"""Tokens of context on each side that identify the place of a shorter text, or of a deleted one."""
_MAX_PLACES = 1000
"""How many places of the surroundings are looked at; beyond them, nothing is reported."""
_PER_PLACE = 5
"""Steps that it takes to look at one of them."""
_REACH = 100
"""How much longer than target and new text together what stands in their place may be."""

_ALIKE = 0.75
"""From which ratio on, of ``difflib``, a text may be another one, remembered wrongly."""
_HALF = 0.5
"""From which part of its words on, a line may be another one, remembered wrongly."""
_PER_SEARCH = 4
"""How much longer it takes to search for a pattern than for a text."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_ENDINGS = " \t\r\n;,{}"
"""Characters at the end of a target that senders add or leave out."""
_OPERATOR = re.compile(r"[-+*/%&|^!~=<>?:.]+")


def places_of_new_text(
    view: str, instruction: Instruction, scopes: Sequence[TextRange]
) -> list[TextRange]:
    """Where a replacement's new text stands in ``scopes`` with the anchor's context around it.

    At most :data:`_MAX_PLACES` of these places.
    """
    new_text, anchor = instruction.new_text, instruction.anchor
    least = _LEAST_NEW_TEXT
    if has_context_on_both_sides(anchor):
        least = 1  # It is the context that tells.
    if instruction.operation is not Operation.REPLACE or len(new_text.strip()) < least:
        return []
    context = Context(anchor.before, anchor.after)
    places = candidate_places(view, new_text, context, scopes)
    return sorted(islice((each for each in places if context.fits(view, each)), _MAX_PLACES))


def is_unique_place(
    view: str, instruction: Instruction, place: TextRange, scopes: Sequence[TextRange]
) -> bool:
    """Whether the target, had it not been replaced, would have to stand at ``place``.

    ``place`` has the new text, and the anchor's context around it.
    """
    around = _Surroundings.of(instruction)
    return around is not None and not around.fit_elsewhere(view, place, scopes)


def has_context_on_both_sides(anchor: Anchor) -> bool:
    """Whether the context on each side of the target is long enough to identify its place."""
    return all(
        len(_TOKEN.findall(each)) >= _LEAST_CONTEXT for each in (anchor.before, anchor.after)
    )


def is_unique_by_context(
    view: str, instruction: Instruction, place: TextRange, scopes: Sequence[TextRange]
) -> bool:
    """Whether the anchor's context alone, whatever the target, has its place at ``place`` only.

    What target and new text share proves nothing by itself: it may stand where it was never edited.
    """
    around = _Surroundings.of_context(instruction)
    return around is not None and not around.fit_elsewhere(view, place, scopes)


def may_be_unreplaced(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the end that a shortened target loses may stand next to the new text, misremembered.

    Then the new text at ``place`` is a part of the target, and the edit was not made.
    """
    above_it, below_it = _lost_ends(instruction.anchor.target or "", instruction.new_text)
    lost = above_it or below_it
    if not lost:
        return is_rest_of_target(view, instruction, place)
    anchor = instruction.anchor
    if _says_enough(anchor.after if below_it else anchor.before[::-1]):
        return False  # What stands there is what was sent beside the target.
    count = lost.count("\n") + 1
    if below_it:
        behind = view[place.end : place.end + _REACH + 2 * len(lost)].lstrip()
        beside, lines = behind[: len(lost)], behind.split("\n")[:count]
    else:
        above = view[max(0, place.start - _REACH - 2 * len(lost)) : place.start].rstrip()
        beside, lines = above[-len(lost) :], above.split("\n")[-count:]
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for errors

    if SequenceMatcher(None, lost, beside, autojunk=False).ratio() >= _ALIKE:
        return True
    return _is_much_of(lost, "\n".join(lines))


def _says_enough(context: str) -> bool:
    """Whether the line nearest to the target is too long to be a part of it."""
    nearest = context.lstrip().partition("\n")[0]
    return len(_TOKEN.findall(nearest)) >= _LEAST_CONTEXT and bool(_WORD.search(nearest))


def is_rest_of_target(view: str, instruction: Instruction, place: TextRange) -> bool:
    """Whether the rest of the new text's line is the target's start or end, and not the new text's.

    Then that line is still to be replaced.
    """
    target, new_text = instruction.anchor.target or "", instruction.new_text
    end = view.find("\n", place.end)
    behind = _TOKEN.findall(view[place.end : end if end >= 0 else None].rstrip(_ENDINGS))
    if any(map(_WORD.match, behind)):
        told, kept = (
            _TOKEN.findall(each)[-len(behind) :] for each in (target.rstrip(_ENDINGS), new_text)
        )
        if told == behind != kept:
            return True
    before = _TOKEN.findall(view[view.rfind("\n", 0, place.start) + 1 : place.start])
    if not any(map(_WORD.match, before)):
        return False
    told, kept = (_TOKEN.findall(each)[: len(before)] for each in (target, new_text))
    return told == before != kept


def _lost_ends(target: str, new_text: str) -> tuple[str, str]:
    """Return the text before or after the new text in a target that contains it.

    White space doesn't count. At most one of them has text; both are empty where the new text is no
    start or end of the target.
    """
    kept = "".join(new_text.split())
    at = [offset for offset, letter in enumerate(target) if not letter.isspace()]
    letters = "".join(target.split())
    if not 0 < len(kept) < len(letters):
        return "", ""
    if letters.startswith(kept):
        return "", target[at[len(kept)] :].rstrip()
    if letters.endswith(kept):
        return target[: at[-len(kept)]].strip(), ""
    return "", ""


def _is_much_of(lost: str, lines: str) -> bool:
    """Whether ``lines`` may be what was ``lost`` with something put before, or with other names."""
    for pattern, least in ((_WORD, _HALF), (_TOKEN, _ALIKE)):
        gone, standing = Counter(pattern.findall(lost)), Counter(pattern.findall(lines))
        shared = gone & standing
        has_word = any(map(_WORD.match, shared))
        if has_word and shared.total() >= least * gone.total():
            return True
    return False


def _longest(target: str, new_text: str) -> tuple[int, int]:
    """The code points and line breaks of the longest text that may stand in their place."""
    breaks = max(target.count("\n"), new_text.count("\n"))
    return len(target) + len(new_text) + _REACH, breaks


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The text before and after the part of a target that its new text changes."""

    before: str
    prefix: str
    suffix: str
    after: str
    reach: int
    """Longest text between prefix and suffix that may be a target's, in code points."""
    breaks: int
    """Most line breaks that it may have."""

    @classmethod
    def of(cls, instruction: Instruction) -> _Surroundings | None:
        """``None`` if there are none."""
        anchor, new_text = instruction.anchor, instruction.new_text
        target = anchor.target or ""
        changed = TextEdit(0, len(target), new_text).trimmed(target)
        old, new = target[changed.start : changed.end], changed.new_text
        prefix = _without_cut_word(target[: changed.start], old, new)
        suffix = _without_cut_word(target[changed.end :][::-1], old[::-1], new[::-1])[::-1]
        texts = (anchor.before, prefix, suffix, anchor.after)
        if not any(text.strip() for text in texts):
            return None
        reach, breaks = _longest(target, new_text)
        return cls(*texts, reach, breaks)

    @classmethod
    def of_context(cls, instruction: Instruction) -> _Surroundings | None:
        """Those of the whole target; ``None`` if there are none."""
        anchor = instruction.anchor
        if not (anchor.before.strip() or anchor.after.strip()):
            return None
        reach, breaks = _longest(anchor.target or "", instruction.new_text)
        return cls(anchor.before, "", "", anchor.after, reach, breaks)

    def fit_elsewhere(self, view: str, place: TextRange, scopes: Sequence[TextRange]) -> bool:
        """Whether they fit another place than ``place``, or too many places to check."""
        at_start = bool(self.prefix.strip() or self.before.strip())
        known = blanks_after(view, place.start) if at_start else blanks_before(view, place.end)
        for count, (edge, inner) in enumerate(
            self._beginnings(view, scopes) if at_start else self._endings(view, scopes)
        ):
            budget.spend(_PER_PLACE)
            if count == _MAX_PLACES:
                return True
            if edge != known and (not at_start or self._end_soon(view, inner)):
                return True
        return False

    def _beginnings(self, view: str, scopes: Iterable[TextRange]) -> Iterator[tuple[int, int]]:
        """Where a target may begin, and where the part that changes does."""
        context = Context(self.before, "")
        if self.prefix.strip():
            for found in _alike(view, self.prefix, scopes):
                if context.fits_before(view, found.start):
                    yield blanks_after(view, found.start), found.end
            return
        scopes = tuple(scopes)
        for start in starts_beside(view, self.before.rstrip(), "", 0):
            # Of the blanks that a target may begin at, the end: there may be a million of them.
            at_text = not view[start : start + 1].isspace()
            if at_text and _is_in(start, scopes) and context.fits_before(view, start):
                yield start, start

    def _endings(self, view: str, scopes: Iterable[TextRange]) -> Iterator[tuple[int, int]]:
        """Where a target may end, twice."""
        context = Context("", self.after)
        if self.suffix.strip():
            for found in _alike(view, self.suffix, scopes):
                if context.fits_after(view, found.end):
                    end = blanks_before(view, found.end)
                    yield end, end
            return
        scopes = tuple(scopes)
        for end in starts_beside(view, "", self.after.lstrip(), 0):
            at_text = end > 0 and not view[end - 1].isspace()
            if at_text and _is_in(end, scopes) and context.fits_after(view, end):
                yield end, end

    def _end_soon(self, view: str, inner: int) -> bool:
        """Whether the text at ``inner`` ends as a target would."""
        context = Context("", self.after)
        limit = inner + self.reach
        if self.suffix.strip():
            window = [TextRange(inner, min(limit + len(self.suffix), len(view)))]
            return any(
                context.fits_after(view, found.end) and self._is_short(view[inner : found.start])
                for found in _alike(view, self.suffix, window)
            )
        first_line = self.after.lstrip().partition("\n")[0].rstrip()
        if not first_line:
            return True
        window = [TextRange(inner, min(limit + len(first_line), len(view)))]
        return any(
            context.fits_after(view, found.start) and self._is_short(view[inner : found.start])
            for found in occurrences(view, first_line, window)
        )

    def _is_short(self, text: str) -> bool:
        return text.strip().count("\n") <= self.breaks


def _alike(view: str, text: str, scopes: Iterable[TextRange]) -> Iterator[TextRange]:
    """Where ``text`` stands, white space between its words and signs not counted."""
    pattern = re.compile(r"\s*+".join(map(re.escape, _TOKEN.findall(text))))
    for scope in scopes:
        budget.spend_reading(scope.end - scope.start, _PER_SEARCH)
        for match in pattern.finditer(view, scope.start, scope.end):
            budget.spend()
            yield TextRange(*match.span())


def _without_cut_word(shared: str, *rests: str) -> str:
    """``shared`` without the part of a word or an operator that goes on in one of ``rests``."""
    for characters in (_WORD, _OPERATOR):
        if shared and characters.match(shared[-1]) and any(map(characters.match, rests)):
            return characters.sub("", shared[::-1], count=1)[::-1]
    return shared


def _is_in(offset: int, scopes: Iterable[TextRange]) -> bool:
    return any(scope.start <= offset <= scope.end for scope in scopes)
