"""The recent changes without a known maker. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from mcp_server.watcher.outside_change import OutsideChange

MAX_RECENT = 200


def may_have_made(call_s: float, calls: tuple[float, ...]) -> bool:
    """Return whether a call, noted at ``call_s``, may have made a change.

    ``calls`` are those that noted the text before the change. If this call is not among them, but a
    later one is, it did not make the change.
    """
    return not call_s or call_s in calls or all(each < call_s for each in calls)


@dataclass(frozen=True, slots=True)
class Recent:
    """A change that was seen."""

    change: OutsideChange
    at_s: float
    """When, as of ``time.monotonic``."""
    calls: tuple[float, ...] = ()
    """The calls that noted the text before it."""


class RecentChanges:
    """The newest changes without a known maker, the oldest first."""

    def __init__(self) -> None:
        self._kept: deque[Recent] = deque(maxlen=MAX_RECENT)

    def add(self, recent: Recent) -> None:
        """Keep a change."""
        self._kept.append(recent)

    def pop(self, is_wanted: Callable[[Recent], bool]) -> list[Recent]:
        """Return the wanted changes, and forget them."""
        wanted = [each for each in self._kept if is_wanted(each)]
        for each in wanted:
            self._kept.remove(each)
        return wanted
