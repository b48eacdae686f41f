"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """``summary`` says what was found; if it is not ``ok``, ``advice`` says what to do.

    ``required``: almost nothing works without it. ``optional``: if it is missing, that is no fault.
    ``command`` is the part of the advice that can be typed. ``details`` are more lines for people.
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
        """Return the check for ``--output json``."""
        return {
            "name": self.name,
            "ok": self.ok,
            "required": self.required,
            "optional": self.optional,
            "summary": self.summary,
            "advice": "" if self.ok else self.advice,
            "details": list(self.details),
        }
