"""Which session may be that of an agent that was started anew."""

from __future__ import annotations

from mcp_server.review.hold.notes import MAX_SESSIONS, QUIET_S, KnownSessions


def test_an_agent_that_is_there_has_no_follower() -> None:
    heard = KnownSessions()
    heard.record_call("old", 100.0)
    heard.record_call("new", 110.0)
    assert not heard.may_follow("new", "old", 110.0)
    assert heard.may_follow("new", "old", 100.0 + QUIET_S)
    heard.record_call("old", 111.0)
    assert not heard.may_follow("new", "old", 10_000.0), "they were there at a time"
    assert not heard.may_follow("old", "new", 10_000.0)


def test_a_session_of_an_earlier_server_may_be_anybodys() -> None:
    heard = KnownSessions()
    heard.record_call("new", 100.0)
    assert heard.may_follow("new", "old", 100.0)


def test_they_are_bounded() -> None:
    heard = KnownSessions()
    for number in range(MAX_SESSIONS + 1):
        heard.record_call(str(number), float(number))
    assert heard.may_follow("5", "0", 1.0), "it is forgotten"
    assert not heard.may_follow("5", "1", 1.0)
