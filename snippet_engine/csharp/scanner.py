"""Scanning a whole file for what is lexically wrong, once and again after edits.

Implements spec 04-roslyn §1.1: one pass under one symbol set, no tree. A :class:`Scan` keeps
the state at each line's start; :func:`rescan` reads only the lines from an edit down to where
old and new states agree, and reuses the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, count, islice
from operator import add, itemgetter
from typing import NamedTuple

from snippet_engine.csharp.lexical_state import COMMENT, State, StateTable
from snippet_engine.csharp.line_scanner import report_unclosed, scan_line, skip_code
from snippet_engine.csharp.preprocessor import WHITESPACE, Branch, parse_directive, take
from snippet_engine.csharp.report import Problem, Report
from snippet_engine.csharp.symbol_sets import SymbolSet
from snippet_engine.edits import EditSet

_DIRECTIVE = re.compile(f"[{WHITESPACE}]*#")
_NO_TOKEN = re.compile(rf"(?:[{WHITESPACE}]|/\*(?:[^*]|\*(?!/))*+\*/)*+(?://.*|/\*.*)?$")
_RARE_LINE_ENDS = ("\x85", "\u2028", "\u2029")
_LINE_END = re.compile("[\n\x85\u2028\u2029]")

_FEW_LINES = 100
"""Where so many are looked at one by one, all that follow are likely to be."""


class Lines:
    """Where the C# lines of a view begin and end.

    C# ends lines at U+0085, U+2028 and U+2029 too, where the view's lines go on.
    """

    def __init__(self, view: str) -> None:
        self.view = view
        self.has_rare_ends = not view.isascii() and any(end in view for end in _RARE_LINE_ENDS)
        self._starts: list[int] | None = None

    def texts(self) -> list[str]:
        """Every line, without its ending."""
        return _LINE_END.split(self.view) if self.has_rare_ends else self.view.split("\n")

    def starts(self) -> list[int]:
        """View offset of each line's first code point."""
        if self._starts is None:
            ends = accumulate(map(len, self.texts()))
            self._starts = [0, *map(add, ends, count(1))][:-1]
        return self._starts

    def number(self, offset: int) -> int:
        """The line that holds the view offset, counted from zero."""
        if self.has_rare_ends or self._starts is not None:
            return bisect_right(self.starts(), offset) - 1
        return self.view.count("\n", 0, offset)

    def start(self, offset: int) -> int:
        """View offset of the first code point of the line that holds ``offset``."""
        if self.has_rare_ends:
            return self.starts()[self.number(offset)]
        return self.view.rfind("\n", 0, offset) + 1

    def end(self, offset: int) -> int:
        """View offset of the end of the line that holds ``offset``, before its ending."""
        if self.has_rare_ends:
            match = _LINE_END.search(self.view, offset)
            return match.start() if match else len(self.view)
        end = self.view.find("\n", offset)
        return len(self.view) if end < 0 else end


@dataclass(frozen=True, slots=True)
class Scan:
    """The lexical analysis of a text under one symbol set.

    ``states`` has the state at each line's start, and that at the end of the text last.
    ``problems`` has the lines that have any; ``directives``, in order, the number and the
    view offset of each line that is a preprocessor directive, in inactive branches too.
    """

    lines: Lines
    symbols: SymbolSet
    table: StateTable
    states: list[State]
    problems: dict[int, tuple[Problem, ...]]
    directives: list[tuple[int, int]]

    @property
    def final(self) -> State:
        """The state at the end of the text."""
        return self.states[-1]

    def state_at(self, offset: int) -> State:
        """The state at the start of the line that holds the view offset."""
        return self.states[self.lines.number(offset)]

    @property
    def is_clean(self) -> bool:
        """Whether the text has no lexical error under this symbol set."""
        final = self.final
        return not self.problems and not final.frame.depth and final.branch.parent is None

    def blanks(self) -> list[tuple[int, int]]:
        """The view ranges that aren't compiled: directive lines and inactive branches."""
        ranges: list[tuple[int, int]] = []
        for index, (line, start) in enumerate(self.directives, 1):
            if self.states[line + 1].branch.active:
                end = self.lines.end(start)
            elif index < len(self.directives):
                end = self.directives[index][1]
            else:
                end = len(self.lines.view)
            ranges.append((start, end))
        return ranges

    def branches(self, start: int, end: int) -> list[Branch]:
        """The branches that decide whether the parts of the view range are compiled.

        A directive line belongs to the branch around it.
        """
        directives = self.directives
        above = bisect_right(directives, start, key=itemgetter(1)) - 1
        found: list[Branch] = []
        if above < 0:
            found.append(self.states[0].branch)
        elif start > self.lines.end(directives[above][1]):
            found.append(self.states[directives[above][0] + 1].branch)
        else:
            above -= 1  # the place begins on that directive's line
        for line, offset in islice(directives, above + 1, None):
            if offset > start and offset >= end:
                break
            found.append(self._around(line))
            if end > self.lines.end(offset) + 1:
                found.append(self.states[line + 1].branch)
        return found

    def _around(self, directive: int) -> Branch:
        above, below = self.states[directive].branch, self.states[directive + 1].branch
        if above.parent is not None and below is not above and above is not below.parent:
            return above.parent
        return above

    def errors(self) -> Iterator[tuple[int, Problem]]:
        """Each error with its view offset, in text order; openers are found by a second pass."""
        if self.is_clean:
            return
        report = Report(of_openers=True)
        all_problems = (each for problems in self.problems.values() for each in problems)
        if self.final.frame.depth or any(each.is_unpaired for each in all_problems):
            yield from self._with_openers(report)
        else:
            starts = self.lines.starts()
            for line, problems in self.problems.items():
                for problem in problems:
                    yield starts[line] + problem.column, problem
        report.begin_line(len(self.lines.view), "")
        report_unclosed(self.final.frame, 0, report)
        for branch in self.final.branch.outermost_first():
            if branch.kind == "region":
                report.problem(0, "CS1038", "#endregion expected")
            else:
                report.problem(0, "CS1027", "#endif expected")
        for problem in report.problems:
            yield len(self.lines.view), problem

    def _with_openers(self, report: Report) -> Iterator[tuple[int, Problem]]:
        """The problems of all lines, told again by a report of openers."""
        start = 0
        states, problems = self.states, self.problems
        for number, text in enumerate(self.lines.texts()):
            state = states[number]
            # What opens in the line and closes again concerns no other line.
            goes_on = states[number + 1] is state and number not in problems
            if not goes_on or state.frame.kind != "{" or "}" in text:
                report.begin_line(start, text)
                advance(text, state, self.symbols, self.table, report)
                for problem in report.problems:
                    yield start + problem.column, problem
                report.problems.clear()
            start += len(text) + 1


def scan(view: str, symbols: SymbolSet) -> Scan:
    """Scan a whole text under ``symbols``."""
    lines = Lines(view)
    table = StateTable()
    result = Scan(lines, symbols, table, [], {}, [])
    states, problems = result.states, result.problems
    directives: list[int] = []
    state = table.initial
    report = Report()
    append = states.append
    for text in lines.texts():
        append(state)
        position = 0
        if state.steady:
            position = skip_code(text).end()  # type: ignore[union-attr]
            if position == len(text):
                continue
        if is_directive(text, state):
            directives.append(len(states) - 1)
        state = advance(text, state, symbols, table, report, position)
        if report.problems:
            problems[len(states) - 1] = tuple(report.problems)
            report.problems.clear()
    append(state)
    if directives:
        starts = lines.starts()
        result.directives.extend((line, starts[line]) for line in directives)
    return result


def scan_alike(other: Scan, symbols: SymbolSet) -> Scan:
    """The scan of the text of ``other`` under other ``symbols``.

    Symbols decide at directives; from where both sets lead to the same state to the next directive,
    all is the same.
    """
    result = Scan(other.lines, symbols, other.table, [], {}, [])
    texts = other.lines.texts()
    starts = other.lines.starts() if other.directives else []
    states, report = result.states, Report()
    state, end = other.states[0], len(texts)
    lines_of_directives = [line for line, _ in other.directives]
    while len(states) < end:
        line = len(states)
        if state is other.states[line]:
            following = bisect_left(lines_of_directives, line)
            stop = lines_of_directives[following] if following < len(lines_of_directives) else end
            _copy(other, line, stop, 0, result)
            line, state = stop, other.states[stop]
            if stop == end:
                break
        states.append(state)
        if is_directive(texts[line], state):
            result.directives.append((line, starts[line]))
        state = advance(texts[line], state, symbols, result.table, report)
        if report.problems:
            result.problems[line] = tuple(report.problems)
            report.problems.clear()
    states.append(state)
    return result


def is_directive(text: str, state: State) -> bool:
    """Whether a line that starts in ``state`` is a preprocessor directive."""
    if "#" not in text:
        return False
    frame = state.frame
    if state.branch.active and (not frame.is_code or frame.in_hole):
        return False
    return _DIRECTIVE.match(text) is not None


def advance(
    text: str,
    state: State,
    symbols: SymbolSet,
    table: StateTable,
    report: Report,
    position: int = 0,
) -> State:
    """The state after a line that starts in ``state``; its problems go to ``report``.

    Up to ``position``, short of its end, the line is known to be code that leaves the state alone.
    """
    if is_directive(text, state):
        hash_sign = text.index("#")
        branch, definitions, problems = take(
            parse_directive(text[hash_sign:]),
            state.branch,
            state.definitions,
            symbols,
            state.after_first_token,
        )
        for problem in problems:
            report.problem(hash_sign + problem.column, problem.id, problem.message)
        return table.state(state.frame, branch, definitions, state.after_first_token)
    if not state.branch.active:
        return state
    frame = scan_line(text, position, state.frame, report)
    if state.after_first_token:
        if frame is state.frame:
            return state
        return table.state(frame, state.branch, state.definitions, True)
    return table.state(frame, state.branch, state.definitions, _has_token(text, state))


def _has_token(text: str, state: State) -> bool:
    """Whether a line has a token, where nothing but a comment can be open at its start."""
    if state.frame.kind == COMMENT:
        end = text.find("*/")
        return end >= 0 and not _NO_TOKEN.match(text, end + 2)
    return not _NO_TOKEN.match(text)


def rescan(before: Scan, view: str, edits: EditSet, symbols: SymbolSet) -> Scan:
    """The scan of ``view``, which is the text of ``before`` with ``edits`` applied.

    ``symbols`` may differ from those of ``before`` in symbols that only the touched lines
    mention.
    """
    lines = Lines(view)
    if lines.has_rare_ends or before.lines.has_rare_ends:
        return scan(view, symbols)
    result = Scan(lines, symbols, before.table, [], {}, [])
    regions = _regions(before.lines.view, edits)
    first = moved = 0
    while regions:
        _copy(before, first, regions[0].old_first, moved, result)
        first, moved = _read(before, regions, result)
    _copy(before, first, len(before.states), moved, result)
    return result


class _Region(NamedTuple):
    """Lines that edits touch: the old ones, the new ones, and where those begin."""

    old_first: int
    new_last: int
    start: int
    """View offset, in the new text, of a place on the first line."""
    added: int
    """How many more lines, and how many more code points, the new text has up to here."""
    moved: int


def _regions(view: str, edits: EditSet) -> list[_Region]:
    """The touched lines in order, edits that share a line together."""
    regions: list[_Region] = []
    line = offset = added = moved = 0
    for edit in edits:
        first = line + view.count("\n", offset, edit.start)
        removed = view.count("\n", edit.start, edit.end)
        line, offset = first + removed, edit.end
        start, old_first = edit.start + moved, first
        if regions and regions[-1].new_last - added == first:
            last = regions.pop()
            start, old_first = last.start, last.old_first
        added += edit.new_text.count("\n") - removed
        moved += len(edit.new_text) - (edit.end - edit.start)
        regions.append(_Region(old_first, line + added, start, added, moved))
    return regions


def _copy(before: Scan, first: int, end: int, moved: int, result: Scan) -> None:
    """Take over the old lines from ``first`` to ``end`` as the next lines of ``result``."""
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
    """Scan from the first of ``regions`` to where the old states are reached again.

    Regions passed on the way are taken off the list. Returns the old line to go on with, and
    how far the text has moved there.
    """
    region = regions.pop(0)
    states, report = result.states, Report()
    state = before.states[region.old_first]
    start = result.lines.start(region.start)
    for text in _texts_from(result.lines.view, start):
        line = len(states)
        states.append(state)
        position = skip_code(text).end() if state.steady else -1  # type: ignore[union-attr]
        if position != len(text):
            if is_directive(text, state):
                result.directives.append((line, start))
            state = advance(text, state, result.symbols, result.table, report, max(position, 0))
            if report.problems:
                result.problems[line] = tuple(report.problems)
                report.problems.clear()
        start += len(text) + 1
        if line < region.new_last:
            continue
        old_line = line + 1 - region.added
        if regions and old_line == regions[0].old_first:
            region = regions.pop(0)
        elif old_line < len(before.states) - 1 and before.states[old_line] is state:
            return old_line, region.moved
    states.append(state)
    return len(before.states), 0


def _texts_from(view: str, start: int) -> Iterator[str]:
    """The lines from the one that begins at ``start``, one by one, as few may be wanted."""
    for _ in range(_FEW_LINES):
        end = view.find("\n", start)
        if end < 0:
            break
        yield view[start:end]
        start = end + 1
    yield from view[start:].split("\n")
