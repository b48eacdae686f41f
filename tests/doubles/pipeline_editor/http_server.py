"""The double's HTTP: endpoints, authentication, envelopes, each held to its dialect's schemas."""

from __future__ import annotations

import json
import socket
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import jsonschema
from held_to_schema import hold_to_schema

from pipeline_editor.commands import (
    PARAMETERS,
    CommandError,
    EditorGoneError,
    listing,
    names,
    spelled,
)
from pipeline_editor.dialects import (
    BUSY,
    EDITOR_STATUS,
    EXEC_REQUEST,
    REQUEST_ERROR,
    STATUS,
    Dialect,
    of_dialect,
)

if TYPE_CHECKING:
    from pipeline_editor.editor import PipelineEditor
    from pipeline_editor.process import EditorProcess

Json = dict[str, Any]
MAX_BODY_BYTES = 1024 * 1024
CALLER = "X-Caller"
"""A header that the package doesn't know: whom a request is to be counted for."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong here; that a client has gone is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class PipelineHttpServer:
    """Listens from its making until :meth:`stop`, which breaks every connection."""

    def __init__(self, editor: PipelineEditor, port: int, process: EditorProcess) -> None:
        owner = self

        class Handler(_Handler):
            double = editor
            server_of_double = owner

        self.connections: set[socket.socket] = set()
        self.gone = threading.Event()
        self._server = _Server(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]
        self._process = process
        process.hold(self._server.socket)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self.gone.set()
        self._server.shutdown()
        self._server.server_close()
        self._process.let_go()
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    double: PipelineEditor
    server_of_double: PipelineHttpServer

    def setup(self) -> None:
        super().setup()
        self.server_of_double.connections.add(self.connection)

    def finish(self) -> None:
        self.server_of_double.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        if length > MAX_BODY_BYTES:
            self._answer(413, {})
            return
        self._serve(self.rfile.read(length))

    def _serve(self, body: bytes) -> None:
        editor = self.double
        editor.frozen.wait()
        if self.server_of_double.gone.is_set():
            self.close_connection = True
            return
        path = self.path.partition("?")[0]
        if self.headers.get("Origin") is not None:
            self._answer(403, {})
        elif editor.dialect in (Dialect.V0_8, Dialect.V1_0) and not self._host_is_literal():
            self._answer(400, {"error": "Parameter Validation Failed"})
        elif self.headers.get("Authorization") != f"Bearer {editor.token}":
            self._answer(401, {})
        else:
            with editor.lock:
                editor.asked.append(path)
                editor.changed_state.notify_all()
            fault = editor.http_fault.get(path)
            if fault is not None:
                status, raw = fault()
                self._send(status, raw)
                return
            self._route(path, body)

    def _host_is_literal(self) -> bool:
        return self.headers.get("Host") == f"127.0.0.1:{self.server_of_double.port}"

    def _route(self, path: str, body: bytes) -> None:
        editor, dialect = self.double, self.double.dialect
        own = of_dialect(dialect)
        if path == "/api/status":
            self._answer(200, {"status": editor.status}, STATUS)
        elif path == "/api/editor_status":
            self._answer(200, self._editor_status(), EDITOR_STATUS)
        elif path == "/api/commands":
            self._answer(200, listing(dialect), own["commands"][1])
        elif path == "/api/progress" and "progress" in own:
            self._answer(200, {"active": False, "progress": None}, own["progress"][1])
        elif path == "/api/exec" and self.command == "POST":
            self._exec(body)
        else:
            self._answer(404, {})

    def _editor_status(self) -> Json:
        editor = self.double
        with editor.lock:
            document: Json = {
                "status": editor.status,
                "compiling": editor.state == "compiling",
                "domainReloadInProgress": editor.state == "reloading",
                "playMode": editor.play_mode,
                "lastHeartbeat": "2026-10-01T08:00:00Z",
                "projectPath": str(editor.project),
                "unityVersion": "6000.2.1f1",
            }
            if editor.dialog is not None:
                document["dialog"] = editor.dialog
        return document

    def _exec(self, body: bytes) -> None:
        editor, dialect = self.double, self.double.dialect
        try:
            request = json.loads(body)
            hold_to_schema(request, EXEC_REQUEST)
        except (ValueError, jsonschema.ValidationError) as error:
            self._bad_request("Parameter Validation Failed", str(error))
            return
        if editor.dialog is not None or editor.state == "settling":
            reason = "settling" if editor.dialog is None else "blocked_by_dialog"
            busy = {"status": "busy", "busyReason": reason, "retryable": True}
            self._answer(503, busy, BUSY)
            return
        old = {name: each for each, name in names(dialect).items()}.get(request["command"])
        if old is None:
            self._bad_request("Command Not Found", request["command"])
            return
        # What it doesn't know binds nothing, silently.
        bound = {
            each: request["parameters"][spelled(dialect, each)]
            for each in PARAMETERS[old]
            if spelled(dialect, each) in request["parameters"]
        }
        try:
            caller = self.headers.get(CALLER, "")
            result = editor.execute(old, bound, caller, self.server_of_double.gone)
        except CommandError as error:
            self._bad_request("Command Execution Failed", str(error))
            return
        except EditorGoneError:
            self.close_connection = True
            return
        if old in editor.cut:
            self.close_connection = True
            return
        answer: Json = {
            "success": True,
            "result": json.dumps(result) if editor.result_as_text else result,
            "error": None,
            "executionTimeMs": 1.5,
        }
        if dialect in (Dialect.V0_3, Dialect.V0_6) or request.get("verbose"):
            answer |= {"command": request["command"], "executedAt": "2026-10-01T08:00:00Z"}
        self._answer(200, answer, of_dialect(dialect)["exec.answer"][1])

    def _bad_request(self, error: str, details: str) -> None:
        document = {"success": False, "error": error, "errorDetails": details}
        self._answer(400, document, REQUEST_ERROR)

    def _answer(self, status: int, document: Json, schema: Json | None = None) -> None:
        if schema is not None:
            hold_to_schema(document, schema)
        self._send(status, json.dumps(document).encode())

    def _send(self, status: int, body: bytes) -> None:
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
