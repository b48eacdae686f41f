"""Let the project's running server make a call, because its compiler is loaded already.

Part of docs/design/command-line.md ``check``: a running compiler answers in a fraction of a new
one's time. So these calls go to a server of the same project, version and ``--lsp`` that proves to
be this user's. Its answer is what this process would return.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp_server.calls.answer_limits import answer_limit_s
from mcp_server.calls.interrupted_call import before_it_is_sent
from mcp_server.calls.server import single_call
from mcp_server.calls.server.proven_connection import Answer, NotSentError, ProvenConnection
from mcp_server.calls.server.server_file import (
    ENDPOINT,
    ServerFile,
    bound_url,
    find,
    in_project,
    port_here,
    read,
    read_url,
)
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS, Credentials, NotProvenError
from mcp_server.calls.server.server_status import STATUS_PATH, ServerStatus, is_same_folder
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode, lost
from mcp_server.contract.server_schemas import VERDICT_PATH
from mcp_server.version import package_version

if TYPE_CHECKING:
    from mcp_server.calls.server.project_server import SilentServer
    from mcp_server.calls.server.verdict_questions import Judged
    from mcp_server.contract.outcome import OnJobStatus, Outcome
    from mcp_server.contract.tool_spec import ToolSpec
    from snippet_engine.schemas.checked_params import CheckedParams

LOOK_S = 2.0
"""Limit for each step of looking for a server, in seconds. For a short call it is less."""

GRACE_S = 5.0
"""How much longer than its timeout an answer may take on a busy machine, in seconds."""

RESTED_S = 20.0
"""No call is sent on a connection that rested for this long, in seconds.

The server may be about to close it, and a call that changes something is sent only once.
"""


class ServerGoneError(Exception):
    """The server stopped, or gave no valid answer. Nothing was changed."""


@dataclass(slots=True)
class WarmServer:
    """A server that makes calls for this process. Threads may share it; ``close`` it."""

    file: ServerFile
    project: Path | None
    look_s: float = LOOK_S
    _asking: Lock = field(default_factory=Lock)
    _connection: ProvenConnection | None = None

    @property
    def address(self) -> str:
        """Return the address of the server's MCP endpoint."""
        return f"http://{LOOPBACK_ADDRESS}:{self.file.port}{ENDPOINT}"

    def fits(self, lsp: str) -> bool:
        """Return whether the server runs in this version, for the project, with this ``--lsp``."""
        try:
            with self._alone():
                answer = self._connected().request(
                    "GET", STATUS_PATH, self._headers, within_s=self.look_s
                )
                status = ServerStatus.parse(answer.read(single_call.MAX_ANSWER_BYTES))
        except ServerGoneError:
            return False
        if status is None or self.project is None:
            return False
        return _fits(status, self.project, lsp)

    def start(self) -> None:
        """Do nothing: the server runs already."""

    def wait_until_ready(self, within_s: float) -> None:
        """Wait until the compiler is ready, or can't be. Raises :class:`ServerGoneError`."""
        from mcp_server.calls.server.verdict_questions import about_readiness  # noqa: PLC0415 - see asked

        self.asked(about_readiness(within_s), within_s)

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Have the compiler judge ``text`` as a script. Raises :class:`ServerGoneError`."""
        from mcp_server.calls.server.verdict_questions import about_readiness  # noqa: PLC0415 - see asked

        self.asked(about_readiness(within_s, path, text), within_s)

    def asked(self, question: Mapping[str, Any], within_s: float) -> Judged:
        """Return the server's answer to one of :mod:`~mcp_server.calls.server.verdict_questions`.

        Raises :class:`ServerGoneError`.
        """
        from mcp_server.calls.server.verdict_questions import judged  # noqa: PLC0415 - half of the engine

        with self._alone():
            kept = self._connection is not None
            try:
                document = self._answer(question, within_s)
            except OSError as error:
                if not kept or isinstance(error, TimeoutError):
                    raise
                self._end()  # it may have rested for too long
                document = self._answer(question, within_s)
            return judged(document)

    def _answer(self, question: Mapping[str, Any], within_s: float) -> object:
        answer = self._connected().ask(
            self.file, VERDICT_PATH, question, within_s=within_s + GRACE_S
        )
        data = answer.read(single_call.MAX_ANSWER_BYTES)
        if answer.status != HTTPStatus.OK:
            raise ValueError(f"HTTP status {answer.status}")
        document: object = json.loads(data)
        return document

    def call(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_status: OnJobStatus | None = None,
    ) -> Outcome:
        """Have the server make the call. ``on_status`` is called with its progress.

        The outcome is an error if no answer came in time, or if an unanswered call may have taken
        effect. Raises :class:`ServerGoneError` if the call can be repeated, also if the server
        stops before it has made the call.
        """

        def on_progress(progress: single_call.Progress) -> None:
            if on_status is not None:
                on_status({"state": "running", "progress": {"current": progress.message}})

        body = single_call.request_of(spec, arguments)
        parts = urlsplit(bound_url(self.address, self.project))
        with self._alone():
            if self._connection is not None and self._connection.has_rested(RESTED_S):
                self._end()
            with before_it_is_sent():
                connection = self._connected()
            refused = False
            try:
                answer = connection.request(
                    "POST",
                    f"{parts.path}?{parts.query}",
                    {**self._headers, **single_call.headers_of(spec.name)},
                    body,
                    within_s=answer_limit_s(spec, arguments),
                )
                refused = _is_refusal(answer)
                outcome = single_call.read_outcome(answer, on_progress)
            except _NO_ANSWER as error:
                late = isinstance(error, TimeoutError)
                may_count = late or spec.changes_things(arguments)
                if refused or isinstance(error, NotSentError) or not may_count:
                    raise
                self._end()
                code = ToolErrorCode.REQUEST_TIMEOUT if late else ToolErrorCode.RECONNECT_TIMEOUT
                what = "did not answer in time" if late else f"gave no answer ({error})"
                message = f"The server at {self.address} {what}: {spec.name} was sent."
                return lost(code, message, spec, arguments)
            if _is_of_ending_server(outcome, spec, arguments):
                raise ServerGoneError(outcome.text)
            return outcome

    @property
    def _headers(self) -> dict[str, str]:
        return Credentials.for_file(self.file).headers

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one thread ask at a time. Close the connection if the question fails."""
        with self._asking:
            try:
                yield
            except _NO_ANSWER as error:
                self._end()
                raise ServerGoneError(str(error)) from error
            except BaseException:
                self._end()  # unread data would look like the next answer
                raise

    def _connected(self) -> ProvenConnection:
        if self._connection is not None and not self._connection.is_idle:
            self._end()
        if self._connection is None:
            self._connection = ProvenConnection.to_server(self.file, self.look_s)
        return self._connection

    def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        with self._asking:
            self._end()


_NO_ANSWER = (NotProvenError, OSError, RecursionError, ValueError)


def _is_refusal(answer: Answer) -> bool:
    return HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR


_AT_ITS_END = (ToolErrorCode.EDITOR_NOT_READY, ToolErrorCode.RECONNECT_TIMEOUT)
"""The errors of a stopping server: before a script tool has begun, and after."""


def _is_of_ending_server(outcome: Outcome, spec: ToolSpec, arguments: CheckedParams) -> bool:
    if not isinstance(outcome, ToolError) or outcome.code not in _AT_ITS_END:
        return False
    nothing_done = outcome.details.get("execution_guarantee") == Guarantee.NOT_EXECUTED
    return nothing_done or not spec.changes_things(arguments)


def warm_server(
    project: Path,
    lsp: str,
    url: Callable[[], str | SilentServer],
    look_s: float = LOOK_S,
) -> WarmServer | None:
    """Return a server that can make calls for this process; ``None`` without one.

    It works in ``project`` with the same ``--lsp``. The one in the project's own file comes first;
    ``url`` is called only if that server can't. Each step takes ``look_s`` at most.
    """
    for file in _files(project, url):
        found = WarmServer(file, project, look_s)
        if found.fits(lsp):
            return found
        found.close()
    return None


def _files(project: Path, url: Callable[[], str | SilentServer]) -> Iterator[ServerFile]:
    own = read(in_project(project))
    if own is not None:
        yield own
    there = url()
    address = read_url(there) if isinstance(there, str) else None
    port = port_here(address) if isinstance(address, str) else None
    by_port = find(port, None) if port is not None else None
    if by_port is not None and by_port != own:
        yield by_port


def _fits(status: ServerStatus, project: Path, lsp: str) -> bool:
    return (
        status.version == package_version()
        and status.lsp == lsp
        and status.state not in ("stopping", "stopped")
        and status.project is not None
        and is_same_folder(status.project, project)
    )
