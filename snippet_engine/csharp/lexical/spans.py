"""Classify a span of text: code, comment, or the text of a literal.

Part of docs/design/engine.md §2.7 (``anchor_in_comment``, ``anchor_in_string``).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import Enum, auto
from itertools import pairwise

from snippet_engine.csharp.lexical.report import Report, Segment
from snippet_engine.csharp.lexical.scanner import Scan, advance

_MAX_KEPT = 32
"""Most places whose scanned lines are cached."""
_OPENER = re.compile(r"""["'/]""")
"""Every comment and literal begins with one of these, or has it in its beginning."""


class SpanKind(Enum):
    """The lexical kind of a span of text."""

    CODE = auto()
    COMMENT = auto()
    STRING = auto()
    """Inside the text of a string or character literal; interpolation holes are code."""


def kind_of_span(scan: Scan, start: int, end: int) -> SpanKind:
    """Return the kind of the view range ``[start, end)``, if it is compiled.

    It is a comment if it lies wholly inside one comment, delimiters included, or inside ``//``
    comments with only whitespace between them. It is a string if it lies wholly inside the text of
    one literal, without its quotes.
    """
    text = scan.lines.view
    segments = _segments(scan, start, end)
    for segment in segments:
        if _holds(segment, start, end, text):
            return SpanKind.COMMENT if segment.is_comment else SpanKind.STRING
    touched = [segment for segment in segments if segment.start < end and start < segment.end]
    if (
        touched
        and touched[0].start <= start
        and end <= touched[-1].end
        and all(segment.is_single_line for segment in touched)
        and not any(text[left.end : right.start].strip() for left, right in pairwise(touched))
    ):
        return SpanKind.COMMENT
    return SpanKind.CODE


def _holds(segment: Segment, start: int, end: int, text: str) -> bool:
    """Return whether the span lies in the segment.

    For an empty span: whether text that is inserted there would.
    """
    if start < segment.start or end > segment.end:
        return False
    if start < end or not segment.is_comment:
        return True
    is_closed = not segment.is_single_line and text.startswith("*/", segment.end - 2)
    return segment.start < start and not (is_closed and start == segment.end)


def _segments(scan: Scan, start: int, end: int) -> list[Segment]:
    """Return the comments and literals around the view range ``[start, end)``."""
    # Cached, because one line may hold a million places, and an anchor's place is classified twice:
    # to resolve the anchor, and for the warnings.
    first_line = scan.lines.number(start)
    key = first_line, first_line + scan.lines.view.count("\n", start, end)
    found = scan.segments.get(key)
    if found is None:
        if len(scan.segments) >= _MAX_KEPT:
            scan.segments.clear()
        found = scan.segments[key] = _read(scan, key[0], start, end)
    first = bisect_left(found, start, key=lambda each: each.end)
    return found[first : bisect_right(found, end, lo=first, key=lambda each: each.start)]


def _read(scan: Scan, line: int, start: int, end: int) -> list[Segment]:
    """Return the comments and literals on the lines from ``line`` to that of ``end``."""
    frame = scan.states[line].frame
    goes_on = not frame.is_code
    first = begin = scan.lines.start(start)
    # Behind a hole the literal's text continues without an opener.
    is_plain = frame.is_code and not frame.in_hole
    if is_plain and not _OPENER.search(scan.lines.view, first, scan.lines.end(end)):
        return []
    report = Report(of_segments=True)
    while begin <= end and line < len(scan.states) - 1:
        stop = scan.lines.end(begin)
        text = scan.lines.view[begin:stop]
        report.begin_line(begin, text)
        advance(text, scan.states[line], scan.symbols, scan.table, report)
        line, begin = line + 1, stop + 1
    if goes_on and report.segments and report.segments[0].start == first:
        report.segments[0].start -= 1  # it began above
    return report.segments
