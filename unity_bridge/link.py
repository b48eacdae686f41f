"""The Editor link: the server's whole view of the connection to the Editor.

Implements docs/design/server-and-bridge.md §11. Scheduling, waiting, jobs and guarantees are above
this interface and the same for both implementations. Below it, a command is sent once and never
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from unity_bridge.editor_state import EditorView

# -- commands ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Execute:
    """Run a tool and answer with its result."""

    tool: str
    params: Mapping[str, Any]
    client_request_id: str | None = None
    remembered_by: str | None = None
    """For a request that was sent before, with an unknown outcome. Only the Editor with this
    request memory gets the request; it answers with the first one's outcome.
    """


@dataclass(frozen=True, slots=True)
class SubmitJob:
    """Start a tool as a job and answer with its id."""

    tool: str
    params: Mapping[str, Any]
    client_request_id: str | None = None
    remembered_by: str | None = None
    """As in :class:`Execute`."""


@dataclass(frozen=True, slots=True)
class GetJobStatus:
    """Answer with a job's state, progress and result."""

    job_id: str


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Cancel a job and answer with the result of the cancellation."""

    job_id: str


Command: TypeAlias = Execute | SubmitJob | GetJobStatus | CancelJob

# -- answers -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Completed:
    """The command succeeded."""

    body: Mapping[str, Any]
    """The answer's fields."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool started and failed."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """The Editor refused the command before anything ran."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Malformed:
    """The answer breaks the contract."""

    expected: str
    actual: str
    hopeless: bool = False
    """Whether asking again would bring the same answer."""


@dataclass(frozen=True, slots=True)
class NotSent:
    """The command did not run and never will."""

    code: str
    """An ``ERR_*``."""
    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutcomeUnknown:
    """The command was sent, and its outcome will never be known."""

    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)


Answer: TypeAlias = Completed | Failed | Rejected | Malformed | NotSent | OutcomeUnknown

# -- the link ------------------------------------------------------------------------------


class LinkListener:
    """Receives the events of a link. Called on the event loop.

    Sometimes it is called from within its own call to the link.
    """

    def on_view(self, view: EditorView) -> None:
        """Handle a changed state of the Editor."""

    def on_answer(self, request_id: str, answer: Answer) -> None:
        """Handle the first answer to a request that is neither answered nor forgotten."""

    def on_job(self, status: Mapping[str, Any]) -> None:
        """Handle a job's ``job_id``, ``state``, ``progress`` and ``result``."""


class Listeners(LinkListener):
    """Every listener of one link."""

    def __init__(self) -> None:
        self._listeners: list[LinkListener] = []

    def add(self, listener: LinkListener) -> None:
        """Call ``listener`` from now on."""
        self._listeners.append(listener)

    def on_view(self, view: EditorView) -> None:
        """Pass the call on to every listener."""
        for listener in self._listeners:
            listener.on_view(view)

    def on_answer(self, request_id: str, answer: Answer) -> None:
        """Pass the call on to every listener."""
        for listener in self._listeners:
            listener.on_answer(request_id, answer)

    def on_job(self, status: Mapping[str, Any]) -> None:
        """Pass the call on to every listener."""
        for listener in self._listeners:
            listener.on_job(status)


class EditorLink(Protocol):
    """The connection to one Editor. Lives on one event loop."""

    @property
    def name(self) -> str:
        """Return ``plugin`` or ``pipeline``."""

    @property
    def view(self) -> EditorView:
        """Return the last known state of the Editor."""

    def listen(self, listener: LinkListener) -> None:
        """Call ``listener`` from now on."""

    def open(self) -> None:
        """Start looking for the Editor. Called on the event loop, once."""

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once. The listener gets its answer, ``NotSent`` included."""

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, because no caller waits for it."""

    def confirm_job(self, job_id: str) -> None:
        """Let the Editor drop a job's result, because the job's end is known here."""

    async def close(self) -> None:
        """Disconnect; nothing is accepted from now on."""
