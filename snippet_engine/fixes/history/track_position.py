"""Follow a text of an earlier version through later edits to its present place.

Part of docs/design/engine.md §8. Agents send what they read before their own last edit. If the text
had one place in an earlier version, the difference to the present text shows where that place is
now, and what is there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice, pairwise

from snippet_engine import budget
from snippet_engine.anchors.resolver import place_in, scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.merge.indentation import of_context
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.fixes.search.edge_whitespace import with_blanks
from snippet_engine.fixes.search.token_cost import is_identifier
from snippet_engine.fixes.search.tokens import common_ends, hunks, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange, starts_of

_WORD = re.compile(r"\w+")
_WORDED = re.compile(r"\n(?=[^\n\w]*\w)")
"""The line breaks before lines with a word; a line without one, such as a brace, joins the one
above."""

Earlier = Callable[[], Iterable[SourceText]]
"""Returns the file's earlier versions, newest first; called only where they can help."""

MAX_VERSIONS = 8
"""Most earlier versions that are read, newest first."""
_MAX_CHANGED_LINES = 3_000
"""Most lines between the first and the last change that are compared."""
_AS_LIKE = 1.5
"""How much more an earlier place may differ from the anchor, and still rival a present one."""
_MOST_LIKEST = 3
"""Most places of one version that are kept."""
_MAX_HUNK = 20_000
"""Longest changed text that is compared by its tokens, in code points."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The one place that an anchor had in an earlier version."""

    as_sent: bool
    """Whether the target was there exactly as sent."""
    place: TextRange | None
    """Where it is now; ``None`` if it is gone or unclear."""
    changed: bool
    """Whether another text is there now."""
    gaps: tuple[tuple[str, str], ...]
    """Pairs of white space: as sent, in the file."""


@dataclass(frozen=True, slots=True)
class Before:
    """What earlier versions show about an anchor."""

    followed: Followed | None
    """Its one place, followed to now; ``None`` if no version had one."""
    likest: tuple[tuple[SourceText, Candidate], ...] = ()
    """If no version had it as sent, the most similar places of each version, newest first."""

    def was_liker(self, view: str, now: Candidate) -> bool:
        """Whether a place other than ``now`` was more like the anchor before a later edit.

        If so, the anchor was sent for that place, with mistakes.
        """
        known = self.followed
        if known is not None and not known.as_sent and known.place is not None:
            return now.distance > 0 and not _overlap(known.place, now.place)
        return any(
            then.distance <= now.distance + _AS_LIKE * (now.distance > 0)
            and _has_changed(old.view, view, then.place, now.place)
            for old, then in self.likest
        )


def _has_changed(old: str, view: str, then: TextRange, now: TextRange) -> bool:
    """Whether the place ``then`` of ``old`` has other text now, unless it overlaps ``now``."""
    place = now_at(old, view, then)
    if place is None:
        return True
    return not _overlap(place, now) and view[slice(*place)] != old[slice(*then)]


def _overlap(one: TextRange | None, other: TextRange) -> bool:
    return one is not None and one.start < other.end and other.start < one.end


def versions(document: Document, earlier: Earlier) -> Iterator[Document]:
    """Yield the earlier versions that differ from the present one, newest first."""
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view != document.source.view:
            yield document.alike(old)


def known_before(document: Document, anchor: Anchor, earlier: Earlier) -> Before:
    """Return what the ``earlier`` versions show about ``anchor``."""
    view = document.source.view
    exactly = followed_as_sent(document, anchor, earlier)
    if exactly is not None:
        return Before(exactly)
    likest: list[tuple[SourceText, Candidate]] = []
    named = {
        each
        for text in (anchor.before, anchor.target or "", anchor.after)
        for each in _WORD.findall(text)
        if is_identifier(each)
    }
    touched = TouchedWords(view)
    for then in versions(document, earlier):
        old = then.source
        # A place that no later edit has touched is no less like the anchor now.
        if named and named.isdisjoint(touched.since(old.view)):
            continue
        found = find_candidates(old, anchor, scopes_of(then, anchor))
        if _is_nearly(found):
            place, gaps = found[0].place, found[0].gaps
            return Before(_now(old.view, view, place, as_sent=False, gaps=gaps))
        likest += [(old, each) for each in found[:_MOST_LIKEST]]
    return Before(None, tuple(likest))


def followed_as_sent(document: Document, anchor: Anchor, earlier: Earlier) -> Followed | None:
    """Follow the place of a version that had the target exactly as sent."""
    view = document.source.view
    for then in versions(document, earlier):
        place, old = place_in(then, anchor), then.source
        if place is not None:
            return _now(old.view, view, place, as_sent=True, gaps=_gaps_around(old, anchor, place))
    return None


def _gaps_around(old: SourceText, anchor: Anchor, place: TextRange) -> tuple[tuple[str, str], ...]:
    """Pair the indentation of the context's lines: as sent, in the earlier version."""
    if "\n" not in anchor.before + anchor.after:
        return ()
    lines = old.view.split("\n")
    first, last = map(old.line_number, place)
    above, below = anchor.before.count("\n") + 1, anchor.after.count("\n") + 1
    near = lines[max(0, first - above) : first], lines[last + 1 : last + 1 + below]
    return tuple(of_context(anchor.before, anchor.after, *near))


def _now(
    old: str, view: str, place: TextRange, *, as_sent: bool, gaps: tuple[tuple[str, str], ...]
) -> Followed:
    now = now_at(old, view, place)
    changed = now is None or view[slice(*now)] != old[slice(*place)]
    return Followed(as_sent, now, changed, gaps)


class TouchedWords:
    """The words that the edits since an earlier version have touched."""

    def __init__(self, view: str) -> None:
        self._view = view
        self._standing: Counter[tuple[str, str]] | None = None

    def since(self, old: str) -> Set[str]:
        """Return the words of ``old``'s lines that are gone, or have another neighbouring line.

        A line that was there twice counts if it is there once now.
        """
        budget.spend_reading(len(old) + len(self._view))
        if self._standing is None:
            self._standing = Counter(pairwise(_WORDED.split(self._view)))
        pairs = Counter(pairwise(_WORDED.split(old))) - self._standing
        lines = {line for pair in pairs for line in pair}
        return {word for line in lines for word in _WORD.findall(line)}


def _is_nearly(found: Sequence[Candidate]) -> bool:
    """Whether the first place alone matches the anchor apart from white space, case and the
    like.
    """
    if not found or not found[0].has_edges or found[0].distance >= 1:
        return False
    return len(found) == 1 or found[1].distance >= 1


def now_at(old: str, new: str, place: TextRange) -> TextRange | None:
    """Return where ``place`` of ``old`` is in ``new``; its first and last word must be known."""
    return Passage(old, new).now_at(place)


class Passage:
    """Maps positions in one text to another: by lines, and by tokens in changed lines."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    @cached_property
    def _old_lines(self) -> list[str]:
        return self._old.split("\n")

    @cached_property
    def _new_lines(self) -> list[str]:
        return self._new.split("\n")

    @cached_property
    def _old_starts(self) -> list[int]:
        return [*starts_of(self._old_lines), len(self._old) + 1]

    @cached_property
    def _new_starts(self) -> list[int]:
        return [*starts_of(self._new_lines), len(self._new) + 1]

    @cached_property
    def _blocks(self) -> list[tuple[int, int, int, int]]:
        return _changed(self._old_lines, self._new_lines)

    def now_at(self, place: TextRange) -> TextRange | None:
        """Return where ``place`` of the old text is now; its first and last word must be known."""
        target = self._old[place.start : place.end]
        core = target.strip()
        if not core:
            return None
        begin = place.start + len(target) - len(target.lstrip())
        start = self.start_of(begin)
        end = self.end_of(begin + len(core))
        if start is None or end is None or start >= end:
            return None
        return with_blanks(self._new, TextRange(start, end), target)

    def start_of(self, offset: int) -> int | None:
        """Return where the text that begins at ``offset`` begins now."""
        return self._at(offset, offset, is_end=False)

    def end_of(self, offset: int) -> int | None:
        """Return where the text that ends at ``offset`` ends now."""
        return self._at(offset, offset - 1, is_end=True)

    def _at(self, offset: int, within: int, *, is_end: bool) -> int | None:
        line = bisect_right(self._old_starts, within) - 1
        shift = 0
        for first, last, other, other_last in self._blocks:
            if line < first:
                break
            if line < last:
                return self._in_hunk(offset, (first, last, other, other_last), is_end=is_end)
            shift = self._new_starts[other_last] - self._old_starts[last]
        return offset + shift

    def _in_hunk(
        self, offset: int, block: tuple[int, int, int, int], *, is_end: bool
    ) -> int | None:
        first, last, other, other_last = block
        begin, end = self._old_starts[first], self._old_starts[last] - 1
        new_begin, new_end = self._new_starts[other], self._new_starts[other_last] - 1
        if max(end - begin, new_end - new_begin) > _MAX_HUNK:
            return None
        old, new = tokens_of(self._old[begin:end]), tokens_of(self._new[new_begin:new_end])
        wanted = offset - begin
        index = next(
            (at for at, each in enumerate(old) if (each.end if is_end else each.start) == wanted),
            None,
        )
        if index is None:
            return None  # In the middle of a word.
        shift = 0
        for hunk in hunks([each.text for each in old], [each.text for each in new]):
            if index < hunk.start:
                break
            if index < hunk.end:
                same_length = hunk.end - hunk.start == hunk.other_end - hunk.other_start
                if hunk.other_start == hunk.other_end:
                    return None
                if same_length:
                    counterpart = hunk.other_start + index - hunk.start
                elif index == (hunk.end - 1 if is_end else hunk.start):
                    counterpart = hunk.other_end - 1 if is_end else hunk.other_start
                else:
                    return None
                return new_begin + (new[counterpart].end if is_end else new[counterpart].start)
            shift = hunk.other_end - hunk.end
        token = new[index + shift]
        return new_begin + (token.end if is_end else token.start)


def _changed(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    top, bottom = common_ends(old, new)
    inner, other = old[top : len(old) - bottom], new[top : len(new) - bottom]
    if max(len(inner), len(other)) > _MAX_CHANGED_LINES:
        return [(top, top + len(inner), top, top + len(other))]
    # The matcher ignores very frequent lines, such as braces, at first.
    matcher = SequenceMatcher(None, inner, other)
    return [
        (top + first, top + last, top + start, top + end)
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]
