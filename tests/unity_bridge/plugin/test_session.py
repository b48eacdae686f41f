"""The /unity session as a function: no sockets, no clock, no waiting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unity_bridge.editor_state import EditorState
from unity_bridge.link import (
    Answer,
    CancelJob,
    Completed,
    Execute,
    Failed,
    GetJobStatus,
    Malformed,
    NotSent,
    Rejected,
    SubmitJob,
)
from unity_bridge.plugin.session import FLOOD, MAX_GARBAGE, step
from unity_bridge.plugin.session_state import (
    MAX_UNASKED_FRAMES,
    MAX_UNASKED_LENGTH,
    WINDOW_MS,
    Answered,
    Close,
    Closed,
    ConfirmJob,
    Effect,
    Event,
    Forget,
    JobReported,
    Opened,
    Received,
    Send,
    SessionState,
    Start,
    Tick,
    Unsent,
)

Json = dict[str, Any]
CONSOLE = Execute("read_console", {})


class Session:
    """Feeds events in, and keeps what came out."""

    def __init__(self) -> None:
        self.state = SessionState("1.2.3", '{"type": "capability"}')
        self.now = 0.0

    def feed(self, event: Event, at: float | None = None) -> list[Effect]:
        self.now = self.now if at is None else at
        self.state, effects = step(self.state, event, self.now)
        return effects

    def hears(self, connection: int, kind: str, **fields: Any) -> list[Effect]:
        return self.feed(Received(connection, json.dumps({"type": kind, **fields})))

    def connect(self, connection: int = 1, state: str = "ready", **fields: Any) -> list[Effect]:
        self.feed(Opened(connection))
        return self.hears(connection, "hello", plugin_version="1", state=state, **fields)

    def start(self, command: Any = CONSOLE, request_id: str = "r") -> list[Effect]:
        return self.feed(Start(request_id, command, 1000))


@pytest.fixture
def session() -> Session:
    made = Session()
    made.connect()
    return made


def frames(effects: list[Effect], connection: int = 1) -> list[Json]:
    sent = [each for each in effects if isinstance(each, Send) and each.connection == connection]
    return [json.loads(each.text) for each in sent]


def kinds(effects: list[Effect], connection: int = 1) -> list[str]:
    return [frame["type"] for frame in frames(effects, connection)]


def closes(effects: list[Effect]) -> list[tuple[int, int]]:
    return [(each.connection, each.code) for each in effects if isinstance(each, Close)]


def answers(effects: list[Effect]) -> list[Answer]:
    return [each.answer for each in effects if isinstance(each, Answered)]


ME = {"plugin_version": "1", "state": "ready", "editor_instance_id": "me", "heartbeat": "ping"}


def challenged() -> Session:
    """A session whose Editor has said hello again, on connection 2."""
    session = Session()
    session.connect(1, editor_instance_id="me", heartbeat="ping")
    session.feed(Opened(2))
    effects = session.hears(2, "hello", **ME)
    assert kinds(effects, 1) == ["ping"]
    assert kinds(effects, 2) == []
    assert session.state.active == 1
    return session


def test_a_nameless_editor_is_back_before_its_old_connection_is_seen_to_close() -> None:
    session = Session()
    session.connect(1)
    session.hears(1, "editor_status", state="reloading", seq=1)
    session.feed(Opened(2))
    assert closes(session.hears(2, "hello", plugin_version="1", state="ready")) == []
    effects = session.feed(Closed(1))
    assert kinds(effects, 2) == ["hello", "capability"]
    assert session.state.active == 2


def nameless() -> Session:
    """A session whose Editor has no name and has been heard of; another such says hello at 2 s."""
    session = Session()
    session.connect(1)
    session.feed(Tick(), at=1_500)
    session.feed(Opened(2), at=2_000)
    effects = session.hears(2, "hello", plugin_version="1", state="ready")
    assert (kinds(effects, 1), kinds(effects, 2)) == (["ping"], [])
    return session


def test_a_nameless_editor_is_back_although_its_old_connection_seems_open() -> None:
    """Its own next try would be ten seconds later."""
    session = nameless()
    effects = session.feed(Tick(), at=6_499)
    assert kinds(effects, 2) == []
    effects = session.feed(Tick(), at=6_500)
    assert closes(effects) == [(1, 1001)]
    assert kinds(effects, 2) == ["hello", "capability"]


def test_a_nameless_second_editor_is_turned_away_by_a_sign_of_the_first() -> None:
    session = nameless()
    assert closes(session.hears(1, "pong")) == [(2, 1008)]
    assert session.state.active == 1


def test_who_says_hello_again_and_again_makes_no_flood_of_who_answers() -> None:
    session = Session()
    session.connect(1)
    for number in range(2, 2 * MAX_UNASKED_FRAMES):
        session.feed(Opened(number))
        session.hears(number, "hello", plugin_version="1", state="ready")
        assert closes(session.hears(1, "pong")) == [(number, 1008)]
    for _ in range(MAX_UNASKED_FRAMES):
        assert frames(session.hears(1, "pong")) == []
    assert FLOOD in frames(session.hears(1, "pong"))[0]["error"]["message"]


def test_who_waits_for_a_connection_that_another_has_replaced_is_turned_away() -> None:
    session = challenged()
    session.feed(Opened(3))
    session.now = 1_000
    session.hears(3, "hello", **ME)
    session.feed(Tick(), at=2_000)
    effects = session.feed(Tick(), at=3_000)
    assert closes(effects) == [(3, 1008)]
    assert session.state.active == 2


def test_an_editor_that_reloads_keeps_its_place() -> None:
    session = Session()
    session.connect(1, editor_instance_id="me", heartbeat="ping")
    session.hears(1, "editor_status", state="reloading", seq=1)
    session.feed(Closed(1), at=1_000)
    for number, fields in enumerate(({"editor_instance_id": "other"}, {}), 2):
        assert closes(session.connect(number, **fields)) == [(number, 1008)]
    session.now = 60_999
    assert closes(session.connect(4, editor_instance_id="other")) == [(4, 1008)]
    effects = session.connect(5, editor_instance_id="me", heartbeat="ping")
    assert kinds(effects, 5) == ["hello", "capability"]


@pytest.mark.parametrize(
    ("state", "name", "later"),
    [("reloading", "me", 60_000), ("ready", "me", 0), ("reloading", None, 0)],
)
def test_a_place_is_not_kept_for_ever(state: str, name: str | None, later: int) -> None:
    session = Session()
    session.connect(1, heartbeat="ping", **({} if name is None else {"editor_instance_id": name}))
    session.hears(1, "editor_status", state=state, seq=1)
    session.feed(Closed(1))
    session.now = later
    effects = session.connect(2, editor_instance_id="other", heartbeat="ping")
    assert kinds(effects, 2) == ["hello", "capability"]


@pytest.mark.parametrize("state", ["entering_play_mode", "exiting_play_mode"])
def test_states_of_the_first_protocol_are_understood(session: Session, state: str) -> None:
    session.hears(1, "editor_status", state=state, seq=1)
    assert session.state.view.state is EditorState.RELOADING
    session.hears(1, "pong", editor_state="ready", seq=2)
    assert session.state.view.ready


def test_what_is_said_of_a_job_is_news_whoever_asked(session: Session) -> None:
    said = {"job_id": "j", "state": "running"}
    news = JobReported({**said, "progress": None, "result": None})
    assert session.hears(1, "job_status", **said) == [news]
    session.start(GetJobStatus("j"))
    effects = session.hears(1, "job_status", **said)
    assert effects == [news, Answered("r", Completed(said))]
    assert session.hears(1, "job_status", request_id="late", **said) == [news]


def test_only_who_announces_jobs_hears_confirmations(session: Session) -> None:
    assert session.feed(ConfirmJob("j")) == []
    session.hears(1, "job_status", job_id="j", state="succeeded")
    (sent,) = frames(session.feed(ConfirmJob("j")))
    assert (sent["type"], sent["job_id"]) == ("job_confirmed", "j")
    session.feed(Closed(1))
    assert session.feed(ConfirmJob("j")) == []


def test_what_only_one_editor_remembers_goes_to_no_other() -> None:
    session = Session()
    session.connect(request_memory_id="m1")
    again = Execute("control_play_mode", {}, "id", remembered_by="m1")
    assert kinds(session.start(again)) == ["execute"]
    session.feed(Closed(1))
    session.connect(2, request_memory_id="m2")
    effects = session.start(again, "s")
    assert frames(effects, 2) == []
    (answer,) = answers(effects)
    assert isinstance(answer, NotSent)
    assert answer.code == "ERR_DUPLICATE_REQUEST"


def test_the_newer_dialect_gets_no_pings_and_no_jobs() -> None:
    session = Session()
    session.connect(editor_instance_id="e1")
    assert session.state.next_deadline_ms == 15_000
    for command in (SubmitJob("run_tests", {}), GetJobStatus("j"), CancelJob("j")):
        (answer,) = answers(session.start(command))
        assert isinstance(answer, NotSent)
    assert kinds(session.start()) == ["execute"]
    session.now = 14_000
    session.hears(1, "editor_status", state="ready", seq=1)
    assert closes(session.feed(Tick(), at=28_999)) == []
    assert closes(session.feed(Tick(), at=29_000)) == [(1, 1001)]


def test_a_dialect_that_asks_for_pings_gets_everything() -> None:
    session = Session()
    session.connect(editor_instance_id="e1", heartbeat="ping")
    assert session.state.next_deadline_ms == 3_000
    assert kinds(session.start(SubmitJob("run_tests", {}))) == ["submit_job"]


SAID = {"code": "X", "message": "m"}


@pytest.mark.parametrize(
    ("command", "kind", "frame", "answer"),
    [
        (CONSOLE, "result", {"status": "ok", "result": {"a": 1}}, Completed({"a": 1})),
        (CONSOLE, "result", {"status": "error", "result": SAID}, Failed("X", "m")),
        (CONSOLE, "error", {"error": SAID}, Rejected("X", "m")),
        (
            CONSOLE,
            "cancel_result",
            {"status": "cancelled"},
            Malformed("a result message", "a cancel_result message"),
        ),
        (
            SubmitJob("run_tests", {}),
            "submit_job_result",
            {"status": "accepted", "job_id": "j"},
            Completed({"status": "accepted", "job_id": "j"}),
        ),
        (
            SubmitJob("run_tests", {}),
            "submit_job_result",
            {"status": "rejected", "error": SAID},
            Rejected("X", "m"),
        ),
        (
            GetJobStatus("j"),
            "job_status",
            {"job_id": "j", "state": "running"},
            Completed({"job_id": "j", "state": "running"}),
        ),
        (
            GetJobStatus("j"),
            "job_status",
            {"job_id": "other", "state": "running"},
            Malformed("the status of j", "the status of other"),
        ),
        (
            CancelJob("j"),
            "cancel_result",
            {"status": "rejected"},
            Completed({"status": "rejected"}),
        ),
    ],
)
def test_answers(session: Session, command: Any, kind: str, frame: Json, answer: Answer) -> None:
    session.start(command)
    assert answers(session.hears(1, kind, request_id="r", **frame)) == [answer]
    assert session.state.outstanding == {}


def test_a_request_that_never_left_says_so(session: Session) -> None:
    session.start()
    (answer,) = answers(session.feed(Unsent("r")))
    assert isinstance(answer, NotSent)
    assert answer.code == "ERR_UNITY_DISCONNECTED"
    session.feed(Closed(1))
    (answer,) = answers(session.start(request_id="s"))
    assert isinstance(answer, NotSent)


def test_oversize_to_the_plugin_is_not_sent(session: Session) -> None:
    effects = session.start(Execute("read_console", {"contains": "x" * 1_048_576}))
    assert frames(effects) == []
    (answer,) = answers(effects)
    assert isinstance(answer, NotSent)
    assert answer.code == "ERR_INVALID_REQUEST"


def floods(session: Session, make: Callable[[int], Received], limit: int) -> list[Effect]:
    """What came of the frame that closed connection 1; none before ``limit`` may."""
    for number in range(limit + MAX_GARBAGE + 1):
        effects = session.feed(make(number))
        if closes(effects):
            assert number >= limit
            return effects
    raise AssertionError("the connection goes on")


def status(number: int) -> Received:
    frame = {"type": "editor_status", "state": "ready", "seq": number}
    return Received(1, json.dumps(frame))


def test_more_than_an_editor_has_to_say_ends_the_connection(session: Session) -> None:
    effects = floods(session, status, MAX_UNASKED_FRAMES)
    assert closes(effects) == [(1, 1002)]
    assert FLOOD in frames(effects)[0]["error"]["message"]
    assert not session.state.view.connected


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "result", "request_id": "of-nothing", "status": "ok", "result": {}},
        {"type": "pong", "editor_state": "ready", "seq": 1},
        {"type": "error", "error": {"code": "E", "message": "m"}},
        # An id that is owed an answer doesn't make a status an answer.
        {"type": "editor_status", "state": "ready", "seq": 1, "request_id": "r"},
    ],
)
def test_every_unasked_frame_counts(session: Session, frame: Json) -> None:
    session.start()
    floods(session, lambda _: Received(1, json.dumps(frame)), MAX_UNASKED_FRAMES)


def test_good_frames_between_bad_ones_are_a_flood_all_the_same(session: Session) -> None:
    floods(
        session,
        lambda number: status(number) if number % MAX_GARBAGE == 0 else Received(1, "garbage"),
        MAX_UNASKED_FRAMES - MAX_GARBAGE,
    )


def test_few_but_large_frames_are_a_flood(session: Session) -> None:
    size = 1024 * 1024 - 200
    frame = {"type": "editor_status", "state": "ready", "seq": 1, "padding": "x" * size}
    text = json.dumps(frame)
    floods(session, lambda _: Received(1, text), MAX_UNASKED_LENGTH // len(text) - 1)


def test_answers_and_a_steady_pace_are_no_flood(session: Session) -> None:
    for number in range(3 * MAX_UNASKED_FRAMES):
        session.start(request_id=f"r{number}")
        effects = session.hears(1, "result", request_id=f"r{number}", status="ok", result={})
        assert answers(effects)
    for number in range(3 * MAX_UNASKED_FRAMES):
        session.feed(status(number), at=number * WINDOW_MS / MAX_UNASKED_FRAMES)
    assert session.state.view.connected


STATES = st.sampled_from(["ready", "compiling", "reloading"])
NUMBERS = st.integers(1, 4)
EVENTS = st.one_of(
    st.builds(Opened, NUMBERS),
    st.builds(Closed, NUMBERS, st.sampled_from([1000, 1001, 1005, 1006, 1009])),
    st.just(Tick()),
    st.builds(Start, st.sampled_from("abc"), st.just(CONSOLE), st.just(1000)),
    st.builds(Unsent, st.sampled_from("abc")),
    st.builds(Forget, st.sampled_from("abc")),
    st.builds(Received, NUMBERS, st.just("garbage")),
    st.builds(Received, NUMBERS, st.just('{"type": "pong"}')),
    st.builds(
        lambda n, s, more: Received(
            n, json.dumps({"type": "hello", "plugin_version": "1", "state": s, **more})
        ),
        NUMBERS,
        STATES,
        st.sampled_from([{}, ME, {**ME, "editor_instance_id": "other"}]),
    ),
    st.builds(
        lambda n, s, q: Received(n, json.dumps({"type": "editor_status", "state": s, "seq": q})),
        NUMBERS,
        STATES,
        st.integers(0, 5),
    ),
    st.builds(
        lambda n, r: Received(
            n, json.dumps({"type": "result", "request_id": r, "status": "ok", "result": {}})
        ),
        NUMBERS,
        st.sampled_from("abc"),
    ),
)


@settings(max_examples=300)
@given(st.lists(st.tuples(EVENTS, st.floats(0, 8_000)), max_size=60))
def test_whatever_happens(history: list[tuple[Event, float]]) -> None:
    """At most one active session; it is the view's; answers only to what was asked, once."""
    session = Session()
    owed: set[str] = set()
    opened: set[int] = set()
    for event, passed in history:
        if isinstance(event, Opened):
            if event.connection in opened:
                continue
            opened.add(event.connection)
        if isinstance(event, Start):
            if event.request_id in owed:
                continue
            owed.add(event.request_id)
        effects = session.feed(event, at=session.now + passed)
        for effect in effects:
            if isinstance(effect, Answered):
                assert effect.request_id in owed
                owed.remove(effect.request_id)
        if isinstance(event, Forget):
            owed.discard(event.request_id)
        active = [n for n, each in session.state.connections.items() if each.active]
        assert len(active) <= 1
        assert session.state.view.connected is bool(active)
        assert set(session.state.outstanding) == owed
