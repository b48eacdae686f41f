"""What the guard needs of the watcher, and of the news that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mcp_server.guard.events import Listener
from mcp_server.news.findings import Finding, NewError

CALLER = "guard "
"""How the callers of the news begin that are agents' sessions with hooks."""


@dataclass(frozen=True, slots=True)
class ChangedBy:
    """Whose tool changed scripts."""

    client: str
    tool: str
    session: str
    call: str | None
    before: Mapping[str, bytes | None] = field(default_factory=dict)
    """The scripts' bytes from before the call, where they were noted."""
    noted_s: float = 0.0
    """When they were noted, as of ``time.time``."""
    since_s: float = 0.0
    """When all scripts were looked at before the call, as of ``time.monotonic``."""
    has_written: bool = False
    """Whether the tool has certainly ended."""
    may_be_others: bool = False
    """Whether others may have made the changes, because nothing was looked at before."""

    @property
    def caller(self) -> str:
        """Return the agent's session as a caller of the news."""
        return f"{CALLER}{self.client} {self.session}"


class OutsideChange(Protocol):
    """A change of a script that the watcher has recorded."""

    @property
    def number(self) -> int:
        """Its unique number."""
        ...

    @property
    def path(self) -> str:
        """Its project-relative path."""
        ...

    @property
    def before(self) -> bytes | None:
        """Return the bytes before the change; ``None`` if there was no file, or if unknown."""
        ...

    @property
    def after(self) -> bytes | None:
        """Return the bytes after the change; ``None`` if the script is gone."""
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


class ManyChanges(Protocol):
    """Scripts that changed together, too many to be judged one by one."""

    @property
    def paths(self) -> Sequence[str]:
        """Their project-relative paths."""
        ...

    @property
    def texts(self) -> Sequence[tuple[str, bytes | None, bytes | None]]:
        """Path, bytes before and bytes now of each script whose earlier text is known."""
        ...

    @property
    def reformatted(self) -> int:
        """How many of these scripts have other line endings or another byte order mark than
        before."""
        ...


@dataclass(frozen=True, slots=True)
class ErrorsSince:
    """New errors since earlier texts."""

    errors: tuple[NewError, ...]
    not_checked: str = ""
    """Why some may be missing."""


class Watching(Protocol):
    """The watcher and the news, as the guard uses them. Lives on the event loop."""

    async def look(
        self,
        paths: Sequence[str] | None,
        by: ChangedBy,
        on_late: Callable[[Sequence[OutsideChange]], None],
    ) -> Sequence[OutsideChange]:
        """Read these scripts now, or all; record what changed as ``by``'s, and return it.

        Changes that aren't found in time go to ``on_late``, and are judged then.
        """
        ...

    async def look_around(self) -> float | None:
        """Record what others did to all scripts until now; return when that was.

        As of ``time.monotonic``; ``None`` if it took too long.
        """
        ...

    def many_since(self, since_s: float) -> Sequence[ManyChanges]:
        """Return the changes of many scripts at once since a time of ``monotonic``."""
        ...

    async def settle(self, paths: Sequence[str]) -> None:
        """Record what others did to these scripts until now: an agent is about to write them."""
        ...

    async def news(
        self, changes: Sequence[OutsideChange], by: ChangedBy, until: float, listener: Listener
    ) -> Sequence[Finding] | None:
        """Return what the agent's session was not given yet, and record it as given.

        Errors of ``changes`` have the number 0. Waits for their verdict, but only ``until`` a time
        of ``time.monotonic``; a later verdict becomes news. ``None`` if the ``listener`` has gone.
        """
        ...

    async def errors_since(
        self, earlier: Mapping[str, bytes | None], within_s: float
    ) -> ErrorsSince | None:
        """Return the errors that the project has now and didn't have with ``earlier`` texts.

        ``None`` if that isn't known.
        """
        ...

    async def settings_since(self, since_s: float) -> Sequence[str]:
        """Return the ``.asmdef`` files and the like that were seen to change since then."""
        ...

    async def not_compiled(self, within_s: float) -> str:
        """Return how many errors the project has, and why that isn't fully known, in words.

        Empty if it compiles, or there is no compiler.
        """
        ...

    def told(self, by: ChangedBy, errors: Sequence[NewError]) -> None:
        """Note that errors were reported to the agent's session at the end of a turn."""
        ...

    def undo_of(self, by: ChangedBy, errors: Sequence[NewError]) -> Mapping[str, Any] | None:
        """Return what takes back the one change of the session that led to all ``errors``.

        ``None`` if several changes did, or it isn't known.
        """
        ...

    def standing(self) -> str:
        """Return in a few words whether the project compiles, as far as is known."""
        ...

    def checks_names(self) -> bool:
        """Return whether a compiler is available, so that more than syntax is checked."""
        ...
