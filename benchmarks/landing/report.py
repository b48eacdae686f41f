"""A run's results: counts by class and kind, bytes, references, and misses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.landing.kinds import APART, CLASSES, UNSPOILED
from benchmarks.landing.outcome import Outcome, Trial
from benchmarks.landing.references import EXACT, REFERENCES
from benchmarks.landing.run import Compared, Run
from benchmarks.landing.same_roads import Roads

FAILED = "failed unexpectedly"
"""What attempts are listed as that the server failed at, whatever their kind."""
_EXAMPLES = 3


@dataclass(slots=True)
class Tally:
    """Outcomes of some attempts, and the bytes that they cost."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    cost: int = 0
    may_land: int = 0
    """Those that can land at the first try without a guess."""

    def add(self, outcome: Outcome, cost: int, *, may_land: bool = False) -> None:
        """Count one."""
        self.outcomes[outcome] += 1
        self.cost += cost
        self.may_land += may_land

    @property
    def requests(self) -> int:
        """Return how many there are."""
        return self.outcomes.total()

    @property
    def landed(self) -> int:
        """Return how many ended with the right bytes."""
        return self.outcomes[Outcome.FIRST] + self.outcomes[Outcome.SECOND]

    def share(self, *outcomes: Outcome) -> float:
        """Return the share of them that ended so."""
        return sum(self.outcomes[each] for each in outcomes) / max(1, self.requests)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the bytes for each that landed."""
        counts = {outcome.value: self.outcomes[outcome] for outcome in Outcome}
        per_landed = round(self.cost / self.landed) if self.landed else None
        return {
            "requests": self.requests,
            **counts,
            "may_land_first": self.may_land,
            "bytes_per_landed_edit": per_landed,
        }


PUBLIC_FAILURES = (0.11, 0.23)
"""Which part of agents' edits was publicly counted to fail, the least and the most."""


@dataclass(frozen=True, slots=True)
class AllCalls:
    """The outcomes of all calls of agents; most aren't spoiled.

    ``failing`` is the part that fails with ``exact unique replace``, ``spoiled`` the part that is
    spoiled then; ``shares`` are those of the outcomes with ``edit_snippet``.
    """

    failing: float
    spoiled: float
    shares: dict[Outcome, float]


def _tallies() -> defaultdict[str, Tally]:
    return defaultdict(Tally)


@dataclass(slots=True)
class Found:
    """All that a run found.

    ``until_landed`` has the bytes with what a miss costs in the end: the file read again, and the
    request as it should have been.
    """

    run: Run
    all: Tally = field(default_factory=Tally)
    told: Tally = field(default_factory=Tally)
    by_class: defaultdict[str, Tally] = field(default_factory=_tallies)
    by_kind: defaultdict[str, Tally] = field(default_factory=_tallies)
    told_by_kind: defaultdict[str, Tally] = field(default_factory=_tallies)
    references: defaultdict[str, Tally] = field(default_factory=_tallies)
    references_by_class: defaultdict[str, defaultdict[str, Tally]] = field(
        default_factory=lambda: defaultdict(_tallies)
    )
    until_landed: Counter[str] = field(default_factory=Counter)
    guessed: int = 0
    by_hand: int = 0
    failed: int = 0
    """Attempts to which the server answered that it failed unexpectedly."""
    misses: defaultdict[str, list[Trial]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[Trial] = field(default_factory=list)
    seconds: float = 0.0
    roads: Roads | None = None

    @property
    def wrong_as_sent(self) -> int:
        """Return how many wrote something else at the first try, because what was sent fits
        only one place."""
        return sum(len(each.sent) == 1 for each in self.wrong if each.attempt.of_class not in APART)

    def add(self, compared: Compared) -> None:
        """Count one attempt."""
        trial = compared.trial
        attempt, outcome = trial.attempt, trial.outcome
        cost = trial.bytes_sent + trial.bytes_shown
        may_land = attempt.may_land
        self.by_class[attempt.of_class].add(outcome, cost, may_land=may_land)
        for reference, other in zip(REFERENCES, compared.references, strict=True):
            spent = other.bytes_sent + other.bytes_shown
            self.references_by_class[reference.name][attempt.of_class].add(other.outcome, spent)
        if outcome is Outcome.WRONG:
            self.wrong.append(trial)
        kind = " + ".join(attempt.kinds)
        missed = outcome in (Outcome.REFUSED, Outcome.WRONG)
        self.failed += trial.failed
        if trial.failed:
            self.misses[FAILED].append(trial)
        if missed and attempt.told and len(self.misses[kind]) < _EXAMPLES:
            self.misses[kind].append(trial)
        if attempt.of_class in APART:
            return
        self.by_hand += trial.earlier_by_hand
        self.guessed += trial.guessed
        self.all.add(outcome, cost, may_land=may_land)
        self.by_kind[kind].add(outcome, cost, may_land=may_land)
        if attempt.told:
            self.told.add(outcome, cost, may_land=may_land)
            self.told_by_kind[kind].add(outcome, cost)
        again = _reading(attempt.standing) + sum(map(len, map(str, (attempt.clean,))))
        self.until_landed["this"] += cost + again * missed
        for reference, other in zip(REFERENCES, compared.references, strict=True):
            spent = other.bytes_sent + other.bytes_shown
            self.references[reference.name].add(other.outcome, spent)
            lost = other.outcome in (Outcome.REFUSED, Outcome.WRONG)
            self.until_landed[reference.name] += spent + again * lost

    def of_all_calls(self) -> list[AllCalls]:
        """Return the outcomes if as many other calls fail as public counts say."""
        sound, exact = self.by_class[UNSPOILED], self.references[EXACT]
        lost = 1 - exact.share(Outcome.FIRST, Outcome.SECOND)
        if not sound.requests or lost < PUBLIC_FAILURES[-1]:
            return []
        return [
            AllCalls(
                failing,
                part,
                {
                    each: part * self.all.share(each) + (1 - part) * sound.share(each)
                    for each in Outcome
                },
            )
            for failing in PUBLIC_FAILURES
            for part in [failing / lost]
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the run as one JSON object."""
        counts = self.all.to_json()
        return {
            **counts,
            "of_all_calls": [
                {"failing_elsewhere": each.failing, "spoiled": each.spoiled, **each.shares}
                for each in self.of_all_calls()
            ],
            "wrong_where_told": self.told.outcomes[Outcome.WRONG],
            "wrong_by_guess": self.guessed,
            "wrong_as_sent": self.wrong_as_sent,
            "failed_unexpectedly": self.failed,
            "told": self.told.to_json(),
            "by_class": {
                name: self.by_class[name].to_json()
                for name in (*CLASSES, *APART)
                if name in self.by_class
            },
            "by_kind": {
                name: {**tally.to_json(), "told": self.told_by_kind[name].requests}
                for name, tally in sorted(self.by_kind.items())
            },
            "references": {
                name: {
                    **tally.to_json(),
                    "by_class": {
                        each: found.to_json()
                        for each, found in self.references_by_class[name].items()
                    },
                }
                for name, tally in self.references.items()
            },
            "bytes_until_landed": {
                name: round(total / max(1, self.all.requests))
                for name, total in self.until_landed.items()
            },
            "earlier_edits_made_by_hand": self.by_hand,
            "packages": list(self.run.packages),
            "profile": self.run.profile,
            "seed": self.run.seed,
            "seconds": round(self.seconds, 1),
            "over_http": self.roads and asdict(self.roads),
        }


def found_in(run: Run, compared: Iterable[Compared]) -> Found:
    """Count all of them."""
    found = Found(run)
    for each in compared:
        found.add(each)
    return found


def _reading(data: bytes) -> int:
    """Return what a model is shown when it reads a file again: 2,000 numbered lines at most."""
    lines = data.split(b"\n")[:2_000]
    return sum(map(len, lines)) + 7 * len(lines)


def print_report(found: Found) -> None:
    """Print the tables: coloured on a terminal, plain in a pipe."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=110)
    run = found.run
    table = Table(title=f"{run.profile}, seed {run.seed}: {', '.join(run.packages)}")
    _columns(table, "class")
    for name in (*CLASSES, *APART):
        if name in found.by_class:
            _row(table, name, found.by_class[name])
    _row(table, "[bold]weighed together[/]", found.all)
    _row(table, "of these, told", found.told)
    console.print(table)
    table = Table(title="By kind, where it is the only one")
    _columns(table, "kind")
    for name, tally in sorted(found.by_kind.items(), key=lambda each: -each[1].requests):
        if " + " not in name:
            _row(table, name, tally)
    console.print(table)
    table = Table(title="The same with other ways of editing")
    _columns(table, "reference")
    for name, tally in found.references.items():
        _row(table, name, tally)
    console.print(table)
    bytes_each = {name: total // max(1, found.all.requests) for name, total in (
        found.until_landed.items())}  # fmt: skip
    console.print(f"Bytes until landed, with reading again after a miss: {bytes_each}")
    console.print(
        f"Wrong: {found.all.outcomes[Outcome.WRONG]}, {found.told.outcomes[Outcome.WRONG]} of them "
        f"where it can be told what is meant; {found.guessed} are the first of several offers, "
        f"{found.wrong_as_sent} are of requests that were carried out as they were sent. "
        f"Earlier edits made by hand: {found.by_hand}. "
        f"Failed unexpectedly: {found.failed}."
    )
    if found.roads is not None:
        differing = len(found.roads.differing)
        console.print(f"Over HTTP: {found.roads.requests} requests, {differing} came out otherwise")
    console.print(
        f"{found.seconds:.0f} s, {found.all.requests / max(found.seconds, 0.001):.1f} requests/s"
    )


def _columns(table: Table, first: str) -> None:
    table.add_column(first)
    for column in ("requests", "first", "second", "refused", "wrong", "bytes/landed"):
        table.add_column(column, justify="right")


def _row(table: Table, name: str, tally: Tally) -> None:
    per_landed = f"{tally.cost / tally.landed:,.0f}" if tally.landed else "–"
    shares = (f"{tally.share(outcome):.1%}" for outcome in Outcome)
    table.add_row(name, f"{tally.requests:,}", *shares, per_landed)
