"""Count recorded events and plot them: edits by outcome, refusals, durations.

Implements docs/design/review.md "Other views". Templates draw the plots.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.sources import Sources
from mcp_server.review.record.event_store import MAX_EVENTS, EventStore
from mcp_server.review.record.events import Event, Outcome
from mcp_server.review.record.recorder import EDITS

EDIT_OUTCOMES = (Outcome.APPLIED, Outcome.PREVIEWED, Outcome.REFUSED, Outcome.FAILED)
"""The outcomes of edits, in the order in which they are stacked."""

BARS = 24
MOST_CODES = 12


class Span(NamedTuple):
    """The numbers of edits in a span of time, one for each of :data:`EDIT_OUTCOMES`."""

    begin_s: float
    end_s: float
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """Return the number of edits."""
        return sum(self.counts)


class Durations(NamedTuple):
    """How long calls of one tool took, in milliseconds."""

    tool: str
    calls: int
    median_ms: float
    p90_ms: float
    longest_ms: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures for one range of time."""

    events: int
    spans: tuple[Span, ...]
    outcomes: tuple[tuple[Outcome, int], ...]
    refusals: tuple[tuple[str, int], ...]
    other_refusals: int
    durations: tuple[Durations, ...]


def figures(events: Iterable[Event], begin_s: float, end_s: float) -> Figures:
    """Return the figures for the events from ``begin_s`` to ``end_s``, both of ``time.time``."""
    within = [each for each in events if begin_s <= each.time_s <= end_s]
    edits = [each for each in within if each.tool in EDITS]
    refused = [each for each in within if each.outcome in (Outcome.REFUSED, Outcome.GUARDED)]
    codes = Counter(each.code or each.outcome.value for each in refused).most_common()
    return Figures(
        len(within),
        _spans(edits, begin_s, end_s),
        tuple((o, sum(1 for each in edits if each.outcome is o)) for o in EDIT_OUTCOMES),
        tuple(codes[:MOST_CODES]),
        sum(count for _, count in codes[MOST_CODES:]),
        tuple(_durations(within)),
    )


def _spans(edits: Sequence[Event], begin_s: float, end_s: float) -> tuple[Span, ...]:
    width_s = max(1e-6, end_s - begin_s) / BARS
    counts = [Counter[Outcome]() for _ in range(BARS)]
    for each in edits:
        at = min(BARS - 1, int((each.time_s - begin_s) / width_s))
        counts[at][each.outcome] += 1
    return tuple(
        Span(
            begin_s + number * width_s,
            begin_s + (number + 1) * width_s,
            tuple(found[each] for each in EDIT_OUTCOMES),
        )
        for number, found in enumerate(counts)
    )


def _durations(events: Sequence[Event]) -> list[Durations]:
    by_tool: dict[str, list[float]] = defaultdict(list)
    for each in events:
        if each.tool and each.duration_ms is not None:
            by_tool[each.tool].append(each.duration_ms)
    found = []
    for tool, taken in by_tool.items():
        taken.sort()
        p90 = taken[min(len(taken) - 1, int(len(taken) * 0.9))]
        found.append(Durations(tool, len(taken), median(taken), p90, taken[-1]))
    return sorted(found, key=lambda each: -each.calls)


WIDTH, HEIGHT = 480.0, 120.0
_GAP = 2.0


class Bar(NamedTuple):
    """A rectangle, and the CSS class for its colour."""

    x: float
    y: float
    width: float
    height: float
    kind: str


class BarPlot(NamedTuple):
    """Bars, and the value at the top of the plot."""

    bars: tuple[Bar, ...]
    top: int


class Range(NamedTuple):
    """One tool's durations from median to 90th percentile, on a logarithmic axis."""

    tool: str
    median_x: float
    p90_x: float


def stacked(spans: Sequence[Span]) -> BarPlot:
    """Return the bars for ``spans``, with the outcomes stacked."""
    top = max([1, *(each.total for each in spans)])
    return BarPlot(tuple(_stacked(spans, top)), top)


def _stacked(spans: Sequence[Span], top: int) -> Iterator[Bar]:
    width = WIDTH / max(1, len(spans))
    for number, span in enumerate(spans):
        x, y = number * width + _GAP / 2, HEIGHT
        for outcome, count in zip(EDIT_OUTCOMES, span.counts, strict=True):
            height = HEIGHT * count / top
            y -= height
            if count:
                x = number * width + _GAP / 2
                yield Bar(
                    round(x, 1), round(y, 1), round(width - _GAP, 1), round(height, 1), outcome
                )


def ranges(durations: Sequence[Durations]) -> tuple[tuple[Range, ...], list[tuple[float, str]]]:
    """Return each tool's range, and the labels of the axis with their positions."""
    if not durations:
        return (), []
    high = math.ceil(math.log10(max(10.0, *(each.p90_ms for each in durations))))

    def x(duration_ms: float) -> float:
        return round(WIDTH * max(0.0, math.log10(max(1.0, duration_ms))) / high, 1)

    marks = [
        (x(10**power), f"{10**power} ms" if power < 3 else f"{10 ** (power - 3)} s")
        for power in range(high + 1)
    ]
    return tuple(Range(each.tool, x(each.median_ms), x(each.p90_ms)) for each in durations), marks


RANGES = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400}
"""The selectable ranges in seconds. With any other choice, all events count."""


async def figures_page(sources: Sources, request: Request) -> Response:
    """Show small plots, each with a table of the same figures."""
    chosen = request.query_params.get("range", "day")
    found = await asyncio.to_thread(_figures_of_range, sources.store, chosen)
    rows, marks = ranges(found.durations)
    return await rendered(
        request,
        "figures.html",
        figures=found,
        chosen=chosen if chosen in RANGES else "all",
        ranges=[*RANGES, "all"],
        outcomes=EDIT_OUTCOMES,
        plot=stacked(found.spans),
        rows=rows,
        marks=marks,
        width=WIDTH,
        height=HEIGHT,
    )


def _figures_of_range(store: EventStore, chosen: str) -> Figures:
    now_s = time.time()
    events = store.events(limit=MAX_EVENTS)
    oldest_s = min((each.time_s for each in events), default=now_s)
    begin_s = now_s - RANGES[chosen] if chosen in RANGES else oldest_s
    return figures(events, begin_s, now_s)
