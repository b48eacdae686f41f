"""Plan how to take events back, from the stored events and the files on disk.

Implements docs/design/review.md "Take back". Events are reversed newest first. Each of an event's
files gets the text from before the event. If the file has changed since the event, the reversal is
merged with the later changes, which stay.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from mcp_server.review.record.events import Event
from mcp_server.review.take_back.file_tree import UNKNOWN, FileTree, MetaOf, Read, TextOf, TreeFile
from mcp_server.review.take_back.plans import Conflict, Obstacle, Plan
from mcp_server.review.take_back.steps import LaterSteps, Step, changed_by, steps_of
from mcp_server.review.take_back.text_lines import TextLines, three_way_merge, without_changes
from snippet_engine.errors import counted
from snippet_engine.source_text import content_hash
from snippet_engine.storage.records.change_record import MAX_CHANGE_FILES

MAX_MERGES = 100
MAX_OVERLAPS = 20

Hunks = Mapping[str, Collection[int]]
"""By the path of a file that an event changed: the numbers of the hunks to take back."""

_NOT_KEPT = "its text is not kept: it was never read, is over 4 MiB, or is too old"


class Planner:
    """Makes one plan over the events of one project. Blocks."""

    def __init__(self, events: Sequence[Event], read: Read, text: TextOf, meta: MetaOf) -> None:
        """``events`` are all stored events."""
        self._meta = meta
        self._tree = FileTree(read, text)
        self._text = text
        self._steps = steps_of(events)
        self._conflicts: list[Conflict] = []
        self._obstacles: list[Obstacle] = []
        self._outside: set[str] = set()
        self._unseen: set[str] = set()
        self._stuck: set[str] = set()
        self._merges = 0

    def one(self, event: Event, hunks: Hunks | None) -> Plan:
        """Plan to take ``event`` back, or only its changes in ``hunks``."""
        later: list[Step] = []
        for number in reversed(self._steps):
            if number == event.number:
                break
            later[:0] = self._steps[number]
        self._reverse(self._steps.get(event.number, ()), later, hunks)
        count = 0 if hunks is None else sum(map(len, hunks.values()))
        part = "" if hunks is None else f"{counted(count, 'change')} of "
        plan = self._plan((event.number,), f"took back {part}entry {event.number}")
        unseen = any(each.is_unseen for each in plan.files)
        if not unseen or hunks is not None or event.undo is None or self._is_touched(event):
            return plan
        kept = tuple(each for each in plan.obstacles if each.why != _NOT_KEPT)
        return replace(plan, obstacles=kept, undo=event.undo)

    def since(self, number: int) -> Plan:
        """Plan to take back every event after ``number`` (0: all events), newest first."""
        chosen: list[int] = []
        stays: list[Step] = []
        for each in reversed(self._steps):
            if each > number:
                chosen.append(each)
                self._reverse(self._steps[each], stays, None)
            else:
                stays[:0] = self._steps[each]
        count = counted(len(chosen), "entry", "entries")
        since = f" since entry {number}" if number else ""
        return self._plan(tuple(chosen), f"took back {count}{since}")

    def _plan(self, numbers: tuple[int, ...], about: str) -> Plan:
        files, obstacles = [], list(dict.fromkeys(self._obstacles))
        for each in self._tree.planned():
            if isinstance(each, Obstacle):
                obstacles.append(each)
                continue
            files.append(each)
            if each.is_unseen:
                obstacles.append(Obstacle(each.path, _NOT_KEPT))
        if len(files) > MAX_CHANGE_FILES:
            why = f"{len(files)} files would change; at most {MAX_CHANGE_FILES} can at once"
            obstacles.append(Obstacle("", why))
        return Plan(
            numbers,
            about,
            tuple(files),
            tuple(self._conflicts),
            tuple(obstacles),
            kept_outside=tuple(sorted(self._outside)),
            unseen=tuple(sorted(self._unseen)),
        )

    def _is_touched(self, event: Event) -> bool:
        """Return whether a file of the event was changed since the event."""
        for each in self._steps[event.number]:
            found = self._tree.on_disk(each.place)
            if each.after != (None if found is None else content_hash(found)):
                return True
        return False

    def _conflict(self, step: Step, path: str, why: str, by: tuple[int, ...]) -> None:
        self._conflicts.append(Conflict(path, why, by))
        self._stuck |= {step.path, step.place}

    def _obstacle(self, step: Step, found: Obstacle) -> None:
        self._obstacles.append(found)
        self._stuck |= {step.path, step.place}

    # -- one event ---------------------------------------------------------------------------------

    def _reverse(self, steps: Sequence[Step], later: Sequence[Step], hunks: Hunks | None) -> None:
        """Reverse what an event did to files. ``later`` are the later steps that stay."""
        for path in () if hunks is None else hunks.keys() - {each.path for each in steps}:
            self._obstacles.append(Obstacle(path, "the event didn't change it"))
        chosen = [each for each in steps if hunks is None or each.path in hunks]
        # Created files go first: a moved or deleted file may come back at the same path.
        for step in sorted(chosen, key=_order):
            standing = LaterSteps(step, later)
            self._unseen |= set() if step.is_seen else {standing.place}
            found = self._tree.at(standing.place)
            if not self._stuck.isdisjoint((step.path, step.place)):
                continue  # reported already
            if isinstance(found, Obstacle):
                self._obstacle(step, found)
            elif not step.is_after_known and standing.steps:
                self._obstacle(step, Obstacle(step.path, _NOT_KEPT))
            elif found is None:
                self._bring_back(step, standing)
            elif step.after is None and step.is_after_known:
                why = "another file now has its path"
                self._conflict(step, step.path, why, standing.touching(step.path))
            elif step.before is None and step.is_before_known:
                self._take_away(step, found, standing)
            else:
                self._put_back(step, found, standing, None if hunks is None else hunks[step.path])

    def _bring_back(self, step: Step, standing: LaterSteps) -> None:
        """Reverse a step whose file is missing now: restore it if the step deleted it."""
        if not step.is_before_known:
            self._obstacle(step, Obstacle(step.path, _NOT_KEPT))
        elif step.before is None:
            return
        elif step.after is not None:
            self._conflict(step, standing.place, "the file was deleted since", standing.deletion)
        else:
            self._tree.create(step.path, step.before, self._meta(step.number, step.path))

    def _take_away(self, step: Step, found: TreeFile, standing: LaterSteps) -> None:
        """Reverse a step that created a file: delete the file."""
        if standing.moves:
            why = f"the file was moved since, to {standing.place}"
            self._conflict(step, step.place, why, standing.moves)
            return
        if found.digest == step.after or not step.is_after_known or found.digest == UNKNOWN:
            self._tree.remove(standing.place, comes_again=step.is_undo)
            return
        why = "the file was changed after its creation: these changes would be lost"
        self._conflict(step, standing.place, why, standing.touching(standing.place))

    def _put_back(
        self, step: Step, found: TreeFile, standing: LaterSteps, chosen: Collection[int] | None
    ) -> None:
        """Reverse a step that changed or moved a file."""
        if step.moved_to is not None and standing.place != step.moved_to and chosen is None:
            why = f"the file was moved again, to {standing.place}"
            self._conflict(step, step.moved_to, why, standing.moves)
        elif self._give_text(step, found, standing, chosen) and chosen is None:
            self._move_back(step, standing)

    def _move_back(self, step: Step, standing: LaterSteps) -> None:
        if step.moved_to is None:
            return
        there = self._tree.at(step.path)
        if isinstance(there, Obstacle):
            self._obstacle(step, there)
        elif there is not None:
            why = f"another file now has its old path {step.path}"
            self._conflict(step, step.moved_to, why, standing.touching(step.path))
        else:
            self._tree.move(step.moved_to, step.path)

    def _give_text(
        self, step: Step, found: TreeFile, standing: LaterSteps, chosen: Collection[int] | None
    ) -> bool:
        """Give a file the text from before ``step``. Return whether that was possible."""
        if found.digest == step.before or (step.before == step.after and step.is_after_known):
            return True
        is_as_left = found.digest in (step.after, UNKNOWN) or not step.is_after_known
        if is_as_left and chosen is None:
            self._tree.give(found, step.before or UNKNOWN)
            return True
        old, base = self._text(step.before), self._text(step.after)
        ours = self._tree.text_of(found)
        if old is None or base is None or ours is None:
            self._obstacle(step, Obstacle(standing.place, _NOT_KEPT))
            return False
        theirs = old if chosen is None else without_changes(old, base, chosen)
        if theirs is None:
            why = "the event has no such changes of the file, or also changed the file's encoding"
            self._obstacle(step, Obstacle(standing.place, why))
            return False
        merged = theirs if is_as_left else self._merged(step, (base, ours, theirs), standing)
        if merged is not None:
            self._tree.give(found, content_hash(merged), merged)
        return merged is not None

    def _merged(
        self, step: Step, texts: tuple[bytes, bytes, bytes], standing: LaterSteps
    ) -> bytes | None:
        """Merge the reversal of a step with the later changes; ``None`` if something prevents that.

        ``texts`` are the text after the step, the present text and the text to restore.
        """
        self._merges += 1
        if self._merges > MAX_MERGES:
            why = f"more than {MAX_MERGES} changes would have to be merged; take back fewer events"
            self._obstacle(step, Obstacle(standing.place, why))
            return None
        base, ours, _ = texts
        left, mine, right = (TextLines.of(each) for each in texts)
        if not left.codec == mine.codec == right.codec:
            why = "the file's encoding has changed since, or would change"
            self._conflict(step, standing.place, why, standing.touching(standing.place))
            return None
        merged = three_way_merge(left.lines, mine.lines, right.lines)
        told = merged.overlaps[:MAX_OVERLAPS]
        against = changed_by(told, base, ours, standing.steps, self._text)
        for each, by in zip(told, against, strict=True):
            first, last = each.ours_start + 1, max(each.ours_end, each.ours_start + 1)
            why = "these lines have changed since"
            self._conflicts.append(Conflict(standing.place, why, by, (first, last)))
        if merged.overlaps:
            self._stuck |= {step.path, step.place}
            return None
        if standing.has_gap(content_hash(ours)):
            self._outside.add(standing.place)
        bom = right.bom if mine.bom == left.bom else mine.bom
        return replace(mine, bom=bom, lines=merged.lines).data


def _order(step: Step) -> int:
    if step.before is None:
        return 0
    return 3 if step.after is None else 1 if step.moved_to is None else 2
