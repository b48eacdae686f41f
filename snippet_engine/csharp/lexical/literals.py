"""Scan the text of string and character literals, and find their end.

Part of docs/design/roslyn.md §1.1: regular, verbatim, interpolated and raw strings, characters and
escape sequences, as Roslyn's lexer reads them.
"""

from __future__ import annotations

import re

from snippet_engine.csharp.lexical.lexical_state import (
    FORMAT,
    HOLE,
    INTERPOLATED,
    INTERPOLATED_VERBATIM,
    RAW,
    VERBATIM,
    Frame,
    RawDelimiter,
)
from snippet_engine.csharp.lexical.preprocessor import WHITESPACE
from snippet_engine.csharp.lexical.report import Report

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+("?)')
_CHARACTER = re.compile(r"'(?:[^'\\]|\\.)*+('?)")
_ESCAPE = re.compile(
    r"""\\(?:["'\\0abfnrtve]|x[0-9A-Fa-f]{1,4}|u[0-9A-Fa-f]{4}|U(?:000[0-9A-Fa-f]|0010)[0-9A-Fa-f]{4})"""
)
_VERBATIM = re.compile(r'(?:[^"]|"")*+')
_INTERPOLATED = re.compile(r'(?:[^"{}\\]|\{\{|\}\}|\\.)*+')
_INTERPOLATED_VERBATIM = re.compile(r'(?:[^"{}]|""|\{\{|\}\})*+')
_FORMAT = re.compile(r'(?:[^"{}\\]|\\.)*+')
_FORMAT_VERBATIM = re.compile(r'(?:[^"{}]|"")*+')
_FORMAT_RAW = re.compile(r"[^{}]*+")
_RAW = re.compile(r'(?:[^"{}])*+')
_QUOTES = re.compile(r'"+')
_BRACES = re.compile(r"\{+|\}+")
_MARGIN = re.compile(f"[{WHITESPACE}]*+")


def scan_string(line: str, position: int, report: Report) -> int:
    """Step over the regular string that begins at ``position``; return its end."""
    match = _STRING.match(line, position)
    assert match is not None
    if not match[1]:
        report.problem(position, "CS1010", "newline in a string literal: the \" isn't closed")
        report.text(position + 1, len(line))
        return len(line)
    _check_escapes(line, position + 1, match.end() - 1, report)
    report.text(position + 1, match.end() - 1)
    return match.end()


def scan_character(line: str, position: int, report: Report) -> int:
    """Step over the character literal that begins at ``position``; return its end."""
    match = _CHARACTER.match(line, position)
    assert match is not None
    if not match[1]:
        report.problem(position, "CS1010", "newline in a character literal: the ' isn't closed")
        report.text(position + 1, len(line))
        return len(line)
    start, end = position + 1, match.end() - 1
    _check_escapes(line, start, end, report)
    characters = len(_ESCAPE.sub(_units, line[start:end]).encode("utf-16-le")) // 2
    if characters == 0:
        report.problem(position, "CS1011", "empty character literal")
    elif characters > 1:
        report.problem(position, "CS1012", "too many characters in a character literal")
    report.text(start, end)
    return match.end()


def _units(escape: re.Match[str]) -> str:
    """Return one letter for each UTF-16 unit of the escaped character."""
    is_long = escape[0].startswith("\\U") and int(escape[0][2:], 16) > 0xFFFF
    return "xx" if is_long else "x"


def _check_escapes(line: str, start: int, end: int, report: Report) -> None:
    at = line.find("\\", start, end)
    while at >= 0:
        escape = _ESCAPE.match(line, at, end)
        if escape is None:
            report.problem(at, "CS1009", f"unrecognized escape sequence '{line[at : at + 2]}'")
        at = line.find("\\", escape.end() if escape else at + 2, end)


def scan_text(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    """Scan the text of the literal ``frame`` up to its end, a hole, or the end of the line."""
    if frame.kind == VERBATIM:
        return _scan_verbatim(line, position, frame, report)
    if frame.kind == FORMAT:
        return _scan_format(line, position, frame, report)
    if frame.kind == RAW:
        return _scan_raw(line, position, frame, report)
    return _scan_interpolated(line, position, frame, report)


def end_of_line(line: str, frame: Frame, report: Report) -> Frame:
    """Return the frame that is open on the next line when a line ends inside a literal's text."""
    literal = frame.parent.parent if frame.kind == FORMAT else frame
    goes_on = literal.kind in {VERBATIM, INTERPOLATED_VERBATIM} or (
        literal.kind == RAW and literal.raw.multiline
    )
    if goes_on:
        return frame
    if frame.kind == FORMAT:
        hole = frame.parent
        report.problem(len(line), "CS8076", "} expected: an interpolation is not closed", hole)
    elif frame.kind == RAW:
        report.problem(len(line), "CS8997", "unterminated raw string literal", frame)
    else:
        report.problem(len(line), "CS1010", "newline in a string literal", frame)
    return literal.parent


def end_hole(line: str, position: int, hole: Frame, report: Report) -> tuple[int, Frame]:
    """Close ``hole`` with the brace, or the braces of a raw string, at ``position``."""
    needed = max(1, hole.parent.raw.dollars)
    braces = _BRACES.match(line, position)
    found = min(needed, braces.end() - position) if braces else 0
    if found < needed:
        report.problem(position, "CS8076", f"{'}' * needed} expected to close an interpolation")
    return position + found, hole.parent


def _scan_verbatim(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    match = _VERBATIM.match(line, position)
    assert match is not None
    report.text(position, match.end())
    if match.end() == len(line):
        return len(line), frame
    return match.end() + 1, frame.parent


def _scan_interpolated(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    verbatim = frame.kind == INTERPOLATED_VERBATIM
    match = (_INTERPOLATED_VERBATIM if verbatim else _INTERPOLATED).match(line, position)
    assert match is not None
    end = match.end()
    report.text(position, end)
    if not verbatim:
        _check_escapes(line, position, end, report)
    match line[end : end + 1]:
        case '"':
            return end + 1, frame.parent
        case "{":
            return _begin_hole(end, end + 1, frame, report)
        case "}":
            report.problem(end, "CS8086", "a } in an interpolated string must be doubled")
            return end + 1, frame
        case "\\":  # a backslash that ends the line
            return len(line), frame
    return end, frame


def _begin_hole(start: int, end: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    hole = frame.push(HOLE)
    report.opened(hole, start)
    return end, hole


def _scan_format(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    hole = frame.parent
    literal = hole.parent
    pattern = {INTERPOLATED: _FORMAT, INTERPOLATED_VERBATIM: _FORMAT_VERBATIM}.get(
        literal.kind, _FORMAT_RAW
    )
    match = pattern.match(line, position)
    assert match is not None
    end = match.end()
    report.text(position, end)
    if literal.kind == INTERPOLATED:
        _check_escapes(line, position, end, report)
    match line[end : end + 1]:
        case "}":
            return end_hole(line, end, hole, report)
        case "{":
            report.problem(end, "CS1056", "unexpected character '{' in a format")
            return end + 1, frame
        case '"':
            report.problem(end, "CS8076", "} expected: an interpolation is not closed", hole)
            return end + 1, literal.parent
        case "\\":
            return len(line), frame
    return end, frame


# -- raw strings ---------------------------------------------------------------------------


def begin_raw(
    line: str, position: int, dollars: int, frame: Frame, report: Report
) -> tuple[int, Frame]:
    """Step over the quotes at ``position`` that open a raw string with ``dollars`` dollar signs."""
    match = _QUOTES.match(line, position)
    assert match is not None
    quotes = match.end() - position
    margin = _MARGIN.match(line, match.end())
    multiline = margin is not None and margin.end() == len(line)
    literal = frame.push_raw(RawDelimiter(quotes, dollars, multiline))
    report.opened(literal, position)
    return len(line) if multiline else match.end(), literal


def _scan_raw(line: str, position: int, frame: Frame, report: Report) -> tuple[int, Frame]:
    if position == 0 and frame.raw.multiline:
        margin = _MARGIN.match(line)
        assert margin is not None
        quotes = _QUOTES.match(line, margin.end())
        if quotes and len(quotes[0]) >= frame.raw.quotes:
            return _end_multiline(margin[0], quotes, frame, report)
        frame = frame.parent.push_raw(_with_content(frame.raw, margin[0], line))
    end = position
    raw = frame.raw
    while end < len(line):
        quotes = _QUOTES.match(line, end)
        if quotes:
            if len(quotes[0]) >= raw.quotes:
                return _end_raw(position, quotes, frame, report)
            end = quotes.end()
            continue
        braces = _BRACES.match(line, end) if raw.dollars else None
        if braces:
            if len(braces[0]) >= raw.dollars:
                return _raw_braces(position, braces, frame, report)
            end = braces.end()
            continue
        step = _RAW.match(line, end)
        assert step is not None
        end = max(step.end(), end + 1)
    report.text(position, end)
    return end, frame


def _with_content(raw: RawDelimiter, margin: str, line: str) -> RawDelimiter:
    if len(margin) == len(line):
        return raw._replace(has_content=True)
    shared = margin
    if raw.margin is not None:
        length = 0
        for left, right in zip(margin, raw.margin, strict=False):
            if left != right:
                break
            length += 1
        shared = margin[:length]
    return raw._replace(has_content=True, margin=shared)


def _end_multiline(
    margin: str, quotes: re.Match[str], frame: Frame, report: Report
) -> tuple[int, Frame]:
    raw = frame.raw
    if not raw.has_content:
        report.problem(quotes.start(), "CS9002", "a multi-line raw string needs a line of content")
    elif raw.margin is not None and not raw.margin.startswith(margin):
        report.problem(
            quotes.start(),
            "CS8999",
            "a line of the raw string is indented less than the closing quotes",
        )
    _check_quotes(quotes, raw, report)
    return quotes.end(), frame.parent


def _end_raw(
    position: int, quotes: re.Match[str], frame: Frame, report: Report
) -> tuple[int, Frame]:
    if frame.raw.multiline:
        report.problem(
            quotes.start(), "CS9000", "the quotes that end a raw string go on their own line"
        )
    report.text(position, quotes.end() - frame.raw.quotes)
    _check_quotes(quotes, frame.raw, report)
    return quotes.end(), frame.parent


def _check_quotes(quotes: re.Match[str], raw: RawDelimiter, report: Report) -> None:
    if len(quotes[0]) > raw.quotes:
        report.problem(quotes.start(), "CS8998", "too many closing quotes for the raw string")


def _raw_braces(
    position: int, braces: re.Match[str], frame: Frame, report: Report
) -> tuple[int, Frame]:
    dollars = frame.raw.dollars
    if braces[0][0] == "}":
        report.text(position, braces.start())
        report.problem(braces.start(), "CS9007", "too many } for an interpolated raw string")
        return braces.end(), frame
    hole = braces.end() - dollars
    report.text(position, hole)
    if len(braces[0]) >= 2 * dollars:
        report.problem(braces.start(), "CS9006", "too many { for an interpolated raw string")
    return _begin_hole(hole, braces.end(), frame, report)
