"""Run a pure state machine: feed it events, carry out its effects, keep its timer.

The ``/unity`` session and the server's scheduler are such machines:
(state, event, now) → (state, effects). Lives on one event loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from unity_bridge.clock import Clock, Timer


class Timed(Protocol):
    """A state with a deadline."""

    @property
    def next_deadline_ms(self) -> float | None:
        """Return when the state wants a tick; ``None`` for never."""


StateT = TypeVar("StateT", bound=Timed)
EventT = TypeVar("EventT")
EffectT = TypeVar("EffectT")


class Machine(Generic[StateT, EventT, EffectT]):
    """A state and the loop that changes it."""

    def __init__(
        self,
        state: StateT,
        step: Callable[[StateT, EventT, float], tuple[StateT, Iterable[EffectT]]],
        carry_out: Callable[[EffectT], None],
        *,
        tick: EventT,
        clock: Clock,
    ) -> None:
        """``step`` gets the time in milliseconds; ``tick`` is fed at each deadline."""
        self.state = state
        self._step = step
        self._carry_out = carry_out
        self._tick = tick
        self._clock = clock
        self._events: deque[EventT] = deque()
        self._feeding = False
        self._timer: Timer | None = None
        self._due_ms: float | None = None

    def feed(self, event: EventT) -> None:
        """Handle ``event`` and carry out its effects.

        An event that is fed by an effect waits until this one is finished.
        """
        self._events.append(event)
        if self._feeding:
            return
        self._feeding = True
        try:
            while self._events:
                self.state, effects = self._step(
                    self.state, self._events.popleft(), self._clock.now_ms()
                )
                for effect in effects:
                    self._carry_out(effect)
        finally:
            self._feeding = False
            self._set_timer()

    def stop_timer(self) -> None:
        """Cancel the timer until the next event."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._due_ms = None

    def _set_timer(self) -> None:
        deadline = self.state.next_deadline_ms
        if deadline == self._due_ms:  # most events don't move the deadline
            return
        self.stop_timer()
        if deadline is not None:
            self._due_ms = deadline
            self._timer = self._clock.call_at(deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = self._due_ms = None
        self.feed(self._tick)
