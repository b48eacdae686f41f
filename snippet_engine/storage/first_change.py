"""The first line in which two contents differ, for lists of what was done."""

from __future__ import annotations

import re

_SHOWN_CODE_POINTS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def first_changed_line(before: bytes | None, after: bytes | None) -> str:
    """The first line that a diff would show, after ``-`` or ``+``; empty if nothing differs.

    Of a content that isn't there every line differs. At most 100 code points.
    """
    old, new = before or b"", after or b""
    start = _common_start(old, new)
    start = old.rfind(b"\n", 0, start) + 1
    old, new = old[start:], new[start:]
    if old == new:
        return ""
    # Only lines that were put in: what comes after them was there before.
    is_insertion = new.endswith(old) and (not old or new[: -len(old)].endswith(b"\n"))
    sign, differing = ("+", new) if is_insertion else ("-", old)
    line = differing.partition(b"\n")[0].decode("utf-8", "replace")
    return sign + _CONTROL.sub(" ", line.rstrip("\r"))[: _SHOWN_CODE_POINTS - 1]


def _common_start(one: bytes, other: bytes) -> int:
    """How many bytes the two begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
