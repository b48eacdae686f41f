"""What a coding agent's hook reports, and what the guard answers. Values.

An adapter of ``mcp_server.guard.clients`` makes them from a client's payload, and its reply from
the answer.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mcp_server.news.findings import NewError
    from mcp_server.watcher.outside_change import OutsideChange


class Moment(Enum):
    """When the client called its hook."""

    BEFORE = "before"
    """A tool is about to run."""
    AFTER = "after"
    """A tool has run."""
    STOP = "stop"
    """The agent is about to end its turn."""
    START = "start"
    """A session has started or was continued."""


class Replacement(NamedTuple):
    """One exact replacement. ``old`` must be unique in the text, unless ``everywhere``."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Replace:
    """The tool replaces texts in a file, one after the other."""

    path: str
    edits: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The tool writes the whole file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Patch:
    """A text for ``apply_patch``; its paths are relative to the event's ``cwd``."""

    text: str


@dataclass(frozen=True, slots=True)
class Touched:
    """The tool writes this file; what it writes is unknown."""

    path: str


Write: TypeAlias = Replace | Whole | Patch | Touched


@dataclass(frozen=True, slots=True)
class GuardEvent:
    """One call of a client's hook. Paths are as the client gave them, relative to ``cwd``."""

    client: str
    moment: Moment
    session: str
    tool: str
    call: str | None
    """The client's id of the tool call; the same before and after."""
    cwd: str
    writes: tuple[Write, ...] = ()
    may_write_anything: bool = False
    """Whether the tool is a shell or the like."""
    stopped_before: bool = False
    """Whether the client says that this stop was blocked already."""
    is_heard: bool = True
    """Whether the agent reads an answer. Where it doesn't, news wait for the next answer."""


@dataclass(frozen=True, slots=True)
class GuardAnswer:
    """What the guard says to the agent. At most one text is set; without any it stays silent."""

    refuse: str | None = None
    """Before: the tool must not run, and why."""
    tell: str | None = None
    """Facts next to the tool's result, or a session's first context."""
    block: str | None = None
    """Stop: the agent should go on, and why."""


SILENT = GuardAnswer()


async def _is_there() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Listener:
    """Who waits for an answer, ``until`` a time of ``time.monotonic``."""

    until: float
    is_there: Callable[[], Awaitable[bool]] = _is_there

    async def hears(self) -> bool:
        """Return whether the client still waits, so that an answer sent now is read."""
        return monotonic() <= self.until and await self.is_there()


DOCTOR_SESSION = "unity-cli doctor"
"""The session of the event by which ``doctor`` tries the hook. It doesn't count as a client's."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a hook process writes and how it ends, in one client's dialect."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


VARIABLE = "UNITY_SNIPPET_GUARD_PATIENCE"
_MOST = 100


def factor() -> int:
    """Return the factor, which is 1 unless the variable has another number of up to 100."""
    given = os.environ.get(VARIABLE, "")
    return min(max(1, int(given)), _MOST) if given.isdigit() else 1


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


def is_known(change: OutsideChange) -> bool:
    """Return whether it is known what was there before."""
    return change.before is not None or not change.was_there


@dataclass(frozen=True, slots=True)
class ErrorsSince:
    """New errors since earlier texts."""

    errors: tuple[NewError, ...]
    not_checked: str = ""
