"""A language server that misbehaves on command, for tests of the client's supervision.

Started as ``hostile_server.py FAULT``. It keeps to LSP for documents whose name has "good" in it,
where it knows one error (a ``(`` too many, ``CS1026``), and shows its fault with all others. The
faults are named below; ``records:FILE`` writes down what it is sent,
``starts_in_s:N`` takes its time, and ``first_takes_s:N`` takes it for the first verdict; both show
that they live.
Standard library only, so that it starts at once.

Where ``HOSTILE_WITNESS`` names a file, the server and whatever it starts hold it open for writing:
what it is, a FIFO or on Windows a plain file, tells once none of them is left.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUT = sys.stdout.buffer
VERSIONS: dict[str, int] = {}
TEXTS: dict[str, str] = {}
ASKED: dict[str, int] = {}
READY_AT: dict[str, float] = {}


def send(message: Any) -> None:
    write(json.dumps(message).encode())


def write(body: bytes) -> None:
    OUT.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    OUT.flush()


def result(request: dict[str, Any], value: Any) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "result": value})


def error(request: dict[str, Any], code: int, message: str) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def report(uri: str) -> dict[str, Any]:
    text = TEXTS.get(uri, "")
    return full(*[diagnostic()] * (text.count("(") > text.count(")")))


def full(*items: Any) -> dict[str, Any]:
    return {"kind": "full", "items": list(items)}


def diagnostic(**more: Any) -> dict[str, Any]:
    start, end = {"line": 0, "character": 0}, {"line": 0, "character": 1}
    body = {"range": {"start": start, "end": end}, "message": ") expected", "code": "CS1026"}
    return {**body, "severity": 1, **more}


# -- faults in the answer to textDocument/diagnostic: (request) --------------------------------


def never_answers(request: dict[str, Any]) -> None:
    pass


def answers_after_30_s(request: dict[str, Any]) -> None:
    threading.Timer(30, result, (request, {"kind": "full", "items": []})).start()


def dies_on_request(request: dict[str, Any]) -> None:
    os._exit(134)


def sends_half_a_message(request: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": report("")}).encode()
    OUT.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body[: len(body) // 2]))
    OUT.flush()


def sends_half_a_message_and_ends(request: dict[str, Any]) -> None:
    sends_half_a_message(request)
    os._exit(0)


def sends_no_json(request: dict[str, Any]) -> None:
    write(b"{no json}")


def sends_deep_json(request: dict[str, Any]) -> None:
    write(b"[" * 200_000)


def sends_a_batch(request: dict[str, Any]) -> None:
    send([{"jsonrpc": "2.0", "id": request["id"], "result": report("")}])


def announces_a_huge_message(request: dict[str, Any]) -> None:
    OUT.write(b"Content-Length: 99999999999\r\n\r\n")
    OUT.flush()


def floods_stdout_with_lines(request: dict[str, Any]) -> None:
    while True:
        OUT.write(b"this is no message\n" * 5_000)


def floods_stdout_without_lines(request: dict[str, Any]) -> None:
    while True:
        OUT.write(b"x" * 100_000)


def floods_stdout_with_messages(request: dict[str, Any]) -> None:
    params = {"type": 3, "message": "x" * 100_000}
    while True:
        send({"jsonrpc": "2.0", "method": "window/logMessage", "params": params})


def closes_stdout(request: dict[str, Any]) -> None:
    os.close(1)
    never()


def tells_us_to_exit(request: dict[str, Any]) -> None:
    send({"jsonrpc": "2.0", "method": "exit"})
    os._exit(1)


NOWHERE = {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}
TRACE = "\nIO.Error: No 'x.dll'.\nFile name: 'x.dll'\n   at A.B()\n   at C.D()"


def _answers(name: str, **message: Any) -> Callable[[dict[str, Any]], None]:
    """Return the fault ``name``: a message of the server's, in answer to a request."""

    def fault(request: dict[str, Any]) -> None:
        send({"jsonrpc": "2.0", "id": request["id"], **message})

    fault.__name__ = name
    return fault


FAULTS_OF_ANSWERS: tuple[Callable[[dict[str, Any]], None], ...] = (
    dies_on_request,
    _answers("answers_null", result=None),
    _answers("answers_a_number", result=42),
    _answers("answers_a_list", result=[]),
    _answers("answers_an_empty_object", result={}),
    _answers("answers_unchanged", result={"kind": "unchanged", "resultId": "1"}),
    _answers("answers_unknown_kind", result={"kind": "partial", "items": []}),
    _answers("answers_items_of_text", result={"kind": "full", "items": "none"}),
    _answers("answers_unknown_severity", result=full(diagnostic(severity=99))),
    _answers("answers_no_range", result=full({"message": "m"})),
    _answers("answers_negative_line", result=full(diagnostic(range=NOWHERE))),
    _answers("answers_nothing_at_all"),
    _answers("answers_under_the_id_null", id=None, result=full()),
    _answers("answers_an_error", error={"code": -32603, "message": "internal error"}),
    _answers("answers_with_a_stack_trace", error={"code": -32603, "message": TRACE}),
    _answers("answers_a_malformed_error", error={"code": "E", "text": 1}),
    _answers("is_always_modified", error={"code": -32801, "message": "content modified"}),
    sends_half_a_message_and_ends,
    sends_no_json,
    sends_deep_json,
    sends_a_batch,
    announces_a_huge_message,
    floods_stdout_with_lines,
    floods_stdout_without_lines,
    floods_stdout_with_messages,
    closes_stdout,
    tells_us_to_exit,
)
"""Faults that end the waiting by themselves."""

FAULTS_OF_SILENCE = (never_answers, answers_after_30_s, sends_half_a_message)
"""Faults that only the client's patience ends."""


# -- oddities that are no faults: the verdict is right all the same ----------------------------


def is_modified_once(request: dict[str, Any]) -> None:
    uri = request["params"]["textDocument"]["uri"]
    ASKED[uri] = ASKED.get(uri, 0) + 1
    if ASKED[uri] % 2:
        error(request, -32801, "content modified")
    else:
        result(request, report(uri))


def floods_stderr(request: dict[str, Any]) -> None:
    for _ in range(100):
        os.write(2, b"x" * 99_999 + b"\n")
    for _ in range(10):
        os.write(2, b"y" * 100_000)
    result(request, report(request["params"]["textDocument"]["uri"]))


def answers_others_too(request: dict[str, Any]) -> None:
    send({"jsonrpc": "2.0", "id": "nobody", "result": {"kind": "full", "items": []}})
    send({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "m"}})
    result(request, report(request["params"]["textDocument"]["uri"]))


def asks_what_nobody_knows(request: dict[str, Any]) -> None:
    send({"jsonrpc": "2.0", "id": 1, "method": "made/up", "params": {"a": [1]}})
    send({"jsonrpc": "2.0", "id": 2, "method": "client/registerCapability", "params": 5})
    send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"type": "loud"}})
    send({"jsonrpc": "2.0", "method": "made/up/too"})
    result(request, report(request["params"]["textDocument"]["uri"]))


def writes_junk_between_messages(request: dict[str, Any]) -> None:
    OUT.write(b"Welcome to the server!\nWARNING: something\r\n")
    result(request, report(request["params"]["textDocument"]["uri"]))


def echoes_ids_as_text(request: dict[str, Any]) -> None:
    verdict = report(request["params"]["textDocument"]["uri"])
    send({"jsonrpc": "2.0", "id": str(request["id"]), "result": verdict})


def answers_text_ids_with_null(request: dict[str, Any]) -> None:
    request_id = request["id"] if isinstance(request["id"], int) else None
    verdict = report(request["params"]["textDocument"]["uri"])
    send({"jsonrpc": "2.0", "id": request_id, "result": verdict})


def asks_under_the_same_ids(request: dict[str, Any]) -> None:
    send({"jsonrpc": "2.0", "id": request["id"], "method": "workspace/workspaceFolders"})
    result(request, report(request["params"]["textDocument"]["uri"]))


def forks_children(request: dict[str, Any]) -> None:
    """One in its parent's session, one in a session of its own whose parent is gone."""
    if os.name == "nt":
        start("lives_on").stdout.readline()
        start("starts_another").communicate()
    elif os.fork() == 0:
        never()
    elif os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            never()
        os._exit(0)
    result(request, report(request["params"]["textDocument"]["uri"]))


ODDITIES = (
    is_modified_once,
    floods_stderr,
    answers_others_too,
    asks_what_nobody_knows,
    writes_junk_between_messages,
    echoes_ids_as_text,
    answers_text_ids_with_null,
    asks_under_the_same_ids,
    forks_children,
)


def start(child: str) -> subprocess.Popen[bytes]:
    """A child on a system that can't fork; with the end of what it prints it holds the witness."""
    command = [sys.executable, "-S", __file__, child]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def lives_on() -> None:
    os.close(1)
    never()


def starts_another() -> None:
    start("lives_on").stdout.readline()


CHILDREN = (lives_on, starts_another)


def never() -> None:
    """Live for ever, deaf to every signal that can be ignored."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    while True:
        time.sleep(3600)


# -- the server ----------------------------------------------------------------------------


_NOT_STATIC = (
    "pushes_wrongly",
    "pushes_ahead",
    "offers_no_diagnostics",
    "is_silent_on_semantics",
    "is_late_with_semantics",
)
"""Faults of servers that don't say at once that they can be asked for diagnostics."""


def serve(fault: str) -> None:
    if fault == "dies_on_start":
        sys.stderr.write("no, not today\n")
        sys.exit(3)
    if fault == "never_initializes":
        never()
    by_name = {each.__name__: each for each in (*FAULTS_OF_ANSWERS, *FAULTS_OF_SILENCE, *ODDITIES)}
    while (message := read()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        uri = (params.get("textDocument") or {}).get("uri", "")
        if fault.startswith("records:"):
            uri = uri or (params.get("changes") or [{}])[0].get("uri", "")
            with Path(fault.removeprefix("records:")).open("a", encoding="utf-8") as journal:
                journal.write(f"{method} {uri}\n")
        good = "good" in uri
        if method == "initialize":
            if fault.startswith("starts_in_s:"):
                log = {"type": 4, "message": "loading"}
                send({"jsonrpc": "2.0", "method": "window/logMessage", "params": log})
                time.sleep(seconds(fault))
            if fault == "initializes_with_null":
                result(message, None)
            elif fault == "refuses_to_initialize":
                error(message, -32803, "there is no compiler")
            else:
                provider = {"interFileDependencies": False, "workspaceDiagnostics": False}
                static = fault not in _NOT_STATIC
                pulls: dict[str, Any] = {"diagnosticProvider": provider} if static else {}
                if fault == "counts_in_utf8":
                    pulls["positionEncoding"] = "utf-8"
                result(message, {"capabilities": {"textDocumentSync": 1, **pulls}})
        elif method == "initialized" and fault in (
            "is_silent_on_semantics",
            "is_late_with_semantics",
        ):
            registrations = [
                {
                    "id": name,
                    "method": "textDocument/diagnostic",
                    "registerOptions": {"identifier": name},
                }
                for name in ("semantics", "other", "syntax")
            ]
            params = {"registrations": registrations}
            send(
                {"jsonrpc": "2.0", "id": 1, "method": "client/registerCapability", "params": params}
            )
        elif method in ("textDocument/didOpen", "textDocument/didChange"):
            if fault == "dies_on_open" and not good:
                os._exit(1)
            document = params["textDocument"]
            VERSIONS[uri] = document["version"]
            changes = params.get("contentChanges")
            TEXTS[uri] = changes[-1]["text"] if changes else document["text"]
            if fault == "pushes_wrongly":
                push_wrongly(uri, good=good)
            if fault == "pushes_ahead":
                push_ahead(uri, good=good)
        elif method == "textDocument/diagnostic":
            if fault.startswith("first_takes_s:"):
                ready_at = READY_AT.setdefault("any", time.monotonic() + seconds(fault))
                wait_s = max(0.0, ready_at - time.monotonic())
                late_answer = threading.Timer(wait_s, result, (message, report(uri)))
                late_answer.daemon = True
                late_answer.start()
                continue
            of_semantics = params.get("identifier") == "semantics"
            if fault == "is_silent_on_semantics" and of_semantics:
                continue
            if fault == "is_late_with_semantics" and of_semantics and late():
                continue
            if good or fault not in by_name:
                result(message, report(uri))
            else:
                by_name[fault](message)
        elif method == "unity/ping" and fault.startswith("first_takes_s:"):
            error(message, -32601, "unknown")
        elif method == "shutdown":
            result(message, None)
        elif method == "exit":
            if fault == "ignores_exit":
                never()
            sys.exit(0)


def seconds(fault: str) -> float:
    return float(fault.partition(":")[2])


def late() -> bool:
    """Whether this is the first question about semantics, which isn't answered."""
    ASKED["semantics"] = ASKED.get("semantics", 0) + 1
    return ASKED["semantics"] == 1


def push_wrongly(uri: str, *, good: bool) -> None:
    """Diagnostics of no version, and of versions that are not the document's."""
    for version in [VERSIONS[uri]] if good else [None, VERSIONS[uri] - 1, VERSIONS[uri] + 1000]:
        params = {"uri": uri, "version": version, "diagnostics": []}
        send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})


def push_ahead(uri: str, *, good: bool) -> None:
    """For a document that isn't good, nothing but what is said to be about the next texts."""
    for version in [VERSIONS[uri]] if good else [VERSIONS[uri] + more for more in (1, 2, 3)]:
        params = {"uri": uri, "version": version, "diagnostics": []}
        send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})


def read() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = sys.stdin.buffer.read(length) if line else b""
    message: dict[str, Any] | None = json.loads(body) if body else None
    return message


if __name__ == "__main__":
    if witness := os.environ.get("HOSTILE_WITNESS"):
        os.open(witness, os.O_WRONLY)
    child = next((each for each in CHILDREN if each.__name__ == sys.argv[1]), None)
    if child is not None:
        child()
    else:
        serve(sys.argv[1])
