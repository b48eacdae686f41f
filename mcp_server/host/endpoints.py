"""The endpoints for commands: ``/call``, ``/call/stop``, ``/verdict`` and ``/stop``.

Implements docs/design/server-and-bridge.md §1, §13 and §14.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from mcp_server.calls.server import delegated_call
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import stop_proof_of
from mcp_server.calls.tool_caller import COMMAND_LINE
from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import Outcome
from mcp_server.contract.server_schemas import (
    CALL_QUESTION_SCHEMA,
    SERVER_STOP_QUESTION_SCHEMA,
    STOP_QUESTION_SCHEMA,
)
from mcp_server.event_log import log_event
from mcp_server.host.http.loopback_guard import disconnected
from mcp_server.host.http.request_bodies import WholeRequests
from mcp_server.host.local_runs import ToolThreads
from mcp_server.host.stopping import StopSignal
from mcp_server.review.hold.held_calls import NOTICE_S, Asked, not_begun
from mcp_server.review.record.recorder import Caller
from mcp_server.review.review import Review
from mcp_server.version import package_version
from snippet_engine.budget import Stop
from snippet_engine.call_context import AskEditor, asking_for_unsaved, begin_noting_changes
from snippet_engine.schemas.checked_params import find_problems

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from lsp_client.validator import LanguageServerValidator

STOP_S = 3.0
"""Seconds that a stopped call has to finish writing."""

KEPT_S = 5.0
"""Seconds for which a call's outcome is kept, because its command may not have received it."""

Answer: TypeAlias = tuple[int, dict[str, Any]]


class JsonEndpoint:
    """ASGI application: reads a whole request body, and answers with JSON."""

    def __init__(self, answer: Callable[[bytes, Receive], Awaitable[Response]]) -> None:
        """``answer`` gets the body, and a function to receive what the client sends afterwards."""
        self._answer = answer
        self._app = WholeRequests(self._serve, lambda body: body)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(await Request(scope, receive).body(), receive)
        await response(scope, receive, send)


def _response(answer: Answer, afterwards: BackgroundTask | None = None) -> Response:
    status, document = answer
    # ASCII, because a script may contain half of a surrogate pair.
    data = json.dumps(document).encode()
    headers = {"Cache-Control": "no-store"}
    return Response(data, status, headers, "application/json", background=afterwards)


def _read(body: bytes, schema: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the question in ``body``, or why it is invalid."""
    try:
        question = json.loads(body)
    except (ValueError, RecursionError):
        return "the body must be JSON"
    problems = find_problems(schema, question)
    return "; ".join(map(str, problems[:3])) if problems else dict(question)


# -- /call and /call/stop --------------------------------------------------------------------------


class CallEndpoint:
    """Makes calls of script tools for commands.

    A status of 400 or above means that the call was not made. After 500, that isn't known.
    """

    def __init__(
        self,
        project: Path | None,
        threads: ToolThreads,
        review: Review,
        unsaved: Callable[[], AskEditor],
    ) -> None:
        """``project`` is the server's. Without a project, every call is refused.

        ``unsaved`` returns a function with which a call asks the Editor for unsaved files.
        """
        self._project = project
        self._run = threads.for_command
        self._unsaved = unsaved
        self._held, self._recorder = review.held, review.recorder
        self._version = package_version()
        self._here: delegated_call.Circumstances | None = None
        if project is not None:
            with suppress(OSError):  # the tools report what is wrong with the project
                self._here = delegated_call.Circumstances.of_this_process(project)
        self._calls: dict[str, _Call] = {}
        self.calls = JsonEndpoint(self._call)
        self.stops = JsonEndpoint(self._stop)

    async def _call(self, body: bytes, receive: Receive) -> Response:
        question = _read(body, CALL_QUESTION_SCHEMA)
        refusal = question if isinstance(question, str) else self._refusal(question)
        if refusal is not None or isinstance(question, str):
            return _response((400, {"error": refusal}))
        stop, asked = Stop(), Asked(question["tool"], COMMAND_LINE, is_patient=True)
        work = asyncio.ensure_future(self._recorded(question, stop, asked))
        call = self._calls[question["id"]] = _Call(stop, asked, work)
        work.add_done_callback(lambda _: self._forget_later(question["id"]))
        gone = asyncio.ensure_future(disconnected(receive))
        held = asyncio.ensure_future(asked.is_held.wait())
        try:
            either: set[asyncio.Future[Any]] = {work, gone, held}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if held.done() and not work.done():
                return _HeldAnswer(call)
            if not work.done():  # the command has gone
                call.leave()
            return _response(_answer_of(await work))
        finally:
            gone.cancel()
            held.cancel()

    def _forget_later(self, call_id: str) -> None:
        asyncio.get_running_loop().call_later(KEPT_S, self._calls.pop, call_id, None)

    def _refusal(self, question: Mapping[str, Any]) -> str | None:
        """Return why this process can't make the call for the command; ``None`` if it can."""
        if self._here is None or self._project is None:
            return "this server works in no project"
        if not delegated_call.is_delegated(question["tool"], question["params"]):
            return "the Editor has to be asked"
        if package_version() != self._version:
            return "another version was installed since this server was started"
        if question["id"] in self._calls:
            return "this call ID was used already"
        try:
            here = self._here.now(self._project)
        except OSError:
            return "this server's project no longer exists"
        other = next(delegated_call.differences(question, here), None)
        return None if other is None else f"another {other}"

    async def _recorded(
        self, question: Mapping[str, Any], stop: Stop, asked: Asked
    ) -> Outcome | None:
        """Make the call, and record how it ended. Return ``None`` if it wasn't begun."""
        started, changes = time.perf_counter(), begin_noting_changes()
        outcome = await self._outcome(question, stop, asked)
        if outcome is not None and isinstance(question["params"], Mapping):
            duration_ms = round((time.perf_counter() - started - asked.waited_s) * 1000, 1)
            by = Caller(COMMAND_LINE, None)
            call = (question["tool"], question["params"], outcome, changes)
            self._recorder.call(*call, by, duration_ms, is_withdrawn=asked.is_withdrawn)
        changes.clear()  # asyncio keeps a cancelled timer, and with it this call's context
        return outcome

    async def _outcome(
        self, question: Mapping[str, Any], stop: Stop, asked: Asked
    ) -> Outcome | None:
        """Make the call, with a person's approval if calls are held.

        Returns ``None`` if the call wasn't begun.
        """

        changes = delegated_call.may_change(question["tool"], question["params"])

        async def attempt() -> Outcome | None:
            with asking_for_unsaved(self._unsaved()):
                make = partial(copy_context().run, self._make, question, stop)
            cut_off = partial(delegated_call.cut_off, question, stop)
            return await self._run(make, cut_off, changes=changes)

        async def rehearse() -> Outcome:
            return await attempt() or not_begun()  # the command may not make it itself, either

        async def carry_out() -> Outcome | None:
            return await (rehearse() if self._held.setting.is_on else attempt())

        if not changes:
            return await attempt()
        return await self._held.run(asked, rehearse, carry_out)

    def _make(self, question: Mapping[str, Any], stop: Stop) -> Outcome:
        """Make the call. Runs on a thread."""
        assert self._project is not None
        started = time.perf_counter()
        outcome = delegated_call.make_call(self._project, question, stop)
        code = outcome.code.value if isinstance(outcome, ToolError) else None
        duration_ms = round((time.perf_counter() - started) * 1000, 1)
        log_event("command_call", tool=question["tool"], duration_ms=duration_ms, error=code)
        return outcome

    async def _stop(self, body: bytes, _receive: Receive) -> Response:
        question = _read(body, STOP_QUESTION_SCHEMA)
        if isinstance(question, str):
            return _response((400, {"error": question}))
        if question["id"] not in self._calls:
            return _response((404, {"error": "there is no such call"}))
        return _response(await _stopped(self._calls[question["id"]]))


@dataclass(frozen=True, slots=True)
class _Call:
    """A command's call."""

    stop: Stop
    asked: Asked
    work: asyncio.Future[Outcome | None]
    """The call's outcome; ``None`` if it wasn't begun."""

    def leave(self) -> bool:
        """Stop the call unless it is writing. Return whether it certainly writes nothing."""
        self.asked.is_gone.set()
        return self.stop.stop()


class _HeldAnswer(Response):
    """The answer to a held call. Until it comes, spaces show the command that the call goes on."""

    def __init__(self, call: _Call) -> None:
        super().__init__(b"", 200, {"Cache-Control": "no-store"}, "application/json")
        del self.headers["content-length"]
        self._call = call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        del scope
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        body = {"type": "http.response.body", "more_body": True}
        work, gone = self._call.work, asyncio.ensure_future(disconnected(receive))
        await send(start)
        try:
            while not work.done():
                await send({**body, "body": b" "})
                either: set[asyncio.Future[Any]] = {work, gone}
                await asyncio.wait(either, timeout=NOTICE_S, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    self._call.leave()
                    await work
            _, document = _answer_of(work.result() or not_begun())
            await send({**body, "body": json.dumps(document).encode(), "more_body": False})
        finally:
            gone.cancel()


def _answer_of(outcome: Outcome | None) -> Answer:
    if outcome is None:  # the command makes the call itself
        return 503, {"error": "the server stops, or is busy"}
    return 200, delegated_call.to_document(outcome)


async def _stopped(call: _Call) -> Answer:
    """Stop a call. Return what is known of its outcome."""
    stop, work = call.stop, call.work
    done = work.done()
    is_stopped = call.leave()
    if not done and not is_stopped:  # the call is writing
        await asyncio.wait({work}, timeout=STOP_S)
        done = work.done()
    outcome = work.result() if done and not work.cancelled() else None
    if done and stop.has_ended:
        outcome, is_stopped = None, True
    known = None if outcome is None else delegated_call.to_document(outcome)
    return 200, {"is_stopped": is_stopped, "outcome": known, "notes": list(stop.notes)}


# -- /verdict --------------------------------------------------------------------------------------


def verdict_endpoint(
    validator: Callable[[], LanguageServerValidator | None], threads: ToolThreads
) -> JsonEndpoint:
    """Return the endpoint through which commands ask the server's compiler.

    ``validator`` opens the compiler, which may take long.
    """

    async def answer(body: bytes, _receive: Receive) -> Response:
        found = await threads.answer(partial(_verdict, validator, body, time.monotonic()))
        return _response(found or (503, {"error": "the server is stopping"}))

    return JsonEndpoint(answer)


def _verdict(
    open_validator: Callable[[], LanguageServerValidator | None], body: bytes, came_at: float
) -> Answer:
    """Answer a question to the compiler.

    Runs on a thread, because reading a large body takes long.
    """
    from mcp_server.calls.server.verdict_questions import (  # noqa: PLC0415 - half of the engine
        answer,
        problem_of,
    )

    try:
        question = json.loads(body)
    except (ValueError, RecursionError):
        return 400, {"error": "the body must be JSON"}
    problem = problem_of(question)
    if problem is not None:
        return 400, {"error": problem}
    validator = open_validator()
    if validator is None:
        return 409, {"error": "this server asks no compiler (--lsp off)"}
    if "within_ms" in question:  # subtract the time that the question waited
        left_ms = question["within_ms"] - round((time.monotonic() - came_at) * 1000)
        question["within_ms"] = max(1, left_ms)
    try:
        return 200, answer(validator, question)
    except ValueError as error:
        return 400, {"error": str(error)}


# -- /stop -----------------------------------------------------------------------------------------


def stop_endpoint(file: ServerFile, stop_signal: StopSignal) -> JsonEndpoint:
    """Return the endpoint that ends the server.

    Anybody who can read the server's file may use it. A process id would not do: it may be another
    machine's, or by now another process's.
    """

    async def answer(body: bytes, _receive: Receive) -> Response:
        if not is_stop_proven(body, file):
            why = "proof must be that of this server's own file (contracts/stop.question)"
            return _response((403, {"error": why}))
        log_event("told_to_stop")
        document = {"pid": os.getpid(), "version": package_version()}
        return _response((200, document), BackgroundTask(stop_signal.receive))

    return JsonEndpoint(answer)


def is_stop_proven(body: bytes, file: ServerFile) -> bool:
    """Return whether the body proves that its sender has read the server's file."""
    question = _read(body, SERVER_STOP_QUESTION_SCHEMA)
    if isinstance(question, str):
        return False
    return hmac.compare_digest(question["proof"], stop_proof_of(file.key, file.port))
