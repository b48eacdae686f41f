"""The Editor link: all that the rest of the server knows of the road to the Editor.

Implements docs/design/server-and-bridge.md §11. The ``/unity`` session is one implementation; the
other, ``pipeline.pipeline_link``, goes by Unity's own package.
Scheduling, waiting, jobs and guarantees are above this interface and the same for every road; below
it, a command is sent once and never again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from unity_bridge.editor_state import EditorView

# -- commands ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Execute:
    """Run a tool and answer with its result.

    ``remembered_by`` is for a request that was sent before, with an outcome that nobody knows: only
    the Editor with that memory gets it, which answers with the first one's outcome.
    """

    tool: str
    params: Mapping[str, Any]
    client_request_id: str | None = None
    remembered_by: str | None = None


@dataclass(frozen=True, slots=True)
class SubmitJob:
    """Start a tool as a job and answer with its id. ``remembered_by``: see :class:`Execute`."""

    tool: str
    params: Mapping[str, Any]
    client_request_id: str | None = None
    remembered_by: str | None = None


@dataclass(frozen=True, slots=True)
class GetJobStatus:
    """Answer with a job's state, progress and result."""

    job_id: str


@dataclass(frozen=True, slots=True)
class CancelJob:
    """Cancel a job, and answer with what came of that."""

    job_id: str


Command: TypeAlias = Execute | SubmitJob | GetJobStatus | CancelJob

# -- answers -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Completed:
    """The command did what it does; ``body`` is the answer's own fields."""

    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool started and failed, in the Editor's own words."""

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
    """There was an answer, but not one that the contract knows.

    ``hopeless`` where it would be no other if it were asked for again: it is too large.
    """

    expected: str
    actual: str
    hopeless: bool = False


@dataclass(frozen=True, slots=True)
class NotSent:
    """The command never left this process, and now never will. ``code`` is an ``ERR_*``."""

    code: str
    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutcomeUnknown:
    """The command was sent, and what came of it will never be known."""

    reason: str
    details: Mapping[str, Any] = field(default_factory=dict)


Answer: TypeAlias = Completed | Failed | Rejected | Malformed | NotSent | OutcomeUnknown


class LinkListener(Protocol):
    """Who is told what happens on a link. Called on the event loop, now and then from within
    the listener's own call to the link."""

    def on_view(self, view: EditorView) -> None:
        """What is known of the Editor has changed."""

    def on_answer(self, request_id: str, answer: Answer) -> None:
        """The first answer to a request that is neither answered nor forgotten."""

    def on_job(self, status: Mapping[str, Any]) -> None:
        """The Editor says how a job is: ``job_id``, ``state``, ``progress``, ``result``."""


class EditorLink(Protocol):
    """A road to one Editor. Lives on one event loop."""

    @property
    def name(self) -> str:
        """``plugin`` or ``pipeline``."""

    @property
    def view(self) -> EditorView:
        """What is known of the Editor now."""

    def listen(self, listener: LinkListener) -> None:
        """Tell ``listener`` of everything from now on."""

    def open(self) -> None:
        """Begin to look for the Editor. Called on the event loop, once."""

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once. Its answer, ``NotSent`` included, goes to the listener."""

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, for which nobody waits any more."""

    def confirm_job(self, job_id: str) -> None:
        """The end of a job is known here: an Editor that keeps it for that may let it go."""

    async def close(self) -> None:
        """Say goodbye to the Editor; nothing is accepted from now on."""
