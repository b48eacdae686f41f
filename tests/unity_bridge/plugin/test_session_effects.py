"""Every effect of a step of the /unity session, in order: what is sent, told and note_about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unity_bridge.editor_state import EditorState
from unity_bridge.link import Execute, Malformed
from unity_bridge.plugin.session import FLOOD, MAX_GARBAGE, MAX_PENDING, step
from unity_bridge.plugin.session_state import (
    Answered,
    Close,
    Closed,
    Effect,
    Event,
    Forget,
    Note,
    Opened,
    Received,
    Send,
    SessionState,
    Start,
    Stop,
    Tick,
    ViewChanged,
)
from unity_bridge.timing import MAX_MESSAGE_BYTES

CAPABILITY = {"type": "capability", "protocol_version": 1, "tools": []}
INVALID = "ERR_INVALID_REQUEST"


def plain(effect: Effect) -> tuple[Any, ...]:
    """An effect in few words, whatever it is."""
    if isinstance(effect, Note):
        return "note", effect.event, dict(effect.fields), effect.warning
    if isinstance(effect, Send):
        frame = json.loads(effect.text)
        assert frame.pop("protocol_version") == 1
        return "send", effect.connection, frame
    if isinstance(effect, Close):
        return "close", effect.connection, effect.code, effect.reason
    if isinstance(effect, ViewChanged):
        return "view", effect.view.connected
    assert isinstance(effect, Answered)
    assert isinstance(effect.answer, Malformed)
    answer = effect.answer
    hopeless = ("hopeless",) if answer.hopeless else ()
    return "answered", effect.request_id, answer.expected, answer.actual, *hopeless


class Session:
    """Feeds events in; gives what came out in few words."""

    def __init__(self, *, connected: bool = True, **hello: Any) -> None:
        self.state = SessionState("1.2.3", json.dumps(CAPABILITY))
        self.now = 0.0
        if connected:
            self.feed(Opened(1))
            self.hears(1, "hello", plugin_version="1", state="ready", **hello)

    def feed(self, event: Event) -> list[tuple[Any, ...]]:
        self.state, effects = step(self.state, event, self.now)
        return [plain(effect) for effect in effects]

    def hears(self, connection: int, kind: str, **fields: Any) -> list[tuple[Any, ...]]:
        return self.feed(Received(connection, json.dumps({"type": kind, **fields})))

    def ticks(self, now: float) -> list[tuple[Any, ...]]:
        self.now = now
        return self.feed(Tick())

    def start(self, *names: str) -> None:
        for name in names:
            self.feed(Start(name, Execute("read_console", {}), 1_000))


def bad_frame(problem: str, excerpt: str, connection: int = 1) -> tuple[Any, ...]:
    fields = {"problem": problem, "excerpt": excerpt, "error": INVALID}
    return "note", "unity_bad_frame", {"connection": connection, **fields}, True


def refusal(problem: str, connection: int = 1, **named: str) -> tuple[Any, ...]:
    error = {"code": INVALID, "message": problem}
    return "send", connection, {"type": "error", **named, "error": error}


# -- life ----------------------------------------------------------------------------------


def test_opened_introduced_and_closed() -> None:
    session = Session(connected=False)
    assert session.feed(Opened(3)) == [
        ("note", "unity_connection_opened", {"connection": 3}, False)
    ]
    hello = {"type": "hello", "server_version": "1.2.3", "connection_id": "connection-3"}
    said = {"connection": 3, "state": "compiling", "plugin_version": "4"}
    assert session.hears(3, "hello", plugin_version="4", state="compiling") == [
        ("note", "unity_hello", said, False),
        ("send", 3, hello),
        ("send", 3, {"type": "capability", "tools": []}),
        ("view", True),
    ]
    assert session.feed(Closed(3, 1001)) == [
        ("note", "unity_connection_closed", {"connection": 3, "code": 1001}, False),
        ("view", False),
    ]
    assert session.feed(Closed(3, 1001)) == []


def test_a_silent_editor_is_pinged_and_then_given_up() -> None:
    session = Session()
    session.now = 1_000
    session.hears(1, "editor_status", state="reloading", seq=1)
    ping = ("send", 1, {"type": "ping"})
    assert session.state.next_deadline_ms == 3_000
    assert session.ticks(2_999) == []
    assert session.ticks(3_000) == [ping]
    # The next ping comes an interval later, and doesn't put the end off.
    assert session.state.next_deadline_ms == 6_000
    assert session.ticks(5_999) == []
    assert session.ticks(6_000) == [ping]
    assert session.state.next_deadline_ms == 7_500
    assert session.ticks(7_499) == []
    assert session.ticks(7_500) == [
        ("note", "unity_connection_stale", {"connection": 1}, True),
        ("close", 1, 1001, "no sign of life"),
        ("view", False),
    ]
    assert session.state.next_deadline_ms is None
    # Nobody saw it leave: when it was last seen reloading is all that is known.
    view = session.state.view
    assert (view.since_ms, view.busy_seen_ms) == (7_500, 1_000)


def test_an_answered_ping_begins_anew() -> None:
    session = Session()
    session.ticks(3_000)
    session.now = 4_000
    session.hears(1, "pong", editor_state="ready", seq=1)
    assert session.state.next_deadline_ms == 6_000
    assert session.ticks(6_000) == [("send", 1, {"type": "ping"})]
    assert session.ticks(10_499) == [("send", 1, {"type": "ping"})]
    assert session.state.connections.keys() == {1}
    assert ("close", 1, 1001, "no sign of life") in session.ticks(10_500)


def test_who_never_says_hello_is_told_why_it_is_closed() -> None:
    session = Session(connected=False)
    session.feed(Opened(5))
    assert session.ticks(4_999) == []
    assert session.ticks(5_000) == [
        ("note", "unity_hello_missing", {"connection": 5}, True),
        ("close", 5, 1008, "no hello"),
    ]
    assert session.state.connections == {}


def test_a_stopping_server_says_goodbye_to_all_and_takes_nobody() -> None:
    session = Session()
    session.now = 1_000
    session.hears(1, "editor_status", state="compiling", seq=1)
    session.feed(Opened(2))
    session.now = 2_000
    assert session.feed(Stop()) == [
        ("close", 1, 1001, "the server stops"),
        ("close", 2, 1001, "the server stops"),
        ("view", False),
    ]
    assert (session.state.view.since_ms, session.state.view.busy_seen_ms) == (2_000, 2_000)
    assert session.feed(Opened(3)) == [("close", 3, 1001, "the server stops")]
    assert session.state.connections == {}


def test_a_stop_without_an_editor_changes_nothing_that_is_known_of_it() -> None:
    session = Session()
    session.hears(1, "editor_status", state="reloading", seq=1)
    session.now = 1_000
    session.feed(Closed(1))
    before = session.state.view
    session.now = 2_000
    assert session.feed(Stop()) == []
    assert session.state.view == before


def test_a_second_editor_is_told_and_noted() -> None:
    session = Session()
    before = session.state.view
    session.feed(Opened(2))
    assert session.hears(2, "hello", **ME) == turned_away(2)
    assert session.state.connections.keys() == {1}
    assert session.state.view == before


# -- messages that make no sense -----------------------------------------------------------


def test_garbage_is_noted_and_answered() -> None:
    session = Session()
    problem = "text that is not JSON"
    assert session.feed(Received(1, "{oops")) == [bad_frame(problem, "{oops"), refusal(problem)]


@pytest.mark.parametrize(
    ("request_id", "named"), [("r", True), ("r" * 200, True), ("r" * 201, False), ("", False)]
)
def test_the_refusal_names_the_request_where_a_frame_can(request_id: str, named: bool) -> None:
    session = Session()
    effects = session.hears(1, "odd", request_id=request_id)
    given = {"request_id": request_id} if named else {}
    assert effects[1] == refusal("there is no message type 'odd'", **given)


def test_an_answer_that_cannot_be_read_is_the_answer_of_its_request() -> None:
    session = Session()
    session.start("mine", "other")
    text = json.dumps({"type": "odd", "request_id": "mine"})
    problem = "there is no message type 'odd'"
    assert session.feed(Received(1, text)) == [
        bad_frame(problem, text),
        refusal(problem, request_id="mine"),
        ("answered", "mine", "a result message", problem),
    ]
    assert set(session.state.outstanding) == {"other"}
    # It is owed nothing any more.
    assert session.feed(Received(1, text)) == [
        bad_frame(problem, text),
        refusal(problem, request_id="mine"),
    ]


def test_what_a_connection_without_hello_says_answers_no_request() -> None:
    session = Session()
    session.start("mine")
    session.feed(Opened(2))
    effects = session.hears(2, "result", request_id="mine", status="ok", result={})
    problem = "result came before hello"
    assert effects == [bad_frame(problem, "", 2), refusal(problem, 2, request_id="mine")]
    assert set(session.state.outstanding) == {"mine"}


def test_the_last_garbage_of_many_ends_the_connection() -> None:
    session = Session()
    session.now = 1_000
    session.hears(1, "editor_status", state="reloading", seq=1)
    session.now = 2_000
    said = [bad_frame("text that is not JSON", "?"), refusal("text that is not JSON")]
    for sense in (2, 3):  # What makes sense in between begins the count anew.
        session.hears(1, "editor_status", state="reloading", seq=sense)
        for _ in range(MAX_GARBAGE - 1):
            assert session.feed(Received(1, "?")) == said
    assert session.feed(Received(1, "?")) == [
        *said,
        ("close", 1, 1002, "too many invalid messages"),
        ("view", False),
    ]
    assert session.state.connections == {}
    # It was seen to leave while it reloaded.
    view = session.state.view
    assert (view.state, view.since_ms, view.busy_seen_ms) == (EditorState.UNKNOWN, 2_000, 2_000)


def test_the_last_garbage_without_hello_disturbs_no_editor() -> None:
    session = Session()
    session.feed(Opened(2))
    before = session.state.view
    for _ in range(MAX_GARBAGE):
        effects = session.feed(Received(2, "?"))
    assert effects[-1] == ("close", 2, 1002, "too many invalid messages")
    assert session.state.connections.keys() == {1}
    assert session.state.view == before


# -- messages that are too large -----------------------------------------------------------


def large(**fields: str) -> tuple[str, int]:
    """A message one byte too large, and its size."""
    text = json.dumps({"type": "result", **fields})
    text += " " * (MAX_MESSAGE_BYTES + 1 - len(text))
    return text, len(text)


def oversize(size: int, request_id: str | None, connection: int = 1) -> tuple[Any, ...]:
    fields = {"size": size, "request_id": request_id, "error": "ERR_INVALID_RESPONSE"}
    return "note", "unity_oversize", {"connection": connection, **fields}, True


@pytest.mark.parametrize(
    ("outstanding", "named", "settled"),
    [
        (["mine"], "mine", "mine"),
        (["mine", "other"], "mine", "mine"),
        (["mine", "other"], "nobody", None),
        (["mine"], "nobody", None),
        (["mine"], None, "mine"),  # whose else could it be
        (["mine", "other"], None, None),
        ([], None, None),
    ],
)
def test_a_message_that_is_too_large_is_noted_answered_and_settles_its_request(
    outstanding: list[str], named: str | None, settled: str | None
) -> None:
    session = Session()
    session.start(*outstanding)
    text, size = large(**({"request_id": named} if named else {}))
    problem = f"a message of {size} bytes; at most {MAX_MESSAGE_BYTES} are read"
    limit = f"a message of at most {MAX_MESSAGE_BYTES} bytes"
    effects = [oversize(size, named), refusal(problem)]
    if settled is not None:
        effects.append(("answered", settled, limit, f"{size} bytes", "hopeless"))
    assert session.feed(Received(1, text)) == effects
    assert set(session.state.outstanding) == set(outstanding) - {settled}


def test_a_message_that_is_too_large_before_hello_ends_the_connection() -> None:
    session = Session()
    session.start("mine")
    session.feed(Opened(2))
    text, size = large(request_id="mine")
    problem = f"a message of {size} bytes; at most {MAX_MESSAGE_BYTES} are read"
    assert session.feed(Received(2, text)) == [
        oversize(size, "mine", 2),
        ("close", 2, 1009, problem),
    ]
    assert set(session.state.outstanding) == {"mine"}


def test_a_socket_that_was_closed_for_its_size_answers_all_that_was_asked() -> None:
    session = Session()
    session.start("a", "b")
    limit = f"a message of at most {MAX_MESSAGE_BYTES} bytes"
    actual = "a message that is far too large to be received"
    assert session.feed(Closed(1, 1009)) == [
        ("note", "unity_connection_closed", {"connection": 1, "code": 1009}, False),
        ("answered", "a", limit, actual, "hopeless"),
        ("answered", "b", limit, actual, "hopeless"),
        ("view", False),
    ]
    assert session.state.outstanding == {}


# -- status and answers --------------------------------------------------------------------


def test_an_older_status_is_noted_only() -> None:
    session = Session()
    assert session.hears(1, "editor_status", state="compiling", seq=7) == [("view", True)]
    note = ("note", "unity_status_out_of_order", {"connection": 1, "seq": 6, "seen": 7}, False)
    assert session.hears(1, "editor_status", state="ready", seq=6) == [note]
    assert session.state.view.state is EditorState.COMPILING


def test_late_answers_and_errors_about_nothing_are_noted() -> None:
    session = Session()
    session.start("mine")
    session.feed(Forget("mine"))
    result = {"request_id": "mine", "status": "ok", "result": {}}
    late = {"request_id": "mine", "type": "result"}
    (note,) = session.hears(1, "result", **result)
    assert (note[1], note[3]) == ("unity_late_answer", True)
    assert late.items() <= note[2].items()
    (note,) = session.hears(1, "error", error={"code": "ERR_X", "message": "m"})
    assert (note[1], note[2]["error"], note[3]) == ("unity_error", "ERR_X", True)


def test_what_comes_on_a_closed_connection_is_void() -> None:
    session = Session()
    assert session.hears(9, "hello", plugin_version="1", state="ready") == []


def test_a_plugin_without_pings_lives_as_long_as_it_says_something() -> None:
    session = Session(editor_instance_id="e")
    assert session.state.next_deadline_ms == 15_000
    session.now = 10_000
    session.hears(1, "editor_status", state="ready", seq=1)
    assert session.state.next_deadline_ms == 25_000
    session.now = 20_000
    session.feed(Received(1, "?"))
    assert session.state.next_deadline_ms == 35_000
    assert ("close", 1, 1001, "no sign of life") in session.ticks(35_000)


@pytest.mark.parametrize(
    "said", [{}, {"seq": 7}, {"editor_state": "compiling"}, {"editor_state": "dozing"}, {"seq": -1}]
)
def test_a_pong_need_say_nothing_else(said: dict[str, Any]) -> None:
    """It is a sign of life; what is known of the Editor's state stays."""
    session = Session()
    session.ticks(3_000)
    before = session.state.view
    assert session.hears(1, "pong", **said) == []
    assert session.state.view == before
    assert session.state.next_deadline_ms == 6_000


# -- an Editor that connects again ---------------------------------------------------------

ME: dict[str, Any] = {
    "plugin_version": "1",
    "state": "ready",
    "editor_instance_id": "me",
    "heartbeat": "ping",
}
ACTIVE = "another Unity websocket session is already active"


def accepted(number: int) -> list[tuple[Any, ...]]:
    said = {"connection": number, "state": "ready", "plugin_version": "1"}
    name = f"connection-{number}"
    return [
        ("note", "unity_hello", said, False),
        ("send", number, {"type": "hello", "server_version": "1.2.3", "connection_id": name}),
        ("send", number, {"type": "capability", "tools": []}),
        ("view", True),
    ]


def turned_away(number: int) -> list[tuple[Any, ...]]:
    return [
        ("note", "unity_second_editor", {"connection": number, "error": INVALID}, True),
        refusal(ACTIVE, number),
        ("close", number, 1008, ACTIVE),
    ]


def challenged(*numbers: int, state: str = "ready") -> Session:
    """An Editor that is connected, at 1 s in ``state``, and more under its name from 2 s on."""
    session = Session(editor_instance_id="me", heartbeat="ping")
    session.now = 1_000
    session.hears(1, "editor_status", state=state, seq=1)
    session.now = 2_000
    for number in numbers:
        session.feed(Opened(number))
        assert session.hears(number, "hello", **ME) == [
            ("note", "unity_hello_again", {"connection": number}, False),
            ("send", 1, {"type": "ping"}),
        ]
        assert session.hears(number, "hello", **ME) == []
    return session


def test_a_connection_that_is_dead_is_replaced_once_it_had_time_to_answer() -> None:
    session = challenged(2, state="reloading")
    assert session.state.next_deadline_ms == 3_000
    assert session.ticks(3_000) == [("send", 1, {"type": "ping"})]
    assert session.ticks(3_999) == []
    assert session.ticks(4_000) == [
        ("close", 1, 1001, "this Editor has connected again"),
        *accepted(2),
    ]
    assert session.state.connections.keys() == {2}
    # The old one is taken to have left now, in the middle of its reload.
    assert (session.state.view.since_ms, session.state.view.busy_seen_ms) == (4_000, 4_000)


@pytest.mark.parametrize("said", [{}, {"editor_state": "ready", "seq": 2}])
def test_a_connection_that_lives_keeps_its_place_against_all(said: dict[str, Any]) -> None:
    session = challenged(2, 3)
    effects = session.hears(1, "pong", **said)
    assert effects[:6] == [*turned_away(2), *turned_away(3)]
    assert session.state.connections.keys() == {1}


def test_who_waits_takes_the_place_of_one_that_closes() -> None:
    session = challenged(2)
    closed = ("note", "unity_connection_closed", {"connection": 1, "code": 1006}, False)
    assert session.feed(Closed(1)) == [closed, *accepted(2)]


def test_who_waits_takes_the_place_of_one_that_was_sent_away() -> None:
    session = challenged(2)
    for _ in range(MAX_GARBAGE):
        session.feed(Received(1, "?"))
    assert session.state.connections.keys() == {2}
    assert session.ticks(4_000) == accepted(2)
    assert (session.state.active, session.state.view.since_ms) == (2, 4_000)


def test_only_the_first_who_waits_takes_the_place() -> None:
    session = challenged(2, 3)
    session.ticks(3_000)
    *greeted, changed = accepted(2)
    assert session.ticks(4_000) == [
        ("close", 1, 1001, "this Editor has connected again"),
        *greeted,
        *turned_away(3),
        changed,
    ]
    assert session.state.connections.keys() == {2}


def test_a_plugin_that_answers_no_pings_is_replaced_at_once() -> None:
    session = Session(editor_instance_id="me")
    session.now = 1_000
    session.feed(Opened(2))
    assert session.hears(2, "hello", **ME) == [
        ("close", 1, 1001, "this Editor has connected again"),
        *accepted(2),
    ]


# -- what a hello says ---------------------------------------------------------------------

TOLD: dict[str, Any] = {
    "unity_version": "6000.0.1f1",
    "project_path": "/games/mine",
    "editor_instance_id": "editor",
    "plugin_session_id": "session",
    "open_requests": ["a", "b"],
    "request_memory_id": "memory",
    "heartbeat": "ping",
}


def test_all_that_a_hello_says_is_known_of_the_editor() -> None:
    view = Session(**TOLD).state.view
    assert (view.plugin_version, view.unity_version, view.project) == (
        "1",
        "6000.0.1f1",
        "/games/mine",
    )
    assert (view.editor_instance, view.plugin_session) == ("editor", "session")
    assert (view.open_requests, view.request_memory) == (frozenset("ab"), "memory")
    assert (view.takes_jobs, view.announces_jobs) == (True, True)
    bare = Session().state.view
    assert (bare.unity_version, bare.project, bare.editor_instance) == (None, None, None)
    assert (bare.open_requests, bare.request_memory) == (None, None)
    assert (bare.takes_jobs, bare.announces_jobs) == (True, False)


@pytest.mark.parametrize("state", ["ready", "reloading"])
@pytest.mark.parametrize("named", ["the first", "the second"])
def test_with_and_without_a_name_is_the_same_only_while_that_reloads(
    state: str, named: str
) -> None:
    session = Session(**({"editor_instance_id": "me"} if named == "the first" else {}))
    session.hears(1, "editor_status", state=state, seq=1)
    session.feed(Opened(2))
    hello = ME if named == "the second" else {"plugin_version": "1", "state": "ready"}
    effects = session.hears(2, "hello", **hello)
    assert (effects[:3] == turned_away(2)) == (state == "ready")


# -- too many, too much --------------------------------------------------------------------


def test_the_oldest_silent_connections_make_room_and_the_editor_is_none_of_them() -> None:
    session = Session()
    for number in range(2, MAX_PENDING + 2):
        assert len(session.feed(Opened(number))) == 1
    for number in (100, 101):
        oldest = number - 98
        assert session.feed(Opened(number)) == [
            ("note", "unity_connection_opened", {"connection": number}, False),
            ("close", oldest, 1008, "no hello, and other connections wait"),
        ]
    assert session.state.connections.keys() == {1, *range(4, MAX_PENDING + 2), 100, 101}


def test_a_second_hello_is_garbage() -> None:
    session = Session()
    before = session.state.view
    problem = "hello was sent already"
    hello = {"plugin_version": "2", "state": "compiling"}
    assert session.hears(1, "hello", **hello) == [bad_frame(problem, ""), refusal(problem)]
    assert session.state.view == before
    session.now = 1_000
    for _ in range(MAX_GARBAGE - 1):
        effects = session.hears(1, "hello", **hello)
    assert effects[2:] == [("close", 1, 1002, "too many invalid messages"), ("view", False)]
    assert session.state.view.since_ms == 1_000


def test_what_is_said_before_hello_ends_a_connection_at_last() -> None:
    session = Session(connected=False)
    session.feed(Opened(1))
    for _ in range(MAX_GARBAGE):
        effects = session.hears(1, "editor_status", state="ready", seq=1)
    assert effects[-1] == ("close", 1, 1002, "too many invalid messages")


def test_a_flood_is_garbage_and_answers_are_none_of_it() -> None:
    session = Session()
    status = {"state": "ready", "seq": 1}
    said = len(session.hears(1, "editor_status", **status))
    while not (effects := session.hears(1, "editor_status", **status)):
        said += 1
    assert said > 20  # No Editor has more to say within a second.
    assert effects == [bad_frame(FLOOD, ""), refusal(FLOOD)]
    session.start("mine")
    answer = session.feed(Received(1, json.dumps({"type": "odd", "request_id": "mine"})))
    problem = "there is no message type 'odd'"
    assert answer[-1] == ("answered", "mine", "a result message", problem)
    session.now = 2_000
    assert session.hears(1, "editor_status", **status) == []
