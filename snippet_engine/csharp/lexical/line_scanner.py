"""Scan one line of active code: brackets, comments, and their errors.

Part of docs/design/roslyn.md §1.1. The input is a line and the frame that is open at its start; the
output is the frame that is open at its end. Patterns jump from one relevant token to the next.
:mod:`.literals` scans the text inside strings, :mod:`.preprocessor` directives.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from unicodedata import category

from snippet_engine.csharp.lexical import literals
from snippet_engine.csharp.lexical.lexical_state import (
    CLOSERS,
    COMMENT,
    FORMAT,
    HOLE,
    INTERPOLATED,
    INTERPOLATED_VERBATIM,
    OPENERS,
    RAW,
    VERBATIM,
    Frame,
)
from snippet_engine.csharp.lexical.preprocessor import WHITESPACE
from snippet_engine.csharp.lexical.report import Report
from snippet_engine.late_pattern import late_pattern

# ASCII that can be anywhere in code; every other character is examined.
_PLAIN = r"\t\v\f\x1a !%&*+,\-.0-9;<=>?A-Z^_a-z|~"
_ESCAPE = r"""\\["'\\0abfnrtv]"""
_STRING = rf'"(?!"")(?:[^"\\\n]|{_ESCAPE})*+"'
_OTHER = rf"{_STRING}|'(?:[ -&(-\[\]-~]|{_ESCAPE})'|/(?![/*])|@(?=[A-Za-z_])"
_VERBATIM = r'@"(?:[^"]|"")*+"'
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+\*/"


def _balanced(inner: str, brackets: str) -> str:
    """Return a pattern for ``inner`` between any of the given pairs of brackets."""
    pairs = zip(brackets[::2], brackets[1::2], strict=True)
    return "|".join(rf"\{opener}(?:{inner})*+\{closer}" for opener, closer in pairs)


_FLAT = rf"[{_PLAIN}:]++|{_OTHER}"
_NESTED = rf"{_FLAT}|{_balanced(_FLAT, '()[]')}"
_GROUPS = _balanced(_NESTED, "()[]{}")
_INTERPOLATED = (
    rf'\$"(?!"")(?:[^"\\{{}}]|{_ESCAPE}|\{{\{{|\}}\}}'
    rf'|\{{(?:[{_PLAIN}]|/(?![/*])|{_balanced(_FLAT, "()[]")})*+(?::[^"{{}}\\]*+)?\}})*+"'
)
_WHOLE = rf"{_OTHER}|{_GROUPS}|{_VERBATIM}|{_INTERPOLATED}|{_COMMENT}"

# Code that doesn't change the open frames, as far as one pattern can match it.
skip_code = re.compile(rf"(?:[{_PLAIN}:]++|{_WHOLE})*+(?://.*)?").match
# The shortest such steps, for scans that report each comment and literal.
_step_code = re.compile(rf"[{_PLAIN}:]*+").match
_step_hole = re.compile(rf"[{_PLAIN}]*+").match

MAX_PROBLEMS = 50
"""Most errors that are reported of one line; the rest of it is skipped."""
MAX_DEPTH = 30_000
"""Most open brackets at one place; compilers give up earlier."""

_NON_ASCII = late_pattern(r"[^\x00-\x7f]+")
_SPACE = late_pattern(f"[{WHITESPACE}]")
_UNICODE_ESCAPE = late_pattern(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_VERBATIM_NAME = re.compile(r"@(?:[^\W\d]|\\[uU])")
_DOLLARS = re.compile(r'(\$+)(@?)("+)')

_NAME_PARTS = frozenset(("Mn", "Mc", "Nd", "Pc", "Cf"))

_MISSING_CLOSER = {"{": "CS1513", "(": "CS1026", "[": "CS1003"}
_UNENDED = {
    COMMENT: ("CS1035", "end of comment, */, expected"),
    VERBATIM: ("CS1039", "unterminated string literal"),
    INTERPOLATED_VERBATIM: ("CS1039", "unterminated string literal"),
    INTERPOLATED: ("CS1010", "newline in a string literal"),
    RAW: ("CS8997", "unterminated raw string literal"),
    HOLE: ("CS8076", "} expected: an interpolation is not closed"),
    FORMAT: ("CS8076", "} expected: an interpolation is not closed"),
}


@cache
def _hole_pattern() -> re.Pattern[str]:
    """Return the counterpart of :data:`skip_code` for a hole, where a bare colon begins the format.

    Compiled when first needed: few files have such lines.
    """
    return re.compile(rf"(?:[{_PLAIN}]++|{_WHOLE})*+(?://.*)?")


def scan_line(line: str, position: int, frame: Frame, report: Report) -> Frame:
    """Scan ``line``, without its ending, from ``position`` with ``frame`` open there.

    Returns the frame open at the end of the line. Raises :class:`.TooManyStepsError`.
    """
    length = len(line)
    stepwise = report.of_segments
    problems = len(report.problems)
    while True:
        report.step()
        if len(report.problems) - problems >= MAX_PROBLEMS:
            return frame  # not C#: further problems of the line don't help
        if frame.is_code:
            if frame.kind == HOLE:
                skip = _step_hole if stepwise else _hole_pattern().match
            else:
                skip = _step_code if stepwise else skip_code
            position = skip(line, position).end()  # type: ignore[union-attr]
            if position == length:
                return frame
            char = line[position]
            if char in CLOSERS and frame.depth >= MAX_DEPTH:
                report.problem(position, "CS8078", "too deeply nested to be compiled")
                return frame
            if char in CLOSERS:
                frame = frame.push(char)
                if report.of_openers:
                    report.opened(frame, position)
                position += 1
            elif char in OPENERS:
                position, frame = _close(line, position, frame, report)
            else:
                position, frame = _token(line, position, frame, report)
        elif frame.kind == COMMENT:
            end = line.find("*/", position)
            if end < 0:
                if position == 0:  # else the comment began on this line, and is reported already
                    report.comment(0, length, single_line=False)
                return frame
            report.comment(position, end + 2, single_line=False)
            position, frame = end + 2, frame.parent
        else:
            position, frame = literals.scan_text(line, position, frame, report)
            if position == length and not frame.is_code:
                return literals.end_of_line(line, frame, report)


def report_unclosed(frame: Frame, column: int, report: Report) -> None:
    """Report that ``frame`` isn't closed where it should have been."""
    if frame.kind in CLOSERS:
        closer = CLOSERS[frame.kind]
        report.problem(column, _MISSING_CLOSER[frame.kind], f"{closer} expected", frame)
    else:
        opened = frame.parent if frame.kind == FORMAT else frame
        report.problem(column, *_UNENDED[frame.kind], opened)


def _close(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    """Apply the closing bracket at ``position``: braces end what is open inside them."""
    char = line[position]
    opener = OPENERS[char]
    if frame.kind == opener:
        if report.of_openers:
            report.closed(frame, position)
        return position + 1, frame.parent
    unclosed: list[Frame] = []
    probe = frame
    while probe.kind in CLOSERS and probe.kind != opener and (probe.kind != "{" or char == "}"):
        unclosed.append(probe)
        probe = probe.parent
    ends_hole = char == "}" and probe.kind == HOLE
    if probe.kind != opener and not ends_hole:
        report.stray(position, char)
        return position + 1, frame
    for each in unclosed:
        report_unclosed(each, position, report)
    if ends_hole:
        return literals.end_hole(line, position, probe, report)
    return position + 1, probe.parent


def _token(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    """Step over the token at ``position``, which is no bracket."""
    char = line[position]
    if char == "/":
        return _slash(line, position, frame, report)
    if char == '"':
        if line.startswith('"""', position):
            return literals.begin_raw(line, position, 0, frame, report)
        return literals.scan_string(line, position, report), frame
    if char == "'":
        return literals.scan_character(line, position, report), frame
    if char == ":":  # only stops the scan in a hole
        return position + 1, frame.push(FORMAT)
    if char in "@$":
        return _prefixed(line, position, frame, report)
    if char == "\\":
        escape = _UNICODE_ESCAPE().match(line, position)
        if escape:
            return escape.end(), frame
    if char == "#":
        report.problem(position, "CS1040", "a directive must be the first thing on its line")
        return len(line), frame
    if char > "\x7f":
        run = _NON_ASCII().match(line, position)
        assert run is not None
        before = line[position - 1 : position]
        misfit = _misfit(run[0], before.isalnum() or before == "_")
        if misfit is not None:
            _unexpected(line[position + misfit], position + misfit, report)
        return run.end(), frame
    _unexpected(char, position, report)
    return position + 1, frame


def _unexpected(char: str, position: int, report: Report) -> None:
    shown = char if char.isprintable() else f"U+{ord(char):04X}"
    report.problem(position, "CS1056", f"unexpected character '{shown}'")


def _slash(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    if line.startswith("//", position):
        report.comment(position, len(line), single_line=True)
        return len(line), frame
    if not line.startswith("/*", position):
        return position + 1, frame
    end = line.find("*/", position + 2)
    if end >= 0:
        report.comment(position, end + 2, single_line=False)
        return end + 2, frame
    frame = frame.push(COMMENT)
    report.opened(frame, position)
    report.comment(position, len(line), single_line=False)
    return len(line), frame


def _prefixed(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    """Step over a ``$`` or ``@``: the start of a string, or of a verbatim identifier."""
    dollars = _DOLLARS.match(line, position)
    if dollars and len(dollars[3]) >= 3 and not dollars[2]:
        return literals.begin_raw(line, dollars.start(3), len(dollars[1]), frame, report)
    for prefix, kind in (
        ('$"', INTERPOLATED),
        ('$@"', INTERPOLATED_VERBATIM),
        ('@$"', INTERPOLATED_VERBATIM),
        ('@"', VERBATIM),
    ):
        if line.startswith(prefix, position):
            frame = frame.push(kind)
            report.opened(frame, position)
            return position + len(prefix), frame
    if _VERBATIM_NAME.match(line, position):
        return position + 1, frame
    _unexpected(line[position], position, report)
    return position + 1, frame


@lru_cache(maxsize=4096)
def _misfit(run: str, in_name: bool) -> int | None:
    """Return the index of the first character that neither C# names nor spaces can contain.

    ``in_name`` says that the character before ``run`` belongs to a name.
    """
    # Each character that occurs is looked up once: there may be millions of the same.
    kinds = {ord(char): _kind(char) for char in set(run)}
    misfit = _MISFIT.search(("L" if in_name else " ") + run.translate(kinds), 1)
    return misfit.end() - 2 if misfit else None


_MISFIT = re.compile("X|(?<= )B*+P")


def _kind(char: str) -> str:
    """Return ``L`` if a character can begin a name, ``P`` if it can only continue one, else ``X``.

    Return a blank for a space, and ``B`` for a space that can also continue a name.
    """
    kind = category(char)
    if _SPACE().match(char):
        return "B" if kind in _NAME_PARTS else " "
    if char > "\uffff":
        return "X"
    if kind[0] == "L" or kind == "Nl":
        return "L"
    return "P" if kind in _NAME_PARTS else "X"
