"""The first line in which two contents differ, for lists of what was done."""

from __future__ import annotations

import re

from snippet_engine.edits import common_prefix_length
from snippet_engine.source_text import SourceText, decode

_SHOWN_CODE_POINTS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def first_changed_line(before: bytes | None, after: bytes | None) -> str:
    """The first line that a diff would show, after ``-`` or ``+``; empty if nothing differs.

    Below the ``-`` of a line that was replaced stands the new one, after ``+``. Of a content that
    isn't there every line differs. A line has 100 code points at most.
    """
    old, new = _lines(before), _lines(after)
    start = common_prefix_length(old, new)
    if len(old) == len(new) == start:
        return ""
    start = old.rfind(b"\n", 0, start) + 1
    rest = len(old) - start
    # Only lines that were put in: what comes after them was there before.
    is_insertion = len(new) - start > rest and (
        not rest or (new.endswith(old[start:]) and new[-rest - 1 : -rest] == b"\n")
    )
    if is_insertion:
        return _line("+", new, start)
    left = len(new) - start
    # Likewise: what comes after lines that were taken out is the rest of the new text.
    is_deletion = not left or (
        rest > left and old.endswith(new[start:]) and old[-left - 1 : -left] == b"\n"
    )
    shown = _line("-", old, start)
    return shown if is_deletion else f"{shown}\n{_line('+', new, start)}"


def _line(sign: str, text: bytes, start: int) -> str:
    end = text.find(b"\n", start)
    line = text[start : end if end >= 0 else None].decode("utf-8", "replace")
    return sign + _CONTROL.sub(" ", line.rstrip("\r"))[: _SHOWN_CODE_POINTS - 1]


def _lines(content: bytes | None) -> bytes:
    """The lines of a script as UTF-8, however it is encoded and ends them; else as they are."""
    source = decode(content or b"")
    return source.utf8 if isinstance(source, SourceText) else content or b""
