"""Calls that wait for a person: every event in every state, with time as a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.review.hold.approvals import (
    MAX_ENDED,
    MAX_WAITING,
    MAX_WAITING_BYTES,
    Answered,
    AnsweredBefore,
    ApprovalsState,
    CallArrived,
    CallerLeft,
    Ended,
    Ending,
    Event,
    Full,
    Stop,
    Tick,
    UnknownCall,
    step,
)

PATIENCE_S = 60.0


def after(*events: Event, now_s: float = 0.0) -> ApprovalsState:
    state = ApprovalsState()
    for event in events:
        state, _ = step(state, event, now_s)
    return state


def waiting(state: ApprovalsState) -> list[str]:
    return [each.key for each in state.waiting]


def came(key: str = "a", patience_s: float = PATIENCE_S, size: int = 10) -> CallArrived:
    return CallArrived(key, patience_s, size)


def test_a_call_waits_as_long_as_its_patience() -> None:
    state = after(came(), now_s=5.0)
    assert waiting(state) == ["a"]
    assert state.next_deadline_s == 5.0 + PATIENCE_S
    assert step(state, Tick(), 5.0 + PATIENCE_S - 0.001) == (state, ())


_LATE = Ended("a", Ending.TIMED_OUT, PATIENCE_S)
_REFUSED = Ended("a", Ending.REFUSED, 3.0, "no")


@pytest.mark.parametrize(
    ("event", "at_s", "effects"),
    [
        pytest.param(Tick(), PATIENCE_S, (_LATE,), id="nobody answers in time"),
        pytest.param(Answered("a", True), 3.0, (Ended("a", Ending.APPROVED, 3.0),), id="approved"),
        pytest.param(Answered("a", False, "no"), 3.0, (_REFUSED,), id="refused"),
        pytest.param(
            Answered("a", True), PATIENCE_S, (_LATE, AnsweredBefore(_LATE)), id="approved too late"
        ),
    ],
)
def test_what_ends_the_waiting(event: Event, at_s: float, effects: tuple[object, ...]) -> None:
    state, found = step(after(came()), event, at_s)
    assert found == effects
    assert waiting(state) == []
    assert state.next_deadline_s is None
    # The first answer counts, and the second learns of it.
    again, later = step(state, Answered("a", True), at_s + 1)
    assert (again, later) == (state, (AnsweredBefore(effects[0]),))  # type: ignore[arg-type]


def test_an_answer_to_a_call_of_an_earlier_server() -> None:
    found = step(ApprovalsState(), Answered("old", approves=True), 1.0)
    assert found == (ApprovalsState(), (UnknownCall("old"),))


def test_a_caller_that_leaves_takes_its_call_along() -> None:
    state, effects = step(after(came("a"), came("b")), CallerLeft("a"), 2.0)
    assert effects == (Ended("a", Ending.WITHDRAWN, 2.0),)
    assert waiting(state) == ["b"]
    assert step(state, CallerLeft("a"), 3.0) == (state, ())


def test_a_server_that_stops_ends_all_and_takes_no_more() -> None:
    state, effects = step(after(came("a"), came("b")), Stop(), 2.0)
    assert [each.ending for each in effects if isinstance(each, Ended)] == [Ending.STOPPED] * 2
    state, effects = step(state, came("c"), 2.0)
    assert effects == (Ended("c", Ending.STOPPED, 2.0),)
    assert waiting(state) == []


def test_a_flood_is_bounded_in_number() -> None:
    state = after(*(came(str(each)) for each in range(MAX_WAITING)))
    full, effects = step(state, came("more"), 0.0)
    assert effects == (Full("more"),)
    assert full == state
    state, _ = step(state, CallerLeft("0"), 0.0)
    assert step(state, came("more"), 0.0)[1] == ()


def test_a_flood_is_bounded_in_bytes() -> None:
    state = after(came("a", size=MAX_WAITING_BYTES - 5))
    assert step(state, came("b", size=6), 0.0)[1] == (Full("b"),)
    assert step(state, came("b", size=5), 0.0)[1] == ()


def test_ended_calls_are_forgotten_in_time() -> None:
    state = ApprovalsState()
    for each in range(MAX_ENDED + 3):
        state, _ = step(state, came(str(each)), 0.0)
        state, _ = step(state, CallerLeft(str(each)), 0.0)
    assert len(state.ended) == MAX_ENDED
    assert step(state, Answered("0", approves=True), 0.0)[1] == (UnknownCall("0"),)


_KEYS = st.sampled_from("abc")
_EVENTS = st.one_of(
    st.builds(CallArrived, _KEYS, st.floats(1, 50), st.integers(0, MAX_WAITING_BYTES)),
    st.builds(Answered, _KEYS, st.booleans()),
    st.builds(CallerLeft, _KEYS),
    st.just(Tick()),
    st.just(Stop()),
)


@given(st.lists(st.tuples(_EVENTS, st.floats(0, 30)), max_size=30))
def test_each_call_ends_once_and_is_approved_only_by_an_answer(
    events: list[tuple[Event, float]],
) -> None:
    state, now_s, seen, ended = ApprovalsState(), 0.0, set(), set()
    for event, later_s in events:
        now_s += later_s
        if isinstance(event, CallArrived):
            if event.key in seen:
                continue
            seen.add(event.key)
        state, effects = step(state, event, now_s)
        for effect in effects:
            if isinstance(effect, Ended):
                assert effect.key not in ended
                ended.add(effect.key)
                if effect.ending is Ending.APPROVED:
                    assert isinstance(event, Answered)
                    assert event.approves
        assert not ended & {each.key for each in state.waiting}
        assert all(each.until_s > now_s for each in state.waiting)
        assert sum(each.size for each in state.waiting) <= MAX_WAITING_BYTES
