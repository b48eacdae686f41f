"""What a client that is kept out gets to read, and what the log says of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcp_server.host.http import loopback_guard
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES, LoopbackGuard, refuse

HOST = ("host", "127.0.0.1:48091")
JSON = ("content-type", "application/json")
NO_HOST = "Host must be a loopback name with port 48091"
NO_TOKEN = "the bearer token with which the server was started is required"


def refused(
    *headers: tuple[str, str], method: str = "POST", kind: str = "http", token: str | None = None
) -> list[Any]:
    """All that the guard sends to one whom it refuses."""
    sent: list[Any] = []

    async def app(*_: Any) -> None:
        pytest.fail("it was let in")

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": "/any",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(LoopbackGuard(app, port=48091, token=token)(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    ("headers", "status", "reason"),
    [
        ([], 421, NO_HOST),
        ([HOST, ("origin", "http://evil.example")], 403, "Origin must be a loopback origin"),
        ([HOST, JSON], 401, NO_TOKEN),
        ([HOST], 415, "Content-Type must be application/json"),
        ([HOST, JSON, ("content-length", "x")], 400, "Content-Length must be a number"),
        (
            [HOST, JSON, ("content-length", str(MAX_BODY_BYTES + 1))],
            413,
            f"the body must have at most {MAX_BODY_BYTES} bytes",
        ),
    ],
)
def test_a_refusal_is_a_whole_answer_that_says_why(
    headers: list[tuple[str, str]], status: int, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    start, *bodies = refused(*headers, token="secret" if status == 401 else None)
    text = f"{reason}\n".encode()
    challenge = [(b"www-authenticate", b"Bearer")] if status == 401 else []
    assert start == {
        "type": "http.response.start",
        "status": status,
        "headers": [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(text)).encode()),
            (b"connection", b"close"),
            *challenge,
        ],
    }
    assert {body["type"] for body in bodies} == {"http.response.body"}
    assert b"".join(body["body"] for body in bodies) == text
    assert not bodies[-1].get("more_body", False)
    (record,) = caplog.records
    assert (record.getMessage(), record.levelname) == ("refused", "WARNING")
    fields = {"status": status, "reason": reason, "path": "/any"}
    assert record.fields == fields  # type: ignore[attr-defined]


def test_a_websocket_that_is_refused_is_closed_with_the_reason() -> None:
    reason = {"type": "websocket.close", "code": 1008, "reason": NO_HOST}
    assert refused(kind="websocket") == [reason]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_whatever_has_a_body_is_held_to_its_kind(method: str) -> None:
    assert refused(HOST, method=method)[0]["status"] == 415


def test_zeros_in_front_make_no_body_smaller() -> None:
    for size in (MAX_BODY_BYTES + 1, 10**19, 10**25):
        length = ("content-length", "0" * 30 + str(size))
        assert refused(HOST, JSON, length)[0]["status"] == 413


@pytest.mark.parametrize("sent", ["Bearer two words", "bearer   two words"])
def test_the_token_is_all_that_follows_the_scheme(sent: str) -> None:
    """Let in with it, it is refused for what it lacks besides."""
    assert refused(HOST, ("authorization", sent), token="two words")[0]["status"] == 415
    assert refused(HOST, ("authorization", sent), token="words")[0]["status"] == 401


def test_who_is_let_in_has_the_connection_as_it_is() -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send((scope["path"], await receive()))

    async def receive() -> str:
        return "a message"

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:48091")]
    scope = {"type": "http", "method": "GET", "path": "/any", "headers": headers}
    asyncio.run(LoopbackGuard(app, port=48091)(scope, receive, send))
    assert sent == [("/any", "a message")]


# -- a body that is still being sent -------------------------------------------------------

CHUNK = {"type": "http.request", "body": b"abcd", "more_body": True}
END = {"type": "http.request", "body": b"", "more_body": False}
GONE = {"type": "http.disconnect"}


def told_while_sending(coming: list[Any], *headers: tuple[str, str]) -> tuple[list[Any], int]:
    """What is sent to one who is refused, and how many messages were received of him."""
    sent: list[Any] = []
    received = 0

    async def receive() -> Any:
        nonlocal received
        assert len(sent) == 2, "he is told before he is listened to"
        if received == len(coming):
            await asyncio.Event().wait()  # for ever
        received += 1
        return coming[received - 1]

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(asyncio.wait_for(refuse(scope, receive, send, 413, "too much"), 60))
    return sent, received


def bodies(sent: list[Any]) -> list[Any]:
    return [(message["body"], message["more_body"]) for message in sent[1:]]


@pytest.mark.parametrize("announced", [("content-length", "8"), ("transfer-encoding", "chunked")])
@pytest.mark.parametrize("coming", [[CHUNK, CHUNK, END], [END], [GONE], [CHUNK, GONE]])
def test_the_body_is_received_to_its_end_before_the_answer_ends(
    announced: tuple[str, str], coming: list[Any]
) -> None:
    sent, received = told_while_sending(coming, ("host", "x"), announced)
    assert bodies(sent) == [(b"too much\n", True), (b"", False)]
    assert received == len(coming)


@pytest.mark.parametrize("headers", [(), (("content-length", "0"),), (("accept", "0"),)])
def test_without_a_body_nothing_is_waited_for(headers: tuple[tuple[str, str], ...]) -> None:
    sent, received = told_while_sending([], *headers)
    assert bodies(sent) == [(b"too much\n", False)]
    assert received == 0


@pytest.mark.parametrize(("bound", "expected"), [(7, 2), (8, 3), (11, 3), (12, 4)])
def test_an_endless_body_is_received_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch, bound: int, expected: int
) -> None:
    monkeypatch.setattr(loopback_guard, "DRAIN_BYTES", bound)
    sent, received = told_while_sending([CHUNK] * 10, ("content-length", "40"))
    assert bodies(sent)[-1] == (b"", False)
    assert received == expected


def test_a_body_that_does_not_come_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loopback_guard, "DRAIN_S", 0.01)
    sent, received = told_while_sending([CHUNK], ("content-length", "40"))
    assert bodies(sent) == [(b"too much\n", True), (b"", False)]
    assert received == 1


def test_media_types_reach_the_server_in_lower_case() -> None:
    passed: list[Any] = []

    async def app(scope: Any, *_: Any) -> None:
        passed.append(scope)

    headers = [
        (b"Host", b"127.0.0.1:48091"),
        (b"Accept", b"Text/HTML;Q=A;B,APPLICATION/json"),
        (b"X-Name", b"As Given"),
    ]
    scope = {"type": "http", "method": "GET", "path": "/any", "headers": headers}
    asyncio.run(LoopbackGuard(app, port=48091)(scope, None, None))  # type: ignore[arg-type]
    (found,) = passed
    assert found == {
        **scope,
        "headers": [headers[0], (b"Accept", b"text/html;Q=A;B,application/json"), headers[2]],
    }


def test_who_has_gone_is_noticed_behind_what_he_sent() -> None:
    coming = iter([CHUNK, END, GONE, END])

    async def receive() -> Any:
        return next(coming)

    asyncio.run(loopback_guard.disconnected(receive))
    assert list(coming) == [END]
