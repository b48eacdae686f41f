"""Call a tool of a running server as an MCP client.

Implements docs/design/command-line.md ``tool call``: the Editor's tools go to its server. The
outcome is the server's.
"""

from __future__ import annotations

import asyncio
import json
import math
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp import Client, MCPError, types

from mcp_server.calls.answer_limits import answer_limit_s
from mcp_server.calls.interrupted_call import InterruptedCallError
from mcp_server.calls.server.server_address import bound_url, port_here
from mcp_server.calls.server.server_proof import Credentials, NotProvenError, proving
from mcp_server.calls.server.server_status import WRONG_TOKEN, NoStatus, no_answer, unreachable
from mcp_server.calls.server.single_call import outcome
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.editor_schemas import MAX_STATUS_WAIT_MS
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost
from mcp_server.contract.outcome import OnJobStatus, Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from mcp_server.version import package_version

if TYPE_CHECKING:
    from mcp_server.contract.outcome import OnProgress

CONNECT_S = 10.0
"""For connecting until the server has introduced itself, and for each sending, in seconds; a call's
own time if that is shorter."""

_CLIENT = types.Implementation(name="unity-cli", version=package_version())
"""The client's name in the server's history of changes."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The server could not be reached, so nothing was sent; ``why`` says what is there."""

    why: NoStatus


class RemoteTools:
    """The tools of the server at one URL."""

    def __init__(self, url: str, token: str | None = None, project: Path | None = None) -> None:
        """``token``: the server's bearer token, by default that of ``UNITY_CLI_TOKEN`` or of the
        server's own file, which is looked for in ``project``, too."""
        self._url = url
        here = port_here(url) is not None  # elsewhere the project has another path
        self._bound_url = bound_url(url, project) if here else url
        self._token = token
        self._project = project
        self._is_sent = False

    def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_status: OnJobStatus | None = None
    ) -> Outcome:
        """Call a tool and wait for its outcome; ``on_status`` hears of its progress.

        An unreachable server is an outcome.
        """

        async def on_progress(_progress: float, _total: float | None, current: str) -> None:
            if on_status is not None:
                on_status({"state": "running", "progress": {"current": current}})

        telling = None if on_status is None else on_progress
        return self._reached(self._ran(self.attempt(spec, arguments, telling)))

    def run_job(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_status: OnJobStatus
    ) -> Outcome:
        """Start a job and wait for its end; ``on_status`` hears of its progress.

        For an interrupt it asks the server to cancel the job, and raises ``KeyboardInterrupt`` with
        what came of that.
        """

        accepted: list[str] = []
        cancelling: list[Outcome] = []

        async def work(client: Client) -> Outcome:
            started = await _call(client, spec, arguments)
            if isinstance(started, ToolError):
                return started
            job_id = started.structured["job_id"]
            accepted.append(job_id)
            asking = CATALOG["get_job_status"]
            ask = {"job_id": job_id, "wait_ms": MAX_STATUS_WAIT_MS}

            async def on_progress(completed: float, total: float | None, current: str) -> None:
                if total is None:
                    return  # nothing is known of it yet
                told = {"completed": int(completed), "total": int(total or 0)}
                named = {} if current in ("", job_id) else {"current": current}
                on_status({"state": "running", "progress": {**told, **named}})

            try:
                while True:
                    status = await _call(client, asking, ask, on_progress)
                    if isinstance(status, ToolError):
                        return status
                    on_status(status.structured)
                    if status.structured["state"] not in ("queued", "running"):
                        return status
            except asyncio.CancelledError:
                cancelling.append(await _call(client, CATALOG["cancel_job"], {"job_id": job_id}))
                raise

        try:
            outcome = self._ran(self._connected(spec, arguments, work))
        except KeyboardInterrupt:
            if not accepted:
                raise
            raise KeyboardInterrupt(_interrupted(spec, accepted[0], cancelling)) from None
        if accepted and not isinstance(outcome, ToolResult):
            # What failed is a question about the job: the call itself has had its effect.
            return _end_not_heard(spec, arguments, accepted[0], self._reached(outcome))
        return self._reached(outcome)

    async def attempt(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        on_progress: OnProgress | None = None,
    ) -> Outcome | Unreachable:
        """Call a tool once. Cancelling this cancels the call."""

        async def work(client: Client) -> Outcome:
            return await _call(client, spec, arguments, on_progress)

        return await self._connected(spec, arguments, work)

    def _ran(self, call: Coroutine[Any, Any, Outcome | Unreachable]) -> Outcome | Unreachable:
        try:
            return asyncio.run(call)
        except KeyboardInterrupt:
            if not self._is_sent:
                raise InterruptedCallError(None, is_stopped=True) from None
            raise

    def _reached(self, outcome: Outcome | Unreachable) -> Outcome:
        if isinstance(outcome, Unreachable):
            return unreachable(self._url, outcome.why, self._project)
        return outcome

    async def _connected(
        self,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
        work: Callable[[Client], Awaitable[Outcome]],
    ) -> Outcome | Unreachable:
        import anyio  # noqa: PLC0415 - with the MCP SDK
        import httpx2  # noqa: PLC0415 - part of the MCP SDK
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

        credentials = Credentials.for_url(self._url, self._token, self._project)
        options = proving(credentials)
        statuses: list[int] = []

        async def note_status(response: httpx2.Response) -> None:
            statuses.append(response.status_code)

        hooks = options.get("event_hooks", {})
        connected = False
        limit_s = min(CONNECT_S, spec.timeout_ms(arguments) / 1000)
        bound = anyio.move_on_after(limit_s)
        try:
            with bound:
                async with (
                    httpx2.AsyncClient(
                        # 40 ms go into making what TLS needs: not for the loopback address.
                        verify=self._url.startswith("https:"),
                        timeout=httpx2.Timeout(CONNECT_S, read=None),
                        **{**options, "event_hooks": {**hooks, "response": [note_status]}},
                    ) as http,
                    Client(
                        streamable_http_client(self._bound_url, http_client=http),
                        client_info=_CLIENT,
                    ) as client,
                ):
                    connected = self._is_sent = True
                    bound.deadline = math.inf
                    return await work(client)
            # Of another machine it isn't known that anything listens there.
            here = port_here(self._url) is not None
            return Unreachable(replace(no_answer(limit_s), answered=here))
        except Exception as error:
            causes = _causes(error)
            unproven = next((each for each in causes if isinstance(each, NotProvenError)), None)
            if unproven is not None:
                return _not_reached(str(unproven), answered=True)
            if HTTPStatus.UNAUTHORIZED in statuses:
                return _not_reached(WRONG_TOKEN, answered=True)
            refused = next((each for each in causes if isinstance(each, MCPError)), None)
            if not connected or any(isinstance(each, httpx2.ConnectError) for each in causes):
                if statuses and statuses[-1] >= HTTPStatus.BAD_REQUEST:
                    said = f"HTTP status {statuses[-1]}. Is it unity-cli serve? Else name its port"
                    return _not_reached(said, answered=True)
                said = (refused.error.message if refused else str(causes[-1])).rstrip(": ")
                return _not_reached(said, answered=bool(statuses))
            return _lost(self._url, refused, spec, arguments)


def _not_reached(reason: str, *, answered: bool = False) -> Unreachable:
    return Unreachable(NoStatus(reason, answered))


def _lost(
    url: str, refused: MCPError | None, spec: ToolSpec, arguments: Mapping[str, Any]
) -> ToolError:
    """Return the error of a call that was sent; ``refused`` came instead of its outcome."""
    if refused is None or refused.error.code == types.CONNECTION_CLOSED:
        code = ToolErrorCode.RECONNECT_TIMEOUT
        message = f"The server at {url} went away before {spec.name} was answered."
    elif refused.error.code == types.REQUEST_TIMEOUT:
        code = ToolErrorCode.REQUEST_TIMEOUT
        message = f"The server at {url} did not answer {spec.name} in time."
    else:
        code = ToolErrorCode.INVALID_RESPONSE
        message = f"The server at {url} answered {refused.error.message!r}."
    return lost(code, message, spec, arguments)


def _how_to_look(job_id: str) -> str:
    ask = shlex.quote(json.dumps({"job_id": job_id}))
    return f"unity-cli tool call get_job_status --json {ask}"


def _interrupted(spec: ToolSpec, job_id: str, cancelling: Sequence[Outcome]) -> str:
    """Return what is known of a job that was to be cancelled, and how to look."""
    answer = cancelling[0] if cancelling else None
    if isinstance(answer, ToolResult):
        status = answer.structured["status"]
        what = {
            "cancelled": "was cancelled",
            "cancel_requested": "was told to stop, and may still be running",
            "rejected": "had ended already",
        }.get(status, "was to be cancelled; what came of that is not known")
    else:
        why = f" ({answer.message})" if isinstance(answer, ToolError) else ""
        what = f"could not be cancelled{why}, and may still be running"
    return f"The job {job_id} ({spec.name}) {what}. To look: {_how_to_look(job_id)}"


def _end_not_heard(
    spec: ToolSpec, arguments: Mapping[str, Any], job_id: str, why: Outcome
) -> ToolError:
    """Return the error of an accepted job whose end is unknown; ``why`` came instead."""
    said = why.message if isinstance(why, ToolError) else ""
    error = lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"Unity accepted {spec.name} as job {job_id}; what became of it is not known. Once the "
        f"server is there, ask: {_how_to_look(job_id)}. What was heard instead: {said}",
        spec,
        arguments,
    )
    return replace(error, details={**error.details, "job_id": job_id})


async def _call(
    client: Client,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    on_progress: OnProgress | None = None,
) -> Outcome:
    async def show_progress(progress: float, total: float | None, message: str | None) -> None:
        if on_progress is not None:
            await on_progress(progress, total, message or "")

    result = await client.call_tool(
        spec.name,
        dict(arguments),
        read_timeout_seconds=answer_limit_s(spec, arguments),
        progress_callback=None if on_progress is None else show_progress,
    )
    return _outcome(result)


def _outcome(result: types.CallToolResult) -> Outcome:
    text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
    return outcome(text, dict(result.structured_content or {}), is_error=bool(result.is_error))


def _causes(error: BaseException) -> list[BaseException]:
    """Return the exceptions in a group; the innermost come last."""
    if isinstance(error, BaseExceptionGroup):
        return [cause for each in error.exceptions for cause in _causes(each)]
    return [error]
