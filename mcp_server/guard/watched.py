"""What the guard needs of the watcher, and of the news that it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcp_server.news.findings import Finding, NewError


@dataclass(frozen=True, slots=True)
class ChangedBy:
    """Whose tool changed scripts. ``caller`` is who is given the news of it."""

    client: str
    tool: str
    session: str
    call: str | None
    before: Mapping[str, bytes | None] = field(default_factory=dict)
    """The scripts' bytes from before the call, where they were noted."""

    @property
    def caller(self) -> str:
        """Return the agent's session as a caller of the news."""
        return f"guard {self.client} {self.session}"


class OutsideChange(Protocol):
    """A change of a script that the watcher has recorded."""

    @property
    def path(self) -> str:
        """Its project-relative path."""
        ...

    @property
    def before(self) -> bytes | None:
        """Its bytes before; ``None``: there was no file, or they aren't known."""
        ...

    @property
    def after(self) -> bytes | None:
        """Its bytes now; ``None``: it is gone."""
        ...

    @property
    def was_there(self) -> bool:
        """Whether the file was there before, even if its bytes aren't known."""
        ...

    @property
    def undo(self) -> Mapping[str, Any] | None:
        """What ``undo_snippet`` takes; ``None`` if it can't be undone."""
        ...


def is_known(change: OutsideChange) -> bool:
    """Return whether it is known what was there before."""
    return change.before is not None or not change.was_there


class Watching(Protocol):
    """The watcher and the news, as the guard uses them. Lives on the event loop."""

    async def look(self, paths: Sequence[str] | None, by: ChangedBy) -> Sequence[OutsideChange]:
        """Read these scripts now, or all; record what changed as ``by``'s, and return it."""
        ...

    async def settle(self, paths: Sequence[str]) -> None:
        """Record what others did to these scripts until now: an agent is about to write them."""
        ...

    async def news(
        self, changes: Sequence[OutsideChange], by: ChangedBy, until: float
    ) -> Sequence[Finding]:
        """Return what the agent's session was not given yet, and record it as given.

        Waits until ``changes`` are judged, until a time of ``time.monotonic`` at most.
        """
        ...

    async def errors_since(
        self, earlier: Mapping[str, bytes | None], within_s: float
    ) -> Sequence[NewError] | None:
        """Return the errors that the project has now and had not with ``earlier`` texts.

        ``None``: that isn't known.
        """
        ...

    def standing(self) -> str:
        """Return in a few words whether the project compiles, as far as is known."""
        ...
