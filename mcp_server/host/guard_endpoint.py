"""``POST /guard/CLIENT``: the guard over HTTP, for hook processes and for clients themselves.

Implements docs/design/guard.md. Whatever the event is, the status is 200: an agent goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from mcp_server.calls.local_tools import LocalTools
from mcp_server.event_log import log_event
from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.clients.adapter import Adapter, parse_payload
from mcp_server.guard.clients.table import adapter_named
from mcp_server.guard.events import SILENT
from mcp_server.guard.guard import Guard
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.guard_watch import GuardWatch
from mcp_server.host.http.request_bodies import WholeRequests
from snippet_engine.storage.paths.project import Project

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from mcp_server.guard.guard import Guard
    from mcp_server.host.outside_watch import OutsideWatch


def make_guard(
    project: Path | None,
    tools: LocalTools,
    coordinator: ExecutionCoordinator,
    outside: OutsideWatch,
) -> Guard | None:
    """Return the guard of the server's project; ``None`` without one that can be used."""
    opened = None if project is None else Project.open(project)
    if not isinstance(opened, Project):
        return None
    threads = coordinator.threads
    before = BeforeWrites(opened, tools.opened_engine, tools.opened_validator)
    watch = GuardWatch(opened, tools, coordinator.later_verdicts, threads, outside)
    return Guard(opened, before, watch, threads.guard)


GUARD_PATH = "/guard/{client}"

PROCESS_HEADER = "x-hook-process"
"""A hook's process sends it. It gets standard output and standard error, one after the other."""


class GuardEndpoint:
    """ASGI application."""

    def __init__(self, guard: Guard | None) -> None:
        """Without a ``guard``, every event gets the empty answer: there is no project."""
        self._guard = guard
        self._app = WholeRequests(self._serve, lambda body: body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        adapter = adapter_named(request.path_params["client"])
        response: Response
        if adapter is None:
            response = PlainTextResponse("the guard knows no such client\n", 404)
        else:
            is_process = PROCESS_HEADER in request.headers
            response = await self._answered(adapter, await request.body(), is_process=is_process)
        await response(scope, receive, send)

    async def _answered(self, adapter: Adapter, body: bytes, *, is_process: bool) -> Response:
        event, answer = None, SILENT
        try:
            event = adapter.read(parse_payload(body))
            if self._guard is not None and event is None:
                self._guard.not_read(adapter.name)
            elif self._guard is not None and event is not None:
                answer = await self._guard.answer(event)
        except Exception as error:  # a bug must not stop an agent
            log_event("guard", client=adapter.name, problem=repr(error))
        headers = {"Cache-Control": "no-store"}
        if not is_process:
            text = adapter.body(event, answer)
            return Response(text, 200, headers, "application/json")
        reply = adapter.reply(event, answer)
        out, error_text = reply.stdout.encode(), reply.stderr.encode()
        headers |= {"X-Stdout-Bytes": str(len(out)), "X-Exit-Code": str(reply.exit_code)}
        return Response(out + error_text, 200, headers, "application/octet-stream")
