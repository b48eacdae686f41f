"""What stands for what, where a text was remembered wrongly: an anchor held against some lines.

Part of docs/design/engine.md §8. Texts are compared by their tokens, context and target together,
so that white space and line breaks don't count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Self

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.search.blocks import (
    Block,
    counterpart,
    equal_blocks,
    gaps,
    in_balance,
    large_first,
)
from snippet_engine.fixes.search.candidate import Candidate, beside, has_rival
from snippet_engine.fixes.search.edge_whitespace import with_blanks, with_gap_before
from snippet_engine.fixes.search.token_cost import (
    BRACKETS,
    Words,
    cost_of,
    is_flipped,
    is_identifier,
    is_longer_name,
    weight_of,
)
from snippet_engine.fixes.search.tokens import Token, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange

MAX_TOKENS = 800
"""Longest anchor that is held against anything, in tokens."""
_BLANKS = (" ", "\t")
_DOC = "///"
_COMMENT = "//"
_MUCH = 2.0
"""From which distance on a place is compared twice, in tokens."""
_LEAST_SIDE = 5
"""Tokens of the context on one side of a target that tell anything."""
_LEAST_LINE = 3
"""Tokens of a line that tells where it stands."""


@dataclass(frozen=True, slots=True)
class Sent:
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
    is_below_comment: bool
    """Whether the marker of a comment that it begins with is white space, as below another line of
    that."""
    telling: Counter[tuple[str, ...]]
    """Its lines that tell where they stand, as their tokens."""

    @classmethod
    def of(cls, anchor: Anchor, *, is_below_comment: bool = False) -> Sent | None:
        """``None`` for an anchor without a token in its target, or with too many; for one that
        doesn't begin with a comment either, if it ``is_below_comment``."""
        target = anchor.target or ""
        if len(anchor.before) + len(target) + len(anchor.after) > MAX_TOKENS * 20:
            return None
        if not target.strip():
            return None
        # Blanks between target and context don't count, but a comment begins on a line of its own.
        above = with_gap_before(anchor.before, target)
        text = with_gap_before(above + target, anchor.after) + anchor.after
        is_doc = not above.strip() and _is_doc(target)
        if is_below_comment and (is_doc or not text.lstrip().startswith(_COMMENT)):
            return None
        tokens = tokens_of(text, above_is_comment=is_doc or is_below_comment)[:-1]
        first = sum(each.end <= len(above) for each in tokens)
        last = sum(each.start < len(above) + len(target) for each in tokens)
        if first >= last or len(tokens) > MAX_TOKENS:
            return None
        lines = [text.count("\n", 0, each.start) for each in tokens]
        seams = (_is_one(anchor.before, target), _is_one(target, anchor.after))
        keys = [each.key for each in tokens]
        telling = Counter(
            line
            for _, group in groupby(zip(lines, keys, strict=True), itemgetter(0))
            if len(line := tuple(key for _, key in group)) >= _LEAST_LINE
        )
        return cls(tokens, keys, lines, first, last, target, seams, is_below_comment, telling)

    @property
    def sides(self) -> tuple[int, int]:
        """Tokens before and after the target."""
        return self.first, len(self.keys) - self.last

    @property
    def begins_line(self) -> bool:
        """Whether nothing else stands on the line that the target begins: it has indentation."""
        lead = self.target[: len(self.target) - len(self.target.lstrip())]
        return not self.first and len(lead.expandtabs()) > 1

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


def _is_doc(target: str) -> bool:
    """Whether a target is documentation: its marker is white space, as below a line of that."""
    return target.lstrip().startswith(_DOC)


def _is_one(text: str, following: str) -> bool:
    """Whether no blanks of a line are divided between ``text`` and ``following``."""
    return not (text[-1:] in _BLANKS and following[:1] in _BLANKS)


def aligned(
    source: SourceText, sent: Sent, window: tuple[int, list[Token]], words: Words
) -> Candidate | None:
    """What of ``window`` stands for the anchor, and what is wrong then; ``None``: nothing.

    ``window`` is where it starts in the file, and its tokens; ``words`` are the file's.
    """
    keys = [each.key for each in window[1]]
    blocks = equal_blocks(sent.keys, keys)
    if not blocks:
        return None
    if sent.is_below_comment:
        start, standing, _ = blocks[0]
        if standing < start or _COMMENT not in window[1][standing - start].gap:
            return None  # It isn't below one here.
    likely = _told(source, sent, window, words, blocks)
    if likely.distance <= _MUCH:
        return likely
    other_blocks = large_first(blocks, sent.keys, keys)
    if not other_blocks or other_blocks == blocks:
        return likely
    other = _told(source, sent, window, words, other_blocks)
    return min(likely, other, key=lambda each: each.distance)


def _told(
    source: SourceText,
    sent: Sent,
    window: tuple[int, list[Token]],
    words: Words,
    blocks: list[Block],
) -> Candidate:
    """The place that these equal tokens tell of."""
    begin, tokens = window
    keys = [each.key for each in tokens]
    edges = _edges(sent, blocks, tokens)
    if edges is not None:
        balanced = in_balance(sent.keys, (sent.first, sent.last), keys, edges, blocks)
        # Where a bracket was all that both have, nothing is known of the place without it.
        edges, blocks = balanced if balanced[1] else (None, blocks)
    if edges is not None:
        blocks = _with_closing(sent, blocks, keys, edges[1] - 1)
    first, last = edges or (blocks[0][1], blocks[-1][1] + blocks[-1][2])
    place = with_blanks(
        source.view,
        TextRange(begin + tokens[first].start, begin + tokens[last - 1].end),
        sent.target,
    )
    differs = _Differences.of(words, sent, blocks, tokens)
    pairs = [
        (sent.tokens[start + at].gap, tokens[other + at].gap)
        for start, other, size in blocks
        for at in range(size)
        if sent.tells_indentation(start + at, start + size)
        or (sent.tokens[start + at].gap[-1:], tokens[other + at].gap[-1:]) == ("\n", "\n")
    ]
    right = [key for start, _, size in blocks for key in sent.keys[start : start + size]]
    singular = any(is_identifier(key) and words.count(key) == 1 for key in right)
    is_told = (
        edges is not None
        and (not _is_doc(sent.target) or _is_doc(source.view[slice(*place)]))
        and not differs.flipped
        and not (
            (differs.mistakes or differs.in_context)
            and has_rival(sent.keys, (sent.first, sent.last), keys, edges)
        )
    )
    gaps = tuple(pair for pair in pairs if "\n" in pair[0])
    near = (0, 0)
    if edges is not None:
        near = beside(sent.keys, (sent.first, sent.last), keys, edges)
    standing = {each for each in differs.names if words.stands(each)}
    return Candidate(
        place,
        differs.mistakes,
        differs.in_context,
        size=len(sent.keys),
        target_size=sent.last - sent.first,
        is_singular=singular,
        strangers=len(standing - differs.renamed),
        unknown=len(differs.names - standing - differs.renamed),
        gaps=gaps,
        lines=_lines_in(sent, tokens),
        beside=near,
        has_whole_side=any(
            count == side >= _LEAST_SIDE for count, side in zip(near, sent.sides, strict=True)
        ),
        renamed=len(differs.names & differs.renamed),
        wrong=differs.wrong,
        breaks=sum(
            ("\n" in sent.tokens[start + at].gap) != ("\n" in tokens[other + at].gap)
            for start, other, size in blocks
            for at in range(size)
            if sent.first < start + at < sent.last
        )
        + (sent.begins_line and edges is not None and "\n" not in tokens[first].gap and first > 0),
        is_told=is_told,
        has_names=any(map(is_identifier, right)) or not any(map(is_identifier, sent.keys)),
        weight=differs.weight,
        lines_wrong=len({sent.lines[each // 2] for each in differs.wrong}),
    )


@dataclass(frozen=True, slots=True)
class _Differences:
    """What an anchor and the lines that it is held against don't have in common."""

    mistakes: float
    in_context: float
    flipped: bool
    """Whether one of two truth values stands in the other's stead, or one of two tags."""
    names: frozenset[str]
    """The anchor's that have others in their stead, and aren't merely misspelled."""
    renamed: frozenset[str]
    """Those with a longer name in their stead."""
    wrong: frozenset[int]
    weight: float

    @classmethod
    def of(cls, words: Words, sent: Sent, blocks: list[Block], tokens: Sequence[Token]) -> Self:
        mistakes = in_context = weight = 0.0
        flipped = False
        names: set[str] = set()
        renamed: set[str] = set()
        wrong: set[int] = set()
        for start, end, other, other_end in gaps(len(sent.keys), blocks):
            if start == 0 and _follow_nothing(sent, end, tokens[min(other_end, len(tokens) - 1)]):
                other = other_end  # noqa: PLW2901 - what stands there is another line's
            old = [each.text for each in sent.tokens[start:end]]
            new = [each.text for each in tokens[other:other_end]]
            cost, others, slips = cost_of(old, new)
            # What stands in the file as it was sent may have been meant.
            names.update(others, (each for each in slips if words.stands(each)))
            renamed.update(
                one for one, by in zip(old, new, strict=False) if is_longer_name(one, by)
            )
            wrong.update(range(2 * start + 1, 2 * end, 2) or (2 * start,))
            is_tag = start > 0 and "/" in (*old, *new) and _is_tag_alone(sent, start - 1)
            flipped = flipped or is_flipped(old, new) or (is_tag and old != new)
            light = weight_of(old, new, cost, words.stands)
            if (start < sent.last and end > sent.first) or sent.first < start == end < sent.last:
                mistakes += cost
                weight += 2 * light
            else:
                in_context += cost
                weight += light
        return cls(
            mistakes,
            in_context,
            flipped,
            frozenset(names),
            frozenset(renamed),
            frozenset(wrong),
            weight,
        )


def _is_tag_alone(sent: Sent, at: int) -> bool:
    """Whether a tag begins at a token, and its line has no other word: either may be meant."""
    words = (
        key
        for key, line in zip(sent.keys, sent.lines, strict=False)
        if line == sent.lines[at] and is_word(key[:1])
    )
    return sent.keys[at] == "<" and len(list(islice(words, 2))) < 2


def _follow_nothing(sent: Sent, end: int, behind: Token) -> bool:
    """Whether the first tokens of an anchor, up to ``end``, would stand where a line begins in the
    file, which goes on with the token ``behind`` them: then nothing is in their stead."""
    is_within = end < len(sent.tokens) and "\n" not in sent.tokens[end].gap
    return not sent.first and is_within and "\n" in behind.gap


def _lines_in(sent: Sent, tokens: Sequence[Token]) -> int:
    """How many lines of the anchor, of those that tell anything, stand in a window."""
    if not sent.telling:
        return 0
    begins = [at for at, token in enumerate(tokens) if at and "\n" in token.gap]
    standing = Counter(
        tuple(token.key for token in tokens[start:end])
        for start, end in pairwise((0, *begins, len(tokens)))
        if end - start >= _LEAST_LINE
    )
    return sum((sent.telling & standing).values())


def _edges(sent: Sent, blocks: list[Block], tokens: Sequence[Token]) -> tuple[int, int] | None:
    """The tokens of the window that stand for the target; ``None`` where that can't be told."""
    behind = _behind_invented(sent, blocks, tokens)
    first = counterpart(sent.first, blocks, len(tokens)) if behind is None else behind
    last = counterpart(sent.last - 1, blocks, len(tokens))
    if first is None or last is None or first > last:
        return None
    # What the file has more behind the first token, or before the last, is no token in its stead.
    keys = [each.key for each in tokens]
    opening, closing = sent.keys[sent.first], sent.keys[sent.last - 1]
    if keys[first] != opening and behind is None and first and keys[first - 1] == opening:
        first -= 1
    if keys[last] != closing and keys[last + 1 : last + 2] == [closing]:
        last += 1
    for at, other in ((sent.first, first), (sent.last - 1, last)):
        if (at, other) != (sent.first, behind) and not _may_stand_for(
            sent, blocks, at, tokens, other
        ):
            return None
    return first, last + 1


def _with_closing(sent: Sent, blocks: list[Block], keys: Sequence[str], last: int) -> list[Block]:
    """``blocks`` with the target's last token, if it is the one at ``last`` and in none of them."""
    at = sent.last - 1
    above = [each for each in blocks if each[0] <= at]
    below = [each for each in blocks if each[0] > at]
    is_known = bool(above) and at < above[-1][0] + above[-1][2]
    fits = not above or above[-1][1] + above[-1][2] <= last
    fits = fits and all(last < each[1] for each in below[:1])
    if is_known or not fits or keys[last] != sent.keys[at]:
        return blocks
    return [*above, (at, last, 1), *below]


def _behind_invented(sent: Sent, blocks: list[Block], tokens: Sequence[Token]) -> int | None:
    """The token of the window that the target begins with, where its first ones aren't there.

    They are a word, with a sign behind it perhaps. Nothing is in their stead: what they follow in
    the anchor is right before what follows them, or they follow nothing, and a line begins behind
    them.
    """
    for above, (start, other, _) in pairwise([(0, 0, 0), *blocks]):
        if not above[0] + above[2] == sent.first < start < sent.last:
            continue
        begins_line = "\n" not in sent.tokens[start].gap and "\n" in tokens[other].gap
        is_there = above[1] + above[2] == other if sent.first else begins_line
        signs = sent.keys[sent.first + 1 : start]
        if is_there and len(signs) <= 1 and not any(is_word(each[0]) for each in signs):
            return other
    return None


def _may_stand_for(
    sent: Sent, blocks: list[Block], at: int, tokens: Sequence[Token], other: int
) -> bool:
    """Whether the target may begin or end with another token: one of a kind, on the same line."""
    one, standing = sent.keys[at], tokens[other].key
    if one == standing:
        return True
    if is_word(one[0]) != is_word(standing[0]) or not BRACKETS.isdisjoint((one, standing)):
        return False
    # The nearest token that both have, and the lines between.
    known = [(start + k, there + k) for start, there, size in blocks for k in (0, size - 1)]
    near, there = min(known, key=lambda each: abs(each[0] - at))
    sent_gaps = sent.tokens[min(at, near) + 1 : max(at, near) + 1]
    gaps = tokens[min(other, there) + 1 : max(other, there) + 1]
    return any("\n" in each.gap for each in sent_gaps) == any("\n" in each.gap for each in gaps)
