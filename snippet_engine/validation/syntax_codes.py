"""Distinguish the compiler's codes for syntax errors from those for semantic errors."""

from __future__ import annotations

import re

_COMPILER = re.compile(r"CS(\d{4,5})")

_SINGLE = frozenset(
    {
        *(65, 73, 106, 116, 178, 230, 267, 270, 439, 443, 594),
        *(742, 743, 744, 745, 746, 747, 748, 839, 846),
        *(1520, 1521, 1524, 1525, 1526, 1528, 1529, 1534, 1535, 1547, 1552, 1553),
        *(1575, 1576, 1577, 1578, 1597, 1609, 1627, 1646, 1671, 1730, 1733),
        *(8022, 8023, 8024, 8025, 8026, 8059, 8107, 8302, 8320, 8370, 8400),
        *(8652, 8703, 8773, 8936, 9058, 9202, 9260),
        *(8076, 8086, 8087, 8088, 8089, 8124, 8180, 8504, 8641, 8803),
    }
)
_SEMANTIC = frozenset({1007, 1008, 1016, 1023})
_RANGES = ((1001, 1056), (1513, 1519), (8997, 9009))


def is_syntax(diagnostic_id: str) -> bool:
    """Whether a diagnostic of that id is a syntax error.

    An id that isn't the compiler's is the parser's own.
    """
    match = _COMPILER.fullmatch(diagnostic_id)
    if match is None:
        return True
    number = int(match[1])
    if number in _SEMANTIC:
        return False
    return number in _SINGLE or any(first <= number <= last for first, last in _RANGES)
