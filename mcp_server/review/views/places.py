"""Find the places of scripts that a text names, such as a stack trace. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PLACE = re.compile(
    r"(?<![\w/.])(?P<path>(?:Assets|Packages)/[^\n:()<>\"|?*]{1,400}?\.cs)"
    r"(?::(?P<line>\d{1,7})|\((?P<column_line>\d{1,7}),\d{1,7}\))"
)
"""``Assets/A.cs:12`` as in a stack trace, or ``Assets/A.cs(12,3)`` as the compiler prints it."""


class Part(NamedTuple):
    """A part of a text; with a ``path`` and a ``line`` from 1, it is a place in a script."""

    text: str
    path: str = ""
    line: int = 0


def parts_of(text: str) -> Iterator[Part]:
    """Yield the whole text in parts."""
    at = 0
    for found in _PLACE.finditer(text):
        if at < found.start():
            yield Part(text[at : found.start()])
        line = int(found["line"] or found["column_line"])
        yield Part(found[0], found["path"], line)
        at = found.end()
    if at < len(text):
        yield Part(text[at:])
