"""Deletions that take along what they empty.

Implements docs/design/engine.md §2.4: a line left with only white space, or only the ``;``
of the statement that was deleted, goes with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.structure import ends_with_semicolon_of
from snippet_engine.edits import TextEdit
from snippet_engine.source_text import TextRange


@dataclass(frozen=True, slots=True)
class _Region:
    """The whole lines that some deletions touch, and those deletions in order."""

    start: int
    end: int
    """End of the last line, before its line break."""
    deletions: tuple[TextEdit, ...]


def tidied(
    document: Document, deletions: Iterable[TextEdit], others: Sequence[TextEdit]
) -> dict[TextEdit, TextEdit]:
    """Each deletion, grown over the lines that it leaves empty.

    ``others`` are the request's other edits: a line that one of them writes to isn't empty.
    """
    view = document.source.view
    grown: dict[TextEdit, TextEdit] = {}
    for region in _regions(view, sorted(deletions)):
        remains = _remains(view, region, others)
        rest = remains.strip() if remains is not None else "kept"
        if rest and not (rest == ";" and _is_own_semicolon(document, region)):
            grown.update({edit: edit for edit in region.deletions})
            continue
        grown.update(_grow(view, region))
    return grown


def _regions(view: str, deletions: Sequence[TextEdit]) -> Iterable[_Region]:
    region: _Region | None = None
    for deletion in deletions:
        start = view.rfind("\n", 0, deletion.start) + 1
        last = deletion.end
        if last > deletion.start and view[last - 1] == "\n":
            last -= 1  # a line break at the end belongs to the line that it ends
        end = view.find("\n", last)
        end = len(view) if end < 0 else end
        if region is not None and start <= region.end:
            region = _Region(region.start, max(end, region.end), (*region.deletions, deletion))
            continue
        if region is not None:
            yield region
        region = _Region(start, end, (deletion,))
    if region is not None:
        yield region


def _remains(view: str, region: _Region, others: Sequence[TextEdit]) -> str | None:
    """What the region's lines hold once everything is applied; ``None`` if others write to it."""
    for other in others:
        whole_line = other.start == other.end == region.start and other.new_text.endswith("\n")
        if not whole_line and other.start <= region.end and other.end >= region.start:
            return None
    pieces: list[str] = []
    done = region.start
    for deletion in region.deletions:
        pieces.append(view[done : deletion.start])
        done = deletion.end
    pieces.append(view[done : region.end])
    return "".join(pieces)


def _is_own_semicolon(document: Document, region: _Region) -> bool:
    """Whether the ``;`` that is left ended just the one statement that was deleted."""
    if len(region.deletions) != 1:
        return False
    view = document.source.view
    deletion = region.deletions[0]
    removed = view[deletion.start : deletion.end]
    start = deletion.start + len(removed) - len(removed.lstrip())
    semicolon = view.find(";", deletion.end)
    return ends_with_semicolon_of(document, TextRange(start, deletion.end), semicolon)


def _grow(view: str, region: _Region) -> dict[TextEdit, TextEdit]:
    """The region's deletions, together covering its whole lines and one line break."""
    start, end = region.start, region.end
    if end < len(view):
        end += 1
    elif start > 0:
        start -= 1  # the last line goes with the break before it, so none is left behind
    bounds = [start, *(deletion.start for deletion in region.deletions[1:]), end]
    return {
        deletion: TextEdit(left, right, "")
        for deletion, left, right in zip(region.deletions, bounds, bounds[1:], strict=False)
    }
