"""The order in which events changed files, which may not be that in which they were added.

A write of this product is recorded at once. What another program did to the file right before is
recorded when the watcher looks. A write by another process of this product may be recorded after
what others did on top of it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from mcp_server.review.record.event_filter import WRITTEN
from mcp_server.review.record.events import Event, EventFile, Outcome

LATE_S = 60.0
"""How much later a change may be recorded than what was written on top of it, in seconds."""

_MAX_BACK = 20
"""How many later changes of a file are looked through."""


def in_order(events: Iterable[Event]) -> list[Event]:
    """Return the events that changed files, the first change first.

    That is the order of their numbers, but a change of one file goes where the fewest gaps are
    left: places where an event doesn't begin with the text that the one before it left.
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
                later = former[at][0]  # not far from the end
                place = next(each for each in reversed(range(len(found))) if found[each] is later)
            former.insert(at, (event, file))
        found.insert(place, event)
    return found


def _place(former: list[tuple[Event, EventFile]], event: Event, file: EventFile) -> int:
    """Return where among the earlier events of its file a change belongs."""
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
