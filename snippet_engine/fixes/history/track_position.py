"""Follow a text of an earlier version through later edits to its present place.

Part of docs/design/engine.md §8. Agents send text that they read before their own last edit. If the
text had one place in an earlier version, the difference between the two versions shows where the
place is now, and its present wording.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice

from snippet_engine.anchors.resolver import place_in, scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.fixes.search.edge_whitespace import with_blanks
from snippet_engine.fixes.search.tokens import common_ends, hunks, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange, starts_of

Earlier = Callable[[], Iterable[SourceText]]
"""Returns the file's earlier versions, newest first. Called only if they can help."""

MAX_VERSIONS = 8
"""Most earlier versions that are read, newest first."""
_MAX_CHANGED_LINES = 3_000
"""Most lines that are compared, from the first changed line to the last."""
_AS_LIKE = 1.5
"""How much farther an earlier place may be from the anchor and still rival the present place."""
_MOST_LIKEST = 3
"""Most places of one version that are examined."""
_MAX_HUNK = 20_000
"""Longest changed text that is compared by its tokens, in code points."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The one place that an anchor had in an earlier version."""

    place: TextRange | None
    """Where the place is now; ``None`` if it is gone or unclear."""
    has_context: bool
    """Whether the context around the place was exactly as sent."""


def versions(document: Document, earlier: Earlier) -> Iterator[Document]:
    """Yield the earlier versions that differ from the present one, newest first."""
    for old in islice(earlier(), MAX_VERSIONS):
        if old.view != document.source.view:
            yield document.alike(old)


def followed_as_sent(document: Document, anchor: Anchor, earlier: Earlier) -> Followed | None:
    """Follow the place in the newest version that has the target exactly as sent."""
    view = document.source.view
    for then in versions(document, earlier):
        place = place_in(then, anchor)
        if place is not None:
            old, before = then.source.view, anchor.before
            has_context = old[: place.start].endswith(before) and old.startswith(
                anchor.after, place.end
            )
            return Followed(Passage(old, view).now_at(place), has_context)
    return None


def was_elsewhere(document: Document, anchor: Anchor, earlier: Earlier, now: Candidate) -> bool:
    """Whether an earlier version had a place that the agent may have meant instead of ``now``.

    ``now`` is the nearest place in the present text. The other place was nearer, or about as near
    and deleted or changed since.
    """
    view = document.source.view
    most = now.distance + _AS_LIKE * (now.distance > 0)
    for then in versions(document, earlier):
        old = then.source
        for each in find_candidates(old, anchor, scopes_of(then, anchor))[:_MOST_LIKEST]:
            place = (
                Passage(old.view, view).now_at(each.place) if each.distance <= most else now.place
            )
            if place is None:
                return True
            is_apart = place.end <= now.place.start or now.place.end <= place.start
            is_nearer = each.distance < now.distance
            if is_apart and (is_nearer or view[slice(*place)] != old.view[slice(*each.place)]):
                return True
    return False


class Passage:
    """Maps positions in an old text to a new one: by lines, and by tokens in changed lines."""

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
        """Return where ``place`` of the old text is now; ``None`` if one of its ends is unknown."""
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
    # By default, the matcher ignores very frequent lines, such as braces.
    matcher = SequenceMatcher(None, inner, other)
    return [
        (top + first, top + last, top + start, top + end)
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]
