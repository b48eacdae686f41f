"""Scan a text again after edits.

Part of docs/design/roslyn.md §1.1. States at the starts of lines are interned, so reading stops at
the first line after an edit that starts in its old state.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from snippet_engine.csharp.lexical.lexical_state import State
from snippet_engine.csharp.lexical.line_scanner import skip_code
from snippet_engine.csharp.lexical.report import Report
from snippet_engine.csharp.lexical.scanner import Lines, Scan, advance, count_ends, is_directive
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.edits import EditSet
from snippet_engine.source_text import LineNumbers


def rescan(
    before: Scan,
    view: str,
    edits: EditSet,
    symbols: SymbolSet,
    numbers: LineNumbers | None = None,
) -> Scan:
    """Return the scan of ``view``, which is the text of ``before`` with ``edits`` applied.

    ``symbols`` may differ from those of ``before`` only in symbols that no untouched line mentions.
    ``numbers`` are the view's line numbers, if known.
    """
    lines = Lines(view, numbers)
    result = Scan(lines, symbols, before.table, [], {}, [], before.most_bad_lines)
    # Old lines from "first" on aren't copied yet; "moved" is the shift of their text.
    regions = _regions(before.lines, edits)
    first = moved = 0
    while regions:
        _copy(before, first, regions[0].old_first, moved, result)
        first, moved = _read(before, regions, result)
    _copy(before, first, len(before.states), moved, result)
    return result


class _Region(NamedTuple):
    """Lines that edits touch, as old and new line numbers, and where the new ones begin."""

    old_first: int
    new_last: int
    start: int
    """View offset, in the new text, of a place on the first line."""
    added: int
    """How many more lines, and how many more code points, the new text has up to here."""
    moved: int


def _regions(lines: Lines, edits: EditSet) -> list[_Region]:
    """Return the touched lines in order; edits on one line share a region."""
    regions: list[_Region] = []
    added = moved = 0
    for edit in edits:
        first = lines.number(edit.start)
        removed = lines.view.count("\n", edit.start, edit.end)
        start, old_first = edit.start + moved, first
        # The last region ends, in old lines, on the line where this edit begins. As two regions,
        # that line would be read twice, and the result would have a line too many.
        if regions and regions[-1].new_last - added == first:
            last = regions.pop()
            # The joined region begins with the first; its counts are those behind the last edit.
            start, old_first = last.start, last.old_first
        added += count_ends(edit.new_text) - removed
        moved += len(edit.new_text) - (edit.end - edit.start)
        regions.append(_Region(old_first, first + removed + added, start, added, moved))
    return regions


def _copy(before: Scan, first: int, end: int, moved: int, result: Scan) -> None:
    """Take over the old lines from ``first`` to ``end`` as the next lines of ``result``."""
    # Problems hold columns, so that only their lines move; directives hold offsets as well.
    added = len(result.states) - first
    result.states.extend(before.states[first:end])
    for line, problems in before.problems.items():
        if first <= line < end:
            result.problems[line + added] = problems
    old = before.directives
    copied = old[bisect_left(old, (first, 0)) : bisect_left(old, (end, 0))]
    if added or moved:
        copied = [(line + added, start + moved) for line, start in copied]
    result.directives.extend(copied)


def _read(before: Scan, regions: list[_Region], result: Scan) -> tuple[int, int]:
    """Scan from the first of ``regions`` to the first line that starts in its old state.

    Removes the regions that it passes from the list. Returns the old line to continue with, and the
    offset of the text there.
    """
    region = regions.pop(0)
    report = Report()
    # The lines above the region are the old ones, so it begins in the old state.
    states, old_states = result.states, before.states
    state = old_states[region.old_first]
    view = result.lines.view
    start = result.lines.start(region.start)
    line = len(states)
    while start <= len(view):
        text = view[start : result.lines.end(start)]
        state = _read_line(text, start, state, result, report)
        start += len(text) + 1
        line += 1
        if len(result.problems) >= result.most_bad_lines and start <= len(view):
            states.extend([state] * (view.count("\n", start) + 1))
            regions.clear()
            break
        # On a touched line the states may agree by chance, although the line has changed.
        if line <= region.new_last:
            continue
        # After the region, new and old lines correspond one to one up to the next region.
        old_line = line - region.added
        # The next edit begins before the states are equal, as with an open quote: continue through
        # that edit. From here on use its counts, which include those of all edits above.
        if regions and old_line == regions[0].old_first:
            region = regions.pop(0)
        # The same state on the same line: the rest reads as before. A line with unchanged text
        # isn't enough, since a quote or comment may be open over many lines. The last entry is the
        # end of the text, after the last line.
        elif old_states[old_line] is state and old_line < len(old_states) - 1:
            return old_line, region.moved
    states.append(state)
    return len(old_states), 0


def _read_line(text: str, start: int, state: State, result: Scan, report: Report) -> State:
    """Scan the next line of ``result``; return the state after it."""
    states = result.states
    states.append(state)
    position = 0
    # The fast path of a whole scan, in the same order: both must come to the same states. It misses
    # no directive, because skip_code stops at "#", and no known end begins with one.
    if state.steady:
        position = skip_code(text).end()  # type: ignore[union-attr]
        if position == len(text):
            return state
        known = result.table.following.get((state, text[position:]))
        if known is not None:
            return known
    if is_directive(text, state):
        result.directives.append((len(states) - 1, start))
    state = advance(text, state, result.symbols, result.table, report, position)
    if report.problems:
        result.problems[len(states) - 1] = tuple(report.problems)
        report.problems.clear()
    return state
