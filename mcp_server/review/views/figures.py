"""Count what the recorded events say: edits by outcome and time, refusals, durations. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from mcp_server.review.record.events import Event, Outcome
from mcp_server.review.record.recorder import EDITS

EDIT_OUTCOMES = (Outcome.APPLIED, Outcome.PREVIEWED, Outcome.REFUSED, Outcome.FAILED)
"""What becomes of an edit, in the order in which it is drawn."""

BARS = 24
"""How many spans of time are told apart."""

MOST_CODES = 12
"""Most codes of refusals that are listed one by one."""


class Span(NamedTuple):
    """Edits from one time up to another, by outcome."""

    begin_s: float
    end_s: float
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """Return how many edits there were."""
        return sum(self.counts)


class Durations(NamedTuple):
    """How long calls of a tool took, in milliseconds."""

    tool: str
    calls: int
    median_ms: float
    p90_ms: float
    longest_ms: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures."""

    events: int
    """How many events were looked at."""
    spans: tuple[Span, ...]
    outcomes: tuple[tuple[Outcome, int], ...]
    refusals: tuple[tuple[str, int], ...]
    other_refusals: int
    durations: tuple[Durations, ...]


def figures(events: Iterable[Event], begin_s: float, end_s: float) -> Figures:
    """Return the figures of the events from ``begin_s`` to ``end_s``, as of ``time.time``."""
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
