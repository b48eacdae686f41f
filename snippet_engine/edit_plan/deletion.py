"""Extend deletions to the lines and commas that would be left over.

Implements docs/design/engine.md §2.4. A line is deleted, too, if only white space is left in it, or
only the ``;`` of the deleted statement. A deleted symbol takes blank lines next to it along. If
neighbouring declarators or enum members are deleted together, the comma between them is deleted
once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from snippet_engine.csharp.declarations.symbols import Declaration, comma_before
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.structure import ends_with_semicolon_of
from snippet_engine.edits import TextEdit
from snippet_engine.source_text import TextRange

_OPENS = re.compile(r"[^\n]*\{[ \t]*(?://[^\n]*)?|[ \t]*\#[ \t]*(?:region|if|elif|else)\b[^\n]*")
"""A line after which the content of a block begins."""
_CLOSES = re.compile(r"[ \t]*(?:\}|\#[ \t]*(?:endregion|endif|elif|else)\b)")
"""A line before which the content of a block ends."""


@dataclass(frozen=True, slots=True)
class _Region:
    """The whole lines that some deletions touch, and these deletions in order."""

    start: int
    end: int
    """End of the last line, before its line break."""
    deletions: tuple[TextEdit, ...]


def tidied(
    document: Document,
    deletions: Iterable[TextEdit],
    others: Sequence[TextEdit],
    symbols: Collection[TextEdit] = (),
) -> dict[TextEdit, TextEdit]:
    """Return each deletion, extended over the lines that it leaves empty.

    ``others`` are the request's other edits; a line that one of them writes to isn't empty.
    ``symbols`` are those ``deletions`` that delete a symbol; they delete blank lines, too.
    """
    view = document.source.view
    grown: dict[TextEdit, TextEdit] = {}
    emptied: list[_Region] = []
    for region in _regions(view, sorted(deletions)):
        remains = _remains(view, region, others)
        rest = remains.strip() if remains is not None else "kept"
        if rest and not (rest == ";" and _is_own_semicolon(document, region)):
            grown.update({edit: edit for edit in region.deletions})
        else:
            emptied.append(region)
    for row in _rows(view, emptied, symbols):
        start, end = row[0].start, row[-1].end
        if row[0].deletions[0] in symbols:
            start, end = _with_blank_lines(view, start, end)
        if len(row) == 1 and (start, end) == (row[0].start, row[0].end):
            grown.update(_grow(view, row[0]))
        elif any(_is_within(each, row, start, end) for each in others):
            # Text put in a symbol's place keeps the blank lines around the symbol.
            for region in row:
                grown.update(_grow(view, region))
        else:
            all_of_row = tuple(each for region in row for each in region.deletions)
            grown.update(_grow(view, _Region(start, end, all_of_row)))
    return grown


def _rows(
    view: str, regions: Iterable[_Region], symbols: Collection[TextEdit]
) -> Iterable[list[_Region]]:
    """Group the regions of symbols that only blank lines separate; other regions stay alone."""
    row: list[_Region] = []
    for region in regions:
        is_row = row and all(each in symbols for each in (*row[-1].deletions, *region.deletions))
        if is_row and not view[row[-1].end : region.start].strip():
            row.append(region)
            continue
        if row:
            yield row
        row = [region]
    if row:
        yield row


def _is_within(edit: TextEdit, row: Sequence[_Region], start: int, end: int) -> bool:
    """Whether ``edit`` writes into the lines from ``start`` to ``end``, or right next to ``row``.

    Text inserted next to deleted lines becomes the neighbour of the lines that stay.
    """
    beside = edit.start == edit.end and edit.start in (row[0].start, row[-1].end + 1)
    return beside or (edit.start < end + 1 and edit.end > start)


def _with_blank_lines(view: str, start: int, end: int) -> tuple[int, int]:
    """Extend the lines from ``start`` to ``end`` by the blank lines to delete with them.

    Of the blank lines above and below, keep the larger group. At the start or end of a body or
    region, keep none if there was none at that edge. An empty body keeps none.
    """
    top, bottom = start, end
    while top and not view[(line := view.rfind("\n", 0, top - 1) + 1) : top].strip():
        top = line
    while bottom + 1 < len(view):
        line_end = view.find("\n", bottom + 1)
        line_end = len(view) if line_end < 0 else line_end
        if view[bottom + 1 : line_end].strip():
            break
        bottom = line_end
    opens = not top or _OPENS.fullmatch(view, view.rfind("\n", 0, top - 1) + 1, top - 1)
    closes = bottom + 1 >= len(view) or _CLOSES.match(view, bottom + 1)
    above, below = view.count("\n", top, start), view.count("\n", end, bottom)
    if opens and closes:
        return top, bottom
    if above and below:
        return (start, bottom) if below <= above else (top, end)
    if below and opens:
        return start, bottom
    if above and closes:
        return top, end
    return start, end


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
    """Return the text left in the region's lines; ``None`` if other edits write to it."""
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
    """Return whether the remaining ``;`` ended only the deleted statement."""
    if len(region.deletions) != 1:
        return False
    view = document.source.view
    deletion = region.deletions[0]
    removed = view[deletion.start : deletion.end]
    start = deletion.start + len(removed) - len(removed.lstrip())
    semicolon = view.find(";", deletion.end)
    return ends_with_semicolon_of(document, TextRange(start, deletion.end), semicolon)


def _grow(view: str, region: _Region) -> dict[TextEdit, TextEdit]:
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


def removed_together(
    view: str, deletions: Iterable[tuple[TextEdit, Declaration | None]]
) -> dict[TextEdit, tuple[TextEdit, int]]:
    """Return the ``deletions`` of neighbours in a list, extended over the comma between them.

    With each comes the number of code points that it deletes of the declaration's common part. If
    all declarators are deleted, their edits delete the common part, too.
    """
    ordered = sorted(
        ((edit, symbol) for edit, symbol in deletions if symbol is not None),
        key=lambda each: each[0],
        reverse=True,
    )
    together: dict[TextEdit, tuple[TextEdit, int]] = {}
    right = last = TextEdit(len(view), len(view), "")
    row_end = right.end
    for edit, symbol in ordered:
        if not symbol.full.end <= right.start < edit.end:
            right, last, row_end = edit, edit, symbol.full.end
            continue
        whole, more = symbol.whole, 0
        start = comma_before(view, symbol)
        if whole is not None:
            start = whole.start
            more = symbol.full.start - whole.start + whole.end - row_end
            begun, _ = together.get(last, (last, 0))
            together[last] = TextEdit(begun.start, whole.end, ""), 0
        right = TextEdit(start, right.start, "")
        together[edit] = right, more
    return together
