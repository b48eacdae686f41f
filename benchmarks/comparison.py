"""Find what got slower than in a recorded run, by more than its noise.

A figure is a ratio to a reference of its own run, so that runs of different machines and moments
can be compared. Its noise is where half of its samples lie. Slower is a figure whose samples lie
above the recorded ones, half of the one beyond half of the other, and whose median has grown by
more than :data:`LEAST`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import Spread

LEAST = 0.05
"""What a median may grow by, as a part of it, whatever the noise: another moment, another run."""


@dataclass(frozen=True)
class Change:
    """A figure of two runs."""

    name: str
    then: Spread
    now: Spread

    @property
    def factor(self) -> float:
        """Return how many times as long it takes now."""
        return self.now.middle / self.then.middle

    @property
    def is_slower(self) -> bool:
        """Return whether it takes longer now, by more than the noise of both runs."""
        return self.now.low > self.then.high and self.factor > 1 + LEAST

    @property
    def is_faster(self) -> bool:
        """Return whether it takes less time now, by more than the noise of both runs."""
        return self.now.high < self.then.low and self.factor < 1 - LEAST


def figures_of(document: Mapping[str, Any]) -> dict[str, Spread]:
    """Return a run's figures by name, from what ``python -m benchmarks.engine --json`` printed.

    Raises ``ValueError`` where it is no such document.
    """
    figures = document.get("figures")
    if not isinstance(figures, dict):
        raise ValueError('has no "figures": record it anew with --json')
    return {name: Spread(*spread) for name, spread in figures.items()}


def compared(then: Mapping[str, Spread], now: Mapping[str, Spread]) -> list[Change]:
    """Return each figure that both runs have, in the order of this one."""
    return [Change(name, then[name], spread) for name, spread in now.items() if name in then]
