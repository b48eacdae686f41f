"""Make the change sets that turn one state of some scripts into another
(docs/design/command-line.md ``bundle``).

Every anchor matches one place of the old text. Each set is planned on that text, and kept only if
it produces the new bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from snippet_engine.anchors.anchor_for_place import anchor_at
from snippet_engine.answer.unified_diff import LineDiff
from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan, plan_edits
from snippet_engine.edits import TextEdit
from snippet_engine.errors import SnippetError, one_line
from snippet_engine.limits import (
    CHANGE_SET,
    MAX_SET_CHANGED_CODE_POINTS,
    MAX_SET_FILES,
    MAX_SET_INSTRUCTIONS,
)
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import SourceText, TextRange, content_hash, decode
from snippet_engine.storage.system.names import one_name

_ASIDE = ".moving.cs"
"""Suffix of a script's temporary name while another script takes over its path."""

_MAX_WIDENED = 12
"""Most lines by which a change is extended, on either side, to make its text unique."""


@dataclass(frozen=True, slots=True)
class ScriptChange:
    """One script before and after a change."""

    path: str
    old: bytes | None
    """``None`` if the script doesn't exist before."""
    new: bytes | None
    """``None`` if the script doesn't exist afterwards."""
    new_path: str | None = None

    @property
    def place(self) -> str:
        """Return the script's path after the change, or its last path if it is deleted."""
        return self.new_path or self.path

    def not_made(self, path: str, reason: str) -> NotMade:
        """Return this change as one that no change set can make, under one of its paths."""
        return NotMade(path, reason, (self.path, self.place))


@dataclass(frozen=True, slots=True)
class NotMade:
    """A script whose change can't be made by a change set, and the reason."""

    path: str
    reason: str
    paths: tuple[str, ...] = field(default=(), compare=False)
    """The script's old and new path; empty if neither matters."""


@dataclass(slots=True)
class _Hunk:
    start: int
    end: int
    new: list[str]


def sets_between(
    changes: Iterable[ScriptChange],
) -> tuple[list[ChangeRequest], list[NotMade]]:
    """Return the change sets that make ``changes``, in order, and the changes that can't be made.

    One set is enough if all changes fit into it and no script takes a path that another one leaves.
    Scripts that swap paths go through a third path.
    """
    found: list[tuple[ScriptChange, Change]] = []
    unmade: list[NotMade] = []
    for each in changes:
        change = change_between(each)
        if isinstance(change, NotMade):
            unmade.append(change)
        elif change is not None:
            found.append((each, change))
    kept, hanging = without_dependents([each for each, _ in found], unmade)
    staying = {(each.path, each.place) for each in kept}
    made = [change for each, change in found if (each.path, each.place) in staying]
    unmade += hanging
    sets: list[ChangeRequest] = []
    while made:
        left_by = Counter(one_name(change.path) for change in made if change.create is None)
        free = [each for each in made if not _must_wait(each, left_by)]
        if free:
            sets += _packed(free)
            made = [each for each in made if each not in free]
            continue
        # Scripts swap paths: one of them moves away first, so that the others have room.
        turning = _one_of_circle(made)
        aside = turning.path.removesuffix(".cs") + _ASIDE
        sets += _packed([Change(turning.path, move_to=aside)])
        made[made.index(turning)] = replace(turning, path=aside)
    return sets, unmade


def without_dependents(
    changes: Sequence[ScriptChange], unmade: Iterable[NotMade]
) -> tuple[list[ScriptChange], list[NotMade]]:
    """Split ``changes`` into those that are possible without ``unmade``, and the rest.

    An unchanged script stays where it is, so no other script may take its path.
    """
    kept = list(changes)
    hanging: list[NotMade] = []
    waiting = list(unmade)
    while waiting:
        first = waiting.pop()
        folded = {one_name(path) for path in first.paths}
        for each in list(kept):
            is_new = each.old is None or each.new_path is not None
            if {each.path, each.place}.isdisjoint(first.paths) and not (
                is_new and each.new is not None and one_name(each.place) in folded
            ):
                continue
            kept.remove(each)
            needed = one_line(first.path)
            more = each.not_made(each.path, f"it depends on {needed}, which can't be in it, either")
            hanging.append(more)
            waiting.append(more)
    return kept, hanging


def _must_wait(change: Change, left_by: Mapping[str, int]) -> bool:
    if change.new_path is None:
        return False
    place = one_name(change.new_path)
    own = change.create is None and one_name(change.path) == place
    return left_by.get(place, 0) > own


def _one_of_circle(waiting: Sequence[Change]) -> Change:
    by_path = {one_name(each.path): each for each in waiting if each.create is None}
    each = waiting[0]
    seen: list[Change] = []
    while each not in seen:
        seen.append(each)
        assert each.new_path is not None
        each = by_path[one_name(each.new_path)]
    return each


def _packed(changes: Sequence[Change]) -> Iterator[ChangeRequest]:
    files: list[Change] = []
    for change in changes:
        count = sum(len(each.instructions) for each in files) + len(change.instructions)
        if files and (len(files) == MAX_SET_FILES or count > MAX_SET_INSTRUCTIONS):
            yield ChangeRequest(apply=False, changes=tuple(files))
            files = []
        files.append(change)
    if files:
        yield ChangeRequest(apply=False, changes=tuple(files))


def change_between(script: ScriptChange) -> Change | NotMade | None:
    """Return the change that turns the old script into the new one; ``None`` if they are equal."""
    old, new = script.old, script.new
    if old is None and new is None:
        return None
    if new is None:
        assert old is not None
        return Change(script.path, expected_hash=content_hash(old), deletes=True)
    if old is None:
        source = decode(new)
        if isinstance(source, SnippetError) or source.encoding.codec != "utf-8":
            return script.not_made(script.place, "a new script must be UTF-8, and of 8 MiB at most")
        return Change(script.place, create=new.decode(), as_given=True)
    if old == new:
        return Change(script.path, move_to=script.new_path) if script.new_path else None
    instructions = _instructions(old, new)
    if isinstance(instructions, str):
        return script.not_made(script.path, instructions)
    return Change(script.path, instructions, move_to=script.new_path)


def _instructions(old: bytes, new: bytes) -> tuple[Instruction, ...] | str:
    before, after = decode(old), decode(new)
    if isinstance(before, SnippetError) or isinstance(after, SnippetError):
        return "it is neither UTF-8 nor UTF-16 with a byte order mark"
    if before.encoding != after.encoding:
        return "its encoding or byte order mark changes"
    if before.view == after.view:
        return "only line endings change"
    if not before.view or not after.view:
        return "an edit can't anchor in an empty script, nor make a script empty"
    document = Document(before)
    hunks = _hunks(before.view, after.view)
    for most in (MAX_SET_INSTRUCTIONS, MAX_SET_INSTRUCTIONS // 2, 1):
        parts = _in_parts(_fewer(hunks, before.view, most), _lines(before.view))
        if len(parts) > MAX_SET_INSTRUCTIONS:
            continue
        found = _as_instructions(document, parts)
        if found is not None and _gives(document, found, new):
            return found
    return _why_not(before, after)


def _why_not(before: SourceText, after: SourceText) -> str:
    if set(before.line_endings) != set(after.line_endings) or len(before.line_endings) > 1:
        return "its line endings change"
    whole = TextEdit(0, len(before.view), after.view).changed_code_points(before.view)
    if whole > MAX_SET_CHANGED_CODE_POINTS:
        return f"it changes too much at one place ({MAX_SET_CHANGED_CODE_POINTS:,} at most)"
    return "it repeats the text next to it, which an edit would skip"


def _gives(document: Document, instructions: Sequence[Instruction], new: bytes) -> bool:
    plan = plan_edits(document, instructions, CHANGE_SET)
    return isinstance(plan, Plan) and plan.edits.apply_to_bytes(document.source) == new


def _lines(view: str) -> list[str]:
    return view.split("\n")


def _hunks(before: str, after: str) -> list[_Hunk]:
    """Return the lines that differ. If one side would be empty, add an unchanged line."""
    old, new = _lines(before), _lines(after)
    hunks = [_Hunk(a, b, new[c:d]) for a, b, c, d in LineDiff().changes(old, new)]
    for hunk in hunks:
        if hunk.start == hunk.end or not "".join(hunk.new):
            _widen(hunk, old, above=hunk.start > 0)
        if not old[hunk.start : hunk.end] or not "".join(old[hunk.start : hunk.end]).strip():
            _widen(hunk, old, above=hunk.start > 0)
    return _merged(hunks)


def _widen(hunk: _Hunk, old: Sequence[str], *, above: bool) -> None:
    if above:
        hunk.start -= 1
        hunk.new = [old[hunk.start], *hunk.new]
    elif hunk.end < len(old):
        hunk.new = [*hunk.new, old[hunk.end]]
        hunk.end += 1


def _merged(hunks: Sequence[_Hunk]) -> list[_Hunk]:
    merged: list[_Hunk] = []
    for hunk in hunks:
        if merged and hunk.start < merged[-1].end:
            shared = merged[-1].end - hunk.start
            merged[-1].new += hunk.new[shared:]
            merged[-1].end = max(merged[-1].end, hunk.end)
        elif merged and hunk.start == merged[-1].end:
            merged[-1].new += hunk.new
            merged[-1].end = hunk.end
        else:
            merged.append(hunk)
    return merged


def _fewer(hunks: Sequence[_Hunk], before: str, most: int) -> list[_Hunk]:
    old = _lines(before)
    left = [replace(each, new=list(each.new)) for each in hunks]
    while len(left) > most:
        gaps = [second.start - first.end for first, second in pairwise(left)]
        at = min(range(len(gaps)), key=gaps.__getitem__)
        first, second = left[at], left[at + 1]
        between = old[first.end : second.start]
        left[at : at + 2] = [_Hunk(first.start, second.end, [*first.new, *between, *second.new])]
    return left


def _in_parts(hunks: Sequence[_Hunk], old: Sequence[str]) -> list[_Hunk]:
    parts: list[_Hunk] = []
    for index, hunk in enumerate(hunks):
        ceiling = hunks[index + 1].start if index + 1 < len(hunks) else len(old)
        floor = parts[-1].end if parts else 0
        parts += _split(hunk, old, floor, ceiling)
    return parts


def _split(hunk: _Hunk, old: Sequence[str], floor: int, ceiling: int) -> Iterator[_Hunk]:
    """Split the hunk into the fewest parts that are small enough; where to cut is arbitrary."""
    larger = max(_size(old[hunk.start : hunk.end]), _size(hunk.new))
    count = -(-larger // (MAX_SET_CHANGED_CODE_POINTS - _longest(old, hunk)))
    if count < 2 or larger > MAX_SET_CHANGED_CODE_POINTS * MAX_SET_INSTRUCTIONS:
        yield hunk
        return
    start, end, new = hunk.start, hunk.end, list(hunk.new)
    while min(end - start, _filled(new)) < count and (start > floor or end < ceiling):
        if start > floor:
            start -= 1
            new = [old[start], *new]
        if end < ceiling:
            new = [*new, old[end]]
            end += 1
    cuts = zip(_cuts(old[start:end], count), _cuts(new, count), strict=True)
    for (a, b), (c, d) in cuts:
        yield _Hunk(start + a, start + b, new[c:d])


def _longest(old: Sequence[str], hunk: _Hunk) -> int:
    lines = (*old[hunk.start : hunk.end], *hunk.new)
    longest = 2 * max(len(line) + 1 for line in lines)
    return min(longest, MAX_SET_CHANGED_CODE_POINTS // 2)


def _filled(lines: Sequence[str]) -> int:
    return sum(bool(line) for line in lines)


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _cuts(lines: Sequence[str], count: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of ``count`` parts of similar size; each has a line if possible."""
    whole, done, start = _size(lines), 0, 0
    for part in range(1, count + 1):
        end = start
        last = len(lines) - (count - part)
        while end < last and (
            part == count or done * count < whole * part or not any(lines[start:end])
        ):
            done += len(lines[end]) + 1
            end += 1
        yield start, end
        start = end


def _as_instructions(document: Document, hunks: Sequence[_Hunk]) -> tuple[Instruction, ...] | None:
    """Return a replacement for each hunk; ``None`` if one has no unique place."""
    old = _lines(document.source.view)
    found: list[Instruction] = []
    for index, hunk in enumerate(hunks):
        floor = hunks[index - 1].end if index else 0
        ceiling = hunks[index + 1].start if index + 1 < len(hunks) else len(old)
        instruction = _named(document, old, hunk, floor, ceiling)
        if instruction is None:
            return None
        found.append(instruction)
    return tuple(found)


def _named(
    document: Document, old: Sequence[str], hunk: _Hunk, floor: int, ceiling: int
) -> Instruction | None:
    """Return the hunk as a replacement, extended until its text is unique."""
    view, starts = document.source.view, document.source.line_starts
    whole = [TextRange(0, len(view))]
    start, end, new = hunk.start, hunk.end, list(hunk.new)
    for _ in range(_MAX_WIDENED):
        text = "\n".join(new)
        place = TextRange(starts[start], starts[end - 1] + len(old[end - 1]))
        if place.start < place.end and text:
            anchor = anchor_at(document, Anchor(None), place, whole)
            if anchor is not None:
                return Instruction(Operation.REPLACE, anchor, text)
        if start > floor:
            start -= 1
            new = [old[start], *new]
        elif end < ceiling:
            new = [*new, old[end]]
            end += 1
        else:
            break
    return None
