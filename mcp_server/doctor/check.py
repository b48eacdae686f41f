"""One thing that was looked at, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """``summary`` says what was found; ``advice``, where it is not ``ok``, what to do.

    ``required``: nothing much works without it. ``details`` are further lines for people.
    """

    name: str
    ok: bool
    summary: str
    advice: str = ""
    required: bool = False
    details: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``{name, ok, required, summary, advice, details}``."""
        return {
            "name": self.name,
            "ok": self.ok,
            "required": self.required,
            "summary": self.summary,
            "advice": "" if self.ok else self.advice,
            "details": list(self.details),
        }
