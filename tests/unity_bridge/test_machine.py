"""The loop that runs a pure state machine: order, re-entrance, and its one timer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from live_server import HeldClock

from unity_bridge.clock import Timer
from unity_bridge.machine import Machine


@dataclass(frozen=True)
class Seen:
    """All events so far, each with the time of it; wants a tick 100 ms after ``waits``."""

    events: tuple[tuple[str, float], ...] = ()
    next_deadline_ms: float | None = None


def step(state: Seen, event: str, now: float) -> tuple[Seen, list[str]]:
    """``wait`` sets the deadline, ``tick`` ends it; each event has two effects."""
    deadline = {"wait": now + 100, "tick": None}.get(event, state.next_deadline_ms)
    after = replace(state, events=(*state.events, (event, now)), next_deadline_ms=deadline)
    return after, [f"{event}.1", f"{event}.2"]


def machine_of(
    carry_out: Callable[[str], None], clock: HeldClock | None = None
) -> Machine[Seen, str, str]:
    return Machine(Seen(), step, carry_out, tick="tick", clock=clock or HeldClock())


def test_what_an_effect_feeds_waits_until_its_event_is_done_with() -> None:
    told: list[str] = []
    depth: list[int] = [0]

    def carry_out(effect: str) -> None:
        assert depth[0] == 0, "an effect was carried out within another one"
        depth[0] += 1
        told.append(effect)
        if effect == "a.1":
            machine.feed("b")
            machine.feed("c")
            assert [event for event, _ in machine.state.events] == ["a"]
        elif effect == "b.2":
            machine.feed("d")
        depth[0] -= 1

    machine = machine_of(carry_out)
    machine.feed("a")
    assert told == [f"{event}.{number}" for event in "abcd" for number in (1, 2)]
    assert [event for event, _ in machine.state.events] == ["a", "b", "c", "d"]


def test_an_effect_that_fails_leaves_the_machine_running() -> None:
    told: list[str] = []

    def carry_out(effect: str) -> None:
        if effect == "bad.1":
            machine.feed("left over")
            raise RuntimeError
        told.append(effect)

    machine = machine_of(carry_out)
    with pytest.raises(RuntimeError):
        machine.feed("bad")
    machine.feed("good")
    assert told == ["left over.1", "left over.2", "good.1", "good.2"]


def test_a_deadline_ticks_once_at_its_time() -> None:
    clock = HeldClock()
    machine = machine_of(lambda _: None, clock)
    machine.feed("wait")
    clock.advance(99)
    assert len(machine.state.events) == 1
    clock.advance(1)
    assert machine.state.events[1:] == (("tick", 1_100),)
    clock.advance(10_000)
    assert len(machine.state.events) == 2


def test_a_deadline_that_moves_takes_its_timer_along() -> None:
    clock = HeldClock()
    machine = machine_of(lambda _: None, clock)
    machine.feed("wait")
    clock.advance(60)
    machine.feed("wait")
    clock.advance(99)
    assert [event for event, _ in machine.state.events] == ["wait", "wait"]
    clock.advance(1)
    assert machine.state.events[-1] == ("tick", 1_160)


class _CountingClock(HeldClock):
    timers = 0

    def call_at(self, at_ms: float, callback: Callable[[], None]) -> Timer:
        self.timers += 1
        return super().call_at(at_ms, callback)


def test_an_event_that_moves_no_deadline_leaves_the_timer_as_it_is() -> None:
    clock = _CountingClock()
    machine = machine_of(lambda _: None, clock)
    machine.feed("wait")
    clock.advance(60)
    machine.feed("other")
    assert clock.timers == 1
    clock.advance(40)
    assert [event for event, _ in machine.state.events] == ["wait", "other", "tick"]
    machine.feed("wait")
    assert clock.timers == 2


def test_a_stopped_timer_stays_silent_until_something_happens() -> None:
    clock = HeldClock()
    machine = machine_of(lambda _: None, clock)
    machine.feed("wait")
    machine.stop_timer()
    clock.advance(1_000)
    assert len(machine.state.events) == 1
    machine.feed("late")
    clock.advance(0)
    assert [event for event, _ in machine.state.events] == ["wait", "late", "tick"]
