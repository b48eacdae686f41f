"""Search the tree around an edit for patterns: one query for a whole table of them.

Part of docs/design/roslyn.md §1.4 and §1.5. A pattern is a query that captures ``@at``, and a
condition in Python if the query alone doesn't suffice. Only the surroundings of each edit are
searched: the statements that it touches, or a window of the tree. The matches before and after the
edit are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import tree_sitter

from snippet_engine import budget
from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.tree.cured_tree import without_misread_calls
from snippet_engine.csharp.tree.edit_windows import EditWindow
from snippet_engine.csharp.tree.tree_query import QueryTable
from snippet_engine.edits import EditSet

WINDOW_BYTES = 2000
"""How far to search from an edit, on either side."""

_MAX_SEARCHED = 500_000
"""Most code points of edited text that are searched."""
_MANY_SEARCHED = 50_000
_MAX_NODES = 90_000
"""Most nodes that are searched if the edited text has ``_MANY_SEARCHED`` code points or more."""
_SAMPLES = 50
_MAX_DEPTH = 500
_MAX_CHILDREN = 60_000
_ORDERED = frozenset(("compilation_unit", "namespace_declaration"))

_ByteRange = tuple[int, int]


class Check(NamedTuple):
    """A pattern that C# refuses."""

    name: str
    id: str
    """The compiler's."""
    message: str
    """``{}`` stands for the matched text."""
    query: str
    """Captures ``@at``."""
    holds: Callable[[tree_sitter.Node], bool] | None = None
    """Decides on the captured node."""
    words: Collection[bytes] | None = None
    """For a query that matches any node of a kind: the texts that ``holds`` can accept."""
    until: int = 1_000
    """The first version of C# that accepts the code, or in which another file can make it valid."""


def reads(word: bytes) -> Callable[[tree_sitter.Node], bool]:
    """Return a condition: the node is just ``word``."""
    return lambda node: node.text == word


def in_each(kinds: str, inner: str) -> str:
    """Return a query for ``inner`` in nodes of several kinds, given with spaces between them."""
    return "[" + " ".join(f"({kind} {inner})" for kind in kinds.split()) + "]"


class Found(NamedTuple):
    """A match of a pattern, in bytes of the parsed text."""

    pattern: int
    start: int
    end: int


class PatternTable:
    """A table of patterns for one search."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self.checks = tuple(checks)

    @cached_property
    def _queries(self) -> QueryTable:
        checks = enumerate(self.checks)
        words = {number: each.words for number, each in checks if each.words is not None}
        return QueryTable([each.query for each in self.checks], words)

    def search(self, tree: tree_sitter.Tree, ranges: Iterable[_ByteRange]) -> list[Found]:
        """Return the matches in the byte ranges of ``tree``, each place once, in text order."""
        found: set[Found] = set()
        for start, end in ranges:
            budget.check()
            for number, node in self._queries.matches(tree, start, end):
                holds = self.checks[number].holds
                inside = node.start_byte <= end and start <= node.end_byte
                if inside and (holds is None or holds(node)):
                    found.add(Found(number, node.start_byte, node.end_byte))
        return sorted(found, key=lambda each: (each.start, each.end, each.pattern))


class NewFind(NamedTuple):
    """A match in the edited text, in view offsets, that did not exist before."""

    check: Check
    start: int
    end: int


def new_finds(
    table: PatternTable, before: Analysis, after: Analysis, edits: EditSet
) -> list[NewFind]:
    """Return the table's matches around the edits that did not exist before.

    Don't call this if :func:`is_beyond_patterns`. A match is old if the same pattern matched at its
    place before the edits. Each old match whose place is gone cancels one new match of its pattern.
    """
    windows = _statement_windows(after)
    if windows is not None:
        now = [found for window in windows for found in _search_window(table, window)]
        then = table.search(before.cured_tree, (window.before for window in windows)) if now else []
        if not _not_found_before(now, then, before, after, edits):
            return []
    # Alone, `else F();` reads as a function F that returns an else; in the whole tree it doesn't.
    around = _around(edits.after_ranges(), after)
    now = table.search(after.cured_tree, around)
    if not now:
        return []
    then = table.search(before.cured_tree, _around(((e.start, e.end) for e in edits), before))
    fresh = _not_found_before(now, then, before, after, edits)
    at = after.source.view_offset
    return [
        NewFind(table.checks[each.pattern], at(each.start), at(each.end))
        for each in _not_misread(table, fresh, after, around)
    ]


def is_beyond_patterns(before: Analysis, after: Analysis, edits: EditSet) -> bool:
    """Whether an edit is nested so deeply, or among so many siblings, that the search takes long.

    Each step to a parent or a sibling is a walk from the root, or from the first sibling.
    """
    ranges = edits.after_ranges()
    searched = sum(end - start for start, end in ranges)
    if searched > _MAX_SEARCHED:
        return True
    if searched > _MANY_SEARCHED:
        nodes = after.tree.root_node.descendant_count
        if nodes * searched > _MAX_NODES * len(after.source.view):
            return True
    old, new = before.source.utf8_offset, after.source.utf8_offset
    if before.has_tree and any(_is_beyond(before.tree, old(edit.start)) for edit in edits):
        return True
    # In long new texts, check some places.
    return after.has_tree and any(
        _is_beyond(after.tree, new(start + (end - start) * part // _SAMPLES))
        for start, end in ranges
        for part in range(_SAMPLES if end - start > WINDOW_BYTES else 1)
    )


def _is_beyond(tree: tree_sitter.Tree, place: int) -> bool:
    cursor = tree.walk()
    for _ in range(_MAX_DEPTH):
        node = cursor.node
        if node is not None and node.child_count > _MAX_CHILDREN:
            return True
        if cursor.goto_first_child_for_byte(place) is None:
            return False
    return True


def _not_misread(
    table: PatternTable, found: list[Found], after: Analysis, around: list[_ByteRange]
) -> list[Found]:
    """Return ``found`` without matches of generic calls that are misread as comparisons."""
    other = without_misread_calls(after.cured, around) if found else None
    if other is None:
        return found
    places = [(each.start, each.end) for each in found]
    again = {(each.pattern, each.start) for each in table.search(other.tree, places)}
    return [
        each
        for each in found
        if (each.pattern, each.start) in again
        or any(start <= each.start < end or each.end == end for start, end in other.lacking)
    ]


def _not_found_before(
    now: list[Found], then: list[Found], before: Analysis, after: Analysis, edits: EditSet
) -> list[Found]:
    """Return the matches of ``now`` that no match of ``then`` cancels."""
    if not now:
        return []
    places = Counter((each.pattern, _moved(each.start, before, after, edits)) for each in then)
    fresh: list[Found] = []
    for each in now:
        key = each.pattern, each.start
        if places[key] > 0:
            places[key] -= 1
        else:
            fresh.append(each)
    gone: Counter[int] = Counter()
    for (number, _), count in places.items():
        gone[number] += count
    left: list[Found] = []
    for each in fresh:
        if gone[each.pattern] > 0:
            gone[each.pattern] -= 1
        else:
            left.append(each)
    return left


def _statement_windows(after: Analysis) -> tuple[EditWindow, ...] | None:
    """Return the edit windows; ``None`` if there are none, or if one is outside of types.

    Outside of types the order of declarations matters, which a window doesn't show.
    """
    windows = after.edit_windows
    if windows is None or any(window.kind in _ORDERED for window in windows):
        return None
    return windows


def _search_window(table: PatternTable, window: EditWindow) -> Iterator[Found]:
    """Yield the matches in a window's own tree, in bytes of the whole text."""
    start, end = window.after
    shift = start - window.lead
    for found in table.search(window.tree, [(window.lead, window.lead + end - start)]):
        yield Found(found.pattern, found.start + shift, found.end + shift)


def _around(ranges: Iterable[tuple[int, int]], analysis: Analysis) -> list[_ByteRange]:
    """Return ordered view ranges as bytes, extended on either side; touching ones are merged."""
    source = analysis.source
    joined: list[_ByteRange] = []
    for start, end in ranges:
        first = max(0, source.utf8_offset(start) - WINDOW_BYTES)
        last = source.utf8_offset(end) + WINDOW_BYTES
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def _moved(start: int, before: Analysis, after: Analysis, edits: EditSet) -> int | None:
    """Return where a byte of the text before is after the edits."""
    offset = edits.map_offset(before.source.view_offset(start))
    return None if offset is None else after.source.utf8_offset(offset)
