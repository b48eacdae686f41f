"""A coding agent's hook event, and the guard's answer, as values.

An adapter of ``mcp_server.guard.clients`` reads an event from a client's payload, and makes the
client's reply from the answer.
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
    """One exact replacement. ``old`` must be unique in the text, unless ``everywhere`` is true."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Replace:
    """The tool makes replacements in a file, one after the other."""

    path: str
    edits: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The tool writes a whole file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Patch:
    """The tool applies an ``apply_patch`` text. Its paths are relative to the event's ``cwd``."""

    text: str


@dataclass(frozen=True, slots=True)
class Touched:
    """The tool writes this file; its new text isn't known."""

    path: str


Write: TypeAlias = Replace | Whole | Patch | Touched


@dataclass(frozen=True, slots=True)
class GuardEvent:
    """One call of a client's hook. Paths are as the client sent them, relative to ``cwd``."""

    client: str
    moment: Moment
    session: str
    tool: str
    call: str | None
    """The client's id of the tool call, equal before and after the call."""
    cwd: str
    writes: tuple[Write, ...] = ()
    may_write_anything: bool = False
    """Whether the tool is a shell or similar."""
    stopped_before: bool = False
    """Whether the client says that this stop was already blocked once."""
    is_answer_read: bool = True
    """Whether the agent reads the answer. If not, news wait for its next answer."""


@dataclass(frozen=True, slots=True)
class GuardAnswer:
    """What the guard says to the agent. At most one text is set; without one, it stays silent."""

    refuse: str | None = None
    """Before a call: why the tool must not run."""
    tell: str | None = None
    """Facts to add to the tool's result, or to a session's first context."""
    block: str | None = None
    """At a stop: why the agent should go on."""


SILENT = GuardAnswer()


async def _is_there() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Listener:
    """A client that waits for an answer, ``until`` a time of ``time.monotonic``."""

    until: float
    is_there: Callable[[], Awaitable[bool]] = _is_there

    async def is_waiting(self) -> bool:
        """Return whether the client still waits, so that it reads an answer sent now."""
        return monotonic() <= self.until and await self.is_there()


DOCTOR_SESSION = "unity-cli doctor"
"""The session with which ``doctor`` tries a hook. It doesn't count as a client's."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the hook process prints, and its exit code, in one client's dialect."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


VARIABLE = "UNITY_SNIPPET_GUARD_PATIENCE"
"""Environment variable with a factor for the guard's time limits."""
_MOST = 100


def factor() -> int:
    """Return the factor for the guard's time limits: 1, or that of :data:`VARIABLE`, up to 100."""
    given = os.environ.get(VARIABLE, "")
    return min(max(1, int(given)), _MOST) if given.isdigit() else 1


CALLER = "guard "
"""The prefix of a caller's name in the news if the caller is an agent's session with hooks."""


@dataclass(frozen=True, slots=True)
class ChangedBy:
    """The tool call that changed scripts."""

    client: str
    tool: str
    session: str
    call: str | None
    before: Mapping[str, bytes | None] = field(default_factory=dict)
    """The scripts' bytes from before the call, as far as they were noted."""
    noted_s: float = 0.0
    """When these bytes were read, as of ``time.time``."""
    since_s: float = 0.0
    """When all scripts were last looked at before the call, as of ``time.monotonic``."""
    has_written: bool = False
    """Whether the tool has certainly ended."""
    may_be_others: bool = False
    """Whether others may have made the changes, because no look came before the call."""

    @property
    def caller(self) -> str:
        """Return the agent's session as a caller of the news."""
        return f"{CALLER}{self.client} {self.session}"


def is_known(change: OutsideChange) -> bool:
    """Return whether the text before the change is known, or there was no file."""
    return change.before is not None or not change.was_there


@dataclass(frozen=True, slots=True)
class ErrorsSince:
    """The new errors since earlier texts."""

    errors: tuple[NewError, ...]
    not_checked: str = ""
