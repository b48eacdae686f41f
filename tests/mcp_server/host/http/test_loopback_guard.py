"""Who gets past the guard, in process; over a real port in ``test_serve_process``."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES, LoopbackGuard

PORT = 48091
HOST = ("host", f"127.0.0.1:{PORT}")
JSON = ("content-type", "application/json")


def answer(
    *headers: tuple[str, str],
    method: str = "GET",
    kind: str = "http",
    token: str | None = None,
    port: int = PORT,
    path: str = "/any",
) -> int | str:
    """The status of a refusal, the close of a WebSocket, or ``"passed"``."""
    sent: list[Any] = []
    passed: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)

    async def receive() -> Any:
        assert len(sent) == 2, "the body is not read before a refusal is said"
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    guard = LoopbackGuard(app, port=port, token=token, page_parts={"", "event"})
    asyncio.run(guard(scope, receive, send))
    if passed:
        assert not sent
        return "passed"
    return sent[0].get("status", sent[0]["type"])


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:48091", "localhost:48091", "LocalHost:48091", "[::1]:48091"],
)
def test_loopback_names_with_the_right_port(host: str) -> None:
    assert answer(("host", host)) == "passed"


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost",
        "127.0.0.1",
        "[::1]",
        "127.0.0.1:48092",
        "127.0.0.1:",
        "evil.example:48091",
        "evil.example",
        "localhost.evil.example:48091",
        "127.0.0.1.evil.example:48091",
        "127.0.0.1:48091@evil.example",
        "user@127.0.0.1:48091",
        "127.0.0.1:48091:48091",
        "[::1:48091",
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_other_hosts(host: str, kind: str) -> None:
    assert answer(("host", host), kind=kind) == (421 if kind == "http" else "websocket.close")


def test_no_host_or_two() -> None:
    assert answer() == 421
    assert answer(HOST, HOST) == 421


def test_port_80_may_be_left_out() -> None:
    assert answer(("host", "localhost"), port=80) == "passed"
    assert answer(("host", "[::1]"), port=80) == "passed"


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:48091",
        "http://localhost:6274",
        "http://localhost",
        "https://localhost:8443",
        "http://[::1]:3000",
        "http://LOCALHOST:1",
        "HTTP://localhost:1",
    ],
)
def test_loopback_origins(origin: str) -> None:
    assert answer(HOST, ("origin", origin)) == "passed"


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://localhost.evil.example:48091",
        "http://127.0.0.1:48091.evil.example",
        "http://127.0.0.1@evil.example",
        "http://evil.example@127.0.0.1:48091",
        "http://127.0.0.1:evil",
        "http://127.0.0.1:99999",
        "file://",
        "vscode-webview://localhost",
        "localhost",
        "http://127.0.0.1:48091/path",
        "http://127.0.0.1:48091 http://evil.example",
    ],
)
def test_other_origins(origin: str) -> None:
    assert answer(HOST, ("origin", origin)) == 403
    assert answer(HOST, ("origin", origin), kind="websocket") == "websocket.close"


def test_one_bad_origin_among_two() -> None:
    assert answer(HOST, ("origin", "http://localhost"), ("origin", "http://evil.example")) == 403


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("Bearer secret", "passed"),
        ("bearer secret", "passed"),
        ("BEARER secret", "passed"),
        ("Bearer Secret", 401),
        ("Bearer secret2", 401),
        ("Bearer ", 401),
        ("secret", 401),
        ("Basic secret", 401),
        ("Bearersecret", 401),
        ("Bearer s\xe9cret", 401),
    ],
)
def test_a_token(sent: str, expected: int | str) -> None:
    assert answer(HOST, ("authorization", sent), token="secret") == expected


def test_a_token_is_required_once() -> None:
    right = ("authorization", "Bearer secret")
    assert answer(HOST, token="secret") == 401
    assert answer(HOST, right, right, token="secret") == 401


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("application/json", "passed"),
        ("Application/JSON; charset=utf-8", "passed"),
        ("application/jsonp", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=application/json", 415),
        ("", 415),
    ],
)
def test_content_type(content_type: str, expected: int | str) -> None:
    assert answer(HOST, ("content-type", content_type), method="POST") == expected


def test_a_post_needs_exactly_one_content_type() -> None:
    assert answer(HOST, method="POST") == 415
    assert answer(HOST, JSON, ("content-type", "text/plain"), method="POST") == 415


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (str(MAX_BODY_BYTES), "passed"),
        (str(MAX_BODY_BYTES + 1), 413),
        ("9" * 5000, 413),
        ("-1", 400),
        ("", 400),
        ("1e3", 400),
    ],
)
def test_content_length(length: str, expected: int | str) -> None:
    assert answer(HOST, JSON, ("content-length", length), method="POST") == expected


def test_other_kinds_of_connections_pass() -> None:
    assert answer(kind="lifespan") == "passed"


OWN = ("origin", f"http://127.0.0.1:{PORT}")
FORM = ("content-type", "application/x-www-form-urlencoded")


@pytest.mark.parametrize("path", ["/", "/event/3", "/event"])
def test_the_pages_paths_need_no_bearer_token_because_they_have_a_cookie(path: str) -> None:
    assert answer(HOST, token="s3cret", path=path) == "passed"
    assert answer(HOST, OWN, token="s3cret", path=path) == "passed"
    assert answer(HOST, OWN, FORM, method="POST", path=path) == "passed"
    assert answer(HOST, OWN, JSON, method="POST", path=path) == "passed"


@pytest.mark.parametrize("path", ["/mcp", "/events", "/x/event", "//x", "event/3", "*"])
def test_other_paths_need_it(path: str) -> None:
    assert answer(HOST, token="s3cret", path=path) == 401
    assert answer(HOST, OWN, FORM, method="POST", path=path) == 415


def test_a_web_socket_is_none_of_the_page() -> None:
    assert answer(HOST, token="s3cret", path="/event/3", kind="websocket") == "websocket.close"


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:3000", "http://localhost:48091", "https://127.0.0.1:48091", "null"]
)
def test_the_page_of_another_port_is_another_programs(origin: str) -> None:
    assert answer(HOST, ("origin", origin), path="/event/3") == 403
    assert answer(HOST, ("origin", origin), FORM, method="POST", path="/event/3") == 403


def test_a_form_says_where_it_comes_from_and_is_none_but_a_form() -> None:
    assert answer(HOST, FORM, method="POST", path="/") == 403
    assert answer(HOST, OWN, method="POST", path="/") == 415
    plain = ("content-type", "text/plain")
    assert answer(HOST, OWN, plain, method="POST", path="/") == 415
    assert answer(("host", "evil.example:48091"), path="/") == 421


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_page_and_its_user_may_ask_for_anything(site: str) -> None:
    assert answer(HOST, ("sec-fetch-site", site), ("sec-fetch-dest", "empty"), path="/") == "passed"


@pytest.mark.parametrize("site", ["cross-site", "same-site", ""])
def test_another_page_may_only_link_to_this_one(site: str) -> None:
    sent = ("sec-fetch-site", site)
    assert answer(HOST, sent, ("sec-fetch-dest", "document"), path="/") == "passed"
    assert answer(HOST, sent, ("sec-fetch-dest", "image"), path="/") == 403
    assert answer(HOST, sent, path="/") == 403
    own, document = ("sec-fetch-site", "none"), ("sec-fetch-dest", "document")
    assert answer(HOST, own, sent, document, document, path="/") == 403


def test_the_pages_own_origin_in_any_case() -> None:
    headers = (("host", "LOCALHOST:48091"), ("origin", "HTTP://localhost:48091"))
    assert answer(*headers, path="/") == "passed"
