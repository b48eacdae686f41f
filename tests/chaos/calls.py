"""A call of a chaos run, and who can say whether what it was told is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass
class Call:
    """One call, and what its client was told. Times are those of ``time.monotonic``."""

    name: str
    tool: str
    arguments: Json
    answer: Json | None = None
    raised: str | None = None
    patience_s: float = 60
    attempts: int = 1
    """How often it was made, each time under the same ``client_request_id``."""
    began_s: float = 0
    ended_s: float = 0
    wrong: list[str] = field(default_factory=list)
    """What its client saw to be otherwise than it was told."""

    @property
    def error(self) -> Json | None:
        found: Json | None = (self.answer or {}).get("error")
        return found

    @property
    def ok(self) -> bool:
        """Whether it has a result."""
        return self.answer is not None and self.error is None

    @property
    def claims(self) -> str:
        """What its answer says about execution."""
        return str(self.error["details"]["execution_guarantee"]) if self.error else "completed"

    @property
    def lost(self) -> bool:
        """Whether nobody knows what it did."""
        if self.tool not in ("run_tests", "compile", "control_play_mode"):
            return False
        return self.answer is None or self.claims == "unknown"


class Witness(Protocol):
    """An Editor on one of the roads, with its own log."""

    happened: Counter[str]
    timeouts_ms: tuple[int, ...]
    """What calls give the Editor, one of these each."""

    async def begin(self) -> None:
        """Be there, and begin to be unreliable."""

    async def settle(self) -> None:
        """Be ready and reliable from now on."""

    async def end(self) -> None:
        """Be gone."""

    def against(self, call: Call) -> list[str]:
        """Where the log contradicts what a call was told; a line each."""

    def against_job(self, call: Call, status: Mapping[str, Any]) -> list[str]:
        """Where the log contradicts the last ``status`` of the job that ``call`` was given."""
