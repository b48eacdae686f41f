"""Place the bars of small plots, in an SVG's own units. Pure; templates draw them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_server.review.views.figures import EDIT_OUTCOMES, Durations, Span

WIDTH, HEIGHT = 480.0, 120.0
_GAP = 2.0


class Bar(NamedTuple):
    """One rectangle, and the class that gives it its colour."""

    x: float
    y: float
    width: float
    height: float
    kind: str


class BarPlot(NamedTuple):
    """Bars, and the largest value that fits into the height."""

    bars: tuple[Bar, ...]
    top: int


class Range(NamedTuple):
    """From the median to the 90th percentile of one tool, on a logarithmic axis."""

    tool: str
    median_x: float
    p90_x: float


def stacked(spans: Sequence[Span]) -> BarPlot:
    """Return the spans' bars, the outcomes on top of each other."""
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
    """Return each tool's range, and where the axis has which label."""
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
