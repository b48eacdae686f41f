"""Write times, sizes and outcomes in words, for templates.

Implements docs/design/review.md "The page".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from mcp_server.review.record.events import Event, Outcome
from mcp_server.review.take_back.put_texts import PUT_TEXTS
from snippet_engine.errors import counted


def clock(time_s: float) -> str:
    """Return the time of day where the server runs, which is where the page is looked at."""
    return datetime.fromtimestamp(time_s, UTC).astimezone().strftime("%H:%M:%S")


def date(time_s: float) -> str:
    """Return the whole date and time."""
    return datetime.fromtimestamp(time_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def machine_time(time_s: float) -> str:
    """Return the time as ``<time datetime>`` takes it."""
    return datetime.fromtimestamp(time_s, UTC).isoformat(timespec="milliseconds")


def ago(duration_s: float) -> str:
    """Return how long something took, or is past, in one unit."""
    if duration_s < 1:
        return "less than a second"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        count = int(duration_s // size)
        if count:
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a second"


def milliseconds(duration_ms: float | None) -> str:
    """Return a duration; empty if it isn't known."""
    if duration_ms is None:
        return ""
    return f"{duration_ms / 1000:.1f} s" if duration_ms >= 1000 else f"{duration_ms:.0f} ms"


def tool_name(tool: str) -> str:
    """Return a tool's name; the call that takes something back is no tool, and has its title."""
    return PUT_TEXTS.title.lower() if tool == PUT_TEXTS.name else tool


def who(event: Event) -> str:
    """Return who did what an event is about."""
    if event.client:
        return event.client
    is_others = event.outcome is Outcome.CHANGED and not event.is_own
    return "another program" if is_others else "unknown client"


FILTERS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (clock, date, machine_time, ago, milliseconds, counted, tool_name, who)
}
