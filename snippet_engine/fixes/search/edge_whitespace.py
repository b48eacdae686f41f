"""Extend a place by the white space at the target's ends.

Part of docs/design/engine.md §8. Texts are compared by tokens, so the white space at a target's
ends is matched afterwards.
"""

from __future__ import annotations

import re

from snippet_engine.source_text import TextRange

_BLANKS = " \t"
_MARKER = re.compile(r"///?|\*(?!/)")
_MARKERS = re.compile(rf"\s*+(?:(?:{_MARKER.pattern})[{_BLANKS}]*+)*+")


def with_blanks(view: str, place: TextRange, target: str) -> TextRange:
    """Extend ``place`` by the file's white space at each end where ``target`` has some."""
    leading = target[: len(target) - len(target.lstrip())]
    trailing = target[len(target.rstrip()) :]
    start, end = place
    # A comment line's marker is no token if the line is below another comment line.
    markers = _markers(target)
    lacking = markers[: max(0, len(markers) - len(_markers(view[start:end])))]
    for marker in reversed(lacking):
        at = start
        while at and view[at - 1] in _BLANKS:
            at -= 1
        if not view.endswith(marker, 0, at):
            break
        start = at - len(marker)
    breaks = leading.count("\n")
    room = len(leading) if _is_in_line(view, start) and not breaks else start
    while leading and start and view[start - 1].isspace() and room:
        room -= 1
        if view[start - 1] == "\n":
            if not breaks:
                break
            breaks -= 1
        start -= 1
    breaks = trailing.count("\n")
    is_of_lines = trailing.endswith("\n")  # Then the next line's indentation doesn't belong to it.
    goes_on = not breaks and bool(view[end:].partition("\n")[0].strip())
    room = len(trailing) if goes_on else len(view)
    while trailing and end < len(view) and view[end].isspace() and room:
        room -= 1
        if view[end] == "\n":
            if not breaks:
                break
            breaks -= 1
        end += 1
        if is_of_lines and not breaks:
            break
    if is_of_lines and "\n" in view[place.end : end]:
        end = view.rindex("\n", place.end, end) + 1
    return TextRange(start, end)


def _markers(text: str) -> list[str]:
    lead = _MARKERS.match(text)
    assert lead is not None
    return _MARKER.findall(lead.group())


def _is_in_line(view: str, at: int) -> bool:
    return bool(view[view.rfind("\n", 0, at) + 1 : at].strip())


def with_gap_before(text: str, following: str) -> str:
    """Return ``text``; with white space at its end if it would run into ``following``."""
    if not text or not following or text[-1].isspace() or following[0].isspace():
        return text
    return text + ("\n" if following.startswith(("//", "*")) else " ")
