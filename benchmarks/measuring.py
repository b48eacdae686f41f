"""Wall-clock samples of operations measured in turn, and their summaries in milliseconds.

Operations that are to be compared are sampled within one round each, so that a slow moment of
the machine falls on all of them.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Samples:
    """Durations by name, in seconds as taken, in milliseconds as given out."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)

    def timed(self, name: str, operation: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``operation`` once, keep how long it took under ``name``, return its result."""
        start = perf_counter()
        result = operation(*args, **kwargs)
        self._seconds[name].append(perf_counter() - start)
        return result

    def last_ms(self, name: str) -> float:
        """The latest sample under ``name``."""
        return self._seconds[name][-1] * 1000

    def median_ms(self, name: str) -> float:
        """The median of the samples under ``name``."""
        return median(self._seconds[name]) * 1000

    def least_ms(self, name: str) -> float:
        """The shortest of the samples under ``name``: what a busy machine distorts least."""
        return min(self._seconds[name]) * 1000

    def p90_ms(self, name: str) -> float:
        """The 90th percentile, by interpolation; the only sample where there is one."""
        seconds = self._seconds[name]
        if len(seconds) == 1:
            return seconds[0] * 1000
        return quantiles(seconds, n=10, method="inclusive")[-1] * 1000

    def count(self, name: str) -> int:
        """How many samples there are under ``name``."""
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
