"""What the views show, and whom they ask to act: handed to each of them.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_server.review.page.diffs.kept_diffs import KeptDiffs
    from mcp_server.review.page.feed import Feed
    from mcp_server.review.page.now import Now
    from mcp_server.review.record.event_store import EventStore
    from mcp_server.review.review import Review


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one server's views."""

    review: Review
    now: Now
    feed: Feed
    diffs: KeptDiffs

    @property
    def store(self) -> EventStore:
        """The recorded events."""
        return self.review.store

    @property
    def waits(self) -> int:
        """How many changes wait for a person."""
        return len(self.review.held.waiting)
