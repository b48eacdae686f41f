"""Call a tool of the server at an address, over MCP.

Implements docs/design/command-line.md ``tool call``: the Editor's tools go to its server. The
outcome is the server's.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from mcp_server.calls.answer_limits import answer_limit_s
from mcp_server.calls.interrupted_call import before_it_is_sent
from mcp_server.calls.server import single_call
from mcp_server.calls.server.proven_connection import NotSentError, ProvenConnection
from mcp_server.calls.server.server_file import bound_url, port_here
from mcp_server.calls.server.server_proof import Credentials, NotProvenError
from mcp_server.calls.server.server_status import WRONG_TOKEN, NoStatus, no_answer, unreachable
from mcp_server.calls.server.single_call import Progress
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.editor_schemas import MAX_STATUS_WAIT_MS
from mcp_server.contract.errors import ToolError, ToolErrorCode, lost
from mcp_server.contract.outcome import OnJobStatus, Outcome, ToolResult
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.storage.os_failure import reason_of

CONNECT_S = 10.0
"""Limit for connecting, in seconds, if the call's own timeout is not shorter."""

OnProgress: TypeAlias = Callable[[Progress], None]


class RemoteTools:
    """The tools of the server at one address."""

    def __init__(self, url: str, token: str | None = None, project: Path | None = None) -> None:
        """``token`` is the server's bearer token.

        The default is that of ``UNITY_CLI_TOKEN``, or of the server's own file, which may be in
        ``project``.
        """
        self._url = url
        self._is_here = port_here(url) is not None  # elsewhere the project has another path
        self._bound_url = bound_url(url, project) if self._is_here else url
        self._token = token
        self._project = project

    def call(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_status: OnJobStatus | None = None
    ) -> Outcome:
        """Call a tool and wait for its outcome. ``on_status`` is called with its progress.

        An unreachable server is an outcome. Raises :class:`.InterruptedCallError` for an interrupt
        before anything was sent.
        """

        def on_progress(progress: Progress) -> None:
            if on_status is not None:
                on_status({"state": "running", "progress": {"current": progress.message}})

        outcome = self._attempt(spec, arguments, on_progress)
        if isinstance(outcome, ConnectionError) and not spec.changes_things(arguments):
            outcome = self._attempt(spec, arguments, on_progress)
        return self._known(outcome, spec, arguments)

    def run_job(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_status: OnJobStatus
    ) -> Outcome:
        """Start a job and wait for its end. ``on_status`` is called with its progress.

        On an interrupt it asks the server to cancel the job. The ``KeyboardInterrupt`` then says
        what became of the job.
        """
        started = self._known(self._attempt(spec, arguments), spec, arguments)
        if isinstance(started, ToolError):
            return started
        job_id: str = started.structured["job_id"]

        def on_progress(progress: Progress) -> None:
            if progress.total is None:
                return  # nothing is known yet
            done = {"completed": int(progress.completed), "total": int(progress.total)}
            named = {"current": progress.message} if progress.message not in ("", job_id) else {}
            on_status({"state": "running", "progress": {**done, **named}})

        asking, ask = CATALOG["get_job_status"], {"job_id": job_id, "wait_ms": MAX_STATUS_WAIT_MS}
        try:
            while True:
                status = self._known(self._attempt(asking, ask, on_progress), asking, ask)
                if isinstance(status, ToolError):
                    # A question about the job failed: the call itself has had its effect.
                    return _end_unknown(spec, arguments, job_id, status)
                on_status(status.structured)
                if status.structured["state"] not in ("queued", "running"):
                    return status
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_interrupted(spec, job_id, self._cancel(job_id))) from None

    def _cancel(self, job_id: str) -> Outcome | None:
        spec, arguments = CATALOG["cancel_job"], {"job_id": job_id}
        try:
            return self._known(self._attempt(spec, arguments), spec, arguments)
        except KeyboardInterrupt:
            return None

    def _attempt(
        self, spec: ToolSpec, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> Outcome | NoStatus | Exception:
        """Call a tool once.

        Returns ``NoStatus`` if nothing was sent, and an exception if no answer came.
        """
        credentials = Credentials.for_url(self._url, self._token, self._project)
        with before_it_is_sent():
            connection = self._connected(credentials, spec.timeout_ms(arguments) / 1000)
        if isinstance(connection, NoStatus):
            return connection
        parts = urlsplit(self._bound_url)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        try:
            answer = connection.request(
                "POST",
                target,
                {**credentials.headers, **single_call.headers_of(spec.name)},
                single_call.request_of(spec, arguments),
                within_s=answer_limit_s(spec, arguments),
            )
            if answer.status == HTTPStatus.UNAUTHORIZED:
                return NoStatus(WRONG_TOKEN, answered=True)
            if HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                why = (
                    f"HTTP status {answer.status}. If another program listens there, "
                    "name the port of unity-cli serve"
                )
                return NoStatus(why, answered=True)
            return single_call.read_outcome(answer, on_progress)
        except NotSentError as error:
            return NoStatus(str(error), answered=False)
        except (OSError, RecursionError, ValueError) as error:
            return error
        finally:
            connection.close()

    def _connected(self, credentials: Credentials, time_s: float) -> ProvenConnection | NoStatus:
        limit_s = min(CONNECT_S, time_s)
        parts = urlsplit(self._url)
        is_tls = parts.scheme == "https"
        file = credentials.file if credentials.needs_proof else None
        port = parts.port or (443 if is_tls else 80)
        try:
            return ProvenConnection(parts.hostname or "", port, limit_s, file, is_tls=is_tls)
        except NotProvenError as error:
            return NoStatus(str(error), answered=True)
        except TimeoutError:
            # On another machine it isn't known that anything listens there.
            return replace(no_answer(limit_s), answered=self._is_here)
        except OSError as error:
            return NoStatus(reason_of(error).lower(), answered=False)

    def _known(
        self,
        outcome: Outcome | NoStatus | Exception,
        spec: ToolSpec,
        arguments: Mapping[str, Any],
    ) -> Outcome:
        if isinstance(outcome, NoStatus):
            return unreachable(self._url, outcome, self._project)
        if not isinstance(outcome, Exception):
            return outcome
        if isinstance(outcome, TimeoutError):
            code = ToolErrorCode.REQUEST_TIMEOUT
            message = f"The server at {self._url} did not answer {spec.name} in time."
        elif isinstance(outcome, OSError):
            code = ToolErrorCode.RECONNECT_TIMEOUT
            message = f"The server at {self._url} went away before {spec.name} was answered."
        else:
            code = ToolErrorCode.INVALID_RESPONSE
            message = f"The server at {self._url} answered {str(outcome)!r}."
        return lost(code, message, spec, arguments)


def _how_to_look(job_id: str) -> str:
    ask = shlex.quote(json.dumps({"job_id": job_id}))
    return f"unity-cli tool call get_job_status --json {ask}"


def _interrupted(spec: ToolSpec, job_id: str, answer: Outcome | None) -> str:
    if isinstance(answer, ToolResult):
        what = {
            "cancelled": "was cancelled",
            "cancel_requested": "was asked to stop, and may still be running",
            "rejected": "had ended already",
        }.get(answer.structured["status"], "may have been cancelled; the outcome is unknown")
    else:
        why = f" ({answer.message})" if isinstance(answer, ToolError) else ""
        what = f"could not be cancelled{why}, and may still be running"
    return f"The job {job_id} ({spec.name}) {what}. To look: {_how_to_look(job_id)}"


def _end_unknown(
    spec: ToolSpec, arguments: Mapping[str, Any], job_id: str, why: ToolError
) -> ToolError:
    error = lost(
        ToolErrorCode.RECONNECT_TIMEOUT,
        f"Unity accepted {spec.name} as job {job_id}; its outcome is unknown. Once the server "
        f"runs, ask: {_how_to_look(job_id)}. The error was: {why.message}",
        spec,
        arguments,
    )
    return replace(error, details={**error.details, "job_id": job_id})
