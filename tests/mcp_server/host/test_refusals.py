"""What a client that is kept out gets to read, and what the log says of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcp_server.host.loopback_guard import MAX_BODY_BYTES, LoopbackGuard

HOST = ("host", "127.0.0.1:48091")
JSON = ("content-type", "application/json")
NO_HOST = "Host must be a loopback name with port 48091"
NO_TOKEN = "a bearer token is required: the one that the server was started with"


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
