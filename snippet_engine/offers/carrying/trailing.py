"""Blanks at the ends of lines that the agent took to be there.

Part of docs/design/engine.md §8. It has them in its own lines, too, or in an empty one that it put
behind such a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_TRAILING = re.compile(r"(?<=\S)(?<!//)[ \t]+(?=\n)")
_BLANK_LINE = re.compile(r"(?:(?<=\n)|(?<=//))[ \t]+(?=\n)")
"""White space in a line that says nothing, in a comment perhaps."""


def has_more_trailing_blanks(sent: str, wanted: str, standing: str) -> bool:
    """Whether ``wanted`` has blanks at the ends of more lines than ``sent``, where the file has
    none: its own, or imagined as well?"""
    imagined = _TRAILING.findall(sent)
    if not imagined or _TRAILING.search(standing):
        return False
    return len(imagined) < sum(each in imagined for each in _TRAILING.findall(wanted))


def without_trailing_blanks(found: str, sent: str, wanted: str, standing: str) -> str:
    """``found`` without blanks at the ends of lines that the agent took to be there: it has them in
    its own lines, too, or in an empty one that it put behind such a line."""
    imagined = sorted(_TRAILING.findall(sent), key=len, reverse=True)
    if imagined and not _TRAILING.search(standing):
        found = _without(_TRAILING, imagined, found)
        if not _TRAILING.search(wanted):
            is_all = not set(_BLANK_LINE.findall(found)).isdisjoint(imagined)
            found = _without(_BLANK_LINE, imagined, found, is_all=is_all)
    empty = _BLANK_LINE.findall(sent)
    if empty and not _BLANK_LINE.search(standing):
        found = _without(_BLANK_LINE, empty, found, is_all=True)
    return found


def _without(
    where: re.Pattern[str], imagined: Sequence[str], found: str, *, is_all: bool = False
) -> str:
    """``found`` without the ``imagined`` blanks at the end of others; ``is_all``: where they are
    all of them."""

    def rest(blanks: re.Match[str]) -> str:
        ends = (each for each in imagined if blanks[0].endswith(each))
        more = next((each for each in ends if not is_all or each == blanks[0]), "")
        return blanks[0].removesuffix(more)

    return where.sub(rest, found)
