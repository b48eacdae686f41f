"""Warn of anchors that match another place now than before an edit (docs/design/engine.md §2.7).

An agent may quote text that it read before its own last edit. The history shows both places, but
not which one the agent wants. So nothing is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from snippet_engine import budget
from snippet_engine.anchors.resolver import place_in
from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Outcome, Plan, PlannedInstruction
from snippet_engine.source_text import SourceText, TextRange

if TYPE_CHECKING:
    from snippet_engine.fixes.history.track_position import Passage

_MAX_VERSIONS = 3
_AROUND = 5
"""How many lines on each side of a place identify it."""
_NEAR = 500
"""Most code points between a place and where it is expected."""
_MOST = 20_000


def about_drift(
    document: Document,
    plan: Plan,
    earlier: Callable[[], Iterable[SourceText]],
    known: Callable[[SourceText], Document] = Document,
) -> list[Warn]:
    """Return a warning for each instruction of ``plan`` that matches another place than before.

    Compares with the newest ``earlier`` version in which the anchor matched one place, if that
    place still exists. ``known`` returns the document of a text.
    """
    wanted = [
        each
        for each in plan.instructions
        if each.outcome is Outcome.EDIT and each.instruction.anchor.target is not None
    ]
    if not wanted:
        return []
    found: list[Warn] = []
    with suppress(budget.OutOfStepsError), budget.at_most(_MOST):
        found += _drifted(document, wanted, earlier, known)
    return found


def _drifted(
    document: Document,
    wanted: list[PlannedInstruction],
    earlier: Callable[[], Iterable[SourceText]],
    known: Callable[[SourceText], Document],
) -> Iterator[Warn]:
    view = document.source.view
    for old in islice(earlier(), _MAX_VERSIONS):
        version = _Version(old, document.source, known)
        budget.spend_reading(len(view), len(wanted))
        waiting, wanted = wanted, []
        for each in waiting:
            # If the place and the lines around it are unchanged, the anchor matched this place
            # before, too.
            if _occurs_in(old.view, view, *_lines_around(view, each)):
                if old.view.count(each.instruction.anchor.target or "") > 1:
                    wanted.append(each)
                continue
            then = version.place_of(each)
            if then is None:
                wanted.append(each)
            elif not version.is_unmoved(then, each.resolved.place):
                now = version.now_at(then)
                if now is None:
                    wanted.append(each)
                elif not _overlap(now, each.resolved.place):
                    yield _warning(document, each, now)
        if not wanted:
            return


class _Version:
    def __init__(
        self, old: SourceText, present: SourceText, known: Callable[[SourceText], Document]
    ) -> None:
        self._old, self._present, self._known = old, present, known

    @cached_property
    def _document(self) -> Document:
        return self._known(self._old)

    @cached_property
    def _passage(self) -> Passage:
        from snippet_engine.fixes.history.track_position import Passage  # noqa: PLC0415 - rarely needed

        return Passage(self._old.view, self._present.view)

    def place_of(self, planned: PlannedInstruction) -> TextRange | None:
        """Return the one place that the anchor had in the earlier version."""
        return place_in(self._document, planned.instruction.anchor)

    def is_unmoved(self, then: TextRange, now: TextRange) -> bool:
        """Return whether both are the same place, judged by position alone."""
        old, present = self._old, self._present
        first, begin = old.line_start(then.start), present.line_start(now.start)
        if then.start - first != now.start - begin:
            return False
        end = old.line_end(then.end)
        if not present.view.startswith(old.view[first : end + 1], begin):
            return False
        row, line = old.line_number(first), present.line_number(begin)
        return row == line or old.line_count - row == present.line_count - line

    def now_at(self, then: TextRange) -> TextRange | None:
        """Return where a place of the earlier version is now."""
        return self._passage.now_at(then)


def _lines_around(view: str, planned: PlannedInstruction) -> tuple[int, int]:
    start, end = planned.resolved.place
    anchor = planned.instruction.anchor
    for _ in range(anchor.before.count("\n") + _AROUND):
        start = view.rfind("\n", 0, max(0, start)) if start > 0 else start
    for _ in range(anchor.after.count("\n") + _AROUND):
        found = view.find("\n", end)
        end = len(view) if found < 0 else found + 1
    return max(0, start), end


def _occurs_in(old: str, view: str, start: int, end: int) -> bool:
    text = view[start:end]
    # First try the same distance from the start or the end: one edit elsewhere keeps one of them.
    moved = start + len(old) - len(view)
    for at in (start, moved):
        if at >= 0 and old.startswith(text, at):
            return True
    # After several edits, the text is usually near its old place.
    first, last = max(0, min(start, moved) - _NEAR), max(start, moved) + len(text) + _NEAR
    return old.find(text, first, last) >= 0 or text in old


def _overlap(one: TextRange, other: TextRange) -> bool:
    return one.start <= other.end and other.start <= one.end


def _warning(document: Document, planned: PlannedInstruction, before: TextRange) -> Warn:
    line, other = (
        document.source.line_number(place.start) + 1 for place in (planned.resolved.place, before)
    )
    return Warn(
        "fits_elsewhere",
        f"The anchor now matches line {line}; before a later edit it matched what is now line "
        f"{other}. If you meant line {other}, undo this edit, and send it for that line.",
        planned.index,
        line,
    )
