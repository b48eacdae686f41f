"""Which events somebody wants.

Implements docs/design/review.md "Events". Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_server.review.record.events import Event, Outcome

WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNDONE, Outcome.CHANGED})
"""What changed files."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted: those that fit everything that is set."""

    file: str = ""
    """A part of a path, in any case."""
    client: str = ""
    """A whole name."""
    outcome: Outcome | None = None
    text: str = ""
    """A part of the line, of a path or of the tool's name, in any case."""
    after: int = 0
    """Only events with a larger number."""
    is_written: bool = False
    """Only events that changed files."""

    def fits(self, event: Event) -> bool:
        """Return whether the filter accepts an event."""
        if event.number <= self.after or (self.outcome and event.outcome is not self.outcome):
            return False
        if self.client and event.client != self.client:
            return False
        if self.is_written and event.outcome not in WRITTEN:
            return False
        paths = [path for each in event.files for path in (each.path, each.moved_to) if path]
        if self.file and not any(self.file.lower() in path.lower() for path in paths):
            return False
        searched = (event.line, event.tool, *paths)
        return not self.text or any(self.text.lower() in each.lower() for each in searched)


ALL = EventFilter()
