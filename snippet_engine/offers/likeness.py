"""The places most like an anchor whose text isn't there as it was sent.

Part of docs/design/engine.md §8. Texts are compared by their tokens, context and target together,
so that white space and line breaks don't count. Rare words say where to look: a file is never
compared as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from snippet_engine import work
from snippet_engine.offers.rivals import has_rival
from snippet_engine.offers.slips import cost_of, is_flipped, is_identifier, is_word
from snippet_engine.offers.tokens import Token, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange

_MAX_TOKENS = 800
"""Longest anchor that is looked for, in tokens."""
_MAX_WORDS = 60
_MAX_HITS = 2_000
"""Places of the anchor's words that are looked at."""
_MAX_WINDOWS = 24
"""Places that are compared by which tokens they have."""
_MAX_ALIGNED = 5
"""Places that are compared token by token."""
_MAX_TWINS = 24
"""Places with the same text as the one most like the anchor that are compared with it as well."""
_PER_SEARCH = 4
"""How much longer it takes to search for a pattern than for a text."""
_PAIRS_IN_A_STEP = 50
"""Pairs of tokens that are compared in the time of a step."""
_BLANKS = (" ", "\t")
_MARGIN = 2
"""Lines around a place that are compared with it as well."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A place, and how much of the anchor is wrong if it is the one, in tokens."""

    place: TextRange
    mistakes: float
    """In the target."""
    in_context: float
    """In the context."""
    size: int
    """Tokens of target and context together."""
    target_size: int
    """Tokens of the target."""
    is_singular: bool
    """Whether a word of the anchor stands here and nowhere else."""
    strangers: int
    """Words of the anchor that stand elsewhere in the file, and have others in their stead here.

    They may have been meant. A slip of the pen or a keyword is no stranger.
    """
    unknown: int
    """Words of the anchor that stand nowhere, and have others in their stead here."""
    gaps: tuple[tuple[str, str], ...]
    """White space that stands for one another: as sent, in the file."""
    is_told: bool = True
    """Whether it can be told what of the place stands for the target."""

    @property
    def distance(self) -> float:
        """How far the place is from the anchor: what is wrong in the target counts twice."""
        return 2 * self.mistakes + self.in_context


def likely_places(source: SourceText, anchor: Anchor, scopes: Sequence[TextRange]) -> list[Likely]:
    """The places in ``scopes`` most like ``anchor``, most like first; none overlaps another."""
    sent = _Sent.of(anchor)
    if sent is None:
        return []
    found: list[Likely] = []
    words, starts = _starts(source, sent)
    for window in _windows(source, sent, starts):
        likely = _aligned(source, sent, window, words)
        if likely is not None and _is_in(likely.place, scopes):
            found.append(likely)
    if not found:
        return []
    best = min(found, key=lambda each: (each.distance, each.place))
    twins = _twins(source, sent, best, words)
    if twins is None and not best.is_singular:
        return []
    found += [each for each in twins or () if _is_in(each.place, scopes)]
    found.sort(key=lambda each: (each.distance, each.place))
    apart: list[Likely] = []
    for each in found:
        if not any(
            each.place.start < other.place.end and other.place.start < each.place.end
            for other in apart
        ):
            apart.append(each)
    return apart


def _is_in(place: TextRange, scopes: Sequence[TextRange]) -> bool:
    return any(scope.start <= place.start and place.end <= scope.end for scope in scopes)


@dataclass(frozen=True, slots=True)
class _Sent:
    """An anchor as tokens; the target is ``[first, last)`` of them."""

    tokens: Sequence[Token]
    keys: Sequence[str]
    lines: Sequence[int]
    """On which line of the anchor each token stands."""
    first: int
    last: int
    target: str
    seams: tuple[bool, bool]
    """Whether the blanks between context and target, before and after it, were written as one."""

    @classmethod
    def of(cls, anchor: Anchor) -> _Sent | None:
        """``None`` for an anchor without a token in its target, or with too many."""
        target = anchor.target or ""
        if len(anchor.before) + len(target) + len(anchor.after) > _MAX_TOKENS * 20:
            return None
        if not target.strip():
            return None
        # Blanks between target and context don't count, but a comment begins on a line of its own.
        above = _glued(anchor.before, target)
        text = _glued(above + target, anchor.after) + anchor.after
        tokens = tokens_of(text)[:-1]
        first = sum(each.end <= len(above) for each in tokens)
        last = sum(each.start < len(above) + len(target) for each in tokens)
        if first >= last or len(tokens) > _MAX_TOKENS:
            return None
        lines = [text.count("\n", 0, each.start) for each in tokens]
        seams = (_is_one(anchor.before, target), _is_one(target, anchor.after))
        return cls(tokens, [each.key for each in tokens], lines, first, last, target, seams)

    @property
    def has_context(self) -> bool:
        """Whether anything stands beside the target."""
        return self.first > 0 or self.last < len(self.keys)

    def tells_indentation(self, at: int, end: int) -> bool:
        """Whether the white space before a token, one of those before ``end`` that are the file's,
        stands for the file's.

        Between context and target any white space will do; where there is an indentation, and all
        of it is of one of them, it is meant. The marker of a comment of which nothing else is the
        file's is another comment's.
        """
        if self.keys[at] == "/" and at + 2 >= end:
            return False
        if at in (self.first, self.last) and at:
            is_seamless = self.seams[0] if at == self.first else self.seams[1]
            indentation = self.tokens[at].gap.rpartition("\n")[2]
            return is_seamless and bool(indentation)
        return True


def _is_one(text: str, following: str) -> bool:
    """Whether no blanks of a line are divided between ``text`` and ``following``."""
    return not (text[-1:] in _BLANKS and following[:1] in _BLANKS)


def _glued(text: str, following: str) -> str:
    """``text``, with white space at its end if ``following`` is to go on behind it."""
    if not text or not following or text[-1].isspace() or following[0].isspace():
        return text
    return text + ("\n" if following.startswith(("//", "*")) else " ")


def _starts(source: SourceText, sent: _Sent) -> tuple[dict[str, int], list[int]]:
    """How often each word stands in the file, and the lines where the anchor may begin."""
    view = source.view
    at_lines: dict[str, list[int]] = defaultdict(list)
    for key, line in zip(sent.keys, sent.lines, strict=True):
        if re.match(r"\w", key):
            at_lines[key].append(line)
    chosen = sorted(at_lines, key=len, reverse=True)[:_MAX_WORDS]
    work.spend_reading(len(view), len(chosen))
    counts = {word: view.count(word) for word in chosen}
    votes: dict[int, float] = defaultdict(float)
    room = _MAX_HITS
    for word in sorted(chosen, key=lambda each: counts[each]):
        if not counts[word]:
            continue
        if counts[word] > room:
            break
        room -= counts[word]
        starts = {
            bisect_right(source.line_starts, at) - 1 - line
            for at in _standing(view, word)
            for line in set(at_lines[word][:8])
        }
        for start in starts:
            votes[start] += 1 / counts[word]
    return counts, sorted(votes, key=lambda line: (-votes[line], line))


def _standing(view: str, word: str) -> Iterator[int]:
    """Where ``word`` stands in ``view``, not as a part of another one."""
    work.spend_reading(len(view))
    at = view.find(word)
    while at >= 0:
        work.spend()
        end = at + len(word)
        if not (at and is_word(view[at - 1])) and not (end < len(view) and is_word(view[end])):
            yield at
        at = view.find(word, end)


def _windows(
    source: SourceText, sent: _Sent, starts: Sequence[int]
) -> list[tuple[int, list[Token]]]:
    """The windows that have most of the anchor's tokens: where each starts, and its tokens."""
    height = sent.lines[-1] + 1
    taken: list[int] = []
    found: list[tuple[int, int, list[Token]]] = []
    wanted = Counter(sent.keys)
    for start in starts:
        if any(abs(start - other) <= _MARGIN // 2 for other in taken):
            continue
        taken.append(start)
        window = _window(source, start, height)
        if window is None:
            continue
        begin, tokens = window
        common = sum((wanted & Counter(each.key for each in tokens)).values())
        found.append((common, begin, tokens))
        if len(taken) == _MAX_WINDOWS:
            break
    found.sort(key=lambda each: (-each[0], each[1]))
    return [(begin, tokens) for _, begin, tokens in found[:_MAX_ALIGNED]]


def _window(source: SourceText, start: int, height: int) -> tuple[int, list[Token]] | None:
    """Some lines from ``start`` on and those around them; ``None`` if there are none, or too long
    ones."""
    lines = source.line_starts
    end_line = start + height + _MARGIN
    begin = lines[min(max(start - _MARGIN, 0), len(lines) - 1)]
    end = lines[end_line] - 1 if 0 <= end_line < len(lines) else len(source.view)
    if end - begin > 40 * _MAX_TOKENS or end_line <= 0:
        return None
    return begin, tokens_of(source.view[begin:end])[:-1]


def _twins(
    source: SourceText, sent: _Sent, best: Likely, words: dict[str, int]
) -> list[Likely] | None:
    """The other places that have what stands at ``best``, white space aside.

    ``None`` where they are too many to compare them all.
    """
    standing = tokens_of(source.view[slice(*best.place)])[:-1]
    pattern = re.compile(r"\s*+".join(re.escape(each.text) for each in standing))
    height = sent.lines[-1] + 1
    found: list[Likely] = []
    work.spend_reading(len(source.view), _PER_SEARCH)
    for count, match in enumerate(pattern.finditer(source.view)):
        if count == _MAX_TWINS:
            return None
        if not sent.has_context:
            place = with_blanks(source.view, TextRange(*match.span()), sent.target)
            found.append(replace(best, place=place))
            continue
        line = source.line_number(match.start()) - sent.lines[sent.first]
        window = _window(source, line, height)
        likely = _aligned(source, sent, window, words) if window is not None else None
        if likely is not None:
            found.append(likely)
    return found


_MARKER = re.compile(r"///?|\*(?!/)")

Block = tuple[int, int, int]
"""Equal tokens: where they begin in the anchor, where in the window, and how many they are."""


def _aligned(
    source: SourceText, sent: _Sent, window: tuple[int, list[Token]], words: dict[str, int]
) -> Likely | None:
    begin, tokens = window
    keys = [each.key for each in tokens]
    work.spend(len(sent.keys) + len(keys) + len(sent.keys) * len(keys) // _PAIRS_IN_A_STEP)
    matcher = SequenceMatcher(None, sent.keys, keys, autojunk=False)
    blocks = _without_strays(
        [(one.a, one.b, one.size) for one in matcher.get_matching_blocks()[:-1]]
    )
    if not blocks:
        return None
    edges = _edges(sent, blocks, tokens)
    first, last = edges or (blocks[0][1], blocks[-1][1] + blocks[-1][2])
    place = with_blanks(
        source.view,
        TextRange(begin + tokens[first].start, begin + tokens[last - 1].end),
        sent.target,
    )
    mistakes = in_context = 0.0
    flipped = False
    names: set[str] = set()
    for start, end, other, other_end in _gaps(sent, blocks):
        old = [each.text for each in sent.tokens[start:end]]
        new = [each.text for each in tokens[other:other_end]]
        flipped = flipped or is_flipped(old, new)
        cost, others, slips = cost_of(old, new)
        names.update(others)
        # What stands in the file as it was sent may have been meant.
        names.update(each for each in slips if any(_standing(source.view, each)))
        if (start < sent.last and end > sent.first) or sent.first < start == end < sent.last:
            mistakes += cost
        else:
            in_context += cost
    pairs = [
        (sent.tokens[start + at].gap, tokens[other + at].gap)
        for start, other, size in blocks
        for at in range(size)
        if sent.tells_indentation(start + at, start + size)
    ]
    singular = any(
        words.get(key) == 1 and is_identifier(key)
        for start, _, size in blocks
        for key in sent.keys[start : start + size]
    )
    is_told = (
        edges is not None
        and not flipped
        and not (
            (mistakes or in_context) and has_rival(sent.keys, (sent.first, sent.last), keys, edges)
        )
    )
    gaps = tuple(pair for pair in pairs if "\n" in pair[0])
    unknown = sum(words.get(each, 1) == 0 for each in names)
    strangers = len(names) - unknown
    return Likely(
        place,
        mistakes,
        in_context,
        size=len(sent.keys),
        target_size=sent.last - sent.first,
        is_singular=singular,
        strangers=strangers,
        unknown=unknown,
        gaps=gaps,
        is_told=is_told,
    )


def _without_strays(blocks: list[Block]) -> list[Block]:
    """Without blocks at either end that cost more than they bring: they match by chance."""
    while len(blocks) > 1:
        (start, other, size), (following, other_following, _) = blocks[:2]
        gap = following - start - size
        if size + gap > max(gap, other_following - other - size):
            break
        blocks = blocks[1:]
    while len(blocks) > 1:
        (start, other, size), (last, other_last, last_size) = blocks[-2:]
        gap = last - start - size
        if last_size + gap > max(gap, other_last - other - size):
            break
        blocks = blocks[:-1]
    return blocks


def _gaps(sent: _Sent, blocks: list[Block]) -> Iterator[tuple[int, int, int, int]]:
    """What lies between the blocks: ``[start, end)`` in the anchor, and in the window.

    What the window has before the first and after the last one doesn't count, but for as many
    tokens as the anchor has there.
    """
    start, other, size = blocks[0]
    if start:
        yield 0, start, max(other - start, 0), other
    for (start, other, size), (following, other_following, _) in pairwise(blocks):
        yield start + size, following, other + size, other_following
    start, other, size = blocks[-1]
    rest = len(sent.keys) - start - size
    if rest:
        yield start + size, len(sent.keys), other + size, other + size + rest


def _edges(sent: _Sent, blocks: list[Block], tokens: Sequence[Token]) -> tuple[int, int] | None:
    """The tokens of the window that stand for the target; ``None`` where that can't be told."""
    first = _counterpart(sent.first, blocks, len(tokens))
    last = _counterpart(sent.last - 1, blocks, len(tokens))
    if first is None or last is None or first > last:
        return None
    for at, other in ((sent.first, first), (sent.last - 1, last)):
        if not _may_stand_for(sent, blocks, at, tokens, other):
            return None
    return first, last + 1


def _may_stand_for(
    sent: _Sent, blocks: list[Block], at: int, tokens: Sequence[Token], other: int
) -> bool:
    """Whether the target may begin or end with another token: one of a kind, on the same line."""
    one, standing = sent.keys[at], tokens[other].key
    if one == standing:
        return True
    if is_word(one[0]) != is_word(standing[0]):
        return False
    # The nearest token that both have, and the lines between.
    known = [(start + k, there + k) for start, there, size in blocks for k in (0, size - 1)]
    near, there = min(known, key=lambda each: abs(each[0] - at))
    sent_gaps = sent.tokens[min(at, near) + 1 : max(at, near) + 1]
    gaps = tokens[min(other, there) + 1 : max(other, there) + 1]
    return any("\n" in each.gap for each in sent_gaps) == any("\n" in each.gap for each in gaps)


def _counterpart(at: int, blocks: list[Block], count: int) -> int | None:
    """The token of the window that stands for the one at ``at``: the same, or one in its stead."""
    above, other_above = 0, None
    for start, other, size in blocks:
        if start <= at < start + size:
            return other + at - start
        if start > at:
            if other_above is None:
                found = other - (start - at)
                return found if found >= 0 else None
            same_length = start - above == other - other_above
            return other_above + at - above if same_length else None
        above, other_above = start + size, other + size
    assert other_above is not None
    found = other_above + at - above
    return found if found < count else None


def with_blanks(view: str, place: TextRange, target: str) -> TextRange:
    """``place`` with the white space at its ends that ``target`` has some of there."""
    leading = target[: len(target) - len(target.lstrip())]
    trailing = target[len(target.rstrip()) :]
    start, end = place
    marker = _MARKER.match(target.lstrip())
    if marker is not None and not view.startswith(marker.group(), start):
        # What a comment line begins with, which is no token below another such line.
        at = start
        while at and view[at - 1] in " \t":
            at -= 1
        if view.endswith(marker.group(), 0, at):
            start = at - len(marker.group())
    for mark in _MARKER.findall(tokens_of(target)[-1].gap):
        behind = re.compile(r"\s*" + re.escape(mark)).match(view, end)
        end = behind.end() if behind is not None else end
    breaks = leading.count("\n")
    while leading and start and view[start - 1].isspace():
        if view[start - 1] == "\n":
            if not breaks:
                break
            breaks -= 1
        start -= 1
    breaks = trailing.count("\n")
    while trailing and end < len(view) and view[end].isspace():
        if view[end] == "\n":
            if not breaks:
                break
            breaks -= 1
        end += 1
    return TextRange(start, end)
