"""The parts of the review that are not the page, put together for one server.

Implements docs/design/review.md.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from mcp_server.review.hold.held_calls import HeldCalls
from mcp_server.review.hold.note_box import NoteBox
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.record.history_events import history_events
from mcp_server.review.record.other_events import OtherEvents
from mcp_server.review.record.recorder import WRITES, Recorder
from mcp_server.review.running_calls import RunningCalls
from mcp_server.review.take_back.take_back import TakeBack


class Review:
    """What happened in one project and who records it, what waits for a person, and his notes."""

    def __init__(self, folder: Path, page_url: str) -> None:
        """``folder`` keeps all of it; no other server uses it. ``page_url`` is the page's root."""
        self.held = HeldCalls(folder, f"{page_url}holds")
        self.notes = NoteBox(folder)
        self.store = EventStore(folder / "review")
        self.calls = RunningCalls()
        self.recorder = Recorder(self.store)
        self.others = OtherEvents(self.store, may_write=partial(self.calls.has, WRITES))
        self.take_back = TakeBack(self.store)

    def start(self, project: Path | None = None) -> None:
        """Begin to read what is kept, and to add; the first time, take over the ``project``'s
        history. Returns at once."""
        self.store.start()
        if project is not None:
            self.store.begin_with(lambda: history_events(project))

    def stop(self, within_s: float) -> None:
        """Write what waits; wait for it so long."""
        self.store.stop(within_s)
