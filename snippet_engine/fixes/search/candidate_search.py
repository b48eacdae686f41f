"""The places most like an anchor whose text isn't there as it was sent.

Part of docs/design/engine.md §8. Texts are compared by their tokens, context and target together,
so that white space and line breaks don't count. Rare words say where to look: a file is never
compared as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from snippet_engine import budget
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.fixes.search.alignment import MAX_TOKENS, Sent, aligned
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.edge_whitespace import with_blanks
from snippet_engine.fixes.search.token_cost import Words
from snippet_engine.fixes.search.tokens import Token, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange

_MAX_WORDS = 60
_MAX_HITS = 2_000
"""Places of the anchor's words that are looked at."""
_MAX_WINDOWS = 24
"""Places that are compared by which tokens they have."""
_LEAST_ALIGNED = 5
"""Places that are compared token by token at least."""
_MOST_LACKING = 0.6
"""Part of an anchor's tokens that a place may lack to be compared for its own sake."""
_MAX_COMPARED = 6_000
"""Tokens that are compared then, of the anchor and of the places."""
_MAX_TWINS = 24
"""Places with the same text as the one most like the anchor that are compared with it as well."""
_LEAST_CONTEXT = 6
"""Tokens of the context that tell a place whose target is everywhere, a brace perhaps."""
_PER_SEARCH = 4
"""How much longer it takes to search for a pattern than for a text."""
_MARGIN = 2
"""Lines around a place that are compared with it as well."""
_SHADOWED = 3
"""Tokens that a window may lack at most, and that may be wrong of what is found in it, for both to
be at one."""


def find_candidates(
    source: SourceText, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[Candidate]:
    """The places in ``scopes`` most like ``anchor``, most like first; none overlaps another."""
    sent = Sent.of(anchor)
    if sent is None:
        return []
    words, starts = _starts(source, sent, scopes)
    ways = [sent]
    below_comment = Sent.of(anchor, is_below_comment=True)
    if below_comment is not None:
        ways.append(below_comment)
    found, is_all = _most_alike(source, ways, _windows(source, sent, starts), words, scopes)
    if not found:
        return []
    best = min(found, key=lambda each: (each.distance, each.place))
    twins = _twins(source, ways, best, words)
    if not (best.is_singular or (is_all and (twins is not None or _is_by_context(best)))):
        return []
    found += [each for each in twins or () if _is_in(each.place, scopes)]
    found.sort(key=lambda each: (each.distance, each.place))
    apart: list[Candidate] = []
    for each in found:
        if not any(
            each.place.start < other.place.end and other.place.start < each.place.end
            for other in apart
        ):
            apart.append(each)
    # Of places that are as near, first those on lines as they were sent, those that can be told,
    # and those where what is wrong is a slip of the pen.
    return sorted(
        apart, key=lambda each: (each.distance, each.breaks, not each.is_told, each.weight)
    )


def _is_by_context(place: Candidate) -> bool:
    """Whether the context alone tells a place: its rivals are among the windows compared."""
    known = place.size - place.target_size - place.in_context
    return not place.mistakes and known >= _LEAST_CONTEXT


def _most_alike(
    source: SourceText,
    ways: Sequence[Sent],
    windows: Sequence[tuple[int, tuple[int, list[Token]]]],
    words: Words,
    scopes: Sequence[TextRange],
) -> tuple[list[Candidate], bool]:
    """The places in the windows, and whether all were compared that may be as near as the nearest.

    What a window lacks of the anchor's tokens tells how near a place in it can be at most. ``ways``
    are those of reading the anchor.
    """
    sent = ways[0]
    found: list[Candidate] = []
    nearest = float(3 * len(sent.keys))
    room = _MAX_COMPARED
    for count, (common, window) in enumerate(windows):
        lacking = len(sent.keys) - common
        may_be_near = lacking <= min(4 * nearest + 2, len(sent.keys) * _MOST_LACKING)
        if count >= _LEAST_ALIGNED and not may_be_near:
            break
        room -= len(ways) * (len(sent.keys) + len(window[1]))
        if count >= _LEAST_ALIGNED and room < 0:
            return found, False
        likely = _nearest(source, ways, window, words)
        bare = None
        # A neighbour of the lines that may be meant has taken their stead, perhaps.
        is_shadowed = likely is not None and likely.distance > 4 * lacking + _SHADOWED
        if is_shadowed and lacking < _SHADOWED and sent.lines[-1]:
            bare = _without_margin(source, sent, window)
        if bare is not None:
            room -= len(ways) * (len(sent.keys) + len(bare[1]))
        for each in (likely, bare and _nearest(source, ways, bare, words)):
            place = each and _from_scope(source.view, each, scopes)
            if place is not None and _is_in(place.place, scopes):
                found.append(place)
                nearest = min(nearest, place.distance)
    return found, True


def _without_margin(
    source: SourceText, sent: Sent, window: tuple[int, list[Token]]
) -> tuple[int, list[Token]] | None:
    """The lines of a window between those that are compared with them for being around them."""
    start = source.line_number(window[0]) + _MARGIN
    return _window(source, start, sent.lines[-1] + 1, 0)


def _nearest(
    source: SourceText, ways: Sequence[Sent], window: tuple[int, list[Token]], words: Words
) -> Candidate | None:
    """What of a window is nearest to the anchor, in whichever of the ``ways`` that is read."""
    found = [aligned(source, each, window, words) for each in ways]
    return min(filter(None, found), key=lambda each: each.distance, default=None)


def _from_scope(view: str, likely: Candidate, scopes: Sequence[TextRange]) -> Candidate:
    """``likely`` from where a scope begins, if it has no more than its first line's blanks outside:
    a symbol begins behind them."""
    start, end = likely.place
    for scope in scopes:
        if start < scope.start < end <= scope.end and not view[start : scope.start].strip(" \t"):
            return replace(likely, place=TextRange(scope.start, end))
    return likely


def _is_in(place: TextRange, scopes: Sequence[TextRange]) -> bool:
    return any(scope.start <= place.start and place.end <= scope.end for scope in scopes)


def _starts(source: SourceText, sent: Sent, scopes: Sequence[TextRange]) -> tuple[Words, list[int]]:
    """The file's words, and the lines where the anchor may begin to have one of them in a scope."""
    words = Words(source)
    at_lines: dict[str, list[int]] = defaultdict(list)
    for key, line in zip(sent.keys, sent.lines, strict=True):
        if re.match(r"\w", key):
            at_lines[key].append(line)
    chosen = sorted(at_lines, key=len, reverse=True)[:_MAX_WORDS]
    budget.spend_reading(len(source.view), len(chosen))
    counts = {word: words.count(word) for word in chosen}
    votes: dict[int, float] = defaultdict(float)
    room = _MAX_HITS
    for word in sorted(chosen, key=lambda each: counts[each]):
        if not counts[word]:
            continue
        if counts[word] > room:
            break
        room -= counts[word]
        standing = {
            bisect_right(source.line_starts, at) - 1
            for start, end in scopes
            for at in words.places(word, start, end)
        }
        for start in {at - line for line in at_lines[word][:8] for at in standing}:
            votes[start] += 1 / counts[word]
    return words, sorted(votes, key=lambda line: (-votes[line], line))


def _windows(
    source: SourceText, sent: Sent, starts: Sequence[int]
) -> list[tuple[int, tuple[int, list[Token]]]]:
    """The windows that have most of the anchor's tokens: how many, where each starts, and its
    tokens."""
    height = sent.lines[-1] + 1
    taken: list[int] = []
    found: list[tuple[int, int, list[Token]]] = []
    wanted = Counter(sent.keys)
    # Lines that are alike stand side by side: where one was sent, each is a place by itself.
    for margin in (_MARGIN, 0) if height == 1 else (_MARGIN,):
        taken.clear()
        for start in starts:
            if any(abs(start - other) <= margin // 2 for other in taken):
                continue
            taken.append(start)
            window = _window(source, start, height, margin)
            if window is None:
                continue
            begin, tokens = window
            common = sum((wanted & Counter(each.key for each in tokens)).values())
            found.append((common, begin, tokens))
            if len(taken) == _MAX_WINDOWS:
                break
    found.sort(key=lambda each: (-each[0], each[1]))
    return [(common, (begin, tokens)) for common, begin, tokens in found]


def _window(
    source: SourceText, start: int, height: int, margin: int = _MARGIN
) -> tuple[int, list[Token]] | None:
    """Some lines from ``start`` on and those around them; ``None`` if there are none, or too long
    ones."""
    lines = source.line_starts
    end_line = start + height + margin
    begin = lines[min(max(start - margin, 0), len(lines) - 1)]
    end = lines[end_line] - 1 if 0 <= end_line < len(lines) else len(source.view)
    if end - begin > 40 * MAX_TOKENS or end_line <= 0:
        return None
    return begin, tokens_of(source.view[begin:end])[:-1]


def _twins(
    source: SourceText, ways: Sequence[Sent], best: Candidate, words: Words
) -> list[Candidate] | None:
    """The other places that have what stands at ``best``, white space aside.

    ``None`` where they are too many to compare them all.
    """
    sent = ways[0]
    standing = tokens_of(source.view[slice(*best.place)])[:-1]
    pattern = re.compile(r"\s*+".join(re.escape(each.text) for each in standing))
    height = sent.lines[-1] + 1
    found: list[Candidate] = []
    budget.spend_reading(len(source.view), _PER_SEARCH)
    for count, match in enumerate(pattern.finditer(source.view)):
        if count == _MAX_TWINS:
            return None
        if cuts_word(source.view, TextRange(*match.span())):
            continue
        if not sent.has_context:
            place = with_blanks(source.view, TextRange(*match.span()), sent.target)
            found.append(replace(best, place=place))
            continue
        line = source.line_number(match.start()) - sent.lines[sent.first]
        window = _window(source, line, height)
        likely = _nearest(source, ways, window, words) if window is not None else None
        if likely is not None:
            found.append(likely)
    return found
