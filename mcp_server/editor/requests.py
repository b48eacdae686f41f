"""Send requests to the Editor, as the scheduler decides.

Implements docs/design/server-and-bridge.md §5. Everything for the Editor goes through
:meth:`EditorRequests.send`, and every send ends in exactly one reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, TypeAlias

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import OnAccepted, OnProgress
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.editor.errors import answer_error, ending_error
from mcp_server.editor.scheduler import (
    AnswerSeen,
    CancelWanted,
    Dispatch,
    Effect,
    Ending,
    Event,
    Moved,
    SchedulerState,
    Stop,
    Submitted,
    Tick,
    ViewSeen,
    step,
)
from mcp_server.event_log import log_event
from unity_bridge.clock import Clock, LoopClock
from unity_bridge.editor_state import EditorView
from unity_bridge.link import Answer, Command, Completed, EditorLink, Execute, LinkListener
from unity_bridge.machine import Machine
from unity_bridge.states import RequestState
from unity_bridge.timing import Timing

Reply: TypeAlias = Answer | Ending
"""The Editor's answer, or why there is none."""


OnSent: TypeAlias = Callable[[EditorView], None]
"""Called with the Editor to which the request is about to be sent."""


@dataclass(frozen=True, slots=True)
class EditorCall:
    """One valid call of an Editor's tool."""

    spec: ToolSpec
    arguments: Mapping[str, Any]
    request_id: str
    on_progress: OnProgress | None = None
    on_accepted: OnAccepted | None = None
    """Called with the id of the job that the call started or joined, as soon as there is one."""
    on_sent: OnSent | None = None
    remembered_by: str | None = None
    """The memory of the only Editor to which a repeated call may be sent."""

    @property
    def timeout_ms(self) -> int:
        """How long the call may take, in milliseconds."""
        return self.spec.timeout_ms(self.arguments)

    def failure(self, reply: Reply, view: EditorView) -> ToolError:
        """Return the error for a ``reply`` other than :class:`Completed`."""
        assert not isinstance(reply, Completed)
        if isinstance(reply, Ending):
            return ending_error(reply, self.spec, self.arguments, view)
        return answer_error(reply, self.spec, self.arguments)


@dataclass(slots=True)
class _Open:
    command: Command
    timeout_ms: int
    reply: asyncio.Future[Reply]
    on_sent: OnSent | None


class EditorRequests(LinkListener):
    """The only way to send requests to the Editor. Lives on one event loop."""

    def __init__(
        self, link: EditorLink, *, timing: Timing | None = None, clock: Clock | None = None
    ) -> None:
        self._link = link
        self._machine: Machine[SchedulerState, Event, Effect] = Machine(
            SchedulerState(timing or Timing(), link.view),
            step,
            self._carry_out,
            tick=Tick(),
            clock=clock or LoopClock(),
        )
        self._open: dict[str, _Open] = {}
        link.listen(self)

    async def send(
        self,
        request_id: str,
        command: Command,
        timeout_ms: int,
        *,
        answer_within_ms: int | None = None,
        answer_limit_ms: int | None = None,
        control: bool = False,
        while_compiling: bool = False,
        while_locked: bool = False,
        on_sent: OnSent | None = None,
    ) -> Reply:
        """Send ``command`` when its turn comes, and return the reply. ``request_id`` is unique.

        The whole wait takes at most ``answer_within_ms``, by default ``timeout_ms``. The wait after
        sending takes at most ``answer_limit_ms``. ``timeout_ms`` is also the time of a job that
        ``command`` submits. ``control``, ``while_compiling`` and ``while_locked`` are explained in
        :class:`.scheduler.Entry`. To give up, call :meth:`cancel`; don't cancel the task that
        awaits this.
        """
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._open[request_id] = _Open(command, timeout_ms, reply, on_sent)
        within_ms = answer_within_ms or timeout_ms
        self._machine.feed(
            Submitted(
                request_id, within_ms, answer_limit_ms, control, while_compiling, while_locked
            )
        )
        return await reply

    def cancel(self, request_id: str) -> None:
        """Give up a request. If it was sent, it goes on in the Editor; else it is never sent."""
        self._machine.feed(CancelWanted(request_id))

    def state_of(self, request_id: str) -> RequestState | None:
        """Return the state of a request; ``None`` once it has ended."""
        state = self._machine.state
        running = state.running
        for entry in (*state.line, *([running] if running else [])):
            if entry.request_id == request_id:
                return entry.state
        return None

    def stop(self) -> None:
        """End every request at once, and refuse new ones."""
        self._machine.feed(Stop())

    def on_view(self, view: EditorView) -> None:
        """Pass the Editor's new state to the scheduler."""
        self._machine.feed(ViewSeen(view))

    def on_answer(self, request_id: str, answer: Answer) -> None:
        """End the request that was answered."""
        self._machine.feed(AnswerSeen(request_id, answer))

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Moved):
            log_event(
                "request_state",
                request_id=effect.request_id,
                state=effect.state.value,
                previous=effect.previous.value,
                elapsed_ms=round(effect.elapsed_ms, 1),
            )
        elif isinstance(effect, Dispatch):
            request = self._open[effect.request_id]
            # A job outlives the request that submits it: it has its own time.
            runs_now = isinstance(request.command, Execute)
            timeout_ms = effect.remaining_ms if runs_now else request.timeout_ms
            if request.on_sent is not None:
                request.on_sent(self._link.view)
            self._link.start(effect.request_id, request.command, timeout_ms)
        else:
            request = self._open.pop(effect.request_id)
            self._link.forget(effect.request_id)
            if not request.reply.done():
                reply: Reply = effect.ending if effect.answer is None else effect.answer
                request.reply.set_result(reply)


def new_request_id() -> str:
    """Return an id for one request to the Editor."""
    return f"req-{token_hex(6)}"
