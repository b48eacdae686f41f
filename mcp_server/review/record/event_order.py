"""Put changes of files in order, and sum up what became of each file. Pure.

Events may be recorded out of order. This product's write is recorded at once. Another program's
change right before it is recorded only when the watcher looks. A write by another process of this
product may be recorded after others changed the file again.

Implements docs/design/review.md "Events" and "The net difference".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_server.review.record.events import WRITTEN, Event, EventFile, Outcome

LATE_S = 60.0
"""Most seconds by which a change may be recorded after a later change of the same file."""

_MAX_BACK = 20


def in_order(events: Iterable[Event]) -> list[Event]:
    """Return the events that changed files, the first change first.

    Events are in the order of their numbers, with one exception: an event that changed one file,
    and isn't a recorded call. It goes where it leaves the fewest gaps. A gap is an event whose text
    before isn't the text that the previous event left.
    """
    found: list[Event] = []
    of_file: dict[str, list[tuple[Event, EventFile]]] = {}
    for event in sorted(events, key=lambda each: each.number):
        if event.outcome not in WRITTEN:
            continue
        place = len(found)
        for file in event.files:
            former = of_file.setdefault(file.moved_to or file.path, [])
            at = len(former)
            if event.outcome is Outcome.CHANGED and len(event.files) == 1:
                at = _place(former, event, file)
            if at < len(former):
                later = former[at][0]  # found quickly: ``_place`` goes back few events
                place = next(each for each in reversed(range(len(found))) if found[each] is later)
            former.insert(at, (event, file))
        found.insert(place, event)
    return found


def _place(former: list[tuple[Event, EventFile]], event: Event, file: EventFile) -> int:
    """Return where to insert a change among the earlier events of its file.

    That is the index at which it leaves the fewest gaps.
    """
    places = [len(former)]
    for at in range(len(former) - 1, max(-1, len(former) - 1 - _MAX_BACK), -1):
        later, on_top = former[at]
        is_unclear = file.is_unknown or on_top.is_unknown or on_top.path != file.path
        if is_unclear or abs(event.time_s - later.time_s) > LATE_S:
            break
        places.append(at)
    came_before = (at for at in places if not at or former[at - 1][0].time_s <= event.time_s)
    by_time = next(came_before, len(former))

    def rank(at: int) -> tuple[int, int]:
        earlier = former[at - 1][1] if at else None
        on_top = former[at][1] if at < len(former) else None
        gaps = _is_gap(earlier, file) + _is_gap(file, on_top) - _is_gap(earlier, on_top)
        return gaps, abs(at - by_time)

    return min(places, key=rank)


def _is_gap(earlier: EventFile | None, later: EventFile | None) -> bool:
    return earlier is not None and later is not None and earlier.after != later.before


@dataclass(frozen=True, slots=True)
class NetFile:
    """What all events together did to one file."""

    file: EventFile
    """The file at its first path, or at its present path if it was created.

    ``is_unknown`` says that nobody saw the text before or after; the hash of that text is ``None``.
    """
    numbers: tuple[int, ...]
    """The numbers of its events, oldest first."""
    has_gap: bool = False
    """Whether something unrecorded changed the file in between. ``file`` includes that change."""


def net_difference(events: Iterable[Event]) -> list[NetFile]:
    """Return what ``events``, in any order, changed in all, sorted by path.

    Files that are as before are left out. Events that changed no file don't count.
    """
    standing: dict[str, _Track] = {}
    gone: list[_Track] = []
    for event in in_order(events):
        tracks = [(each, standing.pop(each.path, None)) for each in event.files]
        for file, known in tracks:
            track = _Track.begun(file, event) if known is None else known.gone_on(file, event)
            other = standing.pop(track.now.path, None)
            if other is not None:
                gone.append(other)
            standing[track.now.path] = track
    found = (each.summed_up() for each in (*gone, *standing.values()))
    return sorted((each for each in found if each is not None), key=lambda each: each.file.path)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text at a path, known by its hash."""

    path: str
    digest: str | None
    """``None`` if there is no file, or nobody saw the text."""
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class _Track:
    """One file followed over moves, from its first event to the latest so far."""

    first: _Text
    now: _Text
    numbers: tuple[int, ...]
    has_gap: bool = False

    @classmethod
    def begun(cls, file: EventFile, event: Event) -> _Track:
        return cls(_before(file), _after(file), (event.number,))

    def gone_on(self, file: EventFile, event: Event) -> _Track:
        before = _before(file)
        is_known = not (before.is_unknown or self.now.is_unknown)
        has_gap = self.has_gap or (is_known and before.digest != self.now.digest)
        return _Track(self.first, _after(file), (*self.numbers, event.number), has_gap)

    def summed_up(self) -> NetFile | None:
        first, now = self.first, self.now
        is_same = first.digest == now.digest and not (first.is_unknown or now.is_unknown)
        is_moved = first.path != now.path
        if is_same and (first.digest is None or not is_moved):
            return None
        if first.digest is None and not first.is_unknown:
            first, is_moved = replace(first, path=now.path), False  # it was created and exists
        elif now.digest is None and not now.is_unknown:
            is_moved = False  # it was deleted, so a move no longer counts
        file = EventFile(
            first.path,
            now.path if is_moved else None,
            first.digest,
            now.digest,
            first.is_unknown or now.is_unknown,
        )
        return NetFile(file, self.numbers, self.has_gap)


def _before(file: EventFile) -> _Text:
    return _Text(file.path, file.before, file.is_unknown and file.before is None)


def _after(file: EventFile) -> _Text:
    return _Text(file.moved_to or file.path, file.after, file.is_unknown and file.after is None)
