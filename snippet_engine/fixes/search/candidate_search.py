"""Find the places most similar to an anchor whose text isn't in the file as sent.

Part of docs/design/engine.md §8. Rare words show where to look, so no file is aligned as a whole.
All other places that have the target, or the text found in its place, are compared, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from snippet_engine import budget
from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.fixes.search.alignment import align, align_around
from snippet_engine.fixes.search.candidate import Candidate, candidate_of
from snippet_engine.fixes.search.sent import MAX_TOKENS, Sent
from snippet_engine.fixes.search.token_cost import Words
from snippet_engine.fixes.search.tokens import Token, tokens_of
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextRange

_MAX_WORDS = 60
_MAX_MISSPELLED = 3
"""If the file has none of the anchor's words: how many, longest first, are searched misspelled."""
_MAX_HITS = 2_000
"""Most occurrences of the anchor's words that are counted."""
_MAX_WINDOWS = 24
"""Most places for which matching tokens are counted."""
_LEAST_ALIGNED = 5
"""How many places are always aligned with the anchor."""
_MOST_LACKING = 0.6
"""Largest part of an anchor's tokens that may be missing at an aligned place."""
_MAX_COMPARED = 6_000
"""With more tokens of anchor and places together, only ``_LEAST_ALIGNED`` places are aligned."""
_MAX_TWINS = 40
"""Most other places with the same text that are compared."""
_LEAST_CONTEXT = 6
"""Fewest tokens of context that identify a place with a frequent target, such as a brace."""
_PER_SEARCH = 4
"""Steps for each code point in the search for a pattern; the search for a text takes one."""
_MARGIN = 2
"""How many lines around a place are also aligned."""


def find_candidates(
    source: SourceText, anchor: Anchor, scopes: Sequence[TextRange], *, certain: bool = True
) -> list[Candidate]:
    """Return the places in ``scopes`` most similar to ``anchor``, nearest first, without overlaps.

    If ``certain``, return nothing if an unexamined place may be as near.
    """
    sent = Sent.of(anchor)
    if sent is None:
        return []
    words, starts = _starts(source, sent, scopes)
    found, is_all = _in_windows(source, sent, _windows(source, sent, starts), words)
    found = [
        each
        for each in (_from_scope(source.view, each, scopes) for each in found)
        if is_in(each.place, scopes)
    ]
    texts = [[each.text for each in sent.tokens[sent.first : sent.last]]]
    if found:
        best = min(found, key=lambda each: (each.distance, each.place))
        standing = [each.text for each in tokens_of(source.view[slice(*best.place)])[:-1]]
        texts = [standing] if standing == texts[0] else [standing, *texts]
    for text in texts:
        others = _others(source, sent, text, words)
        is_all = is_all and others is not None
        found += [each for each in others or () if is_in(each.place, scopes)]
    if not found:
        return []
    best = min(found, key=lambda each: (each.distance, each.place))
    if certain and not (best.is_singular or is_all or _is_by_context(best)):
        return []
    # Among equally near places, those with line breaks as sent come first.
    found.sort(key=lambda each: (each.distance, each.breaks, each.place))
    apart: list[Candidate] = []
    for each in found:
        if not any(
            each.place.start < other.place.end and other.place.start < each.place.end
            for other in apart
        ):
            apart.append(each)
    return apart


def _is_by_context(place: Candidate) -> bool:
    """Whether a place has no mistake, and enough context that its rivals were compared, too."""
    return not place.mistakes and place.right - place.right_in_target >= _LEAST_CONTEXT


def _in_windows(
    source: SourceText,
    sent: Sent,
    windows: Sequence[tuple[int, tuple[int, list[Token]]]],
    words: Words,
) -> tuple[list[Candidate], bool]:
    """Return the windows' places, and whether all windows that may be nearest were compared."""
    size = len(sent.tokens)
    found: list[Candidate] = []
    nearest = float(3 * size)
    room = _MAX_COMPARED
    for count, (common, window) in enumerate(windows):
        lacking = size - common
        if count and lacking > min(4 * nearest + 2, size * _MOST_LACKING):
            break
        room -= size + len(window[1])
        if count >= _LEAST_ALIGNED and room < 0:
            return found, False
        keys = [each.key for each in window[1]]
        place = candidate_of(source, sent, window, align(sent.keys, keys, sent.weights), words)
        if place is not None:
            found.append(place)
            nearest = min(nearest, place.distance)
    return found, True


def _from_scope(view: str, likely: Candidate, scopes: Sequence[TextRange]) -> Candidate:
    """Return ``likely``, cut at the start of its scope if only indentation is outside.

    A symbol begins after its indentation.
    """
    start, end = likely.place
    for scope in scopes:
        if start < scope.start < end <= scope.end and not view[start : scope.start].strip(" \t"):
            return replace(likely, place=TextRange(scope.start, end))
    return likely


def is_in(place: TextRange, scopes: Sequence[TextRange]) -> bool:
    """Whether ``place`` lies within one of ``scopes``."""
    return any(scope.start <= place.start and place.end <= scope.end for scope in scopes)


def _starts(source: SourceText, sent: Sent, scopes: Sequence[TextRange]) -> tuple[Words, list[int]]:
    """Return the file's words, and the lines where the anchor may begin, most likely first."""
    words = Words(source)
    at_lines: dict[str, list[int]] = defaultdict(list)
    for key, line in zip(sent.keys, sent.lines, strict=True):
        if re.match(r"\w", key):
            at_lines[key].append(line)
    chosen = sorted(at_lines, key=len, reverse=True)[:_MAX_WORDS]
    votes = _votes(source, words, {each: at_lines[each] for each in chosen}, scopes)
    if not votes:
        alike = _spelled_alike(source, chosen[:_MAX_MISSPELLED])
        votes = _votes(source, words, {other: at_lines[each] for each, other in alike}, scopes)
    return words, sorted(votes, key=lambda line: (-votes[line], line))


def _votes(
    source: SourceText,
    words: Words,
    at_lines: Mapping[str, Sequence[int]],
    scopes: Sequence[TextRange],
) -> Mapping[int, float]:
    """Return votes for the lines where the anchor may begin. ``at_lines`` has its words' lines."""
    budget.spend_reading(len(source.view), len(at_lines))
    counts = {word: words.count(word) for word in at_lines}
    votes: dict[int, float] = defaultdict(float)
    room = _MAX_HITS
    for word in sorted(at_lines, key=lambda each: counts[each]):
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
    return votes


def _spelled_alike(source: SourceText, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word that isn't in the file, with the file's most similar word."""
    for word in words:
        budget.spend_reading(len(source.view), _PER_SEARCH)
        lengths = range(len(word) - 1, len(word) + 2)
        alike = get_close_matches(word, [each for each in source.words if len(each) in lengths], 1)
        yield from ((word, each) for each in alike)


def _windows(
    source: SourceText, sent: Sent, starts: Sequence[int]
) -> list[tuple[int, tuple[int, list[Token]]]]:
    """Return the windows with the most tokens of the anchor: that number, start and tokens."""
    height = sent.lines[-1] + 1
    found: list[tuple[int, int, list[Token]]] = []
    wanted = Counter(sent.keys)
    # Adjacent lines are often similar. If one line was sent, each line is a separate place.
    for margin in (_MARGIN, 0) if height == 1 else (_MARGIN,):
        taken: list[int] = []
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
    """Return the lines from ``start`` on, with ``margin`` lines around, as tokens."""
    lines = source.line_starts
    end_line = start + height + margin
    begin = lines[min(max(start - margin, 0), len(lines) - 1)]
    end = lines[end_line] - 1 if 0 <= end_line < len(lines) else len(source.view)
    if end - begin > 40 * MAX_TOKENS or end_line <= 0:
        return None
    return begin, tokens_of(source.view[begin:end])[:-1]


def _others(
    source: SourceText, sent: Sent, text: Sequence[str], words: Words
) -> list[Candidate] | None:
    pattern = re.compile(r"\s*+".join(map(re.escape, text)))
    budget.spend_reading(len(source.view), _PER_SEARCH)
    places = [
        TextRange(*each.span()) for each in islice(pattern.finditer(source.view), _MAX_TWINS + 1)
    ]
    if len(places) > _MAX_TWINS:
        return None
    found = []
    for place in places:
        line = source.line_number(place.start) - sent.lines[sent.first]
        window = (
            None if cuts_word(source.view, place) else _window(source, line, sent.lines[-1] + 1)
        )
        if window is None:
            continue
        begin, tokens = window
        inside = [
            at for at, each in enumerate(tokens) if place.start <= begin + each.start < place.end
        ]
        if not inside:
            continue
        keys, edges = [each.key for each in tokens], (inside[0], inside[-1] + 1)
        budget.spend()
        pairs = align_around(sent.keys, keys, sent.weights, (sent.first, sent.last), edges)
        found.append(candidate_of(source, sent, window, pairs, words))
    return [each for each in found if each is not None]
