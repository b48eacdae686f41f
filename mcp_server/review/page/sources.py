"""What the views show, and who runs the calls that they make.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_server.editor.tools import EditorTools
from mcp_server.review.asking import Asking
from mcp_server.review.page.diffs.file_diff import KeptDiffs
from mcp_server.review.page.now import Feed, Now
from mcp_server.review.record.event_store import EventStore
from mcp_server.review.review import Review


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one server's views."""

    review: Review
    now: Now
    feed: Feed
    diffs: KeptDiffs
    editor: EditorTools
    ask: Asking

    @property
    def store(self) -> EventStore:
        """The recorded events."""
        return self.review.store

    @property
    def waits(self) -> int:
        """The number of held calls."""
        return len(self.review.held.waiting)
