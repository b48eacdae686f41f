"""Samples of operations measured in turn, and their summaries in milliseconds.

Operations that are to be compared are sampled within one round each, so that a slow moment of
the machine falls on all of them. Each sample has its wall-clock time, and the processor's time
that this process took meanwhile, which others on the machine lengthen far less.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


# Windows counts it in sixtieths of a second.
_processor_s = perf_counter if sys.platform == "win32" else process_time


def session_processor_s(session: int) -> float | None:
    """Return the processor time of a session's processes so far; ``None`` if it isn't known.

    Where the system tells it without a library; it counts in hundredths of a second.
    """
    ticks, seen = 0, False
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The command's name, in parentheses, may hold anything.
            told = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(told[3]) == session:
            ticks, seen = ticks + int(told[11]) + int(told[12]), True
    return ticks / os.sysconf("SC_CLK_TCK") if seen else None


class Spread(NamedTuple):
    """Where half of some samples lie: the lower quartile, the median and the upper quartile."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the quartiles of ``values``, by interpolation; of one value, that value."""
        if len(values) == 1:
            return cls(values[0], values[0], values[0])
        return cls(*quantiles(values, n=4, method="inclusive"))

    def over(self, reference: Spread) -> Spread:
        """Return these as ratios to ``reference``, with the noise of both."""
        return Spread(
            self.low / reference.high, self.middle / reference.middle, self.high / reference.low
        )


class Samples:
    """Durations by name, in seconds as taken, in milliseconds as given out."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)
        self._cpu_seconds: defaultdict[str, list[float]] = defaultdict(list)

    def timed(self, name: str, operation: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``operation`` once, keep how long it took under ``name``, return its result."""
        start, cpu = perf_counter(), _processor_s()
        result = operation(*args, **kwargs)
        self._cpu_seconds[name].append(_processor_s() - cpu)
        self._seconds[name].append(perf_counter() - start)
        return result

    def last_ms(self, name: str) -> float:
        """Return the latest sample under ``name``."""
        return self._seconds[name][-1] * 1000

    def median_ms(self, name: str) -> float:
        """Return the median of the samples under ``name``."""
        return median(self._seconds[name]) * 1000

    def least_ms(self, name: str) -> float:
        """Return the shortest sample under ``name``, which a busy machine distorts least."""
        return min(self._seconds[name]) * 1000

    def p90_ms(self, name: str) -> float:
        """Return the 90th percentile, by interpolation; of one sample, that sample."""
        seconds = self._seconds[name]
        if len(seconds) == 1:
            return seconds[0] * 1000
        return quantiles(seconds, n=10, method="inclusive")[-1] * 1000

    def cpu_ratio(self, name: str, reference: str) -> Spread:
        """Return the processor time under ``name``, in medians of that under ``reference``.

        As noisy as both: the lower quartile of the one in upper ones of the other, and reverse.
        """
        return Spread.of(self._cpu_seconds[name]).over(Spread.of(self._cpu_seconds[reference]))

    def ratio(self, name: str, reference: str) -> Spread:
        """Return the same for wall-clock time."""
        return Spread.of(self._seconds[name]).over(Spread.of(self._seconds[reference]))

    def count(self, name: str) -> int:
        """Return how many samples there are under ``name``."""
        return len(self._seconds[name])


def repeat(round_of: Callable[[int], None], *, seconds: float, at_least: int, at_most: int) -> None:
    """Call ``round_of(0)``, ``round_of(1)`` … until ``seconds`` have passed, within the bounds.

    Garbage is collected between rounds, so that none pays for what another left behind.
    """
    end = perf_counter() + seconds
    for number in range(at_most):
        if number >= at_least and perf_counter() > end:
            break
        gc.collect()
        round_of(number)
