"""``POST /guard/CLIENT``, for clients that speak HTTP themselves."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest
from hook_calls import PATIENT
from running_server import SCRIPT, TIMEOUT_S, RunningServer, make_project

TOKEN = "a-secret-token"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    root = make_project(tmp_path_factory.mktemp("guarded") / "project")
    with RunningServer(cwd=root, UNITY_CLI_TOKEN=TOKEN, **PATIENT) as running:
        yield running


def post(
    server: RunningServer, body: bytes, client: str = "claude-code", **headers: str
) -> tuple[int, bytes]:
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", **headers}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", f"/guard/{client}", body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_body_is_the_clients_json(guarded: RunningServer) -> None:
    event = {
        "session_id": "s1",
        "cwd": str(guarded.cwd),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_use_id": "t1",
        "tool_input": {"file_path": str(guarded.cwd / SCRIPT), "content": "class Player {"},
    }
    status, body = post(guarded, json.dumps(event).encode())
    assert status == 200
    assert json.loads(body)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert post(guarded, json.dumps(event).encode()) == (200, b"{}")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"hook_event_name": 7}'])
def test_whatever_comes_the_status_blocks_nothing(guarded: RunningServer, body: bytes) -> None:
    assert post(guarded, body) == (200, b"{}")


def test_who_may_ask(guarded: RunningServer) -> None:
    assert post(guarded, b"{}", "nobody")[0] == 404
    assert post(guarded, b"{}", Authorization="Bearer wrong")[0] == 401
    assert post(guarded, b"{}", Origin="https://example.com")[0] == 403
    assert post(guarded, b"{}", Host="example.com")[0] == 421
