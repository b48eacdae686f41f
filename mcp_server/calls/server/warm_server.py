"""The project's running server, where a command need not do what it has done already.

Part of docs/design/command-line.md ``check``: a compiler that runs already
answers in a fraction of the time that the first answer of a new one takes. So calls that ask one
are made by the server of the same project, version and ``--lsp``, if there is one that proves to be
this user's; else here. What such a server answers is what this process would.
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
from mcp_server.calls.server.server_address import ENDPOINT, bound_url, port_here, read_url
from mcp_server.calls.server.server_file import ServerFile, find, in_project, read
from mcp_server.calls.server.server_proof import (
    LOOPBACK_ADDRESS,
    Credentials,
    NotProvenError,
)
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
"""How long each step of snapshot may take, in seconds, where a call has time for it."""

GRACE_S = 5.0
"""How much later than its time an answer may come, in seconds, on a busy machine."""

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""More than this is no answer."""

RESTED_S = 20.0
"""A connection that has rested for so long isn't used for a call: the server may be about to hang
up, and a call that changes something is sent once."""


class ServerGoneError(Exception):
    """The server gave no answer, or none that is one, or stopped; nothing was changed."""


@dataclass(slots=True)
class WarmServer:
    """A server that can stand in for this process. May be shared by threads; ``close`` it."""

    file: ServerFile
    project: Path | None
    look_s: float = LOOK_S
    _asking: Lock = field(default_factory=Lock)
    _connection: ProvenConnection | None = None

    @property
    def address(self) -> str:
        """Where it speaks MCP."""
        return f"http://{LOOPBACK_ADDRESS}:{self.file.port}{ENDPOINT}"

    def stands_in(self, lsp: str) -> bool:
        """Whether it is there, is of this version, and works in the project with that ``--lsp``."""
        try:
            with self._alone():
                told = self._connected().request(
                    "GET", STATUS_PATH, self._headers, within_s=self.look_s
                )
                status = ServerStatus.parse(told.read(MAX_ANSWER_BYTES))
        except ServerGoneError:
            return False
        if status is None or self.project is None:
            return False
        return _stands_in(status, self.project, lsp)

    def start(self) -> None:
        """Do nothing: it runs."""

    def wait_until_ready(self, within_s: float) -> None:
        """Wait until its compiler is ready, or can't be had. Raises :class:`ServerGoneError`."""
        from mcp_server.calls.server.verdict_questions import about_readiness  # noqa: PLC0415 - see asked

        self.asked(about_readiness(within_s), within_s)

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Wait until its compiler has judged ``text`` as the script at ``path``.

        Raises :class:`ServerGoneError`.
        """
        from mcp_server.calls.server.verdict_questions import about_readiness  # noqa: PLC0415 - see asked

        self.asked(about_readiness(within_s, path, text), within_s)

    def asked(self, question: Mapping[str, Any], within_s: float) -> Judged:
        """What it answers to one of :mod:`~mcp_server.calls.server.verdict_questions`.

        Raises :class:`ServerGoneError`.
        """
        from mcp_server.calls.server.verdict_questions import judged  # noqa: PLC0415 - half of the engine

        body = json.dumps(question).encode()
        with self._alone():
            kept = self._connection is not None
            try:
                document = self._answer(body, within_s)
            except OSError as error:
                if not kept or isinstance(error, TimeoutError):
                    raise
                self._end()  # it rested for too long, perhaps
                document = self._answer(body, within_s)
            return judged(document)

    def _answer(self, body: bytes, within_s: float) -> object:
        headers = {**self._headers, "Content-Type": single_call.JSON_TYPE}
        answer = self._connected().request(
            "POST", VERDICT_PATH, headers, body, within_s=within_s + GRACE_S
        )
        data = answer.read(MAX_ANSWER_BYTES)
        if answer.status != HTTPStatus.OK:
            raise ValueError(f"HTTP status {answer.status}")
        document: object = json.loads(data)
        return document

    def call(
        self,
        spec: ToolSpec,
        arguments: CheckedParams,
        on_status: OnJobStatus | None = None,
        *,
        stands_in: bool = True,
    ) -> Outcome:
        """Have it make the call; ``on_status`` hears what it is at.

        What may have taken effect without an answer is an error of the outcome, and so is an answer
        that is too late. Raises :class:`ServerGoneError` where the call can be made again: also, if
        it ``stands_in`` for this process, where the server says that it stops.
        """
        client = {"name": "unity-cli", "version": package_version()}
        body = single_call.request_of(spec.name, arguments, client)
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
                outcome = _outcome(answer, on_status)
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
            if stands_in and _tells_of_its_end(outcome, spec, arguments):
                raise ServerGoneError(outcome.text)
            return outcome

    @property
    def _headers(self) -> dict[str, str]:
        return Credentials.for_file(self.file).headers

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Ask while no other thread does; a connection on which that failed is of no more use."""
        with self._asking:
            try:
                yield
            except _NO_ANSWER as error:
                self._end()
                raise ServerGoneError(str(error)) from error
            except BaseException:
                self._end()  # what is still to come would be taken for the next answer
                raise

    def _connected(self) -> ProvenConnection:
        if self._connection is not None and not self._connection.is_idle:
            self._end()
        if self._connection is None:
            self._connection = ProvenConnection(self.file, self.look_s)
        return self._connection

    def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Hang up."""
        with self._asking:
            self._end()


_NO_ANSWER = (NotProvenError, OSError, RecursionError, ValueError)


def _is_refusal(answer: Answer) -> bool:
    """Whether the server passed the request on to no tool."""
    return HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR


def _outcome(answer: Answer, on_status: OnJobStatus | None) -> Outcome:
    outcome = None
    # To its end: the connection takes no other request before.
    for message in single_call.messages(answer.content_type, answer.bounded(MAX_ANSWER_BYTES)):
        current = single_call.progress_of(message)
        if current is not None and on_status is not None:
            on_status({"state": "running", "progress": {"current": current}})
        outcome = single_call.outcome_of(message) or outcome
    if outcome is None:
        raise ValueError("it ended without an outcome")
    return outcome


_AT_ITS_END = (ToolErrorCode.EDITOR_NOT_READY, ToolErrorCode.RECONNECT_TIMEOUT)
"""What a server that stops answers to a script tool, before it has begun and afterwards."""


def _tells_of_its_end(outcome: Outcome, spec: ToolSpec, arguments: CheckedParams) -> bool:
    """Whether the server stopped before it had made the call, which can be made again."""
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
    """A server that can stand in for this process; ``None`` where there is none.

    It works in ``project`` and asks the server that ``lsp``, a valid ``--lsp``, says. The one that
    the project's own file names is preferred to the one at ``url``, which is looked for only
    where that is none. Each step of snapshot takes ``look_s`` at most.
    """
    for file in _files(project, url):
        found = WarmServer(file, project, look_s)
        if found.stands_in(lsp):
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


def _stands_in(status: ServerStatus, project: Path, lsp: str) -> bool:
    return (
        status.version == package_version()
        and status.lsp == lsp
        and status.state not in ("stopping", "stopped")
        and status.project is not None
        and is_same_folder(status.project, project)
    )
