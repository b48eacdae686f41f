"""The FIFO queue in front of the Editor, without I/O: (state, event, now) → (state, effects).

Implements docs/design/server-and-bridge.md §5 and §6. One request is with the Editor; up to 32 more
wait in line. Times are milliseconds of one clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from unity_bridge.editor_state import EditorState, EditorView, answer_window, wait_window
from unity_bridge.link import Answer, Completed
from unity_bridge.states import REQUEST_TRANSITIONS, RequestEvent, RequestState
from unity_bridge.timing import Timing

QUEUE_MAX_SIZE = 32
"""Most waiting requests."""


class Ending(StrEnum):
    """Why a request ended without a usable answer."""

    ANSWERED = "answered"
    QUEUE_FULL = "queue_full"
    NOT_READY = "not_ready"
    """No Editor was ready in time. Nothing was sent."""
    COMPILING = "compiling"
    """The Editor compiled or reloaded for too long. Nothing was sent."""
    BUSY = "busy"
    """The caller's time ran out in the queue. Nothing was sent."""
    NO_ANSWER = "no_answer"
    """Sent; the caller's time ran out without an answer."""
    LOST = "lost"
    """Sent; the Editor went away, and did not come back with an answer."""
    CANCELLED = "cancelled"
    STOPPED = "stopped"
    """The server stops. Nothing was sent."""
    STOPPED_RUNNING = "stopped_running"
    """Sent; the server stops."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A new request, for which the caller waits ``timeout_ms`` at most."""

    request_id: str
    timeout_ms: float
    answer_limit_ms: float | None = None
    """How long the answer may take after the request was sent. Other requests wait meanwhile."""
    control: bool = False
    """This field and those below are explained in :class:`Entry`."""
    while_compiling: bool = False
    while_locked: bool = False


@dataclass(frozen=True, slots=True)
class ViewSeen:
    """The Editor's known state has changed."""

    view: EditorView


@dataclass(frozen=True, slots=True)
class AnswerSeen:
    """The Editor answered, or the link could not send the request."""

    request_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class CancelWanted:
    """The caller gave up. A request that was sent goes on."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed, and nothing else happened."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The server stops."""


Event: TypeAlias = Submitted | ViewSeen | AnswerSeen | CancelWanted | Tick | Stop


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Effect: send this request now."""

    request_id: str
    remaining_ms: int
    """How long the caller still waits, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Effect: a request has ended."""

    request_id: str
    ending: Ending
    answer: Answer | None = None
    """The Editor's answer, if there was one."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Effect: a request's state changed."""

    request_id: str
    previous: RequestState
    state: RequestState
    elapsed_ms: float
    """How long the request was in its previous state."""


Effect: TypeAlias = Dispatch | Ended | Moved


@dataclass(frozen=True, slots=True)
class Entry:
    """One request in the queue, or with the Editor."""

    request_id: str
    deadline_ms: float
    """When the caller's time is over."""
    state: RequestState
    since_ms: float
    """When the request entered its state."""
    answer_limit_ms: float | None = None
    control: bool = False
    """Whether it goes before all others, even while the Editor compiles."""
    while_compiling: bool = False
    """Whether it can be sent in its turn while the Editor compiles."""
    while_locked: bool = False
    """Whether it can be sent while only a lock on domain reloads keeps the Editor busy."""
    epoch: int = 0
    """The number of the connection on which it was sent."""
    plugin_session: str | None = None
    """The plugin session to which it was sent."""
    lost_ms: float | None = None
    """Since when the Editor with this request is gone; ``None`` while connected."""


@dataclass(frozen=True, slots=True)
class SchedulerState:
    """The waiting requests, in order of arrival, and the request that the Editor has."""

    timing: Timing = field(default_factory=Timing)
    view: EditorView = field(default_factory=EditorView)
    line: tuple[Entry, ...] = ()
    running: Entry | None = None
    stopping: bool = False

    @property
    def next_deadline_ms(self) -> float | None:
        """Return when the next :class:`Tick` is due."""
        times = [entry.deadline_ms for entry in self.line]
        # A window changes with the Editor's view, so it is never stored.
        times += [self._window_ends(entry) for entry in self.line if _waits(entry)]
        if self.running is not None:
            times.append(self.running.deadline_ms)
            lost_for_good = self._answer_ends(self.running)
            if lost_for_good is not None:
                times.append(lost_for_good)
        return min(times, default=None)

    def _window_ends(self, entry: Entry) -> float:
        return wait_window(self.view, entry.since_ms, self.timing).until_ms

    def _answer_ends(self, entry: Entry) -> float | None:
        if entry.lost_ms is None:
            return None
        if _forgotten(entry, self.view):
            return entry.lost_ms
        return answer_window(
            self.view,
            sent_epoch=entry.epoch,
            same_plugin=_same_plugin(entry, self.view),
            lost_ms=entry.lost_ms,
            timing=self.timing,
        )


def step(state: SchedulerState, event: Event, now: float) -> tuple[SchedulerState, list[Effect]]:
    """Return the new state, and the effects, of ``event`` at ``now``."""
    work = _Work(state, now)
    # Events only note what happened. ``settle`` draws all consequences in one place, whatever the
    # order of events.
    if isinstance(event, Submitted):
        work.submit(event)
    elif isinstance(event, ViewSeen):
        work.view = event.view
    elif isinstance(event, AnswerSeen):
        work.answer(event)
    elif isinstance(event, CancelWanted):
        work.cancel(event)
    elif isinstance(event, Stop):
        work.stop()
    work.settle()
    return work.result(), work.effects


def _waits(entry: Entry) -> bool:
    return entry.state is RequestState.WAITING_EDITOR_READY


def _same_plugin(entry: Entry, view: EditorView) -> bool:
    return entry.plugin_session is not None and entry.plugin_session == view.plugin_session


def _forgotten(entry: Entry, view: EditorView) -> bool:
    """Return whether the Editor has come back without knowing the request."""
    if not view.connected or view.epoch == entry.epoch:
        return False
    if view.open_requests is not None and entry.request_id not in view.open_requests:
        return True
    sessions = entry.plugin_session, view.plugin_session
    return None not in sessions and sessions[0] != sessions[1]


def _takes(view: EditorView, entry: Entry) -> bool:
    """Return whether the Editor can be sent this request now."""
    busy_but_there = view.connected and view.state is EditorState.COMPILING
    held_up = entry.while_locked and view.reload_locked
    while_busy = entry.control or entry.while_compiling or held_up
    # Waiting for a blocked Editor would not help; the link says what blocks it.
    return view.ready or view.obstructed or (while_busy and busy_but_there)


class _Work:
    """The working copy of a state, inside :func:`step` only."""

    def __init__(self, state: SchedulerState, now: float) -> None:
        self._before = state
        self.now = now
        self.view = state.view
        self.line = list(state.line)
        self.running = state.running
        self.stopping = state.stopping
        self.effects: list[Effect] = []

    def result(self) -> SchedulerState:
        return replace(
            self._before,
            view=self.view,
            line=tuple(self.line),
            running=self.running,
            stopping=self.stopping,
        )

    def submit(self, event: Submitted) -> None:
        deadline = self.now + event.timeout_ms
        entry = Entry(
            event.request_id,
            deadline,
            RequestState.RECEIVED,
            self.now,
            event.answer_limit_ms,
            event.control,
            event.while_compiling,
            event.while_locked,
        )
        # The refusal is a transition, like every other end, so that it is logged and reported once.
        if self.stopping or len(self.line) >= QUEUE_MAX_SIZE:
            ending = Ending.STOPPED if self.stopping else Ending.QUEUE_FULL
            self._end(entry, RequestEvent.REFUSED, ending)
            return
        self.line.append(self._arrived(entry))

    def answer(self, event: AnswerSeen) -> None:
        # The request has ended here: its caller has the outcome already.
        if self.running is None or self.running.request_id != event.request_id:
            return
        ok = isinstance(event.answer, Completed)
        happened = RequestEvent.ANSWERED_OK if ok else RequestEvent.ANSWERED_ERROR
        self._end(self.running, happened, Ending.ANSWERED, event.answer)
        self.running = None

    def cancel(self, event: CancelWanted) -> None:
        # Cancel only requests in line. A sent one can't be taken back, and freeing its slot would
        # let a second request run next to it.
        for entry in self.line:
            if entry.request_id == event.request_id:
                self.line.remove(entry)
                self._end(entry, RequestEvent.CANCEL, Ending.CANCELLED)
                return

    def stop(self) -> None:
        self.stopping = True
        # None of these was sent, so they can be sent again to the next server.
        for entry in self.line:
            self._end(entry, RequestEvent.REFUSED, Ending.STOPPED)
        self.line.clear()
        if self.running is not None:
            self._end(self.running, RequestEvent.LOST, Ending.STOPPED_RUNNING)
            self.running = None

    def settle(self) -> None:
        """Bring every request into the state that the Editor and the time imply."""
        # The order matters: an end frees the slot, and an expired request must not be sent into it.
        self.line = [self._arrived(entry) for entry in self.line]
        self._settle_running()
        self._expire()
        if self.running is None:
            # First come, first served; but a cancel must not come after the start of what it
            # cancels.
            taken = [each for each in self.line if _takes(self.view, each)]
            if taken:
                following = next((each for each in taken if each.control), taken[0])
                self.line.remove(following)
                self._dispatch(following)

    def _arrived(self, entry: Entry) -> Entry:
        taken = _takes(self.view, entry)
        return self._moved(entry, RequestEvent.EDITOR_READY if taken else RequestEvent.EDITOR_AWAY)

    def _settle_running(self) -> None:
        entry = self.running
        if entry is None:
            return
        # The Editor can still answer on the same connection, or on another one with the same
        # memory. After a restart it doesn't know the request.
        there = (
            self.view.connected
            and (self.view.epoch == entry.epoch or _same_plugin(entry, self.view))
            and not _forgotten(entry, self.view)
        )
        # Keep the time of the first loss: otherwise every event would restart the window.
        if not there and entry.lost_ms is None:
            entry = replace(entry, lost_ms=self.now)
        elif there:
            entry = replace(entry, lost_ms=None, epoch=self.view.epoch)
        self.running = entry
        answer_ends = self.result()._answer_ends(entry)
        # The caller's time comes before any window.
        if self.now >= entry.deadline_ms:
            lost = entry.lost_ms is not None
            ending = Ending.LOST if lost else Ending.NO_ANSWER
            self._end(entry, RequestEvent.CALLER_TIMEOUT, ending)
            self.running = None
        elif answer_ends is not None and self.now >= answer_ends:
            self._end(entry, RequestEvent.LOST, Ending.LOST)
            self.running = None

    def _expire(self) -> None:
        left = []
        for entry in self.line:
            window = wait_window(self.view, entry.since_ms, self._before.timing)
            not_ready = Ending.COMPILING if window.compiling else Ending.NOT_READY
            # The time ran out in the queue: report whether the Editor or the turn was missing.
            if self.now >= entry.deadline_ms:
                ending = not_ready if _waits(entry) else Ending.BUSY
                self._end(entry, RequestEvent.CALLER_TIMEOUT, ending)
            elif _waits(entry) and self.now >= window.until_ms:
                self._end(entry, RequestEvent.REFUSED, not_ready)
            else:
                left.append(entry)
        self.line = left

    def _dispatch(self, entry: Entry) -> None:
        limit = math.inf if entry.answer_limit_ms is None else self.now + entry.answer_limit_ms
        entry = replace(entry, deadline_ms=min(entry.deadline_ms, limit))
        self.running = replace(
            self._moved(entry, RequestEvent.SENT),
            epoch=self.view.epoch,
            plugin_session=self.view.plugin_session,
        )
        # The Editor gets the rest of the caller's time. With the full time it could work on for a
        # caller who has gone, while the next one waits.
        remaining = max(1, round(entry.deadline_ms - self.now))
        self.effects.append(Dispatch(entry.request_id, remaining))

    def _moved(self, entry: Entry, event: RequestEvent) -> Entry:
        state = REQUEST_TRANSITIONS.next(entry.state, event)
        # ``since_ms`` changes only with the state, because windows count from it.
        if state is None or state is entry.state:
            return entry
        elapsed = self.now - entry.since_ms
        self.effects.append(Moved(entry.request_id, entry.state, state, elapsed))
        return replace(entry, state=state, since_ms=self.now)

    def _end(
        self, entry: Entry, event: RequestEvent, ending: Ending, answer: Answer | None = None
    ) -> None:
        ended = self._moved(entry, event)
        assert REQUEST_TRANSITIONS.is_terminal(ended.state)
        self.effects.append(Ended(entry.request_id, ending, answer))
