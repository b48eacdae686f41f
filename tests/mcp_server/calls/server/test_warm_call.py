"""Calls that a command has the project's running server make, and servers that answer oddly."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from proving_server import Answer, http, proving_server, request, says
from running_server import SCRIPT, RunningServer, edit

from mcp_server.calls.server import single_call, warm_server
from mcp_server.calls.server.server_file import ServerFile, find
from mcp_server.calls.server.single_call import (
    EVENT_STREAM,
    JSON_TYPE,
    Progress,
    headers_of,
    messages,
    outcome_of,
    progress_of,
    request_of,
)
from mcp_server.calls.server.warm_server import ServerGoneError, WarmServer
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.script_tools import check_arguments
from snippet_engine.schemas.checked_params import CheckedParams

EDIT, READ = CATALOG["edit_snippet"], CATALOG["get_symbols"]


def params(tool: str, arguments: object) -> CheckedParams:
    found = check_arguments(CATALOG[tool], arguments)
    assert isinstance(found, CheckedParams), found
    return found


def written() -> CheckedParams:
    return params("edit_snippet", edit("apply"))


def read() -> CheckedParams:
    return params("get_symbols", {"path": SCRIPT})


NO_OUTCOMES = {
    "hangs up": says(b""),
    "no HTTP": says(b"220 mail.example\r\n\r\n"),
    "breaks off": says(http("200 OK", b'{"jsonrpc": "2.0"')[:-4]),
    "no JSON": says(http("200 OK", b"{")),
    "a page": says(http("200 OK", b"<html>", "text/html")),
    "an error of its own": says(http("500 Internal Server Error", b"{}")),
    "no outcome": says(http("200 OK", b'{"jsonrpc": "2.0", "id": 1}')),
    "nested": says(http("200 OK", b"[" * 10_000)),
    "too long": says(http("200 OK", b" " * (single_call.MAX_ANSWER_BYTES + 1))),
    "a stream without an end": says(http("200 OK", b": ping\n\n", "text/event-stream")),
}


@pytest.mark.parametrize("answer", NO_OUTCOMES.values(), ids=NO_OUTCOMES)
def test_what_is_no_outcome_is_never_taken_for_one(answer: Answer, tmp_path: Path) -> None:
    with proving_server(answer) as file:
        reading = WarmServer(file, tmp_path)
        with pytest.raises(ServerGoneError):
            reading.call(READ, read())
        outcome = WarmServer(file, tmp_path).call(EDIT, written())
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.RECONNECT_TIMEOUT
    assert outcome.details["execution_guarantee"] == "unknown"
    assert not outcome.retryable


@pytest.mark.parametrize("status", ["401 Unauthorized", "404 Not Found", "421 Misdirected Request"])
def test_what_it_refuses_at_the_door_was_not_done(status: str, tmp_path: Path) -> None:
    with proving_server(says(http(status, b"no", "text/plain"))) as file:
        for spec, arguments in ((READ, read()), (EDIT, written())):
            with pytest.raises(ServerGoneError):
                WarmServer(file, tmp_path).call(spec, arguments)


@pytest.mark.parametrize("spec", [READ, EDIT], ids=lambda spec: spec.name)
def test_one_that_says_nothing_is_waited_for_as_long_as_the_call_may_take(
    spec: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_server, "answer_limit_s", lambda _spec, _arguments: 0.5)
    heard = threading.Event()
    with proving_server(lambda _: heard.wait(60) and None) as file:
        arguments = read() if spec is READ else written()
        outcome = WarmServer(file, tmp_path).call(CATALOG[arguments.tool], arguments)
        heard.set()
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.REQUEST_TIMEOUT


def test_pings_are_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that trickles on has the call's time, and no more."""
    monkeypatch.setattr(warm_server, "answer_limit_s", lambda _spec, _arguments: 0.5)
    heard = threading.Event()

    def trickle(client: socket.socket) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        client.sendall(head)
        try:
            while not heard.wait(0.05):
                client.sendall(b": ping\n\n")
        except OSError:
            pass

    with proving_server(trickle) as file:
        outcome = WarmServer(file, tmp_path).call(READ, read())
        heard.set()
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.REQUEST_TIMEOUT


def answers(error: ToolError) -> Answer:
    """What a server says whose tool came to that."""
    document = {"content": [], "structuredContent": error.to_json(), "isError": True}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": document}).encode()
    return says(http("200 OK", body))


STOPPING = tool_error(ToolErrorCode.EDITOR_NOT_READY, "The server is stopping.")
STOPPED = tool_error(
    ToolErrorCode.RECONNECT_TIMEOUT, "The server stopped.", guarantee=Guarantee.NOT_EXECUTED
)
CUT_OFF = tool_error(ToolErrorCode.RECONNECT_TIMEOUT, "The server stopped.")


@pytest.mark.parametrize(
    ("error", "arguments"),
    [(STOPPING, read), (STOPPING, written), (STOPPED, read), (STOPPED, written), (CUT_OFF, read)],
)
def test_what_a_stopping_server_did_not_do_is_done_elsewhere(
    error: ToolError, arguments: Callable[[], CheckedParams], tmp_path: Path
) -> None:
    params = arguments()
    with proving_server(answers(error)) as file, pytest.raises(ServerGoneError):
        WarmServer(file, tmp_path).call(CATALOG[params.tool], params)


def test_what_a_stopping_server_may_have_done_is_told_so(tmp_path: Path) -> None:
    with proving_server(answers(CUT_OFF)) as file:
        outcome = WarmServer(file, tmp_path).call(EDIT, written())
    assert isinstance(outcome, ToolError)
    assert outcome.details["execution_guarantee"] == "unknown"


DONE = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"applied": True}}}
).encode()


def streams(client: socket.socket) -> None:
    """The outcome in a stream that ends behind it, and one that needs none for what comes next."""
    event = b"data: " + DONE + b"\n\n"
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    client.sendall(head + b"%x\r\n%s\r\n" % (len(event), event))
    client.sendall(b"0\r\n\r\n")
    if request(client):
        client.sendall(http("200 OK", DONE))


def hangs_up_behind(client: socket.socket) -> None:
    client.sendall(
        http("200 OK", DONE).replace(b"Content-Type", b"Connection: close\r\nContent-Type")
    )


@pytest.mark.parametrize("answer", [streams, hangs_up_behind])
def test_what_comes_after_an_outcome_is_sent_as_well(answer: Answer, tmp_path: Path) -> None:
    """It is never said of a call that it may have taken effect which could not even be sent."""
    with proving_server(answer) as file:
        warm = WarmServer(file, tmp_path)
        outcomes = [warm.call(EDIT, written()) for _ in range(2)]
        warm.close()
    assert [each.to_json() for each in outcomes] == [{"applied": True}] * 2


def test_one_that_is_not_there_was_sent_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        file = ServerFile.of_this_process(free.getsockname()[1], None)
    with pytest.raises(ServerGoneError):
        WarmServer(file, tmp_path).call(EDIT, written())


@pytest.mark.parametrize("token", ["x\r\nEvil: 1", "ü"])
def test_a_call_that_can_not_be_sent_is_not_told_as_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("UNITY_CLI_TOKEN", token)
    heard: list[bytes] = []
    with (
        proving_server(lambda client: heard.append(client.recv(1))) as file,
        pytest.raises(ServerGoneError),
    ):
        WarmServer(file, tmp_path).call(EDIT, written())
    assert heard == []


def test_another_at_its_port_hears_nothing_of_the_call(tmp_path: Path) -> None:
    heard = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        file = ServerFile.of_this_process(listener.getsockname()[1], "the-secret-token")

        def listen() -> None:
            client, _ = listener.accept()
            with client:
                heard.extend(client.recv(65536))
                client.sendall(http("200 OK", json.dumps({"proof": "0" * 64}).encode()))
                heard.extend(client.recv(65536))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        with pytest.raises(ServerGoneError):
            WarmServer(file, tmp_path).call(EDIT, written())
        thread.join(60)
    assert heard.startswith(b"GET /identity?nonce=")
    assert b"newText" not in heard
    assert b"secret" not in heard


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("served") / "Ünity game"
    for part in ("Assets/Scripts", "ProjectSettings", "Packages", "Library"):
        (folder / part).mkdir(parents=True)
    (folder / SCRIPT).write_text("class Player { }\n")
    with RunningServer("--lsp", "off", cwd=folder) as running:
        yield running


async def by_sdk(served: RunningServer, tool: str, arguments: Any) -> Outcome:
    async with Client(served.url) as client:
        result = await client.call_tool(tool, dict(arguments))
    said = "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))
    document = dict(result.structured_content or {})
    return single_call.outcome(said, document, is_error=bool(result.is_error))


def outcomes(
    served: RunningServer, tool: str, arguments: dict[str, Any]
) -> tuple[Outcome, Outcome]:
    """What MCP's own client comes to, and ours."""
    file = find(served.port, served.cwd)
    assert file is not None
    warm = WarmServer(file, served.cwd)
    assert warm.fits("off")
    checked = params(tool, arguments)
    full = {"include": ["full"]} if "include" in CATALOG[tool].input_schema["properties"] else {}
    theirs = asyncio.run(by_sdk(served, tool, params(tool, {**arguments, **full})))
    try:
        return theirs, warm.call(CATALOG[tool], checked)
    finally:
        warm.close()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_symbols", {"path": SCRIPT}),
        ("get_symbols", {"path": "Assets/Nowhere.cs"}),
        ("get_history", {}),
        ("validate_script", {"path": SCRIPT}),
        ("check_project", {}),
    ],
)
def test_a_real_server_answers_as_to_any_client(
    served: RunningServer, tool: str, arguments: dict[str, Any]
) -> None:
    theirs, ours = outcomes(served, tool, arguments)
    assert type(ours) is type(theirs)
    assert without_times(ours.to_json()) == without_times(theirs.to_json())
    assert ours.text == theirs.text


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        times = ("durationMs", "duration_ms")
        return {key: without_times(each) for key, each in value.items() if key not in times}
    return value


def test_many_calls_go_over_one_connection(served: RunningServer) -> None:
    file = find(served.port, served.cwd)
    assert file is not None
    warm = WarmServer(file, served.cwd)
    first = warm.call(READ, read())
    connection = warm._connection
    assert connection is not None
    assert all(warm.call(READ, read()) == first for _ in range(20))
    assert warm._connection is connection
    warm.close()


def test_a_call_for_another_project_is_refused(served: RunningServer, tmp_path: Path) -> None:
    file = find(served.port, served.cwd)
    assert file is not None
    warm = WarmServer(file, tmp_path)
    assert not warm.fits("off")
    outcome = warm.call(EDIT, written())
    warm.close()
    assert isinstance(outcome, ToolError)
    assert outcome.code is ToolErrorCode.CONFIG_VALIDATION
    assert (served.cwd / SCRIPT).read_text() == "class Player { }\n"


PROGRESS = {
    "jsonrpc": "2.0",
    "method": "notifications/progress",
    "params": {"progressToken": 1, "progress": 2.5, "message": "binding Ünits"},
}


def answer(text: str, document: dict[str, Any], *, is_error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    result = {"content": content, "structuredContent": document, "isError": is_error}
    return {"jsonrpc": "2.0", "id": 1, "result": result}


RESULT = answer("previewed", {"applied": False})


def events(*said: object, end: str = "\n") -> bytes:
    written = [f"event: message{end}data: {json.dumps(each)}{end}{end}" for each in said]
    return f": ping{end}{end}{''.join(written)}".encode()


def test_the_request_is_one_that_the_sdk_can_read() -> None:
    body = request_of(CATALOG["get_symbols"], {"path": "A.cs"})
    message = types.JSONRPCRequest.model_validate_json(body)
    params = types.CallToolRequestParams.model_validate(message.params)
    assert (params.name, params.arguments) == ("get_symbols", {"path": "A.cs", "include": ["full"]})
    assert headers_of("get_symbols")["Mcp-Name"] == params.name


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_event_stream_in_parts_of_any_size(size: int, end: str) -> None:
    stream = events(PROGRESS, RESULT, end=end)
    parts = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert list(messages(EVENT_STREAM, parts)) == [PROGRESS, RESULT]


def test_an_event_of_several_lines() -> None:
    first, second = json.dumps(RESULT, indent=1).split("\n", 1)
    lines = "\n".join(f"data:{line}" for line in (first, *second.split("\n")))
    assert list(messages(EVENT_STREAM, [f"{lines}\n\n".encode()])) == [RESULT]


def test_what_comes_before_the_end_of_a_stream_that_breaks_off() -> None:
    assert list(messages(EVENT_STREAM, [events(PROGRESS), events(RESULT)[:-2]])) == [PROGRESS]


def test_a_document() -> None:
    body = json.dumps(RESULT).encode()
    assert list(messages(JSON_TYPE, [body[:9], body[9:]])) == [RESULT]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (JSON_TYPE, b"{"),
        (JSON_TYPE, b""),
        (EVENT_STREAM, b"data: {\n\n"),
        ("text/html", b"<html>"),
        ("", b"{}"),
    ],
)
def test_what_is_neither(kind: str, body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        list(messages(kind, [body]))


def test_progress_is_told_by_its_message() -> None:
    assert progress_of(PROGRESS) == Progress(2.5, None, "binding Ünits")
    assert progress_of({**PROGRESS, "params": None}) == Progress(0, None, "")
    assert progress_of(RESULT) is None
    assert progress_of([PROGRESS]) is None
    assert outcome_of(PROGRESS) is None


def test_outcomes_come_back_as_they_were() -> None:
    assert outcome_of(RESULT) == ToolResult({"applied": False}, "previewed")
    error = tool_error(ToolErrorCode.QUEUE_FULL, "Too many.", text="ERR_QUEUE_FULL: Too many.")
    assert outcome_of(answer(error.text, error.to_json(), is_error=True)) == error
    assert isinstance(error, ToolError)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown tool"}},
        {"jsonrpc": "2.0", "id": 1, "error": "odd"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": []},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": 3}},
        answer("odd", {"error": {"code": "ERR_OF_NOBODY"}}, is_error=True),
        answer("odd", {"error": None}, is_error=True),
        answer("odd", {}, is_error=True),
    ],
)
def test_what_is_no_outcome_says_so(message: object) -> None:
    with pytest.raises(ValueError, match=r"Unknown tool|not a tool's result|ERR_OF_NOBODY"):
        outcome_of(message)
