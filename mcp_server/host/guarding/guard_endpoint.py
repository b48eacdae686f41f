"""``POST /guard/CLIENT``: the guard over HTTP, for hook processes and for clients themselves.

Implements docs/design/guard.md. Even a broken event gets status 200, so that the agent goes on.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from mcp_server.calls.local_tools import LocalTools
from mcp_server.event_log import log_event
from mcp_server.guard.before import BeforeWrites
from mcp_server.guard.clients.adapter import Adapter, parse_payload
from mcp_server.guard.clients.table import adapter_named
from mcp_server.guard.events import SILENT, Listener
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.host.guarding.guard import Guard
from mcp_server.host.guarding.guard_watch import GuardWatch
from mcp_server.host.guarding.outside_watch import OutsideWatch
from mcp_server.host.http.request_bodies import WholeRequests
from mcp_server.review.review import Review
from snippet_engine.storage.paths.project import Project


def make_guard(
    project: Path | None,
    tools: LocalTools,
    coordinator: ExecutionCoordinator,
    outside: OutsideWatch,
) -> Guard | None:
    """Return the guard of the server's project; ``None`` without a usable project."""
    opened = None if project is None else Project.open(project)
    if not isinstance(opened, Project):
        return None
    threads = coordinator.threads
    before = BeforeWrites(opened, tools.opened_engine, tools.opened_validator, outside.note)
    watch = GuardWatch(opened, tools, coordinator.later_verdicts, threads, outside)
    guard = Guard(opened, before, watch, threads.guard)
    guard.notes = coordinator.later_verdicts.notes
    return guard


GUARD_PATH = "/guard/{client}"

PROCESS_HEADER = "x-hook-process"
"""Sent by a hook's process. Its answer has standard output, followed by standard error."""

UNTIL_HEADER = "x-hook-until"
"""When the process stops waiting, as of ``time.monotonic``, which all processes share."""

FOLDER_HEADER = "x-hook-folder"
"""The process's working folder in hexadecimal digits, for an event without a folder."""

LONGEST_S = 60.0
"""Most seconds that a client waits."""

SENT_S = 0.02
"""Seconds that an answer takes to arrive."""


class GuardEndpoint:
    """ASGI application for the guard."""

    def __init__(self, guard: Guard | None, review: Review) -> None:
        """Without a ``guard``, because there is no project, every event gets an empty answer."""
        self._guard = guard
        self._events = review.others
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
            response = await self._answer_event(adapter, request)
        await response(scope, receive, send)

    async def _answer_event(self, adapter: Adapter, request: Request) -> Response:
        body, sent = await request.body(), request.headers

        async def is_there() -> bool:
            return not await request.is_disconnected()

        event, answer = None, SILENT
        try:
            event = adapter.read(parse_payload(body))
            if self._guard is not None and event is None:
                self._guard.not_read(adapter.name)
            elif self._guard is not None and event is not None:
                event = replace(event, cwd=str(Path(_folder(sent), event.cwd)))
                answer = await self._guard.answer(event, Listener(_waits_until(sent), is_there))
                self._events.guarded(event, answer)
        except Exception as error:  # a bug must not stop an agent
            log_event("guard", client=adapter.name, problem=repr(error))
        headers = {"Cache-Control": "no-store"}
        if PROCESS_HEADER not in sent:
            text = adapter.body(event, answer)
            return Response(text, 200, headers, "application/json")
        reply = adapter.reply(event, answer)
        out, error_text = reply.stdout.encode(), reply.stderr.encode()
        headers |= {"X-Stdout-Bytes": str(len(out)), "X-Exit-Code": str(reply.exit_code)}
        return Response(out + error_text, 200, headers, "application/octet-stream")


def _waits_until(sent: Headers) -> float:
    """Return when the client stops waiting, as of ``time.monotonic``.

    That is the header's time minus :data:`SENT_S`, and at most :data:`LONGEST_S` from now. If the
    header is missing or implausible, it is :data:`LONGEST_S` from now.
    """
    now = monotonic()
    with suppress(ValueError):
        until = float(sent.get(UNTIL_HEADER, ""))
        if now - LONGEST_S < until:  # otherwise the header's time is of another clock
            return min(until - SENT_S, now + LONGEST_S)
    return now + LONGEST_S


def _folder(sent: Headers) -> str:
    try:
        return os.fsdecode(bytes.fromhex(sent.get(FOLDER_HEADER, "")))
    except ValueError:
        return ""
