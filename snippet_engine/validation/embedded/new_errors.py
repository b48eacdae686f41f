"""Decide which errors of an edited text are new.

Implements the comparison of docs/design/roslyn.md §1 and §1.6. In a file that was broken before,
broken nodes grow and shrink with every change. They are compared only if all the old broken nodes
are unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from snippet_engine.csharp.analysis import BrokenNode
from snippet_engine.csharp.document import MAX_SCAN_ERRORS, ScanError
from snippet_engine.edits import EditSet
from snippet_engine.errors import shortened
from snippet_engine.source_text import SourceText
from snippet_engine.validation.validator import Diagnostic

_NodePlace = tuple[int | None, int | None, str]


def added_nodes(
    before: Sequence[BrokenNode], after: Sequence[BrokenNode], edits: EditSet
) -> list[BrokenNode] | None:
    """Return the newly broken nodes of a file that was broken before; ``None`` if unknown."""
    old: Counter[_NodePlace] = Counter(
        (edits.map_offset(node.start), edits.map_offset(node.end), node.type) for node in before
    )
    added: list[BrokenNode] = []
    for node in after:
        place = node.start, node.end, node.type
        if old[place] > 0:
            old[place] -= 1
        else:
            added.append(node)
    return None if added and any(old.values()) else added


_QUOTED = 40
"""Most code points of offending text that a message quotes."""

_MISSING_IDS = {
    ";": "CS1002",
    "}": "CS1513",
    "{": "CS1514",
    ")": "CS1026",
    "]": "CS1003",
    "identifier": "CS1001",
}


def new_scan_errors(
    before: Sequence[ScanError],
    after: Sequence[ScanError],
    edits: EditSet,
    most: int = MAX_SCAN_ERRORS,
) -> list[ScanError]:
    """Return the errors of ``after`` that ``before`` doesn't have.

    An error is old if ``before`` has one of the same id in three cases: the edits moved it to that
    place, both are about the same opening bracket or quote, or the new one is in the replacement of
    the old one's text.
    """
    ranges = edits.after_ranges()

    def edit_before(offset: int) -> int | None:
        return next((i for i, e in enumerate(edits) if e.start <= offset <= e.end), None)

    def edit_after(offset: int) -> int | None:
        return next((i for i, (start, end) in enumerate(ranges) if start <= offset <= end), None)

    def mapped(offset: int | None) -> int | None:
        return None if offset is None else edits.map_offset(offset)

    matchings: tuple[tuple[_Place, _Place], ...] = (
        (lambda error: mapped(error.offset), lambda error: error.offset),
        (lambda error: mapped(error.opener), lambda error: error.opener),
        (lambda error: edit_before(error.offset), lambda error: edit_after(error.offset)),
    )
    old, new = list(before), _comparable(before, after, edits, most)
    for place_before, place_after in matchings:
        old, new = _unmatched(old, new, place_before, place_after)
    return new


def are_all_old(
    before: Sequence[ScanError], after: Sequence[ScanError], edits: EditSet, most: int
) -> bool:
    """Return whether every error is where the edits moved an old one. Needs no openers."""
    old = Counter((edits.map_offset(error.offset), error.id) for error in before)
    new = Counter((error.offset, error.id) for error in _comparable(before, after, edits, most))
    return new <= old


def _comparable(
    before: Sequence[ScanError], after: Sequence[ScanError], edits: EditSet, most: int
) -> list[ScanError]:
    """Return the errors of ``after`` that may be new.

    At most ``most`` old errors are known; errors after the last known one are omitted.
    """
    if len(before) < most:
        return list(after)
    last = max(edits.map_offset(error.offset) or 0 for error in before)
    return [error for error in after if error.offset < last]


_Place = Callable[[ScanError], Hashable]


def _unmatched(
    old: list[ScanError], new: list[ScanError], place_before: _Place, place_after: _Place
) -> tuple[list[ScanError], list[ScanError]]:
    """Pair off errors of equal id and place; return the old and the new ones that are left."""

    def keys(errors: list[ScanError], place: _Place) -> list[tuple[str, Hashable] | None]:
        return [(e.id, at) if (at := place(e)) is not None else None for e in errors]

    old_keys, new_keys = keys(old, place_before), keys(new, place_after)
    paired = Counter(key for key in old_keys if key) & Counter(key for key in new_keys if key)

    def rest(errors: list[ScanError], of: list[tuple[str, Hashable] | None]) -> list[ScanError]:
        budget = paired.copy()
        left: list[ScanError] = []
        for error, key in zip(errors, of, strict=True):
            if key is not None and budget[key] > 0:
                budget[key] -= 1
            else:
                left.append(error)
        return left

    return rest(old, old_keys), rest(new, new_keys)


def scan_diagnostics(source: SourceText, errors: Iterable[ScanError]) -> list[Diagnostic]:
    """Return lexical errors as diagnostics."""
    return [
        Diagnostic(
            error.offset, source.position(error.offset), error.id, error.message, cause=error.cause
        )
        for error in errors
    ]


def tree_diagnostics(
    source: SourceText, nodes: Iterable[BrokenNode], edits: EditSet
) -> list[Diagnostic]:
    """Return broken nodes as diagnostics.

    A node that spans several lines is reported at the first edit inside it, if there is one, else
    at its start.
    """
    found: list[Diagnostic] = []
    for node in nodes:
        offset = node.start
        if source.line_end(node.start) < node.end:
            inside = [s for s, e in edits.after_ranges() if node.start <= s and e <= node.end]
            offset = inside[0] if inside else offset
        if node.is_missing and node.type in _MISSING_IDS:
            id_, message = _MISSING_IDS[node.type], f"{node.type} expected"
        else:
            id_ = "MISSING" if node.is_missing else "ERROR"
            message = f"syntax error near '{_quote(source, offset, node.end)}'"
        found.append(Diagnostic(offset, source.position(offset), id_, message))
    return found


def _quote(source: SourceText, start: int, end: int) -> str:
    """Return the beginning of a text, shortened to one readable line."""
    text = source.view[start : max(end, start + 1)].split("\n", 1)[0].strip()
    if not text:
        text = source.line_at(start).strip()
    return shortened(text, _QUOTED)
