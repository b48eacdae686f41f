"""The parts of the review that are not the page, put together for one server.

Implements docs/design/review.md.
"""

from __future__ import annotations

from pathlib import Path

from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.recorder import Recorder


class Review:
    """What happened in one project, and who records it."""

    def __init__(self, folder: Path) -> None:
        """``folder`` keeps the events; no other server uses it."""
        self.store = EventStore(folder / "review")
        self.recorder = Recorder(self.store)

    def start(self) -> None:
        """Begin to read what is kept, and to add. Returns at once."""
        self.store.start()

    def stop(self, within_s: float) -> None:
        """Write what waits; wait for it so long."""
        self.store.stop(within_s)
