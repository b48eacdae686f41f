"""Compare a sample's results over HTTP with those within this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.landing.attempts import Attempts
from benchmarks.landing.kinds import PROFILES
from benchmarks.landing.outcome import Trial
from benchmarks.landing.road import in_process, over_http
from benchmarks.landing.run import Run, collected, tries
from benchmarks.landing.true_edits import TrueEdit


@dataclass(frozen=True, slots=True)
class Roads:
    """How many attempts were made over both roads, and the numbers of those that came out apart."""

    requests: int
    differing: tuple[int, ...]


def compare_roads(run: Run, edits: Sequence[TrueEdit], requests: int) -> Roads:
    """Make the run's first ``requests`` attempts over both roads."""
    attempts = Attempts(edits, PROFILES[run.profile], run.seed)
    chunk = [(number, None) for number in range(requests)]

    async def both() -> list[tuple[Trial, Trial]]:
        here = await collected(tries(attempts, chunk, in_process))
        there = await collected(tries(attempts, chunk, over_http))
        return [(one.trial, other.trial) for one, other in zip(here, there, strict=True)]

    pairs = asyncio.run(both())
    return Roads(
        requests,
        tuple(one.attempt.number for one, other in pairs if came_to(one) != came_to(other)),
    )


def came_to(trial: Trial) -> tuple[str, bytes, int]:
    """Return what became of an attempt, and the number of its calls.

    Words differ: only over HTTP the server knows who calls, and offers what changes alone.
    """
    return trial.outcome.value, trial.left, len(trial.sent)
