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

    A change of one file comes before an event with a higher number only if the texts show it. Then
    the change ends with the text that this event begins with, and it doesn't begin with the text
    that the last event left.
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
                place = found.index(former[at][0])
            former.insert(at, (event, file))
        found.insert(place, event)
    return found


def _place(former: list[tuple[Event, EventFile]], event: Event, file: EventFile) -> int:
    """Return where among the earlier events of its file a change belongs."""
    if file.is_unknown or not former or former[-1][1].after == file.before:
        return len(former)
    for at in range(len(former) - 1, max(-1, len(former) - 1 - _MAX_BACK), -1):
        other, on_top = former[at]
        if on_top.is_unknown or abs(event.time_s - other.time_s) > LATE_S:
            break
        fits_before = not at or former[at - 1][1].after == file.before
        if on_top.path == file.path and on_top.before == file.after and fits_before:
            return at
    return len(former)
