"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    name: str
    ok: bool
    summary: str
    """What was found, in one line."""
    advice: str = ""
    """What to do if the check is not ``ok``."""
    required: bool = False
    """Whether almost nothing works if this check fails."""
    details: tuple[str, ...] = ()
    """Further lines for people."""
    optional: bool = False
    """Whether the check doesn't fail if the part is missing."""
    command: str = ""
    """The part of the advice that can be typed as a command."""

    @property
    def failed(self) -> bool:
        """Whether the check counts as a failure."""
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
