"""Scan a whole file for lexical errors.

Implements docs/design/roslyn.md §1.1: one pass under one symbol set, no tree. A :class:`Scan` keeps
the state at each line's start, so that :mod:`.rescanner` can continue from there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter

from snippet_engine.csharp.lexical.lexical_state import COMMENT, State, StateTable
from snippet_engine.csharp.lexical.line_scanner import report_unclosed, scan_line, skip_code
from snippet_engine.csharp.lexical.preprocessor import WHITESPACE, Branch, parse_directive, take
from snippet_engine.csharp.lexical.problem import Problem
from snippet_engine.csharp.lexical.report import Report, Segment, TooManyStepsError
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.late_pattern import late_pattern
from snippet_engine.source_text import LineNumbers, starts_of

_BEFORE_COMMENT = late_pattern(
    rf"#[{WHITESPACE}]*+(?!(?:region|endregion|error|warning)(?!\w)|[!:])"
    r'(?:[^"/]|"[^"]*+(?:"|\Z)|/(?!/))*+(?=//)'
)
"""An unclosed quote extends to the end of its line; escapes are not read in it."""


def comment_start(line: str, hash_sign: int) -> int | None:
    """Return where the comment begins in a directive's ``line``, if it has one."""
    before = _BEFORE_COMMENT().match(line, hash_sign)
    return before.end() if before is not None else None


MAX_BAD_LINES = 10_000
"""After so many lines with errors, the rest of a text is skipped: the text isn't C#."""
_DIRECTIVE = re.compile(f"[{WHITESPACE}]*#")
_NO_TOKEN = re.compile(rf"(?:[{WHITESPACE}]|/\*(?:[^*]|\*(?!/))*+\*/)*+(?://.*|/\*.*)?$")
_RARE_LINE_ENDS = ("\x85", "\u2028", "\u2029")
_BRACKETS = frozenset("(){}[]")
_SHORT = 8
_STEPS_OF_DIRECTIVE = 4


class Lines:
    """Where the C# lines of a view begin and end.

    C# ends lines at U+0085, U+2028 and U+2029, too, where the view's lines continue. In ``view``,
    the scanned text, each of them is a ``\\n``: offsets stay, and all lines end alike.
    """

    def __init__(self, view: str, numbers: LineNumbers | None = None) -> None:
        """``numbers`` are the view's line numbers, if known."""
        self.has_rare_ends = not view.isascii() and any(end in view for end in _RARE_LINE_ENDS)
        if self.has_rare_ends:
            for end in _RARE_LINE_ENDS:
                view = view.replace(end, "\n")
            numbers = None
        self.view = view
        self._starts: list[int] | None = None
        self._numbers = numbers if numbers is not None else LineNumbers(view)

    def texts(self, start: int = 0) -> list[str]:
        """Return every line from view offset ``start`` on, without its ending."""
        return self.view[start:].split("\n")

    def starts(self) -> list[int]:
        """Return the view offset of each line's first code point."""
        if self._starts is None:
            self._starts = starts_of(self.texts())
        return self._starts

    def number(self, offset: int) -> int:
        """Return the line that holds the view offset, counted from zero."""
        return self._numbers.number(offset)

    def start(self, offset: int) -> int:
        """Return the view offset where the line of ``offset`` begins."""
        return self.view.rfind("\n", 0, offset) + 1

    def end(self, offset: int) -> int:
        """Return the view offset where the line of ``offset`` ends, before its line ending."""
        end = self.view.find("\n", offset)
        return len(self.view) if end < 0 else end


def count_ends(text: str) -> int:
    """Return how often C# ends a line in ``text``."""
    rare = 0 if text.isascii() else sum(map(text.count, _RARE_LINE_ENDS))
    return text.count("\n") + rare


@dataclass(frozen=True, slots=True)
class Scan:
    """The lexical analysis of a text under one symbol set."""

    lines: Lines
    symbols: SymbolSet
    table: StateTable
    states: list[State]
    """The state at each line's start, and last the one at the end of the text."""
    problems: dict[int, tuple[Problem, ...]]
    """The lines with errors."""
    directives: list[tuple[int, int]]
    """The number and the view offset of each directive, in order, also in inactive branches."""
    most_bad_lines: int = MAX_BAD_LINES
    """After so many lines with errors, the rest was skipped."""
    segments: dict[tuple[int, int], list[Segment]] = field(default_factory=dict, compare=False)
    """Comments and literals of the lines that were last asked for, by line numbers."""

    @property
    def final(self) -> State:
        """Return the state at the end of the text."""
        return self.states[-1]

    def state_at(self, offset: int) -> State:
        """Return the state at the start of the line that holds the view offset."""
        return self.states[self.lines.number(offset)]

    @property
    def is_clean(self) -> bool:
        """Whether the text has no lexical error under this symbol set."""
        final = self.final
        return not self.problems and not final.frame.depth and final.branch.parent is None

    def blanks(self) -> list[tuple[int, int]]:
        """Return the view ranges that aren't compiled: directive lines and inactive branches."""
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
        """Return the branches that decide whether the parts of the view range are compiled.

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

    def errors(self, *, with_openers: bool = True) -> Iterator[tuple[int, Problem]]:
        """Yield each error with its view offset, in text order.

        ``with_openers`` adds the openers of unclosed constructs, and the brace that is suspect by
        its indentation. That takes a second pass; ids and places are the same without it.
        """
        if self.is_clean:
            return
        report = Report(of_openers=with_openers)
        reported = 0
        try:
            if with_openers and self._has_unpaired():
                for each in self._with_openers(report):
                    reported += 1
                    yield each
            else:
                yield from self._without_openers()
        except TooManyStepsError:
            # The rest is reported without openers: ids and places are the same.
            report = Report()
            yield from islice(self._without_openers(), reported, None)
        report.begin_line(len(self.lines.view), "")
        for frame in self.final.frame.innermost_first():
            report_unclosed(frame, 0, report)
            yield len(self.lines.view), report.problems.pop()
        for branch in self.final.branch.outermost_first():
            if branch.kind == "region":
                report.problem(0, "CS1038", "#endregion expected")
            else:
                report.problem(0, "CS1027", "#endif expected")
        for problem in report.problems:
            yield len(self.lines.view), problem

    def _without_openers(self) -> Iterator[tuple[int, Problem]]:
        starts = self.lines.starts()
        for line, problems in self.problems.items():
            for problem in problems:
                yield starts[line] + problem.column, problem

    def _has_unpaired(self) -> bool:
        """Return whether something isn't closed, or closes nothing."""
        problems = (each for problems in self.problems.values() for each in problems)
        return self.final.frame.depth > 0 or any(each.is_unpaired for each in problems)

    def _with_openers(self, report: Report) -> Iterator[tuple[int, Problem]]:
        """Yield the problems of all lines again, with their openers."""
        states, problems = self.states, self.problems
        begin = 0
        for number, text in enumerate(self.lines.texts()):
            state, start = states[number], begin
            begin = start + len(text) + 1
            has_none = number not in problems
            is_pair = state.frame.kind == "{" and "}" not in text
            if has_none and states[number + 1] is state and (is_pair or not state.branch.active):
                continue  # brackets that open and close within the line concern no other line
            report.begin_line(start, text)
            brace = text.strip() if has_none and state.steady else ""
            if brace == "{":
                report.opened(states[number + 1].frame, text.index(brace))
            elif brace == "}":
                report.closed(state.frame, text.index(brace))
            else:
                advance(text, state, self.symbols, self.table, report)
                for problem in report.problems:
                    yield start + problem.column, problem
                report.problems.clear()


def scan(
    view: str,
    symbols: SymbolSet,
    most_bad_lines: int = MAX_BAD_LINES,
    numbers: LineNumbers | None = None,
) -> Scan:
    """Scan a whole text under ``symbols``, up to ``most_bad_lines`` lines with errors.

    ``numbers`` are the view's line numbers, if known.

    Raises :class:`.TooManyStepsError`.
    """
    lines = Lines(view, numbers)
    table = StateTable()
    result = Scan(lines, symbols, table, [], {}, [], most_bad_lines)
    states, problems = result.states, result.problems
    directives: list[int] = []
    state = table.initial
    report = Report()
    append, following = states.append, table.following
    texts = lines.texts()
    for number, text in enumerate(texts):
        append(state)
        position = 0
        if state.lasting:
            if not text or not (state.steady or "#" in text):
                continue
            if state.steady:
                position = skip_code(text).end()  # type: ignore[union-attr]
                if position == len(text):
                    continue
            known = following.get((state, text[position:]))
            if known is not None:
                state = known
                continue
        if is_directive(text, state):
            directives.append(number)
        state = advance(text, state, symbols, table, report, position)
        if report.problems:
            problems[number] = tuple(report.problems)
            report.problems.clear()
            if len(problems) == most_bad_lines:
                states.extend([state] * (len(texts) - len(states)))
                break
    append(state)
    if directives:
        starts = lines.starts()
        result.directives.extend((line, starts[line]) for line in directives)
    return result


def is_directive(text: str, state: State) -> bool:
    """Return whether a line that starts in ``state`` is a preprocessor directive."""
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
    """Return the state after a line that starts in ``state``; its problems go to ``report``.

    Up to ``position``, before its end, the line is known to be code that doesn't change the state.
    """
    if is_directive(text, state):
        report.step(_STEPS_OF_DIRECTIVE)
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
        if report.of_segments and (comment := comment_start(text, hash_sign)) is not None:
            report.comment(comment, len(text), single_line=True)
        return table.state(state.frame, branch, definitions, state.after_first_token)
    if not state.branch.active:
        return state
    frame = scan_line(text, position, state.frame, report)
    if not state.after_first_token:
        return table.state(frame, state.branch, state.definitions, _has_token(text, state))
    after = state
    if frame is not state.frame:
        after = table.state(frame, state.branch, state.definitions, True)
    end = text[position:]
    if state.steady and len(end) <= _SHORT and end[:1] in _BRACKETS and not report.problems:
        table.following[state, end] = after
    return after


def _has_token(text: str, state: State) -> bool:
    """Return whether a line has a token. At its start, nothing but a comment may be open."""
    if state.frame.kind == COMMENT:
        end = text.find("*/")
        return end >= 0 and not _NO_TOKEN.match(text, end + 2)
    return not _NO_TOKEN.match(text)
