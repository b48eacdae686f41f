"""Decide whether a file's directives, such as ``#if``, are at the margin or indented like the code.

Implements docs/design/engine.md §1: whole inserted lines are indented for their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_DIRECTIVE = re.compile(r"^([ \t]*)#[ \t]*([a-z]+)", re.MULTILINE)
_REGIONS = ("region", "endregion")


def stand_at_margin(view: str, new_text: str) -> Callable[[str], bool]:
    """Return a test whether a line of ``new_text`` is a directive that belongs at the margin.

    It is one if the file with the text ``view`` has directives of that kind at its margin, and
    nowhere else. Regions are one kind, all others another.
    """
    if "#" not in new_text:
        return lambda _: False
    deep, flat = set[bool](), set[bool]()
    for directive in _DIRECTIVE.finditer(view):
        (deep if directive[1] else flat).add(directive[2] in _REGIONS)
    at_margin = flat - deep

    def stands_there(line: str) -> bool:
        directive = _DIRECTIVE.match(line)
        return directive is not None and (directive[2] in _REGIONS) in at_margin

    return stands_there
