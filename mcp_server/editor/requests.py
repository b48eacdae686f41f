"""Requests to the Editor: carry out what the scheduler decides, and recognize repeated ones.

Implements docs/design/server-and-bridge.md §5 and §6. Everything for the Editor goes through
:meth:`EditorRequests.send`, and every send ends in exactly one reply. Script tools have a
deduplication of their own, which survives a restart; that of the Editor's lives in memory. Only the
Editor knows the outcome of a request whose answer was lost; kept is which Editor that was, and
whether it still remembers.
"""

from __future__ import annotations

import asyncio
import json
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
"""Called with the Editor to which a request is sent."""


@dataclass(frozen=True, slots=True)
class EditorCall:
    """One valid call of an Editor's tool."""

    spec: ToolSpec
    arguments: Mapping[str, Any]
    request_id: str
    on_progress: OnProgress | None = None
    on_accepted: OnAccepted | None = None
    """Hears of the job that the call started or joined, as soon as there is one."""
    on_sent: OnSent | None = None
    remembered_by: str | None = None
    """The only Editor memory in which a repeated call may run."""

    @property
    def timeout_ms(self) -> int:
        """How long it may take."""
        return self.spec.timeout_ms(self.arguments)

    def failure(self, reply: Reply, view: EditorView) -> ToolError:
        """Return the error for a ``reply`` that isn't :class:`Completed`."""
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
    """The only way to the Editor. Lives on one event loop."""

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
        """Send ``command`` in its turn and return the reply. ``request_id`` is unique.

        The wait ends within ``answer_within_ms`` (by default ``timeout_ms``, which the Editor
        gets), and within ``answer_limit_ms`` once the request was sent. With ``control`` it goes
        before all others, also to an Editor that compiles. With ``while_compiling`` it goes to such
        an Editor in its turn, with ``while_locked`` to one whose reloads are locked. To give up,
        call :meth:`cancel`; don't cancel the task that awaits this.
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
        """Give a request up: an unsent one is never sent; a sent one goes on."""
        self._machine.feed(CancelWanted(request_id))

    def state_of(self, request_id: str) -> RequestState | None:
        """Return a request's state; ``None`` once it has ended."""
        state = self._machine.state
        running = state.running
        for entry in (*state.line, *([running] if running else [])):
            if entry.request_id == request_id:
                return entry.state
        return None

    def stop(self) -> None:
        """End every request, present and future, at once."""
        self._machine.feed(Stop())

    def on_view(self, view: EditorView) -> None:
        """Tell the scheduler the Editor's new state."""
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


KEEP_MS = 10 * 60 * 1000
"""How long a result is kept after its request ended."""

MAX_KEPT = 1024
"""Most remembered requests; the oldest results go first."""

SURELY_REMEMBERED = 31
"""After this many later requests the Editor still remembers one.

It remembers 64, and up to 33 may be sent before it is asked.
"""

_NOT_WHAT_IS_ASKED = frozenset({"client_request_id", "timeout_ms"})


@dataclass(frozen=True, slots=True)
class New:
    """A new request: run it, then call :meth:`Deduplicator.succeeded`, ``failed`` or ``lost``."""


@dataclass(frozen=True, slots=True)
class StillRunning:
    """The same request is running."""


@dataclass(frozen=True, slots=True)
class OtherRequest:
    """The id was used for another request."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The same request succeeded with this result."""

    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Again:
    """The same request was sent, with an unknown outcome."""

    memory: str | None
    """The only Editor memory in which it may run as a new one; that Editor then answers for the
    first request. ``None`` if it may run in no Editor.
    """


Claim: TypeAlias = New | StillRunning | OtherRequest | Replay | Again


@dataclass(slots=True)
class _Seen:
    fingerprint: str
    result: Mapping[str, Any] | None = None
    ended_ms: float | None = None
    """``None`` while it runs."""
    memory: str | None = None
    """The memory of the first Editor that it was sent to."""
    sent_as: int | None = None
    """Its number among all sent requests."""


class Deduplicator:
    """Requests by their ``client_request_id``. Times are milliseconds of one clock."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._sent = 0

    def claim(
        self, client_request_id: str, tool: str, arguments: Mapping[str, Any], now: float
    ) -> Claim:
        """Decide whether to run this request; a new one counts as running from now on."""
        self._drop_old(now)
        asked = {key: arguments[key] for key in arguments if key not in _NOT_WHAT_IS_ASKED}
        fingerprint = json.dumps([tool, asked], sort_keys=True)
        seen = self._seen.get(client_request_id)
        if seen is None:
            self._seen[client_request_id] = _Seen(fingerprint)
            return New()
        if seen.fingerprint != fingerprint:
            return OtherRequest()
        if seen.result is not None:
            return Replay(seen.result)
        if seen.ended_ms is None:
            return StillRunning()
        assert seen.sent_as is not None
        seen.ended_ms = None
        remembered = self._sent - seen.sent_as <= SURELY_REMEMBERED
        return Again(seen.memory if remembered else None)

    def sent(self, client_request_id: str, memory: str | None) -> None:
        """Note the first Editor's memory; ``None`` if the Editor remembers nothing."""
        self._sent += 1
        seen = self._seen[client_request_id]
        if seen.sent_as is None:
            seen.memory, seen.sent_as = memory, self._sent

    def succeeded(self, client_request_id: str, result: Mapping[str, Any], now: float) -> None:
        """Keep the result, which answers repeated requests."""
        self._seen[client_request_id].result = result
        self._ended(client_request_id, now)

    def failed(self, client_request_id: str) -> None:
        """Forget the request: sending it again is a new attempt."""
        del self._seen[client_request_id]

    def lost(self, client_request_id: str, now: float) -> None:
        """Note that the outcome is unknown, if the request was ever sent; else it failed."""
        if self._seen[client_request_id].sent_as is None:
            self.failed(client_request_id)
        else:
            self._ended(client_request_id, now)

    def _ended(self, client_request_id: str, now: float) -> None:
        seen = self._seen.pop(client_request_id)
        seen.ended_ms = now
        self._seen[client_request_id] = seen  # the order of the dict is the order of ends
        self._drop_old(now)

    def __len__(self) -> int:
        return len(self._seen)

    def _drop_old(self, now: float) -> None:
        ended = [key for key, seen in self._seen.items() if seen.ended_ms is not None]
        surplus = len(self._seen) - MAX_KEPT
        for index, key in enumerate(ended):
            ended_ms = self._seen[key].ended_ms
            assert ended_ms is not None
            if index < surplus or now - ended_ms >= KEEP_MS:
                del self._seen[key]
