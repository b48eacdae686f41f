"""A run: so many attempts, in one process or several, and what became of each."""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from benchmarks.landing import packages
from benchmarks.landing.attempts import Attempts
from benchmarks.landing.kinds import APART, PROFILES
from benchmarks.landing.outcome import Trial, tried
from benchmarks.landing.references import REFERENCES, ReferenceTrial
from benchmarks.landing.road import Road, in_process
from benchmarks.landing.true_edits import TrueEdit, true_edits

APART_SHARE = 20
"""For so many attempts one of each class that is weighed apart is made as well."""

_CHUNK = 100
_SHARED_MEMORY = Path("/dev/shm")

OpenRoad = Callable[[Path], AbstractAsyncContextManager[Road]]


@dataclass(frozen=True, slots=True)
class Run:
    """Which attempts: of which packages, as which agent, from which seed, how many."""

    packages: tuple[str, ...]
    profile: str
    seed: int
    requests: int


@dataclass(frozen=True, slots=True)
class Compared:
    """One attempt here and with each reference, in their order."""

    trial: Trial
    references: tuple[ReferenceTrial, ...]


Wanted = tuple[int, str | None]
"""An attempt's number, and its class if that is weighed apart."""


def load(names: Sequence[str], jobs: int = 1) -> list[TrueEdit]:
    """Return the true edits of the packages, read in ``jobs`` processes. Raises ``FetchError``."""
    if jobs == 1 or len(names) == 1:
        return [edit for name in names for edit in _edits_of(name)]
    for name in names:
        packages.history(name)
    with ProcessPoolExecutor(jobs) as pool:
        return [edit for edits in pool.map(_edits_of, names) for edit in edits]


def _edits_of(name: str) -> list[TrueEdit]:
    return list(true_edits(packages.changes(name)))


def wanted(run: Run) -> list[Wanted]:
    """Return every attempt of the run; the classes that are weighed apart are spread over it."""
    every: list[Wanted] = []
    for number in range(run.requests):
        every.append((number, None))
        if number % APART_SHARE == APART_SHARE - 1:
            every += [(number // APART_SHARE, name) for name in APART]
    return every


def results(
    run: Run, edits: Sequence[TrueEdit], jobs: int, seconds: float | None = None
) -> Iterator[Compared]:
    """Yield the outcome of each attempt of the run, in its order.

    No more are begun after ``seconds``.
    """
    until = None if seconds is None else monotonic() + seconds
    every = wanted(run)
    chunks = [every[at : at + _CHUNK] for at in range(0, len(every), _CHUNK)]
    if jobs == 1:
        _prepare(edits, run)
        for chunk in chunks:
            if until is not None and monotonic() >= until:
                return
            yield from _of_chunk(chunk)
        return
    with ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(edits, run)) as pool:
        # A few chunks ahead, so that none waits and little is left when the time is over.
        begun = deque(pool.submit(_of_chunk, chunk) for chunk in chunks[: jobs + 1])
        left = deque(chunks[jobs + 1 :])
        while begun:
            yield from begun.popleft().result()
            if left and (until is None or monotonic() < until):
                begun.append(pool.submit(_of_chunk, left.popleft()))


_attempts: Attempts | None = None


def _prepare(edits: Sequence[TrueEdit], run: Run) -> None:
    global _attempts  # noqa: PLW0603 - what a process of the pool works from
    _attempts = Attempts(edits, PROFILES[run.profile], run.seed)


def _of_chunk(chunk: Sequence[Wanted]) -> list[Compared]:
    assert _attempts is not None
    return asyncio.run(collected(tries(_attempts, chunk, in_process)))


async def tries(
    attempts: Attempts, chunk: Sequence[Wanted], open_road: OpenRoad
) -> AsyncIterator[Compared]:
    """Yield the attempts of that chunk over a road of their own."""
    shared = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=shared, prefix="landing-") as folder:
        async with open_road(Path(folder)) as road:
            for number, of_class in chunk:
                attempt = attempts.attempt(number, of_class)
                trial = await tried(road, attempt)
                yield Compared(trial, tuple(each.tried(attempt) for each in REFERENCES))


async def collected(found: AsyncIterator[Compared]) -> list[Compared]:
    """Return all of them."""
    return [each async for each in found]
