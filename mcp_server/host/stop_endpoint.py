"""``POST /stop``: the user whose server this is tells it to end.

Implements docs/design/server-and-bridge.md §1. Whoever reads the server's file may do so; a process
id tells too little, as it may be another machine's, or another process's by now.
"""

from __future__ import annotations

import hmac
import json
import os
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse

from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import stop_proof_of
from mcp_server.contract.server_schemas import SERVER_STOP_QUESTION_SCHEMA
from mcp_server.event_log import log_event
from mcp_server.host.http.request_bodies import WholeRequests
from mcp_server.host.stop_signal import StopSignal
from mcp_server.version import package_version
from snippet_engine.schemas.schema_check import find_problems

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


class StopEndpoint:
    """ASGI application: one question, one answer, and then the server ends."""

    def __init__(self, file: ServerFile, stop_signal: StopSignal) -> None:
        self._file = file
        self._stop_signal = stop_signal
        self._app = WholeRequests(self._serve, lambda body: body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_proven(await Request(scope, receive).body()):
            why = "proof must be that of this server's own file (contracts/stop.question)"
            await JSONResponse({"error": why}, 403)(scope, receive, send)
            return
        log_event("told_to_stop")
        answer = JSONResponse({"pid": os.getpid(), "version": package_version()})
        await answer(scope, receive, send)
        self._stop_signal.receive()

    def _is_proven(self, body: bytes) -> bool:
        try:
            question = json.loads(body)
        except (ValueError, RecursionError):
            return False
        if find_problems(SERVER_STOP_QUESTION_SCHEMA, question):
            return False
        expected = stop_proof_of(self._file.key, self._file.port)
        return hmac.compare_digest(question["proof"], expected)
