"""The scheduler as a function: order, windows, timeouts, cancel, stop."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_server.editor.scheduler import (
    QUEUE_MAX_SIZE,
    AnswerSeen,
    CancelWanted,
    Dispatch,
    Effect,
    Ended,
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
from unity_bridge.editor_state import (
    EditorState,
    EditorView,
    after_disconnect,
    after_hello,
    after_status,
)
from unity_bridge.link import Completed, Failed
from unity_bridge.states import RequestState

DONE = Completed({})


class Scheduler:
    """Feeds events in; plays an Editor whose state it is told."""

    def __init__(self, *, ready: bool = True) -> None:
        self.state = SchedulerState()
        self.now = 0.0
        self.sent: list[str] = []
        self.ended: list[tuple[str, Ending]] = []
        if ready:
            self.connect()

    def feed(self, event: Event) -> list[Effect]:
        self.state, effects = step(self.state, event, self.now)
        self.sent += [each.request_id for each in effects if isinstance(each, Dispatch)]
        self.ended += [(e.request_id, e.ending) for e in effects if isinstance(e, Ended)]
        return effects

    def submit(self, *names: str, timeout_ms: float = 10_000) -> None:
        for name in names:
            self.feed(Submitted(name, timeout_ms))

    def answer(self, name: str) -> None:
        self.feed(AnswerSeen(name, DONE))

    def at(self, now: float) -> None:
        self.now = now
        self.feed(Tick())

    def view(self, view: EditorView) -> None:
        self.feed(ViewSeen(view))

    def connect(
        self,
        state: str = "ready",
        session: str | None = None,
        still_open: frozenset[str] | None = None,
    ) -> None:
        who = EditorView(EditorState(state), plugin_session=session, open_requests=still_open)
        self.view(after_hello(self.state.view, who, self.now))

    def enter(self, state: str) -> None:
        view = after_status(self.state.view, EditorState(state), self.state.view.seq + 1, self.now)
        assert view is not None
        self.view(view)

    def leave(self) -> None:
        self.view(after_disconnect(self.state.view, self.now, self.state.timing, seen_leaving=True))

    @property
    def waiting(self) -> list[str]:
        waits = RequestState.WAITING_EDITOR_READY
        return [entry.request_id for entry in self.state.line if entry.state is waits]


def test_one_at_a_time_in_order() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", "b", "c")
    assert scheduler.sent == ["a"]
    scheduler.answer("a")
    assert scheduler.sent == ["a", "b"]
    scheduler.answer("b")
    scheduler.answer("c")
    assert scheduler.ended == [(name, Ending.ANSWERED) for name in "abc"]


def test_waiting_is_outside_the_slot_and_resumes_in_order() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.submit("a", "b", "c")
    assert (scheduler.sent, scheduler.waiting) == ([], ["a", "b", "c"])
    scheduler.now = 2_000
    scheduler.connect()
    assert scheduler.sent == ["a"]
    scheduler.answer("a")
    scheduler.answer("b")
    assert scheduler.sent == ["a", "b", "c"]


def test_without_an_editor_waiting_ends_after_its_window() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.submit("a")
    assert scheduler.state.next_deadline_ms == 2_500
    scheduler.at(2_499)
    assert scheduler.ended == []
    scheduler.at(2_500)
    assert scheduler.ended == [("a", Ending.NOT_READY)]


def test_a_compile_is_waited_for_as_long_as_the_caller_waits() -> None:
    scheduler = Scheduler()
    scheduler.enter("compiling")
    scheduler.submit("short")
    scheduler.submit("long", timeout_ms=300_000)
    scheduler.at(10_000)
    assert scheduler.ended == [("short", Ending.COMPILING)]
    scheduler.at(59_999)
    assert scheduler.waiting == ["long"]
    scheduler.at(60_000)
    assert scheduler.ended[1:] == [("long", Ending.COMPILING)]


def test_a_request_in_line_waits_when_the_editor_goes() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", "b")
    scheduler.now = 1_000
    scheduler.leave()
    assert scheduler.waiting == ["b"]
    scheduler.at(3_500)
    assert sorted(scheduler.ended) == [("a", Ending.LOST), ("b", Ending.NOT_READY)]
    assert scheduler.sent == ["a"]


def test_a_full_line_refuses_at_once_and_only_then() -> None:
    scheduler = Scheduler()
    scheduler.submit("running", *(f"r{n}" for n in range(QUEUE_MAX_SIZE)))
    assert scheduler.ended == []
    scheduler.submit("too many")
    assert scheduler.ended == [("too many", Ending.QUEUE_FULL)]
    scheduler.answer("running")
    scheduler.submit("fits")
    assert len(scheduler.ended) == 2
    # Those who wait for an Editor stand in the same line.
    scheduler = Scheduler(ready=False)
    scheduler.submit(*(f"r{n}" for n in range(QUEUE_MAX_SIZE)), "too many")
    assert scheduler.ended == [("too many", Ending.QUEUE_FULL)]


def test_time_in_line_is_the_callers_own() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", timeout_ms=30_000)
    scheduler.submit("b", timeout_ms=1_000)
    scheduler.at(1_000)
    assert scheduler.ended == [("b", Ending.BUSY)]


def test_no_answer_in_time() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", "b")
    scheduler.at(10_000)
    assert scheduler.ended[0] == ("a", Ending.NO_ANSWER)
    scheduler.answer("a")
    assert len([name for name, _ in scheduler.ended if name == "a"]) == 1


def test_cancel_before_it_is_sent() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", "b", "c")
    scheduler.feed(CancelWanted("b"))
    assert scheduler.ended == [("b", Ending.CANCELLED)]
    scheduler.answer("a")
    assert scheduler.sent == ["a", "c"]


def test_cancel_while_waiting() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.submit("a")
    scheduler.feed(CancelWanted("a"))
    scheduler.connect()
    assert (scheduler.ended, scheduler.sent) == ([("a", Ending.CANCELLED)], [])


def test_cancel_after_it_was_sent_changes_nothing() -> None:
    scheduler = Scheduler()
    scheduler.submit("a")
    scheduler.feed(CancelWanted("a"))
    assert scheduler.ended == []
    scheduler.answer("a")
    assert scheduler.ended == [("a", Ending.ANSWERED)]


def test_running_lost_in_a_reload_may_still_be_answered() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", timeout_ms=300_000)
    scheduler.now = 1_000
    scheduler.enter("reloading")
    scheduler.leave()
    scheduler.at(40_000)
    assert scheduler.ended == []
    scheduler.connect()
    scheduler.at(42_000)
    scheduler.answer("a")
    assert scheduler.ended == [("a", Ending.ANSWERED)]
    assert scheduler.sent == ["a"]


def test_running_lost_between_compile_and_reload() -> None:
    scheduler = Scheduler()
    scheduler.enter("compiling")
    scheduler.enter("ready")
    scheduler.submit("a", timeout_ms=300_000)
    scheduler.now = 1_000
    scheduler.leave()
    scheduler.at(30_000)
    assert scheduler.ended == []
    scheduler.at(61_000)
    assert scheduler.ended == [("a", Ending.LOST)]


def test_the_same_plugin_that_comes_back_still_has_the_request() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.connect(session="s1")
    scheduler.submit("a", timeout_ms=30_000)
    scheduler.leave()
    scheduler.now = 1_000
    scheduler.connect(session="s1")
    scheduler.at(29_000)
    assert scheduler.ended == []
    scheduler.at(30_000)
    assert scheduler.ended == [("a", Ending.NO_ANSWER)]


@pytest.mark.parametrize("state", ["ready", "compiling", "reloading"])
def test_a_plugin_that_comes_back_without_its_memory_ends_the_request(state: str) -> None:
    scheduler = Scheduler(ready=False)
    scheduler.connect(session="s1")
    scheduler.submit("a", "b", timeout_ms=300_000)
    scheduler.enter("reloading")
    scheduler.leave()
    scheduler.now = 9_000
    assert scheduler.ended == []
    scheduler.connect(state, session="s2")
    assert scheduler.ended == [("a", Ending.LOST)]
    assert scheduler.sent == (["a", "b"] if state == "ready" else ["a"])


def test_a_plugin_that_does_not_name_a_request_has_not_got_it() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.connect(session="s1")
    scheduler.submit("a", "b", timeout_ms=300_000)
    scheduler.leave()
    scheduler.connect(session="s1", still_open=frozenset({"a", "x"}))
    assert scheduler.ended == []
    scheduler.leave()
    scheduler.connect(session="s1", still_open=frozenset({"x"}))
    assert scheduler.ended == [("a", Ending.LOST)]
    assert scheduler.sent == ["a", "b"]
    scheduler.answer("b")
    assert scheduler.ended[1:] == [("b", Ending.ANSWERED)]


def test_the_slot_is_held_for_a_bounded_time() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.feed(Submitted("a", 90_000, answer_limit_ms=5_000))
    scheduler.submit("b", timeout_ms=90_000)
    scheduler.now = 2_000
    scheduler.connect()
    scheduler.at(6_999)
    assert scheduler.ended == []
    scheduler.at(7_000)
    assert scheduler.ended == [("a", Ending.NO_ANSWER)]
    assert scheduler.sent == ["a", "b"]


def test_control_goes_to_an_editor_that_compiles() -> None:
    scheduler = Scheduler()
    scheduler.enter("compiling")
    scheduler.submit("a")
    scheduler.feed(Submitted("c", 10_000, control=True))
    assert scheduler.sent == ["c"]
    scheduler.feed(Submitted("d", 10_000, control=True))
    assert scheduler.sent == ["c"]
    scheduler.answer("c")
    assert scheduler.sent == ["c", "d"]
    scheduler.answer("d")
    scheduler.enter("reloading")
    scheduler.feed(Submitted("e", 10_000, control=True))
    assert scheduler.waiting == ["a", "e"]
    scheduler.enter("ready")
    assert scheduler.sent == ["c", "d", "e"]


def test_what_an_editor_takes_while_it_compiles_keeps_its_turn() -> None:
    scheduler = Scheduler()
    scheduler.enter("compiling")
    scheduler.submit("a")
    scheduler.feed(Submitted("b", 10_000, while_compiling=True))
    assert scheduler.sent == ["b"]
    scheduler.feed(Submitted("c", 10_000, while_compiling=True))
    scheduler.feed(Submitted("d", 10_000, control=True))
    scheduler.answer("b")
    assert scheduler.sent == ["b", "d"]
    scheduler.enter("ready")
    scheduler.answer("d")
    assert scheduler.sent == ["b", "d", "a"]
    scheduler.answer("a")
    assert scheduler.sent == ["b", "d", "a", "c"]


def test_what_only_reads_goes_to_an_editor_that_a_lock_on_reloads_holds_up() -> None:
    scheduler = Scheduler()
    scheduler.enter("compiling")
    scheduler.submit("a")
    scheduler.feed(Submitted("b", 10_000, while_locked=True))
    assert scheduler.sent == [], "a compilation that goes on is waited for"
    view = scheduler.state.view
    locked = after_status(view, EditorState.COMPILING, view.seq + 1, 0, reload_locked=True)
    assert locked is not None
    scheduler.view(locked)
    assert scheduler.sent == ["b"]
    scheduler.answer("b")
    scheduler.enter("ready")
    assert scheduler.sent == ["b", "a"]


@pytest.mark.parametrize("ready", [True, False])
def test_stop_ends_everything_at_once(ready: bool) -> None:
    scheduler = Scheduler(ready=ready)
    scheduler.submit("a", "b")
    scheduler.feed(Stop())
    first = Ending.STOPPED_RUNNING if ready else Ending.STOPPED
    assert sorted(scheduler.ended) == [("a", first), ("b", Ending.STOPPED)]
    scheduler.submit("late")
    assert scheduler.ended[-1] == ("late", Ending.STOPPED)


NAMES = st.sampled_from([f"r{n}" for n in range(8)])
HISTORY = st.lists(
    st.tuples(
        st.one_of(
            st.builds(lambda n, t: ("submit", n, t), NAMES, st.integers(1, 20_000)),
            st.builds(lambda n: ("answer", n), NAMES),
            st.builds(lambda n: ("cancel", n), NAMES),
            st.builds(lambda s: ("enter", s), st.sampled_from(["ready", "compiling", "reloading"])),
            st.just(("leave",)),
            st.builds(
                lambda s, p: ("connect", s, p),
                st.sampled_from(["ready", "compiling"]),
                st.sampled_from(["s1", "s2"]),
            ),
            st.just(("tick",)),
        ),
        st.floats(0, 30_000),
    ),
    max_size=80,
)


@settings(max_examples=300)
@given(HISTORY)
def test_whatever_happens(history: list[tuple[tuple[str, ...], float]]) -> None:
    """Everything is sent at most once, ends exactly once, and one at most is with the Editor."""
    scheduler = Scheduler(ready=False)
    names: dict[str, int] = {}
    for event, passed in history:
        scheduler.now += passed
        kind, *rest = event
        if kind == "submit":
            names[rest[0]] = names.get(rest[0], -1) + 1
            scheduler.submit(f"{rest[0]}.{names[rest[0]]}", timeout_ms=float(rest[1]))
        elif kind in ("answer", "cancel") and rest[0] in names:
            name = f"{rest[0]}.{names[rest[0]]}"
            event_type = AnswerSeen(name, DONE) if kind == "answer" else CancelWanted(name)
            scheduler.feed(event_type)
        elif kind == "enter" and scheduler.state.view.connected:
            scheduler.enter(rest[0])
        elif kind == "leave" and scheduler.state.view.connected:
            scheduler.leave()
        elif kind == "connect" and not scheduler.state.view.connected:
            scheduler.connect(rest[0], session=rest[1])
        else:
            scheduler.feed(Tick())
        deadline = scheduler.state.next_deadline_ms
        assert deadline is None or deadline > scheduler.now
    while (deadline := scheduler.state.next_deadline_ms) is not None:
        scheduler.at(deadline)
    ended = [name for name, _ in scheduler.ended]
    submitted = [f"{name}.{n}" for name, last in names.items() for n in range(last + 1)]
    assert sorted(ended) == sorted(submitted)
    assert len(set(scheduler.sent)) == len(scheduler.sent)
    sent_endings = {Ending.ANSWERED, Ending.NO_ANSWER, Ending.LOST}
    for name, ending in scheduler.ended:
        assert (name in scheduler.sent) is (ending in sent_endings)
    assert scheduler.state == replace(scheduler.state, line=(), running=None)


# -- whole steps: every effect, in order ---------------------------------------------------

RECEIVED, WAITING, QUEUED, SENT = (
    RequestState.RECEIVED,
    RequestState.WAITING_EDITOR_READY,
    RequestState.QUEUED,
    RequestState.RUNNING,
)


def test_every_move_is_told_once_with_the_time_that_the_state_before_it_took() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.now = 100
    assert scheduler.feed(Submitted("a", 10_000)) == [Moved("a", RECEIVED, WAITING, 0)]
    scheduler.now = 1_600
    ready = after_hello(scheduler.state.view, EditorView(EditorState.READY), scheduler.now)
    assert scheduler.feed(ViewSeen(ready)) == [
        Moved("a", WAITING, QUEUED, 1_500),
        Moved("a", QUEUED, SENT, 0),
        Dispatch("a", 8_500),
    ]
    scheduler.now = 1_700
    assert scheduler.feed(Submitted("b", 10_000)) == [Moved("b", RECEIVED, QUEUED, 0)]
    scheduler.now = 2_000
    assert scheduler.feed(AnswerSeen("a", DONE)) == [
        Moved("a", SENT, RequestState.SUCCEEDED, 400),
        Ended("a", Ending.ANSWERED, DONE),
        Moved("b", QUEUED, SENT, 300),
        Dispatch("b", 9_700),
    ]
    failed = Failed("X", "no")
    assert scheduler.feed(AnswerSeen("b", failed)) == [
        Moved("b", SENT, RequestState.FAILED, 0),
        Ended("b", Ending.ANSWERED, failed),
    ]


def test_the_editor_is_told_a_whole_millisecond_at_least() -> None:
    scheduler = Scheduler(ready=False)
    scheduler.submit("a", timeout_ms=2_000)
    scheduler.now = 1_999.8
    ready = after_hello(scheduler.state.view, EditorView(EditorState.READY), scheduler.now)
    assert Dispatch("a", 1) in scheduler.feed(ViewSeen(ready))


def test_out_of_time_while_the_editor_is_away_is_lost_and_not_unanswered() -> None:
    scheduler = Scheduler()
    scheduler.submit("a", timeout_ms=3_000)
    scheduler.now = 1_000
    scheduler.enter("reloading")
    scheduler.leave()
    scheduler.at(3_000)
    assert scheduler.ended == [("a", Ending.LOST)]


def test_another_editor_that_came_meanwhile_gets_the_window_of_a_new_connection() -> None:
    """It may still be answered for as long as that takes, and no longer than that."""
    scheduler = Scheduler()
    scheduler.submit("a", "b", timeout_ms=300_000)
    scheduler.now = 1_000
    scheduler.enter("reloading")
    scheduler.leave()
    scheduler.now = 10_000
    scheduler.connect()
    assert scheduler.state.next_deadline_ms == 12_500
    scheduler.at(12_499)
    assert (scheduler.ended, scheduler.sent) == ([], ["a"])
    scheduler.at(12_500)
    assert (scheduler.ended, scheduler.sent) == ([("a", Ending.LOST)], ["a", "b"])


def test_the_same_plugin_is_waited_for_on_its_latest_connection() -> None:
    """Back for the second time: what counts is the connection that it came back on."""
    scheduler = Scheduler(ready=False)
    scheduler.connect(session="s1")
    scheduler.submit("a", timeout_ms=300_000)
    for gone, back in ((1_000, 2_000), (3_000, 4_000)):
        scheduler.now = gone
        scheduler.enter("reloading")
        scheduler.leave()
        scheduler.now = back
        scheduler.connect(session="s1")
    assert scheduler.state.running is not None
    assert scheduler.state.running.epoch == scheduler.state.view.epoch
    scheduler.at(250_000)
    assert scheduler.ended == []
    scheduler.answer("a")
    assert scheduler.ended == [("a", Ending.ANSWERED)]
