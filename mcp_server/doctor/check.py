"""One thing that was looked at, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """``summary`` says what was found; ``advice``, where it is not ``ok``, what to do.

    ``required``: nothing much works without it. ``optional``: it isn't there, and nothing is wrong
    with that. ``command`` is what of the advice can be typed as it stands. ``details`` are further
    lines for people.
    """

    name: str
    ok: bool
    summary: str
    advice: str = ""
    required: bool = False
    details: tuple[str, ...] = ()
    optional: bool = False
    command: str = ""

    @property
    def failed(self) -> bool:
        """Whether something is wrong."""
        return not self.ok and not self.optional

    def to_json(self) -> dict[str, Any]:
        """``{name, ok, required, optional, summary, advice, details}``."""
        return {
            "name": self.name,
            "ok": self.ok,
            "required": self.required,
            "optional": self.optional,
            "summary": self.summary,
            "advice": "" if self.ok else self.advice,
            "details": list(self.details),
        }
