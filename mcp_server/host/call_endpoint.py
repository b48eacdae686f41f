"""``POST /call``: commands of this user have their calls of script tools made here.

Implements docs/design/server-and-bridge.md §14.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from mcp_server.calls.server import lent_call
from mcp_server.contract.errors import ToolError
from mcp_server.contract.server_schemas import CALL_QUESTION_SCHEMA, STOP_QUESTION_SCHEMA
from mcp_server.event_log import log_event
from mcp_server.host.http.request_bodies import WholeRequests
from mcp_server.version import package_version
from snippet_engine.budget import Stop
from snippet_engine.schemas.schema_check import find_problems

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

T = TypeVar("T")

STOP_S = 3.0
"""How long an interrupted call that is writing is waited for, in seconds."""

KEPT_S = 5.0
"""How long it is known what a call came to, in seconds: its command may not have heard of it."""

Told: TypeAlias = tuple[int, dict[str, Any]]
"""An HTTP status, and a document."""


class Threads(Protocol):
    """Runs a call on a thread; ``None``: it wasn't begun."""

    def __call__(
        self, work: Callable[[], T], cut_off: Callable[[], T | None], /
    ) -> Awaitable[T | None]:
        """What ``work`` comes to, or ``cut_off`` where it isn't waited for to its end."""
        ...


class CallEndpoint:
    """ASGI application: one call, one answer. A status from 400 on says that it wasn't made, 500
    that this isn't known. ``stops`` is another: what ends a call."""

    def __init__(self, project: Path | None, on_thread: Threads) -> None:
        """``project`` is the server's; without one, it makes no calls for commands."""
        self._project = project
        self._on_thread = on_thread
        self._version = package_version()
        self._here: lent_call.Circumstances | None = None
        if project is not None:
            with suppress(OSError):  # the tools say what is wrong with it
                self._here = lent_call.Circumstances.of_this_process(project)
        self._calls: dict[str, tuple[Stop, asyncio.Future[Told | None]]] = {}
        self._app = WholeRequests(self._serve, lambda body: body)
        self.stops = WholeRequests(self._serve_stop, lambda body: body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        question = _read(await Request(scope, receive).body(), CALL_QUESTION_SCHEMA)
        why_not = question if isinstance(question, str) else self._why_not(question)
        if why_not is not None or isinstance(question, str):
            await _answer((400, {"error": why_not}))(scope, receive, send)
            return
        stop = Stop()
        made, cut_off = partial(self._made, question, stop), partial(_cut_off, question, stop)
        work = asyncio.ensure_future(self._on_thread(made, cut_off))
        self._calls[question["id"]] = stop, work
        gone = asyncio.ensure_future(_hung_up(receive))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():  # nobody waits: what isn't writing yet is to end
                stop.stop()
            told = await work or (503, {"error": "the server stops, or has much to do"})
        finally:
            gone.cancel()
            forget = partial(self._calls.pop, question["id"], None)
            asyncio.get_running_loop().call_later(KEPT_S, forget)
        await _answer(told)(scope, receive, send)

    def _why_not(self, question: Mapping[str, Any]) -> str | None:
        """Why this process can't stand in for the one that asks."""
        if self._here is None or self._project is None:
            return "this server works in no project"
        if not lent_call.is_lent(question["tool"], question["params"]):
            return "the Editor has to be asked"
        if package_version() != self._version:
            return "another version was installed since this server was started"
        if question["id"] in self._calls:
            return "this call was made already"
        try:
            here = self._here.now(self._project)
        except OSError:
            return "this server's project has gone"
        other = next(lent_call.differences(question, here), None)
        return None if other is None else f"another {other}"

    def _made(self, question: Mapping[str, Any], stop: Stop) -> Told:
        """Make the call. Runs on a thread."""
        assert self._project is not None
        started = time.perf_counter()
        outcome = lent_call.made_here(self._project, question, stop)
        code = outcome.code.value if isinstance(outcome, ToolError) else None
        duration_ms = round((time.perf_counter() - started) * 1000, 1)
        log_event("command_call", tool=question["tool"], duration_ms=duration_ms, error=code)
        return 200, lent_call.told(outcome)

    async def _serve_stop(self, scope: Scope, receive: Receive, send: Send) -> None:
        question = _read(await Request(scope, receive).body(), STOP_QUESTION_SCHEMA)
        if isinstance(question, str):
            told: Told = (400, {"error": question})
        elif question["id"] not in self._calls:
            told = 404, {"error": "there is no such call"}
        else:
            told = await _stopped(*self._calls[question["id"]])
        await _answer(told)(scope, receive, send)


def _cut_off(question: Mapping[str, Any], stop: Stop) -> Told | None:
    """End a call as the server does; ``None``: its command can make it, as it changes nothing."""
    outcome = lent_call.cut_off(question, stop)
    return None if outcome is None else (200, lent_call.told(outcome))


async def _stopped(stop: Stop, work: asyncio.Future[Told | None]) -> Told:
    """End a call, and say what had become of it."""
    done = work.done()
    is_stopped = stop.stop()
    if not done and not is_stopped:  # it is writing, or ends what was begun: a moment
        await asyncio.wait({work}, timeout=STOP_S)
        done = work.done()
    outcome = work.result() if done and not work.cancelled() else None
    if done and stop.has_ended:
        outcome, is_stopped = None, True
    known = None if outcome is None else outcome[1]
    return 200, {"is_stopped": is_stopped, "outcome": known, "notes": list(stop.notes)}


async def _hung_up(receive: Receive) -> None:
    """Wait until nobody waits for the answer any more."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _read(body: bytes, schema: Mapping[str, Any]) -> dict[str, Any] | str:
    """What was asked, or why it is nothing that can be."""
    try:
        question = json.loads(body)
    except (ValueError, RecursionError):
        return "the body must be JSON"
    problems = find_problems(schema, question)
    return "; ".join(map(str, problems[:3])) if problems else dict(question)


def _answer(told: Told) -> Response:
    status, document = told
    data = json.dumps(document).encode()  # as other JSON can't be read by all that is a script
    return Response(data, status, {"Cache-Control": "no-store"}, "application/json")
