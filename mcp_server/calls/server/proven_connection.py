"""One HTTP connection to a server that has first proved to be this user's. Also ends servers.

Part of docs/design/server-and-bridge.md §10 and §13. It is h11 over a socket: importing an HTTP
client takes longer than the few small requests of a command. It also ends a server
(docs/design/command-line.md "status and stop"), by a request, never by process id.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any, Self

import h11

from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import (
    LOOPBACK_ADDRESS,
    Credentials,
    NotProvenError,
    answers,
    prove,
    stop_proof_of,
)
from mcp_server.contract.server_schemas import SERVER_STOP_PATH

_SLICE_S = 0.25
"""The longest single wait for bytes, in seconds. On Windows, Ctrl-C waits until it ends."""

_READ_BYTES = 64 * 1024

JSON_TYPE = "application/json"


class ConnectionLostError(ConnectionError):
    """The connection ended, or carries something else than HTTP."""


class NotSentError(ConnectionLostError):
    """The request was not sent completely, so nothing was executed."""


class Limit:
    """The time at which an exchange must end, as of ``time.monotonic``. Can be renewed."""

    def __init__(self, within_s: float) -> None:
        self._within_s = within_s
        self.renew()

    def renew(self) -> None:
        """Grant the whole time again, because the server has just sent something."""
        self.until = monotonic() + self._within_s


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response. Read its body to the end before the next request."""

    status: int
    content_type: str
    parts: Iterator[bytes]
    limit: Limit

    def bounded(self, limit: int) -> Iterator[bytes]:
        """Yield the body's parts.

        Raises ``ValueError`` above ``limit`` bytes. Raises ``TimeoutError``,
        :class:`ConnectionLostError` or another ``OSError`` like :meth:`ProvenConnection.request`.
        """
        size = 0
        for part in self.parts:
            size += len(part)
            if size > limit:
                raise ValueError("the answer is too long")
            yield part

    def read(self, limit: int) -> bytes:
        """Return the whole body. Raises the errors of :meth:`bounded`."""
        return b"".join(self.bounded(limit))


class ProvenConnection:
    """A connection to one server; ``close`` it. One request at a time."""

    def __init__(
        self,
        host: str,
        port: int,
        limit_s: float,
        file: Callable[[], ServerFile | None] | None = None,
        *,
        is_tls: bool = False,
    ) -> None:
        """Connect within ``limit_s`` seconds. Raises ``OSError``, :class:`.NotProvenError`.

        With ``file``, the server must prove that it wrote that file.
        """
        until = monotonic() + limit_s
        self._http = h11.Connection(h11.CLIENT)
        self._host = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port), limit_s)
        except OverflowError as error:  # no port has that number
            raise OSError(str(error)) from error
        try:
            if is_tls:
                import ssl  # noqa: PLC0415 - seldom, and slow to load

                context = ssl.create_default_context()
                self._socket = context.wrap_socket(self._socket, server_hostname=host)
            if file is not None:
                self._socket.settimeout(max(0.001, until - monotonic()))
                prove(self._socket, file)
        except BaseException:
            self._socket.close()
            raise
        self._rests_since = monotonic()

    @classmethod
    def to_server(cls, file: ServerFile, limit_s: float) -> Self:
        """Connect to the server that wrote ``file``, and have it prove that.

        Raises ``OSError``, :class:`.NotProvenError`.
        """
        return cls(LOOPBACK_ADDRESS, file.port, limit_s, lambda: file)

    @property
    def is_idle(self) -> bool:
        """Return whether the next request can be sent on this connection."""
        return self._http.our_state is h11.IDLE and self._http.their_state is h11.IDLE

    def has_rested(self, for_s: float) -> bool:
        """Return whether the connection rested so long that the server may have closed it."""
        return monotonic() - self._rests_since > for_s

    def ask(self, file: ServerFile, path: str, question: Any, *, within_s: float) -> Answer:
        """Post ``question`` to the server that wrote ``file``. Raises as :meth:`request` does."""
        headers = {**Credentials.for_file(file).headers, "Content-Type": JSON_TYPE}
        return self.request("POST", path, headers, json.dumps(question).encode(), within_s=within_s)

    def request(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        within_s: float,
    ) -> Answer:
        """Send a request, and wait for the head of the response.

        The whole exchange takes ``within_s`` at most, unless its limit is renewed.

        Raises ``TimeoutError`` after that time, :class:`NotSentError` if it was not sent, and
        :class:`ConnectionLostError` or another ``OSError`` if there is no answer.
        """
        limit = Limit(within_s)
        sent = {"Host": self._host, **headers}
        if body:
            sent["Content-Length"] = str(len(body))
        try:
            begin = h11.Request(method=method, target=target, headers=list(sent.items()))
            events = (begin, *([h11.Data(data=body)] if body else []), h11.EndOfMessage())
            self._socket.settimeout(max(0.001, within_s))
            self._socket.sendall(b"".join(self._http.send(each) or b"" for each in events))
        except TimeoutError:
            raise
        # The server closed the connection, or a header's value is invalid.
        except (h11.LocalProtocolError, OSError, ValueError) as error:
            raise NotSentError(str(error)) from error
        while not isinstance(event := self._next(limit), h11.Response):
            if not isinstance(event, h11.InformationalResponse):
                raise ConnectionLostError("it ended without an answer")
        kinds = (value for name, value in event.headers if name == b"content-type")
        kind = next(kinds, b"").partition(b";")[0].strip().lower().decode("ascii", "replace")
        return Answer(event.status_code, kind, self._parts(limit), limit)

    def _parts(self, limit: Limit) -> Iterator[bytes]:
        while isinstance(event := self._next(limit), h11.Data):
            yield bytes(event.data)
        if not isinstance(event, h11.EndOfMessage):
            raise ConnectionLostError("it ended in the middle of an answer")
        self._rests_since = monotonic()
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    def _next(self, limit: Limit) -> object:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(self._received(limit))
        except h11.ProtocolError as error:
            is_gone = self._http.trailing_data[1]
            what = "it closed the connection" if is_gone else "its answer isn't HTTP"
            raise ConnectionLostError(what) from error
        return event

    def _received(self, limit: Limit) -> bytes:
        while (left_s := limit.until - monotonic()) > 0:
            self._socket.settimeout(min(left_s, _SLICE_S))
            try:
                return self._socket.recv(_READ_BYTES)
            except TimeoutError:
                continue
        raise TimeoutError("no answer in time")

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


STEP_S = 5.0
"""Limit for each step of asking, in seconds."""

END_S = 15.0
"""How long to wait for a server's end, in seconds. It ends itself within ten."""

_LOOK_S = 0.1
_MAX_ANSWER_BYTES = 64 * 1024


def stop(file: ServerFile) -> str | None:
    """End the server that wrote ``file``. Return ``None``, or why the server still runs."""
    question = {"proof": stop_proof_of(file.key, file.port)}
    try:
        connection = ProvenConnection.to_server(file, STEP_S)
    except (OSError, NotProvenError):
        return "it doesn't prove that it is this user's server"
    try:
        answer = connection.ask(file, SERVER_STOP_PATH, question, within_s=STEP_S)
        answer.read(_MAX_ANSWER_BYTES)
    except (OSError, ValueError) as error:
        return f"it gave no answer ({error})"
    finally:
        connection.close()
    if answer.status == HTTPStatus.NOT_FOUND:
        return "its version can't be stopped this way"
    if answer.status != HTTPStatus.OK:
        return f"it refuses (HTTP status {answer.status})"
    until = time.monotonic() + END_S
    while answers(file, _LOOK_S):
        if time.monotonic() >= until:
            return "it still answers, though it was asked to end"
        time.sleep(_LOOK_S)
    return None
