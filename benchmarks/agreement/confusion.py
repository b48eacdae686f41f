"""The confusion table: how often the two verdicts agree, kind by kind, with bounds.

An interval is Wilson's, at 95 %; its upper end for a count of zero is close to 3/n.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

from benchmarks.agreement.oracle import Truth

_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One case where the embedded validator is wrong, with what is needed to see it again."""

    kind: str
    file: str
    start: int
    end: int
    new_text: str
    before: str
    """The lines around the edit, as they were."""
    after: str
    errors: tuple[str, ...]
    """Roslyn's new errors, or the embedded validator's where Roslyn has none."""


@dataclass(slots=True)
class Counts:
    """How the cases of one kind came out."""

    valid: int = 0
    false_rejects: int = 0
    broken: int = 0
    false_accepts: int = 0
    form: int = 0
    """What parses and never compiles, whatever is referenced: neither valid nor broken."""
    form_refused: int = 0

    @property
    def form_accepts(self) -> int:
        """Return the cases that never compile and were accepted."""
        return self.form - self.form_refused

    def add(self, truth: Truth, refused: bool) -> None:
        """Count one case."""
        if truth is Truth.VALID:
            self.valid += 1
            self.false_rejects += refused
        elif truth is Truth.BROKEN:
            self.broken += 1
            self.false_accepts += not refused
        else:
            self.form += 1
            self.form_refused += refused


@dataclass(slots=True)
class Confusion:
    """All counts of a run."""

    total: Counts = field(default_factory=Counts)
    by_kind: defaultdict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    false_rejects: list[Disagreement] = field(default_factory=list)
    false_accepts: list[Disagreement] = field(default_factory=list)
    form_accepts: list[Disagreement] = field(default_factory=list)

    def add(self, kind: str, truth: Truth, refused: bool) -> None:
        """Count one case."""
        self.total.add(truth, refused)
        self.by_kind[kind].add(truth, refused)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, their intervals, and every disagreement."""
        total = self.total
        return {
            **asdict(total),
            "false_reject_rate": interval(total.false_rejects, total.valid),
            "false_accept_rate": interval(total.false_accepts, total.broken),
            "form_accept_rate": interval(total.form_accepts, total.form),
            "by_kind": {kind: asdict(counts) for kind, counts in sorted(self.by_kind.items())},
            "examples": {
                "false_rejects": [asdict(each) for each in self.false_rejects],
                "false_accepts": [asdict(each) for each in self.false_accepts],
                "form_accepts": [asdict(each) for each in self.form_accepts],
            },
        }


def interval(count: int, of: int) -> dict[str, float | None]:
    """Return the rate ``count / of`` and the bounds of its 95 % interval (Wilson)."""
    if of == 0:
        return {"rate": None, "low": None, "high": None}
    rate = count / of
    scale = 1 + _Z * _Z / of
    middle = (rate + _Z * _Z / (2 * of)) / scale
    half = _Z * sqrt(rate * (1 - rate) / of + _Z * _Z / (4 * of * of)) / scale
    return {"rate": rate, "low": max(0.0, middle - half), "high": min(1.0, middle + half)}
