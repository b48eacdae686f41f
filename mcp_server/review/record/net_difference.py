"""Sum events up: each file before the first of them and after the last, whatever was in between.

Implements docs/design/review.md "The net difference". Pure; texts are named by their hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_server.review.record.event_order import in_order
from mcp_server.review.record.events import Event, EventFile


@dataclass(frozen=True, slots=True)
class NetFile:
    """What became of one file."""

    file: EventFile
    """The file at its first path, or at its present one if it was created. Its ``is_unknown`` says
    that the text before or after was not seen; a text with a hash was.
    """
    numbers: tuple[int, ...]
    """The numbers of its events, oldest first."""
    has_gap: bool = False
    """Whether something else changed the file in between; that change is included."""


def net_difference(events: Iterable[Event]) -> list[NetFile]:
    """Return the files that the events changed, by path; those that are as before are left out.

    ``events`` may come in any order; those that changed no file count for nothing.
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
    """A text at a path."""

    path: str
    digest: str | None
    """``None`` for no file, or a text that was not seen."""
    is_unknown: bool = False
    """Whether the text was not seen."""


@dataclass(frozen=True, slots=True)
class _Track:
    """A file from its first event to the last one so far."""

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
            first, is_moved = replace(first, path=now.path), False  # it was created, and is there
        elif now.digest is None and not now.is_unknown:
            is_moved = False  # it was moved, and is gone
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
