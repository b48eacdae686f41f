"""Find the one identifier that edits replace by another, from their texts alone.

Part of docs/design/rename.md §6. Every edit is examined. Reading ends at the first difference that
isn't in a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit

_PART = re.compile(r"\w+|\W+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class ReplacedName:
    """An identifier that edits replace by another."""

    was: str
    """The old name."""
    now: str
    """The new name."""
    offsets: tuple[int, ...]
    """The places of the old name in the view before the edits."""


def replaced_name(view: str, edits: EditSet) -> ReplacedName | None:
    """Return the identifier that the edits replace at one or more places, and its new name.

    ``None`` if the edits also change something else.
    """
    found: list[tuple[int, str, str]] = []
    for edit in edits.trimmed(view):
        for at, was, now in _differences(view, edit):
            if found and (was, now) != found[0][1:]:
                return None
            if not found and (not _IDENTIFIER.fullmatch(was) or not _IDENTIFIER.fullmatch(now)):
                return None
            found.append((at, was, now))
    if not found:
        return None
    _, was, now = found[0]
    return ReplacedName(was, now, tuple(at for at, _, _ in found))


def replaces_name(document: Document, edits: EditSet) -> bool:
    """Return whether edits only replace one identifier by another, or change nothing."""
    return not edits or replaced_name(document.source.view, edits) is not None


def _differences(view: str, edit: TextEdit) -> Iterator[tuple[int, str, str]]:
    """Yield the words that differ, and the text between words that differs, with their offsets."""
    start, end = edit.start, edit.end
    while start and _is_in_word(view, start - 1):
        start -= 1
    while _is_in_word(view, end):
        end += 1
    old = view[start:end]
    new = view[start : edit.start] + edit.new_text + view[edit.end : end]
    for one, other in zip_longest(_PART.finditer(old), _PART.finditer(new)):
        was, now = one[0] if one else "", other[0] if other else ""
        if was != now:
            yield start + (one.start() if one else len(old)), was, now


def _is_in_word(view: str, at: int) -> bool:
    return view[at : at + 1].isalnum() or view[at : at + 1] == "_"
